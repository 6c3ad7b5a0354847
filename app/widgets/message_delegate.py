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

from app.models.transcript_model import TranscriptModel, TranscriptRole
from app.theme import Theme
from app.viewmodels.inbox import InboxViewModel
from app.widgets.row_builder import COLUMN, RowBuilder, RowFacts
from app.widgets.row_layout import RowLayout
from backend.domain.conversation import Message
from backend.ids import MessageId

Index = QModelIndex | QPersistentModelIndex

_KEPT_LAYOUTS: Final = 200
_ESTIMATED_CHARACTERS: Final = 100
"""Characters on a full line of the column, for rows nobody has measured yet."""


@dataclass(frozen=True, slots=True)
class _Key:
    message_id: MessageId
    revision: int
    width: int
    first_of_author: bool
    expanded: bool
    agent: str
    words: int


class MessageDelegate(QStyledItemDelegate):
    """One for a view; the view tells it the width and the agent's name."""

    def __init__(self, theme: Theme, inbox: InboxViewModel, parent: QObject) -> None:
        super().__init__(parent)
        self._theme = theme
        self._builder = RowBuilder(theme, inbox)
        self._layouts: OrderedDict[_Key, RowLayout] = OrderedDict()
        self._heights: dict[MessageId, tuple[_Key, int]] = {}
        self._expanded: set[MessageId] = set()
        self._words = 0
        self.width = 0
        self.agent = ""
        self.now = 0

    def start_over(self) -> None:
        """Other rows: nothing said so far is of use."""
        self._layouts.clear()
        self._heights.clear()

    def forget(self) -> None:
        """Theme, language or agent changed: heights known so far are estimates now."""
        self._words += 1
        self._layouts.clear()

    def forget_row(self, message_id: MessageId) -> None:
        """Something the message itself does not hold has changed its look."""
        self._heights.pop(message_id, None)
        for key in [key for key in self._layouts if key.message_id == message_id]:
            del self._layouts[key]

    def toggle(self, message_id: MessageId) -> None:
        """Show a long message whole, or shortened again."""
        self._expanded ^= {message_id}

    def measured(self, index: Index) -> bool:
        """Whether the height given for `index` is the true one."""
        message = _message(index)
        known = self._heights.get(message.message_id)
        return known is not None and known[0] == self._key(index, message)

    def measure(self, index: Index) -> bool:
        """Find the true height; whether it differs from what was said before."""
        before = self._height(index)
        message = _message(index)
        layout = self.row_layout(index)
        self._heights[message.message_id] = (self._key(index, message), round(layout.height))
        return self._height(index) != before

    def row_layout(self, index: Index) -> RowLayout:
        """The pieces of a row, from the cache or built now."""
        message = _message(index)
        key = self._key(index, message)
        layout = self._layouts.get(key)
        if layout is None:
            facts = RowFacts(
                width=self.width,
                first_of_author=key.first_of_author,
                expanded=key.expanded,
                agent=self.agent,
                now=self.now,
                right_to_left=QApplication.layoutDirection() is Qt.LayoutDirection.RightToLeft,
            )
            layout = self._builder.build(message, facts, self._theme.palette)
            self._layouts[key] = layout
            if len(self._layouts) > _KEPT_LAYOUTS:
                self._layouts.popitem(last=False)
        self._layouts.move_to_end(key)
        return layout

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:  # noqa: ARG002
        return QSize(max(1, self.width), self._height(index))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        layout = self.row_layout(index)
        rect = QRectF(option.rect)
        painter.save()
        painter.setClipRect(rect)
        self._paint_selection(painter, rect, option)
        painter.translate(rect.topLeft())
        device = painter.device()
        layout.paint(painter, self._theme.palette, device.devicePixelRatio())
        painter.restore()

    def _paint_selection(
        self, painter: QPainter, rect: QRectF, option: QStyleOptionViewItem
    ) -> None:
        state = option.state
        colours = self._theme.colours
        column = min(rect.width(), self._theme.pixels(COLUMN) + 2 * self._theme.pixels(16))
        around = QRectF(0, rect.top() + 1, column, rect.height() - 2)
        around.moveLeft(rect.left() + (rect.width() - column) / 2)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        if state & QStyle.StateFlag.State_Selected:
            painter.setBrush(QColor(colours.selected))
            painter.drawRoundedRect(around, self._theme.pixels(8), self._theme.pixels(8))
        by_key = QStyle.StateFlag.State_HasFocus | QStyle.StateFlag.State_KeyboardFocusChange
        if state & by_key == by_key:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(colours.accent), 1.5))
            painter.drawRoundedRect(around, self._theme.pixels(8), self._theme.pixels(8))

    def _height(self, index: Index) -> int:
        message = _message(index)
        known = self._heights.get(message.message_id)
        if known is not None:
            return known[1]
        lines = 1 + len(message.content[:4000]) // _ESTIMATED_CHARACTERS
        return self._theme.pixels(round(34 + lines * 20))

    def _key(self, index: Index, message: Message) -> _Key:
        return _Key(
            message.message_id,
            message.revision,
            self.width,
            bool(index.data(TranscriptRole.FIRST_OF_AUTHOR)),
            message.message_id in self._expanded,
            self.agent,
            self._words,
        )


def _message(index: Index) -> Message:
    model = index.model()
    if not isinstance(model, TranscriptModel):
        raise TypeError("the delegate paints rows of a TranscriptModel only")
    return model.message(index.row())
