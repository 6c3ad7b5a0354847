"""A field for several lines that grows with its text."""

from typing import Final

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QPlainTextEdit, QSizePolicy, QWidget

from app.theme import Theme

ENTER_KEYS: Final = frozenset({Qt.Key.Key_Return, Qt.Key.Key_Enter})
NEW_LINE: Final = Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.AltModifier
"""With Enter: a new line, whatever Enter alone does."""


class GrowingEdit(QPlainTextEdit):
    """`edited` with the whole text. From `limit` pixels of the design on it scrolls."""

    edited = Signal(str)

    def __init__(self, theme: Theme, limit: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._limit = limit
        self._touch = False
        self.setTabChangesFocus(True)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.WidgetWidth)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.textChanged.connect(self._tell)

    def show_for(self, *, touch: bool) -> None:
        """For fingers Enter makes a new line: only a button sends."""
        self._touch = touch
        self.updateGeometry()

    def set_limit(self, height: int) -> None:
        """The most it takes, in pixels of the design."""
        if height != self._limit:
            self._limit = height
            self.updateGeometry()

    def setPlaceholderText(self, placeholderText: str) -> None:  # noqa: N803 - Qt's
        """Show it at once: Qt keeps the old words on the screen until something else paints."""
        super().setPlaceholderText(placeholderText)
        self.viewport().update()

    def sizeHint(self) -> QSize:
        lines = max(1.0, self.document().size().height())
        padding = 2 * self._theme.pixels(8) + round(2 * self.document().documentMargin())
        wanted = round(lines * self.fontMetrics().lineSpacing()) + padding
        theme = self._theme
        least = theme.touch_pixels if self._touch else theme.pixels(36)
        return QSize(200, min(max(wanted, least), max(least, theme.pixels(self._limit))))

    def minimumSizeHint(self) -> QSize:
        return QSize(80, self.sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.updateGeometry()

    def _tell(self) -> None:
        self.updateGeometry()
        self.edited.emit(self.toPlainText())
