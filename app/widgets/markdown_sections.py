"""Markdown cut where it can be cut, so that text which grows is not laid out from its start.

What has been cut off never changes while text is appended: only the last section is still open.
"""

import re
from dataclasses import dataclass
from typing import Final

SECTION: Final = 800
"""Least characters of a section that ends where a reader sees a paragraph end."""
LONGEST: Final = 6_000
"""Most characters of a section: then it ends at a line, an item, a table row or a word."""
_FENCE: Final = re.compile(r" {0,3}(`{3,}|~{3,})")
_ITEM: Final = re.compile(r" {0,3}(?:[-*+]|\d{1,9}[.)])(?:\s|$)")
_RULE: Final = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-*:?[ \t]*)+$")
_DEFINITION: Final = re.compile(r"^ {0,3}\[([^\]\n]+)\]:[ \t]*\S.*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Section:
    """A piece of the source, complete Markdown by itself."""

    text: str
    start: int
    """Where it begins in the source."""
    continues: bool = False
    """The code block at the end of the section before goes on in this one."""
    goes_on: bool = False
    """The code block at its own end goes on in the next one."""


class Sections:
    """The sections of one text. `update` again and again while it grows."""

    def __init__(self) -> None:
        self._settled: list[Section] = []
        self._settled_text = ""
        self._opening = ""
        """What has to stand again before the rest: the fence or the head of a table it is in."""

    def update(self, text: str) -> list[Section]:
        """All sections of `text`; those of its beginning are the same objects as before."""
        if not text.startswith(self._settled_text):
            self._start_over()
        end = self._cut(text)
        if end != len(self._settled_text):
            self._settled_text = text[:end]
        return [*self._settled, self._last(text)]

    def _start_over(self) -> None:
        self._settled = []
        self._settled_text = ""
        self._opening = ""

    def _cut(self, text: str) -> int:
        """Settle what can be settled; where the open section begins."""
        start = place = likely = len(self._settled_text)
        scan = _Scan(self._opening)
        while place < len(text):
            end = text.find("\n", place) + 1
            complete = end > 0
            end = end if complete else len(text)
            if complete and place - start >= SECTION and scan.may_begin(text[place:end]):
                scan = self._settle(text, start, place, scan)
                start = place
            if scan.fence or text[place] not in " \t\n":
                likely = place
            while end - start > LONGEST:
                at = _forced_cut(text, start, likely, place, end)
                scan = self._settle(text, start, at, scan)
                start, place = at, max(place, at)
            if complete:
                scan.read(text[place:end])
            place = end
        return start

    def _settle(self, text: str, start: int, end: int, scan: "_Scan") -> "_Scan":
        piece = self._opening + text[start:end]
        if scan.fence:
            piece = f"{piece.rstrip()}\n{scan.fence}"
        self._settled.append(Section(piece, start, self._in_code, goes_on=bool(scan.fence)))
        self._opening = scan.opening
        return _Scan(self._opening)

    def _last(self, text: str) -> Section:
        start = len(self._settled_text)
        return Section(self._opening + text[start:], start, self._in_code)

    @property
    def _in_code(self) -> bool:
        return _FENCE.match(self._opening) is not None


class _Scan:
    """What the lines since the last cut were."""

    def __init__(self, opening: str) -> None:
        self.fence = ""
        self._fence_line = ""
        self._table = ""
        self._before = ""
        self._list = False
        for line in opening.splitlines(keepends=True):
            self.read(line)

    @property
    def opening(self) -> str:
        return self._fence_line or self._table

    @property
    def _after_blank(self) -> bool:
        return not self._before.strip()

    def may_begin(self, line: str) -> bool:
        """Whether a section may begin with `line` and nobody sees it."""
        if self.fence or not self._after_blank or not line.strip() or line[0] in " \t":
            return False
        return not (self._list and _ITEM.match(line))

    def read(self, line: str) -> None:
        fence = _FENCE.match(line)
        if self.fence:
            if fence and fence[1].startswith(self.fence) and not line[fence.end() :].strip():
                self.fence = self._fence_line = ""
        elif fence:
            self.fence, self._fence_line = fence[1], line
        elif _ITEM.match(line):
            self._list = True
        elif line.strip() and line[0] not in " \t" and self._after_blank:
            self._list = False
        if not line.strip() or self.fence:
            self._table = ""
        elif "|" in self._before and _RULE.match(line.rstrip()):
            self._table = self._before + line
        self._before = line


def _forced_cut(text: str, start: int, likely: int, place: int, end: int) -> int:
    """Where to cut what nothing but its length ends, the line from `place` to `end` included."""
    for at in (likely, place):
        if at - start >= LONGEST // 2:
            return at
    limit = min(end, start + LONGEST)
    space = text.rfind(" ", start + LONGEST // 2, limit)
    return space + 1 if space > 0 else limit


def definitions(text: str) -> dict[str, str]:
    """The lines that say where `[label]` leads, by label."""
    return {found[1].casefold(): found[0] for found in _DEFINITION.finditer(text)}


def with_definitions(section: str, known: dict[str, str]) -> str:
    """`section` with the definitions it needs and does not hold itself."""
    needed = [
        line
        for label, line in known.items()
        if f"[{label}]" in section.casefold() and line not in section
    ]
    return "\n\n".join([section, "\n".join(needed)]) if needed else section
