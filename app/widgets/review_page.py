"""All answers of a bundle in one view, before they are sent together."""

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.plain_text import breakable
from app.theme import Theme
from app.viewmodels.clarification_card import Card
from app.viewmodels.clarification_recovery import answer_words
from app.widgets.question_card import Place

_PROMPT_CHARACTERS = 160


class ReviewPage(QWidget):
    """`change_wanted` with the index of the question to go back to."""

    change_wanted = Signal(int)

    def __init__(self, card: Card, theme: Theme) -> None:
        super().__init__()
        self._changes: list[tuple[QPushButton, str]] = []
        self._missing: list[QLabel] = []
        self._heading = QLabel()
        self._heading.setObjectName("reviewHeading")
        self._heading.setProperty("role", "heading")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.pixels(8))
        column.addWidget(self._heading)
        answers = card.sheet.answers()
        for index, question in enumerate(card.questions):
            if index:
                line = QFrame()
                line.setProperty("role", "hairline")
                line.setFixedHeight(1)
                column.addWidget(line)
            name = question.title or _shortened(question.prompt)
            words = answer_words(question, answers[index]) if card.sheet.answered(index) else ""
            column.addLayout(self._row(theme, index, name, words))
        self._retranslate()

    def _row(self, theme: Theme, index: int, name: str, words: str) -> QHBoxLayout:
        asked = QLabel(breakable(name))
        asked.setProperty("role", "small")
        given = QLabel(breakable(words))
        given.setAccessibleName(words)
        given.setObjectName(f"reviewAnswer_{index + 1}")
        for label in (asked, given):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setWordWrap(True)
        if not words:
            given.setProperty("role", "attention")
            self._missing.append(given)
        change = QPushButton()
        change.setObjectName(f"changeAnswer_{index + 1}")
        change.setProperty("role", "quiet")
        change.clicked.connect(lambda: self.change_wanted.emit(index))
        self._changes.append((change, name))
        texts = QVBoxLayout()
        texts.setSpacing(theme.pixels(2))
        texts.addWidget(asked)
        texts.addWidget(given)
        row = QHBoxLayout()
        row.setSpacing(theme.pixels(12))
        row.addLayout(texts, 1)
        row.addWidget(change, 0, Qt.AlignmentFlag.AlignVCenter)
        return row

    def refresh(self, card: Card) -> None:
        for change, _ in self._changes:
            change.setEnabled(card.editable)

    def focus_first(self) -> None:
        """The way back is what a stray key may reach, never Submit."""
        self._changes[0][0].setFocus(Qt.FocusReason.OtherFocusReason)

    def place(self) -> Place | None:
        """Where the keyboard is in here."""
        changes = enumerate(self._changes)
        return next((Place(i) for i, (change, _) in changes if change.hasFocus()), None)

    def return_to(self, place: Place) -> None:
        """Put the keyboard where it was on the page before this one."""
        self._changes[place.row or 0][0].setFocus(Qt.FocusReason.OtherFocusReason)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _retranslate(self) -> None:
        self._heading.setText(self.tr("Check your answers"))
        for label in self._missing:
            label.setText(self.tr("Not answered yet"))
            label.setAccessibleName(label.text())
        for change, name in self._changes:
            change.setText(self.tr("Change"))
            change.setAccessibleName(
                self.tr("Change the answer to: {question}").format(question=name)
            )


def _shortened(prompt: str) -> str:
    line = " ".join(prompt.split())
    return line if len(line) <= _PROMPT_CHARACTERS else line[: _PROMPT_CHARACTERS - 1] + "…"
