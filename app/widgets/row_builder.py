"""Decides how each kind of transcript row is laid out at a given width."""

from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QCoreApplication, QLocale, QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPalette

from app.models.message_text import (
    ERROR_KIND,
    STATUS_KINDS,
    TEXT_KINDS,
    author_text,
    question_status,
    unknown_kind_text,
)
from app.resources import Icon
from app.text import clock_text
from app.theme import Theme
from app.viewmodels.inbox import InboxViewModel
from app.viewmodels.question_row import QUESTION_KIND, QuestionRow, read_question
from app.widgets.markdown_document import CODE_PADDING, MarkdownDocument, is_code
from app.widgets.row_layout import (
    EXPAND_LINK,
    DocumentPiece,
    GroundPiece,
    IconPiece,
    RowLayout,
    TextPiece,
)
from backend.domain.clarification import BundleStatus
from backend.domain.conversation import Message

COLUMN: Final = 760
"""The widest a line of the transcript gets, in pixels of the design."""
SHORTENED: Final = 12_000
"""Characters of a message shown before "Show all"."""
_ICONS: Final = {
    BundleStatus.PENDING: (Icon.QUESTION, "attention"),
    BundleStatus.ANSWERED: (Icon.ANSWERED, "success"),
    BundleStatus.REJECTED: (Icon.SKIPPED, "text_muted"),
    BundleStatus.EXPIRED: (Icon.WAITING, "text_muted"),
    BundleStatus.CANCELLED: (Icon.WITHDRAWN, "text_muted"),
}


@dataclass(frozen=True, slots=True)
class RowFacts:
    """What a row's look depends on beside the message."""

    width: int
    first_of_author: bool
    expanded: bool
    agent: str
    now: int
    right_to_left: bool = False


class RowBuilder:
    """Builds layouts in the theme's sizes and colours."""

    def __init__(self, theme: Theme, inbox: InboxViewModel) -> None:
        self._theme = theme
        self._inbox = inbox

    def build(self, message: Message, facts: RowFacts, palette: QPalette) -> RowLayout:
        """The layout of one row, `facts.width` pixels wide."""
        page = _Page(self._theme, palette, facts.width)
        if message.kind == QUESTION_KIND:
            self._question(page, message, facts)
        elif message.kind in STATUS_KINDS:
            page.centred(message.content)
        elif message.kind in TEXT_KINDS and message.author == "user":
            self._user(page, message, facts)
        elif message.kind == ERROR_KIND:
            page.icon(Icon.ERROR, "danger")
            page.document(self._shown(message.content, facts), indent=page.gutter)
        elif message.kind in TEXT_KINDS or message.kind == "note":
            self._agent(page, message, facts)
        else:
            page.icon(Icon.UNKNOWN, "text_muted")
            page.line(unknown_kind_text(message.kind), "text_muted", indent=page.gutter)
            page.document(_as_code(self._shown(message.content, facts)), indent=page.gutter)
        if len(message.content) > SHORTENED and not facts.expanded:
            page.line(
                QCoreApplication.translate("Transcript", "Show all"), "accent", link=EXPAND_LINK
            )
        layout = page.finish()
        if facts.right_to_left:
            layout.mirror(facts.width)
        return layout

    def _agent(self, page: "_Page", message: Message, facts: RowFacts) -> None:
        if facts.first_of_author:
            page.header(author_text(message, facts.agent), _time(message, facts))
        page.document(self._shown(message.content, facts))

    def _user(self, page: "_Page", message: Message, facts: RowFacts) -> None:
        if facts.first_of_author:
            page.header(author_text(message), _time(message, facts), at_end=True)
        page.bubble(self._shown(message.content, facts))

    def _question(self, page: "_Page", message: Message, facts: RowFacts) -> None:
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
        page.document(self._shown(row.prompt, facts), indent=page.gutter)
        # While it is open its options are on the card below; here they would only repeat.
        if not waiting:
            self._choices(page, row)
        when = message.created_at if waiting else message.updated_at
        time = clock_text(when, facts.now, QLocale())
        page.line(f"{words} · {time}", colour, indent=page.gutter, small=True)

    def _choices(self, page: "_Page", row: QuestionRow) -> None:
        answered = row.status is BundleStatus.ANSWERED
        for option in row.options:
            if option.chosen or not answered:
                page.choice(option.label, chosen=option.chosen, indent=page.gutter)
        if row.custom_text:
            page.quote(row.custom_text, indent=page.gutter)

    def _shown(self, text: str, facts: RowFacts) -> str:
        return text if facts.expanded or len(text) <= SHORTENED else text[:SHORTENED]


class _Page:
    """Places pieces from top to bottom inside the centred column."""

    def __init__(self, theme: Theme, palette: QPalette, width: int) -> None:
        self._theme = theme
        self._palette = palette
        margin = theme.pixels(24)
        self._width = max(theme.pixels(120), min(width - 2 * margin, theme.pixels(COLUMN)))
        self._left = (width - self._width) / 2
        self._y = float(theme.pixels(8))
        self._layout = RowLayout()
        self.gutter = theme.pixels(30)

    def header(self, name: str, time: str, *, indent: float = 0, at_end: bool = False) -> None:
        bold, plain = self._theme.font(12, semibold=True), self._theme.font(12)
        height = QFontMetricsF(bold).height()
        name_width = QFontMetricsF(bold).horizontalAdvance(name) + 1
        time_width = QFontMetricsF(plain).horizontalAdvance(time) + 1
        gap = self._theme.pixels(8) if time else 0
        x = self._left + indent
        if at_end:
            x = self._left + self._width - name_width - gap - time_width
        colours = self._theme.colours
        self._text(QRectF(x, self._y, name_width, height), name, bold, colours.text_muted)
        if time:
            rect = QRectF(x + name_width + gap, self._y, time_width, height)
            self._text(rect, time, plain, colours.text_muted)
        self._y += height + self._theme.pixels(4)

    def document(self, text: str, *, indent: float = 0) -> None:
        document = self._document(text)
        document.setTextWidth(self._width - indent)
        self._place(document, self._left + indent)

    def bubble(self, text: str) -> None:
        pad_x, pad_y = self._theme.pixels(12), self._theme.pixels(8)
        document = self._document(text)
        widest = self._width * 0.85 - 2 * pad_x
        document.setTextWidth(widest)
        document.setTextWidth(min(widest, document.idealWidth() + 1))
        size = document.size()
        left = self._left + self._width - size.width() - 2 * pad_x
        rect = QRectF(left, self._y, size.width() + 2 * pad_x, size.height() + 2 * pad_y)
        self._layout.grounds.append(
            GroundPiece(rect, self._theme.colours.user, self._theme.pixels(10))
        )
        self._layout.documents.append(
            DocumentPiece(document, QPointF(left + pad_x, self._y + pad_y))
        )
        self._y += rect.height()

    def icon(self, which: Icon, colour: str) -> None:
        side = self._theme.pixels(18)
        rect = QRectF(self._left, self._y + self._theme.pixels(1), side, side)
        self._layout.icons.append(IconPiece(rect, which, getattr(self._theme.colours, colour)))

    def line(
        self, text: str, colour: str, *, indent: float = 0, link: str = "", small: bool = False
    ) -> None:
        font = self._theme.font(12 if small else 13)
        metrics = QFontMetricsF(font)
        width = min(self._width - indent, metrics.horizontalAdvance(text) + 1)
        rect = QRectF(self._left + indent, self._y, width, metrics.height() * 1.3)
        self._text(rect, text, font, getattr(self._theme.colours, colour), link=link)
        self._y += rect.height()

    def centred(self, text: str) -> None:
        font = self._theme.font(12)
        rect = QRectF(self._left, self._y, self._width, QFontMetricsF(font).height())
        words = QFontMetricsF(font).elidedText(
            " ".join(text.split()), Qt.TextElideMode.ElideRight, self._width
        )
        self._layout.texts.append(
            TextPiece(
                rect, words, font, self._theme.colours.text_muted, Qt.AlignmentFlag.AlignHCenter
            )
        )
        self._y += rect.height()

    def choice(self, label: str, *, chosen: bool, indent: float) -> None:
        side, colours = self._theme.pixels(14), self._theme.colours
        document = self._document(_escaped(label))
        left = self._left + indent + side + self._theme.pixels(8)
        document.setTextWidth(self._left + self._width - left)
        icon = Icon.CHECK if chosen else Icon.RADIO_OFF
        colour = colours.success if chosen else colours.text_disabled
        rect = QRectF(self._left + indent, self._y + self._theme.pixels(3), side, side)
        self._layout.icons.append(IconPiece(rect, icon, colour))
        self._place(document, left)

    def quote(self, text: str, *, indent: float) -> None:
        quoted = "\n".join(f"> {_escaped(line)}  " for line in text.splitlines())
        self.document(quoted, indent=indent)

    def finish(self) -> RowLayout:
        self._layout.height = self._y + self._theme.pixels(10)
        return self._layout

    def _place(self, document: MarkdownDocument, left: float) -> None:
        # A document does not count the margin of a code block at its very edge.
        before = CODE_PADDING if is_code(document.firstBlock()) else 0
        after = CODE_PADDING if is_code(document.lastBlock()) else 0
        self._y += before
        self._layout.documents.append(DocumentPiece(document, QPointF(left, self._y)))
        self._y += document.size().height() + after

    def _document(self, text: str) -> MarkdownDocument:
        return MarkdownDocument(text, self._theme.font(), self._theme.fixed_font(), self._palette)

    def _text(self, rect: QRectF, text: str, font: QFont, colour: str, *, link: str = "") -> None:
        self._layout.texts.append(TextPiece(rect, text, font, colour, link=link))


def _time(message: Message, facts: RowFacts) -> str:
    return clock_text(message.created_at, facts.now, QLocale())


def _count(row: QuestionRow) -> str:
    if row.total == 1:
        return ""
    words = QCoreApplication.translate("Transcript", "Question %1 of %2")
    return words.replace("%1", str(row.number)).replace("%2", str(row.total))


def _as_code(text: str) -> str:
    """Content of an unknown row, shown literally."""
    fence = "`" * (max((len(run) for run in _runs(text)), default=2) + 1)
    return f"{fence}\n{text}\n{fence}" if text else ""


def _runs(text: str) -> list[str]:
    return [run for run in "".join(c if c == "`" else " " for c in text).split() if len(run) > 2]


def _escaped(text: str) -> str:
    """Plain text that Markdown would read as marks, kept as it is."""
    return "".join(f"\\{c}" if c in "\\`*_{}[]()<>#+-.!|~&" else c for c in text)
