"""Arguments of any size and shape: their texts checked, their fields named.

A body of the allowed size may hold half a million values below a key that is as long as the rest
of it, so nothing here is written out per value, and nothing is repeated at full length.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from backend.domain.validation import check_characters, shortened

_MAX_PATH: Final = 400

Step = int | str


def check_texts(arguments: object) -> None:
    """Refuse text that cannot be stored, in keys and values at any depth.

    Raises:
        InvalidInput: names the first such text by its path; a key by the path it stands under.
    """
    _check_text((), arguments)
    location: list[Step] = []
    levels = [_members(arguments)]
    while levels:
        found = next(levels[-1], None)
        if found is None:
            levels.pop()
            if location:
                location.pop()
            continue
        step, value = found
        if isinstance(step, str):
            _check_text(location, step)
        if isinstance(value, Mapping | list):
            location.append(step)
            levels.append(_members(value))
        else:
            _check_text((*location, step), value)


def field_path(location: tuple[Step, ...] | list[Step]) -> str:
    """`("questions", 0, "label")` as `questions[0].label`, short and fit to be sent."""
    path = ""
    for step in location:
        if len(path) > _MAX_PATH:
            path += "…"
            break
        if isinstance(step, int):
            path += f"[{step}]"
        else:
            path += f".{shortened(step)}" if path else shortened(step)
    return path.encode("utf-8", "replace").decode() or "arguments"


def _members(value: object) -> Iterator[tuple[Step, object]]:
    if isinstance(value, Mapping):
        return ((str(key), inner) for key, inner in value.items())
    return iter(enumerate(value) if isinstance(value, list) else ())


def _check_text(location: tuple[Step, ...] | list[Step], value: object) -> None:
    if isinstance(value, str) and (not value.isascii() or "\0" in value):
        check_characters(field_path(location), value)
