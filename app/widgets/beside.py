"""A panel beside the pages; where there is no room for both it takes their place."""

from typing import Final

from PySide6.QtCore import QEvent, QRect, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QWidget

from app.theme import Theme

_PANEL: Final = 400
_BOTH: Final = 860


class Beside(QWidget):
    """Shows `main` alone until the panel is opened."""

    def __init__(self, main: QWidget, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._main = main
        self._panel = QWidget(self)
        self._theme = theme
        self._open = False
        self._line = QFrame(self)
        self._line.setProperty("role", "hairline")
        main.setParent(self)
        theme.changed.connect(self._place)
        self._place()

    def set_panel(self, panel: QWidget) -> None:
        """What is shown beside from now on; made when it is first wanted."""
        self._panel.deleteLater()
        self._panel = panel
        panel.setParent(self)
        self._place()

    @property
    def is_open(self) -> bool:
        return self._open

    def set_open(self, *, is_open: bool) -> None:
        self._open = is_open
        self._place()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() is QEvent.Type.LayoutDirectionChange:
            self._place()
        super().changeEvent(event)

    def _place(self) -> None:
        whole, height = self.width(), self.height()
        both = whole >= self._theme.pixels(_BOTH)
        panel = min(whole, self._theme.pixels(_PANEL)) if both else whole
        main = whole - panel - 1 if both and self._open else whole
        self._main.setVisible(both or not self._open)
        self._line.setVisible(both and self._open)
        self._panel.setVisible(self._open)
        self._set(self._main, QRect(0, 0, main, height))
        self._set(self._line, QRect(main, 0, 1, height))
        self._set(self._panel, QRect(whole - panel, 0, panel, height))

    def _set(self, widget: QWidget, rect: QRect) -> None:
        """Place `widget`, mirrored when the language is written from right to left."""
        if self.layoutDirection() is Qt.LayoutDirection.RightToLeft:
            rect.moveLeft(self.width() - rect.right() - 1)
        widget.setGeometry(rect)
