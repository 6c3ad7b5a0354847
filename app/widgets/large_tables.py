"""Tables too large to lay out while a human waits: shown as they were written."""

import re
from typing import Final

MAX_CELLS: Final = 400
"""Qt lays out a table anew for each width it is asked about, in time that grows with its cells."""
_FENCE: Final = re.compile(r"[ >]{0,8}(```|~~~)")
_RULE: Final = frozenset(" \t>|:-")


def without_large_tables(text: str) -> str:
    """`text` with what exceeds the cells of all tables together put into code blocks."""
    lines = text.split("\n")
    parts: list[str] = []
    room, fenced, number = MAX_CELLS, "", 0
    while number < len(lines):
        fence = _FENCE.match(lines[number])
        if fence is not None and fenced in {"", fence[1]}:
            fenced = "" if fenced else fence[1]
        end = number if fenced else _end_of_table(lines, number)
        cells = (end - number) * _columns(lines, number)
        if cells > room:
            mark = "~~~" if "```" in "\n".join(lines[number:end]) else "```"
            parts += ["", mark, *lines[number:end], mark, ""]
        else:
            room -= cells
            parts += lines[number : max(end, number + 1)]
        number = max(end, number + 1)
    return "\n".join(parts)


def _end_of_table(lines: list[str], start: int) -> int:
    """Behind the last row of a table whose header is at `start`; `start` when there is none.

    A table goes on to the next empty line: its rows need no bars.
    """
    if not _is_rule(lines, start + 1) or not lines[start].strip():
        return start
    end = start + 2
    while end < len(lines) and lines[end].strip(" \t>"):
        end += 1
    return end


def _is_rule(lines: list[str], number: int) -> bool:
    line = lines[number] if number < len(lines) else ""
    return "|" in line and "-" in line and _RULE.issuperset(line)


def _columns(lines: list[str], start: int) -> int:
    return lines[start + 1].count("|") + 1 if start + 1 < len(lines) else 0
