"""A menu whose items answer for the human, and so work only after they have stood for a moment."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import QMenu, QWidget

from app.widgets.arming import SETTLE_SECONDS

_KEYS = frozenset({Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space, Qt.Key.Key_Select})


class ArmedMenu(QMenu):
    """Presses on what has just appeared under the pointer do nothing (window.md, Accidents)."""

    def __init__(self, monotonic: Callable[[], float], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._monotonic = monotonic
        self._shown = float("-inf")

    def add_deed(self, words: str, deed: Callable[[], None], name: str) -> None:
        """`words` is the item's label and what assistive tools read of it."""
        action = self.addAction(words.replace("&", "&&"))
        action.setObjectName(name)
        action.setToolTip(words)
        action.triggered.connect(lambda: deed() if self.armed else None)

    @property
    def armed(self) -> bool:
        return self._monotonic() - self._shown >= SETTLE_SECONDS

    def showEvent(self, event: QShowEvent) -> None:
        self._shown = self._monotonic()
        super().showEvent(event)

    def event(self, event: QEvent) -> bool:
        kind = event.type()
        pressed = kind in {QEvent.Type.MouseButtonPress, QEvent.Type.MouseButtonRelease}
        if isinstance(event, QKeyEvent) and kind == QEvent.Type.KeyPress:
            pressed = event.key() in _KEYS and (event.isAutoRepeat() or not self.armed)
            if pressed:
                return True
        elif pressed and not self.armed and self.underMouse():
            return True
        return super().event(event)
