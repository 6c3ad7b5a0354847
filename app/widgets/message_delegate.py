"""Paints transcript rows and knows their heights: measured when near the view, else estimated."""

from collections import OrderedDict
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import (
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QApplication, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from app.models.message_text import is_line
from app.models.transcript_model import TranscriptModel
from app.theme import Theme
from app.viewmodels.activity_row import THINKING_KIND, read_thought
from app.viewmodels.inbox import InboxViewModel
from app.viewmodels.row_metadata import is_streaming, stream_counter
from app.widgets.row_builder import RowBuilder
from app.widgets.row_facts import FIRST_SEEN, MOST_GROWN, PAGE, SHORTENED, RowFacts
from app.widgets.row_layout import Action, Part, RowLayout, ShowMore, Toggle
from app.widgets.row_page import COLUMN
from backend.domain.conversation import Message
from backend.ids import MessageId

Index = QModelIndex | QPersistentModelIndex

_KEPT_LAYOUTS: Final = 200
_ESTIMATED_CHARACTERS: Final = 100
"""Characters on a full line of the column, for rows nobody has measured yet."""


@dataclass(frozen=True, slots=True)
class _Key:
    version: tuple[int, int]
    facts: RowFacts
    words: int


class MessageDelegate(QStyledItemDelegate):
    """One for a view; the view tells it the width and the agent's name."""

    def __init__(self, theme: Theme, inbox: InboxViewModel, parent: QObject) -> None:
        super().__init__(parent)
        self._theme = theme
        self._builder = RowBuilder(theme, inbox)
        self._layouts: OrderedDict[MessageId, tuple[_Key, RowLayout]] = OrderedDict()
        self._heights: dict[MessageId, tuple[_Key, int]] = {}
        self._opened: dict[MessageId, frozenset[Part]] = {}
        self._pages: dict[MessageId, int] = {}
        self._tails: dict[MessageId, int] = {}
        self._lengths: dict[MessageId, int] = {}
        self._unseen: dict[MessageId, int] = {}
        """Where texts are to begin whose last part only was laid out yet."""
        self._words = 0
        self.width = 0
        self.agent = ""
        self.now = 0
        self.touch = False
        self.follows_end = True
        """Whether the end of the transcript is what is read."""
        self.hosted = False
        self.exposed = QRectF()
        """The part of the viewport that is being painted."""

    def start_over(self) -> None:
        """Other rows: nothing said so far is of use, but what was opened."""
        self._layouts.clear()
        self._heights.clear()
        self._tails.clear()
        self._lengths.clear()
        self._unseen.clear()
        self._builder.start_over()

    def forget(self) -> None:
        """Theme, language or agent changed: heights known so far are estimates now."""
        self._words += 1
        self._layouts.clear()
        self._builder.restyle()

    @property
    def has_more(self) -> bool:
        """Whether a frame is wanted that does `show_more`."""
        return self.follows_end and bool(self._unseen)

    def show_more(self) -> None:
        """A frame begins: lay out more of texts that were long when first seen growing.

        Only while the end is followed, where nothing moves that is read.
        """
        if not self.follows_end:
            return
        for name, target in tuple(self._unseen.items()):
            self._tails[name] = max(target, self._tails[name] - FIRST_SEEN)
            if self._tails[name] == target:
                del self._unseen[name]

    def forget_row(self, message_id: MessageId) -> None:
        """Something the message itself does not hold has changed its look."""
        height = self._heights.get(message_id)
        if height is not None:
            # Until it is measured again its old height is the best estimate.
            self._heights[message_id] = (_Key((-1, 0), height[0].facts, -1), height[1])
        self._layouts.pop(message_id, None)

    def act(self, message_id: MessageId, action: Action) -> None:
        """Open or close a part of a row, or show more of a long text."""
        if isinstance(action, Toggle):
            self._opened[message_id] = self._opened.get(message_id, frozenset()) ^ {action.part}
        elif isinstance(action, ShowMore):
            self._pages[message_id] = self._pages.get(message_id, 0) + 1

    def measured(self, index: Index) -> bool:
        """Whether the height given for `index` is the true one."""
        message = _message(index)
        known = self._heights.get(message.message_id)
        return known is not None and known[0] == self._key(index, message)

    def measure(self, index: Index) -> int:
        """The true height, found by laying the row out."""
        message = _message(index)
        height = round(self.row_layout(index).height)
        self._heights[message.message_id] = (self._key(index, message), height)
        return height

    def height(self, message: Message) -> int:
        """The height of a row as far as it is known."""
        known = self._heights.get(message.message_id)
        if known is not None:
            return known[1]
        if is_line(message):
            return self._theme.pixels(30)
        lines = 1 + len(message.content[:SHORTENED]) // _ESTIMATED_CHARACTERS
        return self._theme.pixels(round(34 + lines * 20))

    def row_layout(self, index: Index) -> RowLayout:
        """The pieces of a row, from the cache or built now."""
        message = _message(index)
        key = self._key(index, message)
        known = self._layouts.get(message.message_id)
        if known is None or known[0] != key:
            known = key, self._builder.build(message, key.facts)
            self._layouts[message.message_id] = known
            if len(self._layouts) > _KEPT_LAYOUTS:
                self._layouts.popitem(last=False)
        self._layouts.move_to_end(message.message_id)
        return known[1]

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:  # noqa: ARG002
        return QSize(max(1, self.width), self.height(_message(index)))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        layout = self.row_layout(index)
        rect = QRectF(option.rect)
        painter.save()
        painter.setClipRect(rect)
        self._paint_selection(painter, rect, option)
        painter.translate(rect.topLeft())
        seen = (rect & self.exposed if self.exposed.isValid() else rect).translated(-rect.topLeft())
        ratio = painter.device().devicePixelRatio()
        layout.paint(painter, self._theme.palette, ratio, seen)
        painter.restore()

    def _paint_selection(
        self, painter: QPainter, rect: QRectF, option: QStyleOptionViewItem
    ) -> None:
        state = option.state
        by_key = QStyle.StateFlag.State_HasFocus | QStyle.StateFlag.State_KeyboardFocusChange
        selected, focused = state & QStyle.StateFlag.State_Selected, state & by_key == by_key
        if not selected and not focused:
            return
        colours = self._theme.colours
        column = min(rect.width(), self._theme.pixels(COLUMN) + 2 * self._theme.pixels(16))
        around = QRectF(0, rect.top() + 1, column, rect.height() - 2)
        around.moveLeft(rect.left() + (rect.width() - column) / 2)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        if selected:
            painter.setBrush(QColor(colours.selected))
            painter.drawRoundedRect(around, self._theme.pixels(8), self._theme.pixels(8))
        if focused:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(colours.accent), 1.5))
            painter.drawRoundedRect(around, self._theme.pixels(8), self._theme.pixels(8))

    def _key(self, index: Index, message: Message) -> _Key:
        name = message.message_id
        facts = RowFacts(
            width=self.width,
            first_of_author=_model(index).is_first_of_author(index.row()),
            agent=self.agent,
            now=self.now,
            opened=self._opened.get(name, frozenset()),
            pages=self._pages.get(name, 0),
            tail=self._tail(message),
            right_to_left=QApplication.layoutDirection() is Qt.LayoutDirection.RightToLeft,
            touch=self.touch,
            hosted=self.hosted,
        )
        return _Key((message.revision, stream_counter(message)), facts, self._words)

    def _tail(self, message: Message) -> int | None:
        """Where a text begins to be shown that was first seen growing; it stays shown.

        Only while its end is followed, and what goes is far above, a very long one loses its
        beginning to "Show what stands before".
        """
        name = message.message_id
        if not is_streaming(message):
            return self._tails.get(name)
        text = read_thought(message) if message.kind == THINKING_KIND else message.content
        grown = len(text) - self._lengths.get(name, 0)
        self._lengths[name] = len(text)
        if name not in self._tails:
            self._begin_at(name, max(0, len(text) - SHORTENED), len(text) - FIRST_SEEN)
        elif self.follows_end and name not in self._pages:
            target = self._unseen.get(name, self._tails[name])
            if len(text) - target > MOST_GROWN:
                target = len(text) - PAGE
            jumped = grown > 2 * FIRST_SEEN
            self._begin_at(name, target, len(text) - FIRST_SEEN if jumped else self._tails[name])
        return self._tails[name]

    def _begin_at(self, name: MessageId, target: int, now: int) -> None:
        """Where a text is to begin, and where it does in this frame."""
        self._tails[name] = max(target, now)
        if self._tails[name] > target:
            self._unseen[name] = target
        else:
            self._unseen.pop(name, None)


def _model(index: Index) -> TranscriptModel:
    model = index.model()
    if not isinstance(model, TranscriptModel):
        raise TypeError("the delegate paints rows of a TranscriptModel only")
    return model


def _message(index: Index) -> Message:
    return _model(index).message(index.row())
