"""Line breaks of what a human wrote, which Markdown would join into one line."""

import re
from itertools import pairwise
from typing import Final

_LINE_SEPARATOR: Final = "\u2028"
_FENCE: Final = re.compile(r" {0,3}(`{3,}|~{3,})")
_NOT_PROSE: Final = re.compile(
    r"\s*$|\t| {4}|\s*(?:[-*+>#=[<]|\d{1,9}[.)]\s|`{3}|~{3})|.*\||.*(?:  |\\)$"
)


def with_line_breaks(text: str) -> str:
    """Markdown that breaks where `text` does between lines of prose.

    Lists, tables, headings, quotations and code keep the line ends that make them.
    """
    lines = text.split("\n")
    parts = [lines[0]]
    fence = _fence_after("", lines[0])
    for before, line in pairwise(lines):
        prose = not fence and not _NOT_PROSE.match(before) and not _NOT_PROSE.match(line)
        parts.append(_LINE_SEPARATOR if prose else "\n")
        parts.append(line)
        fence = _fence_after(fence, line)
    return "".join(parts)


def _fence_after(fence: str, line: str) -> str:
    """The fence of the code that goes on after `line`, empty outside of code."""
    found = _FENCE.match(line)
    if found is None:
        return fence
    if not fence:
        return found[1]
    return "" if found[1].startswith(fence) else fence
