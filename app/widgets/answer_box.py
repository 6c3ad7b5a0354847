"""The own-words field with what is to be said about it under it."""

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from app.theme import Theme
from app.widgets.answer_field import AnswerField
from backend.domain.clarification import MAX_TEXT, Question
from backend.errors import ErrorCode


class AnswerBox(QWidget):
    """Knows the question only to choose its words; what is kept is the sheet's."""

    edited = Signal(str)

    def __init__(self, question: Question, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._question = question
        self._set_aside = False
        self._problem: ErrorCode | None = None
        self._refused: ErrorCode | None = None
        self.field = AnswerField(theme)
        self._note = QLabel()
        self._note.setObjectName("answerNote")
        self._note.setWordWrap(True)
        self._note.setTextFormat(Qt.TextFormat.PlainText)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.pixels(4))
        column.addWidget(self.field)
        column.addWidget(self._note)
        self.field.edited.connect(self._tell)
        self.field.refused.connect(self._refuse)
        self._retranslate()

    def show_entry(self, text: str, problem: ErrorCode | None, *, set_aside: bool) -> None:
        """Show the sheet's text, why it cannot be sent, or that an option has taken its place."""
        self.field.show_text(text)
        self._problem, self._set_aside = problem, set_aside and bool(text.strip())
        self._show_notes()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _tell(self, text: str) -> None:
        self._refused = None
        self.edited.emit(text)

    def _refuse(self, why: ErrorCode) -> None:
        self._refused = why
        self._show_notes()

    def _show_notes(self) -> None:
        words, role = self._note_words()
        self._note.setVisible(bool(words))
        self._note.setText(words)
        if self._note.property("role") != role:
            self._note.setProperty("role", role)
            self._note.style().unpolish(self._note)
            self._note.style().polish(self._note)
        self.field.setAccessibleDescription(words)

    def _note_words(self) -> tuple[str, str]:
        if self._refused is ErrorCode.TOO_LONG:
            return self.tr("That text is too long to paste. Nothing was inserted."), "danger"
        if self._refused is not None:
            return (
                self.tr("That text holds characters that cannot be kept. Nothing was inserted."),
                "danger",
            )
        if self._problem is ErrorCode.TOO_LONG:
            over = len(self.field.toPlainText()) - MAX_TEXT
            if over > 0:
                return self.tr("Too long by %n character(s).", "", over), "danger"
            return self.tr("This text is too long."), "danger"
        if self._problem is not None:
            return self.tr("This text cannot be sent as it is."), "danger"
        if self._set_aside:
            return (
                self.tr("Kept, but not sent while an option is chosen. Edit it to send it."),
                "small",
            )
        return "", "small"

    def _retranslate(self) -> None:
        if not self._question.options:
            hint = self.tr("Your answer…")
        elif self._question.multi_select:
            hint = self.tr("Add something in your own words…")
        else:
            hint = self.tr("Or answer in your own words…")
        self.field.setPlaceholderText(hint)
        self.field.setAccessibleName(self.tr("Answer in your own words"))
        self._show_notes()
