"""Parts of an agent's JSON, read leniently: a part of the wrong type counts as absent."""

from collections.abc import Iterator
from typing import Final

from backend.agents.frames import JsonMap

_LARGEST: Final = 2**53


def as_map(value: object) -> JsonMap:
    return value if isinstance(value, dict) else {}


def maps(value: object) -> Iterator[JsonMap]:
    """The objects of a list."""
    if isinstance(value, list):
        yield from (item for item in value if isinstance(item, dict))


def text_of(source: JsonMap, name: str, default: str = "") -> str:
    found = source.get(name)
    return found if isinstance(found, str) else default


def optional_text(source: JsonMap, name: str) -> str | None:
    found = source.get(name)
    return found if isinstance(found, str) else None


def count_of(source: JsonMap, name: str) -> int | None:
    """A whole number that is not negative and that every store can keep."""
    found = source.get(name)
    if isinstance(found, bool) or not isinstance(found, int | float):
        return None
    return int(found) if 0 <= found <= _LARGEST else None


def number_of(source: JsonMap, name: str) -> float | None:
    """A number; one with more digits than any float has is none."""
    found = source.get(name)
    if isinstance(found, bool) or not isinstance(found, int | float):
        return None
    try:
        return float(found)
    except OverflowError:
        return None


def meta_of(source: JsonMap) -> JsonMap:
    return as_map(source.get("_meta"))
