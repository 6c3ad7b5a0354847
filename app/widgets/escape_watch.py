"""Esc in a region around the question, such as the composer, reaches the question too (K6.3)."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget


class EscapeWatch(QObject):
    """Asks `escape` for each plain Esc that nothing inside a watched region wanted."""

    def __init__(self, escape: Callable[[], bool], parent: QObject) -> None:
        super().__init__(parent)
        self._escape = escape

    def watch(self, region: QWidget) -> None:
        region.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and is_plain_escape(event) and self._escape():
            event.accept()
            return True
        return super().eventFilter(watched, event)


def is_plain_escape(event: QKeyEvent) -> bool:
    plain = event.modifiers() == Qt.KeyboardModifier.NoModifier
    return event.type() == QEvent.Type.KeyPress and event.key() == Qt.Key.Key_Escape and plain
