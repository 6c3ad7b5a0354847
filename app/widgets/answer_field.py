"""Where the human answers in their own words; safe for input methods, long text and bad pastes."""

from typing import Final

from PySide6.QtCore import QMimeData, QSize, Qt, Signal
from PySide6.QtGui import QInputMethodEvent, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QPlainTextEdit, QSizePolicy, QWidget

from app.theme import Theme
from app.viewmodels.clarification_answers import character_problem
from backend.errors import ErrorCode

MAX_HEIGHT: Final = 160
"""It grows with its text up to here and scrolls from then on (K6.2)."""
_ENTER: Final = frozenset({Qt.Key.Key_Return, Qt.Key.Key_Enter})
_NEW_LINE: Final = Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.AltModifier
_PASTE_LIMIT: Final = 4_000
"""Above this a paste is refused whole: cutting it would lose words without a sign (K6.2)."""


class AnswerField(QPlainTextEdit):
    """`edited` with the whole text; `entered` for Enter on some text, `finished` for Ctrl+Enter.

    `refused` with the reason when a paste was not taken in.
    """

    edited = Signal(str)
    entered = Signal()
    finished = Signal()
    refused = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("customAnswer")
        self._theme = theme
        self._touch = False
        self._composing = False
        self.setTabChangesFocus(True)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.WidgetWidth)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.textChanged.connect(self._tell)

    def show_text(self, text: str) -> None:
        """Show what the sheet holds, without touching the cursor when it is the same."""
        if text != self.toPlainText():
            self.setPlainText(text)

    def show_for(self, *, touch: bool) -> None:
        """For fingers Enter makes a new line: Submit is the only way to send."""
        self._touch = touch
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        lines = max(1.0, self.document().size().height())
        padding = 2 * self._theme.pixels(8) + round(2 * self.document().documentMargin())
        wanted = round(lines * self.fontMetrics().lineSpacing()) + padding
        theme = self._theme
        least = theme.touch_pixels if self._touch else theme.pixels(36)
        return QSize(200, min(max(wanted, least), self._theme.pixels(MAX_HEIGHT)))

    def minimumSizeHint(self) -> QSize:
        return QSize(80, self.sizeHint().height())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() not in _ENTER or self._composing:
            super().keyPressEvent(event)
            return
        if event.isAutoRepeat():
            event.accept()
            return
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.finished.emit()
        elif self._touch or event.modifiers() & _NEW_LINE:
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

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.updateGeometry()

    def _tell(self) -> None:
        self.updateGeometry()
        self.edited.emit(self.toPlainText())
