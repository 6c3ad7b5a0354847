"""The lines of a unified diff, made in a time that is bounded whatever the files hold."""

import difflib
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from itertools import pairwise
from typing import Final

CONTEXT: Final = 3
"""Unchanged lines shown around a change."""
_MOST_WORK: Final = 40_000
"""Lines of both sides multiplied; what shares no unique line is then told as replaced."""


class Sign(StrEnum):
    """What stands before a line, so that colour is not needed to read it."""

    SAME = " "
    ADDED = "+"
    REMOVED = "-"
    PLACE = "@"


@dataclass(frozen=True, slots=True)
class DiffLine:
    sign: Sign
    text: str


@dataclass(frozen=True, slots=True)
class Diff:
    lines: tuple[DiffLine, ...]

    @property
    def added(self) -> int:
        return sum(line.sign is Sign.ADDED for line in self.lines)

    @property
    def removed(self) -> int:
        return sum(line.sign is Sign.REMOVED for line in self.lines)

    @property
    def text(self) -> str:
        """As it is copied."""
        return "\n".join(
            line.text if line.sign is Sign.PLACE else f"{line.sign}{line.text}"
            for line in self.lines
        )


@lru_cache(maxsize=64)
def diff(old: str, new: str) -> Diff:
    """What has to be done to `old` to have `new`."""
    before, after = old.splitlines(), new.splitlines()
    start = _same(before, after)
    end = _same(before[start:][::-1], after[start:][::-1])
    first = max(0, start - CONTEXT)
    last = min(CONTEXT, end)
    changed = before[first : len(before) - end + last]
    changed_to = after[first : len(after) - end + last]
    return Diff(tuple(_unified(changed, changed_to, first)))


@lru_cache(maxsize=64)
def read_diff(text: str) -> Diff:
    """A diff an agent has written, as far as it looks like one."""
    lines = []
    for line in text.splitlines():
        if line.startswith(("+++", "---", "diff ", "index ")):
            continue
        if line.startswith("@@"):
            lines.append(DiffLine(Sign.PLACE, line))
        elif line[:1] in ("+", "-", " "):
            lines.append(DiffLine(Sign(line[0]), line[1:]))
        else:
            lines.append(DiffLine(Sign.SAME, line))
    return Diff(tuple(lines))


def _same(one: Sequence[str], other: Sequence[str]) -> int:
    """How many lines at the beginning of both are the same."""
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count


class _Matcher(difflib.SequenceMatcher[str]):
    """Matches lines that occur once on both sides first, and only what is between them as such.

    What is left between is compared line by line when it is short, else told as replaced.
    """

    def __init__(self, old: Sequence[str], new: Sequence[str]) -> None:
        super().__init__(None, old, new)
        self._old, self._new = old, new

    def get_matching_blocks(self) -> list[difflib.Match]:
        blocks: list[difflib.Match] = []
        edges = [(-1, -1), *_anchors(self._old, self._new), (len(self._old), len(self._new))]
        for (a0, b0), (a1, b1) in pairwise(edges):
            if a0 >= 0:
                blocks.append(difflib.Match(a0, b0, 1))
            blocks += _between(self._old[a0 + 1 : a1], self._new[b0 + 1 : b1], a0 + 1, b0 + 1)
        return [*_joined(blocks), difflib.Match(len(self._old), len(self._new), 0)]


def _anchors(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """Places of lines that are unique on both sides, as many as stand in the same order."""
    counts, others = Counter(old), Counter(new)
    places = {line: place for place, line in enumerate(new) if others[line] == 1}
    pairs = [
        (place, places[line])
        for place, line in enumerate(old)
        if counts[line] == 1 and line in places
    ]
    # The longest run of pairs that rises on both sides.
    ends: list[int] = []
    rows: list[int] = []
    before: list[int] = []
    for number, (_, place) in enumerate(pairs):
        at = bisect_left(ends, place)
        before.append(rows[at - 1] if at else -1)
        ends[at : at + 1] = [place]
        rows[at : at + 1] = [number]
    chain: list[tuple[int, int]] = []
    number = rows[-1] if rows else -1
    while number >= 0:
        chain.append(pairs[number])
        number = before[number]
    return chain[::-1]


def _between(
    old: Sequence[str], new: Sequence[str], old_at: int, new_at: int
) -> list[difflib.Match]:
    start = _same(old, new)
    end = _same(old[start:][::-1], new[start:][::-1])
    middle_old, middle_new = old[start : len(old) - end], new[start : len(new) - end]
    found = [difflib.Match(old_at, new_at, start)]
    if len(middle_old) * len(middle_new) <= _MOST_WORK:
        matcher = difflib.SequenceMatcher(None, middle_old, middle_new, autojunk=False)
        found += [
            difflib.Match(old_at + start + block.a, new_at + start + block.b, block.size)
            for block in matcher.get_matching_blocks()
        ]
    found.append(difflib.Match(old_at + len(old) - end, new_at + len(new) - end, end))
    return [block for block in found if block.size]


def _joined(blocks: Sequence[difflib.Match]) -> list[difflib.Match]:
    """Blocks that follow each other without a gap as one."""
    joined: list[difflib.Match] = []
    for block in blocks:
        before = joined[-1] if joined else None
        if before and (before.a + before.size, before.b + before.size) == (block.a, block.b):
            joined[-1] = difflib.Match(before.a, before.b, before.size + block.size)
        else:
            joined.append(block)
    return joined


def _unified(old: Sequence[str], new: Sequence[str], skipped: int) -> list[DiffLine]:
    lines = []
    for group in _Matcher(old, new).get_grouped_opcodes(CONTEXT):
        lines.append(_place(group[0][1] + skipped, group[0][3] + skipped, group))
        for tag, a, b, c, d in group:
            if tag == "equal":
                lines += [DiffLine(Sign.SAME, line) for line in old[a:b]]
                continue
            lines += [DiffLine(Sign.REMOVED, line) for line in old[a:b]]
            lines += [DiffLine(Sign.ADDED, line) for line in new[c:d]]
    return lines


def _place(old: int, new: int, group: Sequence[tuple[str, int, int, int, int]]) -> DiffLine:
    before = group[-1][2] - group[0][1]
    after = group[-1][4] - group[0][3]
    starts = old + (1 if before else 0), new + (1 if after else 0)
    return DiffLine(Sign.PLACE, f"@@ -{starts[0]},{before} +{starts[1]},{after} @@")
