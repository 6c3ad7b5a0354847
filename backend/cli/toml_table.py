"""Edits one table of a TOML file as text, so that everything else keeps its bytes."""

import json
import re
import tomllib
from collections.abc import Mapping

_HEADER = re.compile(r"^[ \t]*\[")


class TomlError(ValueError):
    """The text is not TOML, or cannot be edited without touching something else."""


def parse(text: str) -> dict[str, object]:
    """Raises `TomlError` with the place."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise TomlError(str(error)) from error


def set_table(text: str, path: tuple[str, str], values: Mapping[str, object]) -> str:
    """`text` with the table at `path` holding exactly `values`, at its place or at the end.

    Raises:
        TomlError: not TOML, or the table is written in a form this cannot edit (inline, dotted).
    """
    before = parse(text)
    block = _block(path, values, _newline(text))
    lines, cuts = text.splitlines(keepends=True), _cuts(text, path)
    if cuts:
        first = cuts[0][0]
        kept = _without(lines, cuts)
        edited = "".join([*kept[:first], block, *kept[first:]])
    else:
        edited = _appended(text, block)
    return _checked(before, edited, path, dict(values))


def remove_table(text: str, path: tuple[str, str]) -> str:
    """`text` without the table at `path` and its sub-tables; unchanged when there is none.

    Raises:
        TomlError: as `set_table`.
    """
    before = parse(text)
    parent = before.get(path[0])
    if not isinstance(parent, dict) or path[1] not in parent:
        return text
    edited = "".join(_without(text.splitlines(keepends=True), _cuts(text, path)))
    return _checked(before, edited, path, None)


def _block(path: tuple[str, str], values: Mapping[str, object], newline: str) -> str:
    rows = [
        f"[{path[0]}.{path[1]}]",
        *(f"{key} = {_value(value)}" for key, value in values.items()),
    ]
    return "".join(row + newline for row in rows)


def _value(value: object) -> str:
    """JSON and TOML write texts, whole numbers, booleans and lists of them alike."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _cuts(text: str, path: tuple[str, str]) -> list[tuple[int, int]]:
    """Line ranges of the table and its sub-tables, without the blank and comment lines after."""
    part = "|".join(re.escape(form) for form in (path[1], f'"{path[1]}"', f"'{path[1]}'"))
    ours = re.compile(rf"^[ \t]*\[\s*{re.escape(path[0])}\s*\.\s*(?:{part})\s*(?:\.[^\]]*)?\]")
    lines = text.splitlines()
    cuts = []
    for number, line in enumerate(lines):
        if not ours.match(line):
            continue
        end = number + 1
        while end < len(lines) and not _HEADER.match(lines[end]):
            end += 1
        while end > number + 1 and lines[end - 1].strip()[:1] in ("", "#"):
            end -= 1
        cuts.append((number, end))
    return cuts


def _without(lines: list[str], cuts: list[tuple[int, int]]) -> list[str]:
    dropped = {number for start, end in cuts for number in range(start, end)}
    return [line for number, line in enumerate(lines) if number not in dropped]


def _appended(text: str, block: str) -> str:
    newline = _newline(text)
    if not text:
        return block
    return text + ("" if text.endswith("\n") else newline) + newline + block


def _checked(
    before: dict[str, object], edited: str, path: tuple[str, str], value: object | None
) -> str:
    """Only our table may mean something else than before."""
    after = parse(edited)
    parent = before.get(path[0])
    expected = {**parent} if isinstance(parent, dict) else {}
    if value is None:
        expected.pop(path[1], None)
    else:
        expected[path[1]] = value
    others = {key: item for key, item in before.items() if key != path[0]}
    found = after.get(path[0], {})
    if {key: item for key, item in after.items() if key != path[0]} != others or found != expected:
        name = ".".join(path)
        raise TomlError(f"{name} is written in a form that cannot be edited safely")
    return edited


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"
