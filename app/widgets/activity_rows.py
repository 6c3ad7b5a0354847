"""Rows of what an agent thinks, plans, asks leave for and reports, and of kinds nobody knows."""

import re
from typing import Final

from PySide6.QtCore import QCoreApplication, QLocale

from app.models.activity_text import step_state_text, todo_count_text
from app.models.ledger_words import LedgerWords
from app.models.message_text import (
    permission_name,
    permission_status,
    plan_name,
    thought_text,
    todo_name,
    unknown_content,
    unknown_kind_text,
    variant_text,
)
from app.models.notice_text import notice_detail, notice_text
from app.models.reason_text import failure_text
from app.models.result_text import result_text
from app.resources import Icon
from app.text import clock_text
from app.theme import Theme
from app.viewmodels.activity_row import (
    PermissionRow,
    Step,
    Verdict,
    read_permission,
    read_stderr,
    read_thought,
    read_todos,
)
from app.viewmodels.row_metadata import as_json, kandesk
from app.widgets.long_text import LongText
from app.widgets.plain_documents import PlainDocument
from app.widgets.row_facts import RowFacts
from app.widgets.row_layout import Part, Toggle
from app.widgets.row_page import Line, RowPage
from backend.domain.conversation import Message

_FIRST_WORDS: Final = 200
_MARKS: Final = re.compile(r"[*`#>]+")
"""Marks of Markdown that only disturb in a line of plain text."""
_SHOWN_CHARACTERS: Final = 20_000
_MOST_MARKED: Final = 50
"""Entries of a list that have a mark each; a list of hundreds would take as many documents."""

_STEP_ICONS: Final = {
    Step.OPEN: (Icon.RADIO_OFF, "text_muted"),
    Step.STARTED: (Icon.IN_PROGRESS, "accent"),
    Step.DONE: (Icon.ANSWERED, "success"),
    Step.CANCELLED: (Icon.WITHDRAWN, "text_muted"),
}
_VERDICT_COLOURS: Final = {
    Verdict.PENDING: "attention",
    Verdict.APPROVED: "text_muted",
    Verdict.SUCCEEDED: "text_muted",
    Verdict.DECLINED: "text_muted",
    Verdict.CANCELLED: "text_muted",
    Verdict.EXPIRED: "text_muted",
    Verdict.FAILED: "danger",
    Verdict.UNKNOWN: "danger",
}


class ActivityRows:
    def __init__(self, theme: Theme, long_text: LongText) -> None:
        self._theme = theme
        self._long_text = long_text

    def thought(self, page: RowPage, message: Message, facts: RowFacts) -> None:
        text = read_thought(message)
        opened = facts.is_open(Part.ROW)
        about = "" if opened else _MARKS.sub("", text[:_FIRST_WORDS])
        action = Toggle(Part.ROW) if text else None
        page.disclosure(
            Line(Icon.THINKING, thought_text(message), about, "", opened=opened, action=action)
        )
        if opened:
            self._long_text.flow(page, message, text, facts, indent=page.gutter)
            page.space(6)

    def plan(self, page: RowPage, message: Message, facts: RowFacts) -> None:
        page.icon(Icon.PLAN, "text_muted")
        page.header(plan_name(), "", indent=page.gutter)
        self._long_text.flow(page, message, message.content, facts, indent=page.gutter)

    def todos(self, page: RowPage, message: Message, facts: RowFacts) -> None:  # noqa: ARG002
        todos = read_todos(message)
        page.icon(Icon.TODO, "text_muted")
        words = f"{todo_name()} · {todo_count_text(todos)}"
        page.header(words, "", indent=page.gutter)
        for item in todos[:_MOST_MARKED]:
            icon, colour = _STEP_ICONS[item.step]
            colour = getattr(self._theme.colours, colour)
            page.marked(item.text, icon, colour, page.gutter, step_state_text(item.step))
        if len(todos) > _MOST_MARKED:
            lines = (
                f"{step_state_text(item.step)} · {' '.join(item.text.split())}"
                for item in todos[_MOST_MARKED:]
            )
            page.words("\n".join(lines), "text", indent=page.gutter)

    def permission(self, page: RowPage, message: Message, facts: RowFacts) -> None:
        """Whole while it waits for its human, one line with the verdict afterwards."""
        row = read_permission(message)
        colour = _VERDICT_COLOURS[row.verdict]
        state = permission_status(message)
        if row.verdict is Verdict.PENDING:
            page.icon(Icon.PERMISSION, colour)
            page.header(permission_name(), "", indent=page.gutter)
            page.document(row.title, indent=page.gutter)
            self._asked(page, row)
            if row.details:
                self._folded(page, row.details, facts, Part.GIVEN, _details())
            time = clock_text(message.updated_at, facts.now, QLocale())
            page.line(f"{state} · {time}", colour, indent=page.gutter, small=True)
            return
        opened = facts.is_open(Part.ROW)
        action = Toggle(Part.ROW)
        name = permission_name()
        page.disclosure(
            Line(Icon.PERMISSION, name, row.title, state, colour, opened=opened, action=action)
        )
        if opened:
            page.words(row.title, "text", indent=page.gutter)
            self._asked(page, row)
            if row.details:
                page.code(self._plain(row.details), indent=page.gutter, copied=row.details)
            self._came_of_it(page, row)
            time = clock_text(message.updated_at, facts.now, QLocale())
            page.line(f"{state} · {time}", colour, indent=page.gutter, small=True)

    def _came_of_it(self, page: RowPage, row: PermissionRow) -> None:
        """Through which door it was decided, and what the tool gave for it: never as markup."""
        door = LedgerWords().door(row.door)
        if door:
            words = QCoreApplication.translate("Transcript", "Decided %1").replace("%1", door)
            page.words(words, "text_muted", indent=page.gutter)
        if row.error:
            page.words(failure_text(row.error), "danger", indent=page.gutter)
        if row.result:
            shown, left_out = result_text(row.result)
            written = QCoreApplication.translate(
                "Transcript", "Result, written by the tool and not checked by anybody:"
            )
            page.words(written, "text_muted", indent=page.gutter)
            page.code(self._plain(shown), indent=page.gutter, copied=row.result)
            if left_out:
                cut = QCoreApplication.translate(
                    "Transcript", "%n more character(s) are not shown.", "", left_out
                )
                page.words(cut, "text_muted", indent=page.gutter)

    def _asked(self, page: RowPage, row: PermissionRow) -> None:
        if row.command:
            page.code(self._plain(row.command), indent=page.gutter, copied=row.command)
        if row.path and row.path not in row.title:
            page.words(row.path, "text_muted", indent=page.gutter)
        if row.folder:
            words = QCoreApplication.translate("Transcript", "In %1").replace("%1", row.folder)
            page.words(words, "text_muted", indent=page.gutter)
        if row.drifted:
            words = QCoreApplication.translate(
                "Transcript", "The agent then told of other arguments than it had asked for."
            )
            page.words(words, "danger", indent=page.gutter)

    def status(self, page: RowPage, message: Message, facts: RowFacts) -> None:
        variant, detail = variant_text(message), notice_detail(message)
        if not variant and not detail:
            page.centred(notice_text(message))
            return
        failed = message.metadata.get("variant") == "error"
        colour = "danger" if failed else "text_muted"
        page.icon(Icon.ERROR if failed else Icon.WARNING if variant else Icon.INFO, colour)
        text = notice_text(message)
        page.words(f"{variant}: {text}" if variant else text, colour, indent=page.gutter)
        if detail:
            self._folded(page, detail, facts, Part.PAYLOAD, _details())

    def error(self, page: RowPage, message: Message, facts: RowFacts) -> None:
        page.icon(Icon.ERROR, "danger")
        shown, action = self._long_text.beginning(notice_text(message), facts)
        page.document(shown, indent=page.gutter)
        if action is not None:
            page.action(*action, indent=page.gutter)
        detail, stderr = notice_detail(message), read_stderr(message)
        if detail:
            page.code(self._plain(detail), indent=page.gutter, copied=detail)
        if stderr:
            words = QCoreApplication.translate("Transcript", "What its program wrote last")
            self._folded(page, stderr, facts, Part.STDERR, words)

    def unknown(self, page: RowPage, message: Message, facts: RowFacts) -> None:
        page.icon(Icon.UNKNOWN, "text_muted")
        page.line(unknown_kind_text(message), "text_muted", indent=page.gutter)
        content = unknown_content(message)
        shown, action = self._long_text.beginning(content, facts)
        if shown:
            page.code(self._plain(shown), indent=page.gutter, copied=content)
        if action is not None:
            page.action(*action, indent=page.gutter)
        payload = as_json(kandesk(message).get("payload")) or as_json(message.metadata)
        if payload:
            words = QCoreApplication.translate("Transcript", "What came with it")
            self._folded(page, payload, facts, Part.PAYLOAD, words)

    def _folded(self, page: RowPage, text: str, facts: RowFacts, part: Part, name: str) -> None:
        opened = facts.is_open(part)
        which = Icon.COLLAPSE if opened else Icon.EXPAND
        page.folded(name, which, Toggle(part))
        if opened:
            shown = text[-_SHOWN_CHARACTERS:]
            page.code(self._plain(shown), indent=page.gutter, copied=text)

    def _plain(self, text: str) -> PlainDocument:
        return PlainDocument(text, self._theme.fixed_font(), self._theme.colours.text)


def _details() -> str:
    return QCoreApplication.translate("Transcript", "Details")
