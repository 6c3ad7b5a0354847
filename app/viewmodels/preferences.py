"""What the human prefers and several parts of the window follow."""

from enum import StrEnum

from PySide6.QtCore import QObject, Signal


class SendKey(StrEnum):
    """What sends a message; Shift+Enter always makes a new line."""

    ENTER = "enter"
    CTRL_ENTER = "ctrl_enter"
    """Enter makes a new line."""


class Preferences(QObject):
    """`changed` when any of them is another than before."""

    changed = Signal()

    def __init__(self, send_key: SendKey = SendKey.ENTER, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._send_key = send_key

    @property
    def send_key(self) -> SendKey:
        return self._send_key

    def set_send_key(self, key: SendKey) -> None:
        if key is not self._send_key:
            self._send_key = key
            self.changed.emit()
