"""A side pane beside the main one; below 900 pixels of width it becomes a drawer over it."""

from typing import Final

from PySide6.QtCore import QEvent, QRect, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QWidget

from app.theme import Theme

NARROW: Final = 900
"""Logical pixels of width below which the side pane is a drawer."""
SIDE_WIDTH: Final = 304
_LEFT_OPEN: Final = 56


def narrow_below(theme: Theme) -> int:
    """The width below which there is no room for both panes; larger text needs more."""
    return max(NARROW, theme.pixels(NARROW))


class _Scrim(QWidget):
    pressed = Signal()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(event.rect(), QColor(0, 0, 0, 96))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        event.accept()
        self.pressed.emit()


class TwoPane(QWidget):
    """`narrow_changed` when the side pane becomes a drawer or stands beside again."""

    narrow_changed = Signal(bool)
    drawer_closed = Signal()

    def __init__(
        self, side: QWidget, main: QWidget, theme: Theme, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName("centre")
        self._theme = theme
        self._main = main
        self._side = side
        self._edge = QFrame(self)
        self._edge.setObjectName("sideEdge")
        self._scrim = _Scrim(self)
        self._scrim.setObjectName("drawerScrim")
        main.setParent(self)
        side.setParent(self)
        self._narrow = False
        self._open = False
        self._scrim.hide()
        self._scrim.pressed.connect(self.close_drawer)
        theme.changed.connect(self._fit)

    @property
    def narrow(self) -> bool:
        return self._narrow

    @property
    def side_visible(self) -> bool:
        return not self._narrow or self._open

    def open_drawer(self) -> None:
        """Slide the side pane over the main one; nothing when it stands beside it."""
        if self._narrow:
            self._open = True
            self._place()
            self._side.setFocus(Qt.FocusReason.OtherFocusReason)

    def close_drawer(self) -> None:
        if self._open:
            self._open = False
            self._place()
            self.drawer_closed.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() is QEvent.Type.LayoutDirectionChange:
            self._place()
        super().changeEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self._open:
            self.close_drawer()
            return
        super().keyPressEvent(event)

    def _fit(self) -> None:
        narrow = self.width() < narrow_below(self._theme)
        if narrow != self._narrow:
            self._narrow = narrow
            self._open = False
            self.narrow_changed.emit(narrow)
        self._place()

    def _place(self) -> None:
        width, height = self.width(), self.height()
        side = min(self._theme.pixels(SIDE_WIDTH), width - _LEFT_OPEN)
        self._side.setVisible(self.side_visible)
        self._edge.setVisible(self.side_visible)
        self._scrim.setVisible(self._narrow and self._open)
        self._set(self._side, QRect(0, 0, side, height))
        self._set(self._edge, QRect(side, 0, 1, height))
        if self._narrow:
            self._set(self._main, QRect(0, 0, width, height))
            self._scrim.setGeometry(0, 0, width, height)
            self._scrim.raise_()
            self._side.raise_()
            self._edge.raise_()
        else:
            self._set(self._main, QRect(side + 1, 0, width - side - 1, height))

    def _set(self, widget: QWidget, rect: QRect) -> None:
        """Place `widget`, mirrored when the language is written from right to left."""
        if self.layoutDirection() is Qt.LayoutDirection.RightToLeft:
            rect.moveLeft(self.width() - rect.right() - 1)
        widget.setGeometry(rect)
