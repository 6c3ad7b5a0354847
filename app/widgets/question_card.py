"""One question: its title, its prompt and everything that can be an answer to it."""

from dataclasses import dataclass

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from app.plain_text import breakable
from app.theme import Theme
from app.viewmodels.clarification_card import Card
from app.widgets.answer_box import AnswerBox
from app.widgets.choice_list import ChoiceList
from app.widgets.markdown_view import MarkdownView
from app.widgets.question_tabs import shortened
from backend.errors import ErrorCode


@dataclass(frozen=True, slots=True)
class Place:
    """Where the keyboard is on a page: on a row, or in the text between two positions."""

    row: int | None = None
    anchor: int = 0
    position: int = 0


class QuestionCard(QWidget):
    """Shows question `index` of a card; `chosen` carries the activated row, `edited` the text."""

    chosen = Signal(object)
    edited = Signal(str)

    def __init__(self, card: Card, index: int, theme: Theme) -> None:
        super().__init__()
        question = card.questions[index]
        self.index = index
        self._question = question
        self._title = QLabel(breakable(question.title))
        self._title.setAccessibleName(question.title)
        self._title.setObjectName("questionTitle")
        self._title.setProperty("role", "question-title")
        self._title.setTextFormat(Qt.TextFormat.PlainText)
        self._title.setWordWrap(True)
        told_by_tab = card.review_step > 0 and shortened(question.title) == question.title
        # What is shown before it has a parent is a window of its own and takes the focus.
        if told_by_tab or not question.title:
            self._title.hide()
        self._prompt = MarkdownView()
        self._prompt.setObjectName("questionPrompt")
        self._prompt.setFont(theme.font(15))
        self._prompt.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self._prompt.set_markdown(question.prompt)
        self._several = QLabel()
        self._several.setProperty("role", "small")
        if not question.multi_select and not question.optional:
            self._several.hide()
        self.choices = ChoiceList(question, theme)
        if not question.options:
            self.choices.hide()
        self.answer = AnswerBox(question, theme)
        px = theme.pixels
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(px(8))
        head = QVBoxLayout()
        head.setSpacing(px(2))
        for part in (self._title, self._prompt, self._several):
            head.addWidget(part)
        column.addLayout(head)
        column.addWidget(self.choices)
        column.addWidget(self.answer)
        self.choices.chosen.connect(self.chosen)
        self.answer.edited.connect(self.edited)
        self._retranslate()

    def refresh(self, card: Card) -> None:
        """Show what the sheet holds and whether it can be changed now."""
        entry = card.sheet.entry(self.index)
        problem = card.sheet.problem(self.index)
        if problem is None and card.refused_question == self.index:
            problem = ErrorCode.INVALID
        self.choices.show_selected(entry.selected)
        set_aside = not card.sheet.text_counts(self.index)
        self.answer.show_entry(entry.text, problem, set_aside=set_aside)
        self.choices.setEnabled(card.editable)
        self.answer.field.setReadOnly(not card.editable)

    def show_for(self, *, touch: bool) -> None:
        self.choices.show_for(touch=touch)
        self.answer.field.show_for(touch=touch)

    def focus_first(self) -> None:
        """Put the keyboard where this question is answered."""
        rows = self.choices.rows
        chosen = next((row for row in rows if row.isChecked()), rows[0] if rows else None)
        (chosen or self.answer.field).setFocus(Qt.FocusReason.OtherFocusReason)

    def place(self) -> Place | None:
        """Where the keyboard is in here, so that a page built anew can take it over."""
        field = self.answer.field
        if field.hasFocus():
            cursor = field.textCursor()
            return Place(None, cursor.anchor(), cursor.position())
        rows = self.choices.rows
        return next((Place(i) for i, row in enumerate(rows) if row.hasFocus()), None)

    def return_to(self, place: Place) -> None:
        """Put the keyboard where it was on the page before this one."""
        if place.row is not None:
            self.choices.rows[place.row].setFocus(Qt.FocusReason.OtherFocusReason)
            return
        field, longest = self.answer.field, len(self.answer.field.toPlainText())
        cursor = field.textCursor()
        cursor.setPosition(min(place.anchor, longest))
        cursor.setPosition(min(place.position, longest), QTextCursor.MoveMode.KeepAnchor)
        field.setTextCursor(cursor)
        field.setFocus(Qt.FocusReason.OtherFocusReason)

    def step_focus(self, step: int) -> None:
        """Move the keyboard up or down through the options and on into the field."""
        if not self.choices.step_focus(step) and step > 0:
            self.answer.field.setFocus(Qt.FocusReason.TabFocusReason)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _retranslate(self) -> None:
        several = self.tr("Choose any number.") if self._question.multi_select else ""
        optional = self.tr("May be left out.") if self._question.optional else ""
        self._several.setText(" ".join(filter(None, (several, optional))))
        self._prompt.setAccessibleName(self.tr("Question"))
        self._prompt.setAccessibleDescription(self._question.prompt)
