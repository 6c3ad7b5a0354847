"""Where the human answers in their own words; safe for input methods, long text and bad pastes."""

from typing import Final

from PySide6.QtCore import QMimeData, Qt, Signal
from PySide6.QtGui import QInputMethodEvent, QKeyEvent
from PySide6.QtWidgets import QWidget

from app.theme import Theme
from app.viewmodels.clarification_answers import character_problem
from app.widgets.growing_edit import ENTER_KEYS, NEW_LINE, GrowingEdit
from backend.errors import ErrorCode

MAX_HEIGHT: Final = 160
"""It grows with its text up to here and scrolls from then on (K6.2)."""
_PASTE_LIMIT: Final = 4_000
"""Above this a paste is refused whole: cutting it would lose words without a sign (K6.2)."""


class AnswerField(GrowingEdit):
    """`edited` with the whole text; `entered` for Enter on some text, `finished` for Ctrl+Enter.

    `refused` with the reason when a paste was not taken in.
    """

    entered = Signal()
    finished = Signal()
    refused = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, MAX_HEIGHT, parent)
        self.setObjectName("customAnswer")
        self._composing = False

    def show_text(self, text: str) -> None:
        """Show what the sheet holds, without touching the cursor when it is the same."""
        if text != self.toPlainText():
            self.setPlainText(text)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() not in ENTER_KEYS or self._composing:
            super().keyPressEvent(event)
            return
        if event.isAutoRepeat():
            event.accept()
            return
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.finished.emit()
        elif self._touch or event.modifiers() & NEW_LINE:
            self.insertPlainText("\n")
        elif self.toPlainText().strip():
            self.entered.emit()
        event.accept()

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        self._composing = bool(event.preeditString())
        super().inputMethodEvent(event)

    def insertFromMimeData(self, source: QMimeData) -> None:
        text = source.text()
        problem = ErrorCode.TOO_LONG if len(text) > _PASTE_LIMIT else character_problem(text)
        if problem is not None:
            self.refused.emit(problem)
            return
        super().insertFromMimeData(source)
