"""Places the pieces of one transcript row from top to bottom inside the centred column."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QCoreApplication, QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QTextDocument

from app.resources import Icon
from app.theme import Theme
from app.widgets.markdown_document import (
    CODE_PADDING,
    LINE_HEIGHT,
    MarkdownDocument,
    is_code,
)
from app.widgets.markdown_flow import LaidSection
from app.widgets.plain_documents import PLAIN_LINE_HEIGHT, DiffDocument, PlainDocument
from app.widgets.row_layout import (
    Action,
    DocumentPiece,
    GroundPiece,
    IconPiece,
    LaidOut,
    ReadyDocument,
    RowLayout,
    TargetPiece,
    TextPiece,
)

COLUMN: Final = 760
"""The widest a line of the transcript gets, in pixels of the design."""
_BUBBLE: Final = 0.85
"""Part of the column a human's own message may fill."""


@dataclass(frozen=True, slots=True)
class Line:
    """The one line of a row that opens: what it is, what it is about, and how it stands."""

    icon: Icon
    name: str
    about: str
    state: str
    colour: str = "text_muted"
    opened: bool = False
    action: Action | None = None
    """What a press does; None when there is nothing to open."""


class RowPage:
    """One for each row that is built."""

    def __init__(self, theme: Theme, width: int, *, touch: bool = False, tight: bool = False):
        self._theme = theme
        margin = theme.pixels(24)
        self._width = max(theme.pixels(120), min(width - 2 * margin, theme.pixels(COLUMN)))
        self._left = (width - self._width) / 2
        self._touch = touch
        self._tight = tight
        self._y = float(theme.pixels(2 if tight else 8))
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

    def disclosure(self, line: Line) -> bool:
        """A muted line that opens; whether what it is about was too long for it."""
        px, top = self._theme.pixels, self._y
        height = self._press_height
        right = self._left + self._width
        middle = top + height / 2
        self._icon(self._left, middle, px(16), line.icon, line.colour)
        if line.action is not None:
            side = px(14)
            which = Icon.COLLAPSE if line.opened else Icon.EXPAND
            self._icon(right - side, middle, side, which, "text_muted")
            right -= side + px(8)
            self._target(top, height, line.action, _open_text(opened=line.opened))
        small, bold, plain = (
            self._theme.font(12),
            self._theme.font(13, semibold=True),
            self._theme.font(13),
        )
        colours = self._theme.colours
        state_width = _advance(small, line.state)
        state = QRectF(right - state_width, top, state_width, height)
        self._text(state, line.state, small, getattr(colours, line.colour))
        right -= state_width + px(12)
        x = self._left + self.gutter
        name_width = min(_advance(bold, line.name), max(0, right - x))
        self._text(QRectF(x, top, name_width, height), line.name, bold, colours.text_muted)
        x += name_width + px(8)
        about = shown = " ".join(line.about.split())
        if right > x:
            shown = QFontMetricsF(plain).elidedText(about, Qt.TextElideMode.ElideRight, right - x)
            self._text(QRectF(x, top, right - x, height), shown, plain, colours.text_muted)
        self._y += height
        return shown != about or right <= x

    def document(self, text: str, *, indent: float = 0) -> None:
        document = self._markdown(text)
        document.setTextWidth(self._width - indent)
        self._place_markdown(document, self._left + indent)

    def flow(self, sections: Sequence[LaidSection], *, indent: float = 0) -> None:
        """Markdown in sections that are laid out once."""
        for number, section in enumerate(sections):
            section.lay_out(self._width - indent)
            before, after = section.padding
            self._y += before + (section.gap if number else 0)
            self._place(
                section,
                self._left + indent,
                continues=section.section.continues,
                goes_on=section.section.goes_on,
            )
            self._y += after

    def code(self, document: QTextDocument, *, indent: float, copied: str = "") -> None:
        """A document in a box."""
        px = self._theme.pixels
        self._y += px(4)
        left, width = self._left + indent, self._width - indent
        document.setTextWidth(width - 2 * px(10))
        height = document.size().height() - _below(document, PLAIN_LINE_HEIGHT)
        rect = QRectF(left, self._y, width, height + 2 * px(8))
        self._layout.grounds.append(GroundPiece(rect, self._theme.colours.code, px(6)))
        self._y += px(8)
        if isinstance(document, DiffDocument):
            for band, colour in document.bands():
                # The room a line keeps is below its words; half of it belongs above.
                room = _below(document, PLAIN_LINE_HEIGHT)
                around = band.adjusted(0, -room / 2, 0, room / 2)
                place = around.translated(left + px(10), self._y)
                self._layout.grounds.append(GroundPiece(place, colour, 0))
        self._place(ReadyDocument(document), left + px(10), copied=copied)
        self._y = rect.bottom() + px(4)

    def bubble(self, text: str) -> None:
        pad_x, pad_y = self._theme.pixels(12), self._theme.pixels(8)
        document = self._markdown(text)
        widest = self._width * _BUBBLE - 2 * pad_x
        document.setTextWidth(widest)
        document.setTextWidth(min(widest, document.idealWidth() + 1))
        size = document.size()
        left = self._left + self._width - size.width() - 2 * pad_x
        height = size.height() - _below(document, LINE_HEIGHT)
        rect = QRectF(left, self._y, size.width() + 2 * pad_x, height + 2 * pad_y)
        self._layout.grounds.append(
            GroundPiece(rect, self._theme.colours.user, self._theme.pixels(10))
        )
        self._layout.documents.append(
            DocumentPiece(ReadyDocument(document), QPointF(left + pad_x, self._y + pad_y))
        )
        self._y += rect.height()

    def icon(self, which: Icon, colour: str) -> None:
        side = self._theme.pixels(18)
        self._icon(self._left, self._y + self._theme.pixels(1) + side / 2, side, which, colour)

    def line(
        self,
        text: str,
        colour: str,
        *,
        indent: float = 0,
        small: bool = False,
        at_end: bool = False,
    ) -> None:
        font = self._theme.font(12 if small else 13)
        metrics = QFontMetricsF(font)
        width = min(self._width - indent, metrics.horizontalAdvance(text) + 1)
        left = self._left + (self._width - width if at_end else indent)
        rect = QRectF(left, self._y, width, metrics.height() * 1.3)
        self._text(rect, text, font, getattr(self._theme.colours, colour))
        self._y += rect.height()

    def action(self, text: str, action: Action, *, indent: float = 0) -> None:
        """Words that do something when they are pressed."""
        font = self._theme.font(13)
        rect = QRectF(self._left + indent, self._y, _advance(font, text), self._press_height)
        self._text(rect, text, font, self._theme.colours.accent)
        self._target(self._y, rect.height(), action, text)
        self._y += rect.height()

    def folded(self, name: str, which: Icon, action: Action) -> None:
        """The name of something that opens below, with the mark that says so behind it."""
        side, left = self._theme.pixels(14), self._left + self.gutter
        font = self._theme.font(12)
        rect = QRectF(left, self._y, _advance(font, name), self._press_height)
        self._text(rect, name, font, self._theme.colours.text_muted)
        mark = rect.right() + self._theme.pixels(6)
        self._icon(mark, rect.center().y(), side, which, "text_muted")
        self._target(self._y, rect.height(), action, name)
        self._y += rect.height()

    def centred(self, text: str, colour: str = "text_muted") -> None:
        """A quiet note; one that needs more than a line gets it."""
        document = self._plain(text, colour)
        document.setTextWidth(self._width)
        document.setTextWidth(min(self._width, document.idealWidth() + 1))
        left = self._left + (self._width - document.size().width()) / 2
        self._place(ReadyDocument(document), left)

    def words(self, text: str, colour: str, *, indent: float = 0) -> None:
        """Plain text over as many lines as it needs."""
        document = self._plain(text, colour)
        document.setTextWidth(self._width - indent)
        self._place(ReadyDocument(document), self._left + indent)

    def choice(self, label: str, *, chosen: bool, indent: float) -> None:
        colours = self._theme.colours
        icon = Icon.CHECK if chosen else Icon.RADIO_OFF
        self.marked(label, icon, colours.success if chosen else colours.text_disabled, indent)

    def marked(self, label: str, icon: Icon, colour: str, indent: float, state: str = "") -> None:
        """One entry of a list behind its mark; `state` stands after it in small words."""
        side, px = self._theme.pixels(14), self._theme.pixels
        document = self._markdown(_escaped(label))
        left = self._left + indent + side + px(8)
        small = self._theme.font(12)
        room = _advance(small, state) + px(12) if state else 0
        document.setTextWidth(self._left + self._width - left - room)
        rect = QRectF(self._left + indent, self._y + px(3), side, side)
        self._layout.icons.append(IconPiece(rect, icon, colour))
        if state:
            right = self._left + self._width
            height = QFontMetricsF(self._theme.font()).height()
            place = QRectF(right - room + px(12), self._y, room - px(12), height)
            self._text(place, state, small, self._theme.colours.text_muted)
        self._place_markdown(document, left)

    def quote(self, text: str, *, indent: float) -> None:
        quoted = "\n".join(f"> {_escaped(line)}  " for line in text.splitlines())
        self.document(quoted, indent=indent)

    def space(self, design: int) -> None:
        self._y += self._theme.pixels(design)

    def finish(self) -> RowLayout:
        self._layout.height = self._y + self._theme.pixels(2 if self._tight else 10)
        return self._layout

    def _place(
        self,
        source: LaidOut,
        left: float,
        *,
        continues: bool = False,
        goes_on: bool = False,
        copied: str = "",
    ) -> None:
        piece = DocumentPiece(source, QPointF(left, self._y), continues, goes_on, copied)
        self._layout.documents.append(piece)
        self._y += source.size.height()

    def _place_markdown(self, document: MarkdownDocument, left: float) -> None:
        # A document does not count the margin of a code block at its very edge.
        self._y += CODE_PADDING if is_code(document.firstBlock()) else 0
        self._place(ReadyDocument(document), left)
        self._y += CODE_PADDING if is_code(document.lastBlock()) else 0

    def _markdown(self, text: str) -> MarkdownDocument:
        theme = self._theme
        return MarkdownDocument(text, theme.font(), theme.fixed_font(), theme.palette)

    def _plain(self, text: str, colour: str) -> PlainDocument:
        font = self._theme.font(12)
        return PlainDocument(text, font, getattr(self._theme.colours, colour), prose=True)

    @property
    def _press_height(self) -> int:
        return self._theme.touch_pixels if self._touch else self._theme.pixels(26)

    def _icon(self, left: float, middle: float, side: float, which: Icon, colour: str) -> None:
        rect = QRectF(left, middle - side / 2, side, side)
        self._layout.icons.append(IconPiece(rect, which, getattr(self._theme.colours, colour)))

    def _target(self, top: float, height: float, action: Action, name: str) -> None:
        rect = QRectF(self._left, top, self._width, height)
        self._layout.targets.append(TargetPiece(rect, action, name))

    def _text(self, rect: QRectF, text: str, font: QFont, colour: str) -> None:
        self._layout.texts.append(TextPiece(rect, text, font, colour))


def _below(document: QTextDocument, line_height: int) -> float:
    """The room a line keeps to the next one, which the last line of a box does not need."""
    return QFontMetricsF(document.defaultFont()).height() * (line_height - 100) / 100


def _open_text(*, opened: bool) -> str:
    if opened:
        return QCoreApplication.translate("Transcript", "Close the row")
    return QCoreApplication.translate("Transcript", "Open the row")


def _advance(font: QFont, text: str) -> float:
    return QFontMetricsF(font).horizontalAdvance(text) + 1


def _escaped(text: str) -> str:
    """Plain text that Markdown would read as marks, kept as it is."""
    return "".join(f"\\{c}" if c in "\\`*_{}[]()<>#+-.!|~&" else c for c in text)
