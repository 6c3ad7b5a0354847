"""Decides how each kind of transcript row is laid out at a given width."""

from typing import Final

from PySide6.QtCore import QCoreApplication, QLocale

from app.models.message_text import (
    NOTE_KIND,
    STATUS_KINDS,
    TEXT_KINDS,
    answer_delivery,
    attachment_names,
    author_text,
    is_line,
    question_status,
    visible_text,
)
from app.models.notice_text import dispatch_text
from app.resources import Icon
from app.text import clock_text
from app.theme import Theme
from app.viewmodels.activity_row import (
    ERROR_KIND,
    PERMISSION_KIND,
    PLAN_KIND,
    THINKING_KIND,
    TODO_KIND,
)
from app.viewmodels.inbox import InboxViewModel
from app.viewmodels.question_row import QUESTION_KIND, QuestionRow, read_question
from app.viewmodels.tool_row import TOOL_KINDS
from app.widgets.activity_rows import ActivityRows
from app.widgets.line_breaks import with_line_breaks
from app.widgets.long_text import LongText
from app.widgets.markdown_flow import MarkdownFlows, Style
from app.widgets.row_facts import RowFacts
from app.widgets.row_layout import AnswerLate, RowLayout
from app.widgets.row_page import RowPage
from app.widgets.tool_rows import ToolRows
from backend.domain.clarification import BundleStatus, Delivery
from backend.domain.conversation import Message

_ICONS: Final = {
    BundleStatus.PENDING: (Icon.QUESTION, "attention"),
    BundleStatus.ANSWERED: (Icon.ANSWERED, "success"),
    BundleStatus.REJECTED: (Icon.SKIPPED, "text_muted"),
    BundleStatus.EXPIRED: (Icon.WAITING, "text_muted"),
    BundleStatus.CANCELLED: (Icon.WITHDRAWN, "text_muted"),
}


_UNANSWERED: Final = frozenset({BundleStatus.PENDING, BundleStatus.EXPIRED, BundleStatus.CANCELLED})


class RowBuilder:
    """Builds layouts in the theme's sizes and colours."""

    def __init__(self, theme: Theme, inbox: InboxViewModel) -> None:
        self._theme = theme
        self._inbox = inbox
        self._flows = MarkdownFlows(self._style)
        self._long_text = LongText(self._flows)
        self._tools = ToolRows(theme)
        activity = ActivityRows(theme, self._long_text)
        self._builders = {
            **dict.fromkeys(TEXT_KINDS | {NOTE_KIND}, self._text),
            **dict.fromkeys(STATUS_KINDS, activity.status),
            **dict.fromkeys(TOOL_KINDS, self._tools.tool),
            QUESTION_KIND: self._question,
            THINKING_KIND: activity.thought,
            TODO_KIND: activity.todos,
            PLAN_KIND: activity.plan,
            PERMISSION_KIND: activity.permission,
            ERROR_KIND: activity.error,
        }
        self._unknown = activity.unknown

    def start_over(self) -> None:
        """Other rows: nothing laid out so far is of use."""
        self._flows.clear()

    def restyle(self) -> None:
        """Other fonts, colours or words."""
        self._flows.restyle(self._style)

    def build(self, message: Message, facts: RowFacts) -> RowLayout:
        """The layout of one row, `facts.width` pixels wide."""
        tight = is_line(message) and not facts.first_of_author
        page = RowPage(self._theme, facts.width, touch=facts.touch, tight=tight)
        user = message.author == "user" and message.kind in TEXT_KINDS
        if facts.first_of_author and not user and message.kind not in STATUS_KINDS:
            page.header(author_text(message, facts.agent), _time(message, facts))
        self._builders.get(message.kind, self._unknown)(page, message, facts)
        layout = page.finish()
        if facts.right_to_left:
            layout.mirror(facts.width)
        return layout

    @property
    def _style(self) -> Style:
        return Style(self._theme.font(), self._theme.fixed_font(), self._theme.palette)

    def _text(self, page: RowPage, message: Message, facts: RowFacts) -> None:
        if message.author != "user":
            self._long_text.flow(page, message, message.content, facts)
            return
        if facts.first_of_author:
            page.header(author_text(message), _time(message, facts), at_end=True)
        text = visible_text(message)
        shown, action = self._long_text.beginning(text, facts)
        if shown or not attachment_names(message):
            page.bubble(with_line_breaks(shown))
        for name in attachment_names(message):
            page.line(name, "text_muted", small=True, at_end=True)
        unsent = dispatch_text(message)
        if unsent:
            page.line(unsent, "text_muted", small=True, at_end=True)
        if action is not None:
            page.action(*action)

    def _question(self, page: RowPage, message: Message, facts: RowFacts) -> None:
        row = read_question(message)
        words = question_status(message, row, self._inbox)
        which, colour = _ICONS.get(row.status or BundleStatus.EXPIRED, (Icon.UNKNOWN, "text_muted"))
        waiting = message.pending_id is not None and self._inbox.is_open(message.pending_id)
        if row.status is BundleStatus.PENDING and not waiting:
            which, colour = Icon.WITHDRAWN, "text_muted"
        page.icon(which, colour)
        title = row.title or _count(row)
        if title:
            page.header(title, "", indent=page.gutter)
        shown, action = self._long_text.beginning(row.prompt, facts)
        page.document(shown, indent=page.gutter)
        # While it is open its options are on the card below; here they would only repeat.
        if not waiting:
            _choices(page, row)
        when = message.created_at if waiting else message.updated_at
        time = clock_text(when, facts.now, QLocale())
        page.line(f"{words} · {time}", colour, indent=page.gutter, small=True)
        if action is not None:
            page.action(*action)
        offered = self._late_action(message, row) if facts.hosted and not waiting else ""
        if offered and message.pending_id is not None:
            page.action(offered, AnswerLate(message.pending_id), indent=page.gutter)

    def _late_action(self, message: Message, row: QuestionRow) -> str:
        """Once for a bundle, under its last question, while nobody has answered it (LC.4), or
        nobody knows whether its agent has the answer.
        """
        if row.number != row.total:
            return ""
        if row.status in _UNANSWERED:
            return QCoreApplication.translate("Transcript", "Answer as new message")
        unknown = answer_delivery(message, self._inbox) is Delivery.UNKNOWN
        if row.status is BundleStatus.ANSWERED and unknown:
            return QCoreApplication.translate("Transcript", "Send again as new message")
        return ""


def _choices(page: RowPage, row: QuestionRow) -> None:
    answered = row.status is BundleStatus.ANSWERED
    for option in row.options:
        if option.chosen or not answered:
            page.choice(option.label, chosen=option.chosen, indent=page.gutter)
    if row.custom_text:
        page.quote(row.custom_text, indent=page.gutter)


def _time(message: Message, facts: RowFacts) -> str:
    return clock_text(message.created_at, facts.now, QLocale())


def _count(row: QuestionRow) -> str:
    if row.total == 1:
        return ""
    words = QCoreApplication.translate("Transcript", "Question %1 of %2")
    return words.replace("%1", str(row.number)).replace("%2", str(row.total))
