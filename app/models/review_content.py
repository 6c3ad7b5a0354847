"""What an agent asks for, whole, in pieces that hide nothing: folded room is named, odd characters
are spelled out.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from app.models.diff_lines import Sign, diff
from backend.domain.agents import ToolCallChange, ToolDiff, ToolText
from backend.domain.review import Review

SHORT: Final = 12_000
"""Characters shown at first; all of it when the human asks for all of it."""
_BLANK_LINES: Final = 4
_SPACES: Final = 24
_LINE: Final = 1_000
"""Characters after which a line is broken, so that one of a million can be shown."""
_ROOM: Final = re.compile(
    rf"(?:[ \t\xa0]*\n){{{_BLANK_LINES},}}|[ \t\xa0\u2000-\u200a\u3000]{{{_SPACES},}}"
)
_ODD: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u115f\u1160\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff]"
)
_LEFT_OUT: Final = frozenset({"command", "cmd", "cwd", "description"})


class Mark(StrEnum):
    """How a piece reads."""

    PLAIN = "plain"
    HEADING = "heading"
    ADDED = "added"
    REMOVED = "removed"
    ODD = "odd"
    """A character nobody would see, by its number."""
    BLANK_LINES = "blank_lines"
    """So many blank lines that are not shown; `count` says how many."""
    SPACES = "spaces"
    MORE = "more"
    """So many characters that are not shown yet."""


@dataclass(frozen=True, slots=True)
class Piece:
    text: str
    mark: Mark = Mark.PLAIN
    count: int = 0


def review_pieces(review: Review, *, whole: bool = False) -> tuple[Piece, ...]:
    """The command, the change or the arguments of a request; the first part unless `whole`."""
    sections = list(_sections(review.call))
    total = sum(len(piece.text) for piece in sections)
    if not whole and total > SHORT:
        sections = [*_first(sections, SHORT), Piece("", Mark.MORE, total - SHORT)]
    return tuple(shown for section in sections for shown in _shown(section))


def is_long(review: Review) -> bool:
    return sum(len(piece.text) for piece in _sections(review.call)) > SHORT


def command_text(call: ToolCallChange) -> str:
    given = call.raw_input if isinstance(call.raw_input, Mapping) else {}
    command = given.get("command", given.get("cmd"))
    if isinstance(command, list | tuple):
        return " ".join(str(word) for word in command)
    return command if isinstance(command, str) else ""


def description_of(call: ToolCallChange) -> str:
    """What the agent says it is for; its words, and no more than that."""
    given = call.raw_input if isinstance(call.raw_input, Mapping) else {}
    words = given.get("description") or given.get("justification")
    return words.strip() if isinstance(words, str) else ""


def folder_of(review: Review) -> str:
    """Where it would run: what the call says, else the folder of the session."""
    given = review.call.raw_input if isinstance(review.call.raw_input, Mapping) else {}
    cwd = given.get("cwd")
    return cwd if isinstance(cwd, str) and cwd else review.folder


def _sections(call: ToolCallChange) -> Iterator[Piece]:
    command = command_text(call)
    diffs = [part for part in call.content or () if isinstance(part, ToolDiff)]
    texts = [part.text for part in call.content or () if isinstance(part, ToolText)]
    if command:
        yield Piece(command)
    elif call.title and not diffs:
        yield Piece(call.title)
    for change in diffs:
        yield Piece(f"\n{change.path}\n" if command else f"{change.path}\n", Mark.HEADING)
        yield from _diff(change)
    for text in texts:
        if text.strip() and text.strip() != command.strip():
            yield Piece(f"\n\n{text}")
    rest = _rest(call, left_out=_LEFT_OUT if command else frozenset(), has_diff=bool(diffs))
    if rest:
        yield Piece(f"\n\n{rest}")


def _rest(call: ToolCallChange, *, left_out: frozenset[str], has_diff: bool) -> str:
    """The arguments that nothing above has said."""
    given = call.raw_input
    if given is None or (has_diff and not left_out):
        return ""
    if isinstance(given, Mapping):
        given = {key: value for key, value in given.items() if key not in left_out}
        if not given:
            return ""
    return json.dumps(given, ensure_ascii=False, indent=2, default=str)


def _diff(change: ToolDiff) -> Iterator[Piece]:
    for line in diff(change.old_text or "", change.new_text).lines:
        sign = "" if line.sign is Sign.PLACE else line.sign.value
        yield Piece(f"{sign}{line.text}\n", _MARKS[line.sign])


_MARKS: Final = {
    Sign.SAME: Mark.PLAIN,
    Sign.ADDED: Mark.ADDED,
    Sign.REMOVED: Mark.REMOVED,
    Sign.PLACE: Mark.HEADING,
}


def _first(pieces: list[Piece], size: int) -> list[Piece]:
    kept: list[Piece] = []
    for piece in pieces:
        if size <= 0:
            break
        kept.append(Piece(piece.text[:size], piece.mark, piece.count))
        size -= len(piece.text)
    return kept


def _shown(piece: Piece) -> Iterator[Piece]:
    """Fold what is only room, and name what cannot be seen."""
    if not piece.text:
        yield piece
        return
    done = 0
    for found in _ROOM.finditer(piece.text):
        yield from _spelled(piece.text[done : found.start()], piece.mark)
        room = found.group()
        lines = room.count("\n")
        if lines:
            yield Piece("\n", piece.mark)
            yield Piece("", Mark.BLANK_LINES, lines - 1)
            yield Piece("\n", piece.mark)
        else:
            yield Piece("", Mark.SPACES, len(room))
        done = found.end()
    yield from _spelled(piece.text[done:], piece.mark)


def _spelled(text: str, mark: Mark) -> Iterator[Piece]:
    done = 0
    for found in _ODD.finditer(text):
        yield from _broken(text[done : found.start()], mark)
        yield Piece(f"U+{ord(found.group()):04X}", Mark.ODD)
        done = found.end()
    yield from _broken(text[done:], mark)


def _broken(text: str, mark: Mark) -> Iterator[Piece]:
    if not text:
        return
    lines = (
        line[start : start + _LINE]
        for line in text.split("\n")
        for start in range(0, max(1, len(line)), _LINE)
    )
    yield Piece("\n".join(lines), mark)
