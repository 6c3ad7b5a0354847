"""Rows of tools: one muted line, and opened what was done to which files with which outcome."""

from typing import Final

from PySide6.QtCore import QCoreApplication

from app.models.activity_text import Counts, doing_text, progress_text
from app.models.diff_lines import Diff, diff, read_diff
from app.resources import Icon
from app.theme import Theme
from app.viewmodels.tool_row import Doing, FileChange, Progress, ToolRow, read_tool
from app.widgets.plain_documents import DiffDocument, PlainDocument
from app.widgets.row_facts import RowFacts
from app.widgets.row_layout import Part, Toggle
from app.widgets.row_page import Line, RowPage
from backend.domain.conversation import Message

TAIL_LINES: Final = 12
"""Lines of output shown until more are wanted."""
DIFF_LINES: Final = 60
MOST_LINES: Final = 2_000
"""Lines shown at once of what was opened; all of them can be copied."""
_MOST_CHARACTERS: Final = 100_000
_SHORT_CHARACTERS: Final = 4_000

_ICONS: Final = {
    Doing.READ: Icon.READ,
    Doing.SEARCH: Icon.SEARCH,
    Doing.EDIT: Icon.EDIT,
    Doing.DELETE: Icon.DISCARD,
    Doing.MOVE: Icon.FOLDER,
    Doing.RUN: Icon.COMMAND,
    Doing.FETCH: Icon.FETCH,
    Doing.THINK: Icon.THINKING,
    Doing.SUBAGENT: Icon.AGENT,
    Doing.DESK: Icon.QUESTION,
    Doing.OTHER: Icon.TOOL,
}


class ToolRows:
    """Builds the row of a tool call of any kind."""

    def __init__(self, theme: Theme) -> None:
        self._theme = theme

    def tool(self, page: RowPage, message: Message, facts: RowFacts) -> None:
        row = read_tool(message)
        opened = facts.is_open(Part.ROW) and row.has_more
        cut = page.disclosure(
            Line(
                icon=_ICONS[row.doing],
                name=doing_text(row.doing),
                about=_about(row),
                state=progress_text(row),
                colour="danger" if row.progress is Progress.FAILED else "text_muted",
                opened=opened,
                action=Toggle(Part.ROW) if row.has_more else None,
            )
        )
        if opened:
            self._say(page, row.title if cut and row.title != row.command else "")
            self._details(page, row, facts)
            page.space(6)

    def tail(self, page: RowPage, text: str, facts: RowFacts, part: Part) -> None:
        """The end of an output; the rest when it is asked for."""
        lines = text.rstrip().splitlines()
        open_ = facts.is_open(part)
        most, characters = (
            (MOST_LINES, _MOST_CHARACTERS) if open_ else (TAIL_LINES, _SHORT_CHARACTERS)
        )
        shown = "\n".join(lines[-most:])[-characters:]
        hidden = len(shown) < len(text.rstrip())
        if hidden and open_:
            note = Counts().last_lines(len(shown.splitlines()))
            page.line(note, "text_muted", indent=page.gutter, small=True)
        page.code(self._plain(shown), indent=page.gutter, copied=text)
        if hidden and not open_:
            page.action(Counts().all_lines(len(lines)), Toggle(part), indent=page.gutter)
        elif open_ and (len(lines) > TAIL_LINES or len(shown) > _SHORT_CHARACTERS):
            page.action(_less(), Toggle(part), indent=page.gutter)

    def _details(self, page: RowPage, row: ToolRow, facts: RowFacts) -> None:
        self._say(page, row.description if row.description != row.title else "")
        self._say(page, "\n".join(place for place in row.locations if place != row.title))
        if row.command:
            page.code(self._plain(row.command), indent=page.gutter, copied=row.command)
        if row.folder:
            words = QCoreApplication.translate("Transcript", "In %1")
            self._say(page, words.replace("%1", row.folder))
        self._named(page, _given(), row.given, facts, Part.GIVEN)
        for change in row.changes:
            alone = len(row.changes) == 1 and change.path in row.title
            self._change(page, change, facts, alone=alone)
        self._named(page, "", row.output, facts, Part.OUTPUT)
        self._named(page, _error_output(), row.error_output, facts, Part.STDERR)
        if row.cut:
            words = QCoreApplication.translate(
                "Transcript", "A part was too long to be kept and is not shown."
            )
            self._say(page, words)
        if row.exit_code is not None:
            words = QCoreApplication.translate("Activity", "exit code %1")
            self._say(page, words.replace("%1", str(row.exit_code)))

    def _named(self, page: RowPage, name: str, text: str, facts: RowFacts, part: Part) -> None:
        if text:
            self._say(page, name)
            self.tail(page, text, facts, part)

    def _say(self, page: RowPage, words: str) -> None:
        if words:
            page.words(words, "text_muted", indent=page.gutter)

    def _change(self, page: RowPage, change: FileChange, facts: RowFacts, *, alone: bool) -> None:
        told = _diff(change)
        if not alone:
            self._say(page, f"{change.path}  {_counts(told)}".strip())
        if not told.lines:
            words = QCoreApplication.translate("Transcript", "Nothing changed in it.")
            page.words(words, "text_muted", indent=page.gutter)
            return
        open_ = facts.is_open(Part.CHANGES)
        limit = MOST_LINES if open_ else DIFF_LINES
        document = DiffDocument(told, self._theme.fixed_font(), self._theme.colours, limit)
        page.code(document, indent=page.gutter, copied=told.text)
        if len(told.lines) > limit:
            if open_:
                note = Counts().first_lines(limit)
                page.line(note, "text_muted", indent=page.gutter, small=True)
            else:
                words = Counts().all_lines(len(told.lines))
                page.action(words, Toggle(Part.CHANGES), indent=page.gutter)
        elif open_ and len(told.lines) > DIFF_LINES:
            page.action(_less(), Toggle(Part.CHANGES), indent=page.gutter)

    def _plain(self, text: str) -> PlainDocument:
        return PlainDocument(text, self._theme.fixed_font(), self._theme.colours.text)


def _less() -> str:
    return QCoreApplication.translate("Transcript", "Show less")


def _given() -> str:
    return QCoreApplication.translate("Transcript", "Given to the tool")


def _error_output() -> str:
    return QCoreApplication.translate("Transcript", "Error output")


def _about(row: ToolRow) -> str:
    if not row.changes:
        return row.title
    return f"{row.title}  {_counts(*map(_diff, row.changes))}"


def _diff(change: FileChange) -> Diff:
    return read_diff(change.diff) if change.diff else diff(change.old, change.new)


def _counts(*told: Diff) -> str:
    added = sum(change.added for change in told)
    removed = sum(change.removed for change in told)
    return f"+{added} -{removed}"
