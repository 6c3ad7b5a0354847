"""The lines of a unified diff, made in a time that is bounded whatever the files hold."""

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Final

CONTEXT: Final = 3
"""Unchanged lines shown around a change."""
_MOST_WORK: Final = 1_000_000
"""Lines of both sides multiplied; beyond it the files are told as wholly replaced."""


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
    changed = before[start : len(before) - end], after[start : len(after) - end]
    first = max(0, start - CONTEXT)
    lead = before[first:start]
    tail = before[len(before) - end :][:CONTEXT]
    if not any(changed):
        return Diff(())
    if len(changed[0]) * len(changed[1]) > _MOST_WORK:
        lines = _replaced(lead, changed, tail, first)
    else:
        window = [*lead, *changed[0], *tail], [*lead, *changed[1], *tail]
        lines = _unified(window, first)
    return Diff(tuple(lines))


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


def _unified(window: tuple[list[str], list[str]], skipped: int) -> list[DiffLine]:
    old, new = window
    lines = []
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=True)
    for group in matcher.get_grouped_opcodes(CONTEXT):
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


def _replaced(
    lead: list[str], changed: tuple[list[str], list[str]], tail: list[str], first: int
) -> list[DiffLine]:
    before = len(lead) + len(changed[0]) + len(tail)
    after = len(lead) + len(changed[1]) + len(tail)
    return [
        DiffLine(Sign.PLACE, f"@@ -{first + 1},{before} +{first + 1},{after} @@"),
        *(DiffLine(Sign.SAME, line) for line in lead),
        *(DiffLine(Sign.REMOVED, line) for line in changed[0]),
        *(DiffLine(Sign.ADDED, line) for line in changed[1]),
        *(DiffLine(Sign.SAME, line) for line in tail),
    ]
