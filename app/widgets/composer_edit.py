"""Where a message is written: several lines, safe for input methods, sent by one key."""

from typing import Final

from PySide6.QtCore import QMimeData, Qt, Signal
from PySide6.QtGui import QInputMethodEvent, QKeyEvent, QTextCursor
from PySide6.QtWidgets import QWidget

from app.theme import Theme
from app.viewmodels.clarification_answers import character_problem
from app.viewmodels.preferences import Preferences, SendKey
from app.widgets.growing_edit import ENTER_KEYS, NEW_LINE, GrowingEdit

MAX_HEIGHT: Final = 220
"""It grows with its text up to here and scrolls from then on."""


class ComposerEdit(GrowingEdit):
    """`edited` with the whole text; `send_wanted` for the key that sends.

    `key_pressed` with each key event first, for a list that is open above; whoever takes it
    accepts it. `composing_changed` while an input method is at work: its words are not text yet.
    """

    send_wanted = Signal()
    key_pressed = Signal(object)
    composing_changed = Signal()
    refused = Signal()

    def __init__(
        self, theme: Theme, preferences: Preferences, parent: QWidget | None = None
    ) -> None:
        super().__init__(theme, MAX_HEIGHT, parent)
        self._preferences = preferences
        self._composing = False
        theme.changed.connect(self.updateGeometry)

    @property
    def composing(self) -> bool:
        return self._composing

    def show_text(self, text: str) -> None:
        """Show what is kept; the cursor goes to its end, and stays where nothing changed."""
        if text != self.toPlainText():
            self.setPlainText(text)
            self.moveCursor(QTextCursor.MoveOperation.End)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self._composing:
            if event.key() not in ENTER_KEYS:
                super().keyPressEvent(event)
            return
        event.setAccepted(False)
        self.key_pressed.emit(event)
        if event.isAccepted():
            return
        if event.key() not in ENTER_KEYS:
            super().keyPressEvent(event)
        elif event.isAutoRepeat():
            event.accept()
        else:
            self._enter(event.modifiers())
            event.accept()

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        composing = bool(event.preeditString())
        super().inputMethodEvent(event)
        if composing is not self._composing:
            self._composing = composing
            self.composing_changed.emit()

    def insertFromMimeData(self, source: QMimeData) -> None:
        if character_problem(source.text()) is not None:
            self.refused.emit()
            return
        super().insertFromMimeData(source)

    def _enter(self, modifiers: Qt.KeyboardModifier) -> None:
        if modifiers & Qt.KeyboardModifier.ControlModifier:
            self.send_wanted.emit()
        elif self._touch or modifiers & NEW_LINE:
            self.insertPlainText("\n")
        elif self._preferences.send_key is SendKey.ENTER:
            self.send_wanted.emit()
        else:
            self.insertPlainText("\n")
