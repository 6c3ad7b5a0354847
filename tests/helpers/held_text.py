"""How much text an object holds on to: a measure of memory that is the same on every machine."""

from collections.abc import Iterable, Mapping


def held_text(*roots: object) -> int:
    """Characters of all strings that can be reached through values and attributes, each once."""
    seen: set[int] = set()
    waiting = list(roots)
    total = 0
    while waiting:
        found = waiting.pop()
        if id(found) in seen or isinstance(found, type):
            continue
        seen.add(id(found))
        if isinstance(found, str | bytes):
            total += len(found)
        elif isinstance(found, Mapping):
            waiting += [*found.keys(), *found.values()]
        elif isinstance(found, Iterable) and not hasattr(found, "__next__"):
            waiting += found
        else:
            waiting += _attributes(found)
    return total


def _attributes(found: object) -> list[object]:
    names = [name for base in type(found).__mro__ for name in getattr(base, "__slots__", ())]
    values = [getattr(found, name) for name in names if hasattr(found, name)]
    return [*values, *getattr(found, "__dict__", {}).values()]
