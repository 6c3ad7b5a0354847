"""The window itself: a calm first frame at once, the desk as soon as it is built."""

from typing import Final

from PySide6.QtCore import QEvent, QRect, Qt, Signal
from PySide6.QtGui import QCloseEvent, QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QMainWindow, QWidget

from app.theme import Theme
from app.widgets.two_pane import SIDE_WIDTH, narrow_below

_MINIMUM: Final = (480, 400)


class MainWindow(QMainWindow):
    """`close_wanted` instead of closing: whoever runs the program decides what it means.

    `used_again` when it becomes the active window.
    """

    close_wanted = Signal()
    used_again = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("mainWindow")
        self.setMinimumSize(*_MINIMUM)
        self.setWindowTitle("Kandesk")
        self.setAccessibleName("Kandesk")
        self._may_close = False
        self._frame: _FirstFrame | None = _FirstFrame(theme)
        self.setCentralWidget(self._frame)

    @property
    def painted(self) -> bool:
        """Whether the human has seen anything yet; always true once the desk is in place."""
        return self._frame is None or self._frame.painted

    def show_view(self, view: QWidget) -> None:
        """Put the desk in the place of the first frame."""
        self._frame = None
        self.setCentralWidget(view)

    def allow_close(self) -> None:
        """From now on a close event closes: the program is about to end."""
        self._may_close = True

    def changeEvent(self, event: QEvent) -> None:
        if event.type() is QEvent.Type.ActivationChange and self.isActiveWindow():
            self.used_again.emit()
        super().changeEvent(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        if self._may_close:
            event.accept()
            return
        event.ignore()
        self.close_wanted.emit()


class _FirstFrame(QWidget):
    """The grounds of the two panes: where the lists will be, nothing that moves or blinks."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.painted = False

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - it is painted whole
        colours = self._theme.colours
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(colours.surface))
        if self.width() >= narrow_below(self._theme):
            side = self._theme.pixels(SIDE_WIDTH)
            left = 0
            if self.layoutDirection() is Qt.LayoutDirection.RightToLeft:
                left = self.width() - side
            painter.fillRect(QRect(left, 0, side, self.height()), QColor(colours.side))
        self.painted = True
