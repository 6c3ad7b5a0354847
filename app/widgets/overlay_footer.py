"""What can be done with the bundle: go on, go back, submit, skip, close."""

from typing import Final

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSizePolicy, QWidget

from app.plain_text import plain_tip
from app.resources import Icon
from app.theme import Theme
from app.viewmodels.clarification_card import Card
from app.widgets.named_button import named_button
from backend.domain.clarification import MAX_TEXT

COUNTER_FROM: Final = 1_800
"""The counter appears above this many code points (K6.2)."""


class _Hint(QLabel):
    """A line that gives way to the buttons, and takes no room of its own."""

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())


class OverlayFooter(QWidget):
    """Plain signals for its buttons; which of them mean something now is the card's to say."""

    skip_wanted = Signal()
    close_wanted = Signal()
    step_wanted = Signal(int)
    submit_wanted = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._reviewed = True
        self._busy = False
        self._gone = False
        self.skip = named_button("skipQuestions", "quiet")
        self.close_question = named_button("closeQuestion", "quiet")
        self.previous = named_button("previousQuestion", "")
        self.next = named_button("nextQuestion", "")
        self.submit = named_button("submitAnswers", "primary")
        self._hint = _Hint()
        self._hint.setObjectName("submitHint")
        self._hint.setProperty("role", "small")
        self._hint.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._hint.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        self._gap = theme.pixels(8)
        row.setSpacing(self._gap)
        row.addWidget(self.skip)
        row.addWidget(self.close_question)
        row.addWidget(self._hint, 1)
        for button in (self.previous, self.next, self.submit):
            row.addWidget(button)
        self.skip.clicked.connect(self.skip_wanted)
        self.close_question.clicked.connect(self.close_wanted)
        self.previous.clicked.connect(lambda: self.step_wanted.emit(-1))
        self.next.clicked.connect(lambda: self.step_wanted.emit(1))
        self.submit.clicked.connect(self.submit_wanted)
        theme.changed.connect(self._show_icons)
        self._show_icons()
        self._retranslate()

    def refresh(self, card: Card, *, hint: str) -> None:
        """Show what can be done now; near the limit the counter takes the place of the hint."""
        several = card.review_step > 0
        self._reviewed = not several or card.reviewing
        self._busy = card.busy
        for button in (self.previous, self.next):
            button.setVisible(several)
        self.previous.setEnabled(card.step > 0 and not card.busy)
        self.next.setEnabled(several and not card.reviewing and not card.busy)
        self.submit.setEnabled(card.editable and card.sheet.complete)
        self.skip.setEnabled(card.editable)
        self._gone = card.bundle.detached or not card.bundle.waiting_calls
        self.close_question.setVisible(self._gone and card.bundle.answerable)
        self.close_question.setEnabled(card.editable)
        self._show_hint(card, hint)
        self._retranslate()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_words()

    def minimumSizeHint(self) -> QSize:
        """With the short words of both: the long ones take only room that is there."""
        return QSize(0, super().minimumSizeHint().height())

    def _fit_words(self) -> None:
        """What each does stands on it where there is room, and in its tool tip always."""
        long = {
            self.skip: self.tr("Skip and tell agent…"),
            self.close_question: self.tr("Close as withdrawn…"),
        }
        short = {self.skip: self.tr("Skip…"), self.close_question: self.tr("Close question…")}
        words = long if self._needed(long) <= self.width() else short
        for button, text in words.items():
            button.setText(text)
            button.setAccessibleName(long[button])

    def _needed(self, words: dict[QPushButton, str]) -> int:
        row = (self.skip, self.close_question, self.previous, self.next, self.submit)
        shown = [button for button in row if not button.isHidden()]
        measure = self.skip.fontMetrics().horizontalAdvance
        longer = sum(measure(words[b]) - measure(b.text()) for b in shown if b in words)
        # Between them the hint has its place, however narrow.
        return sum(one.sizeHint().width() for one in shown) + self._gap * len(shown) + longer

    def _show_hint(self, card: Card, hint: str) -> None:
        step = min(card.step, len(card.questions) - 1)
        length = len(card.sheet.entry(step).text) if card.sheet.text_counts(step) else 0
        role = "danger" if length > MAX_TEXT else "small"
        if length > COUNTER_FROM and not card.reviewing:
            words = self.tr("{count} of {limit} characters")
            hint = words.format(count=length, limit=MAX_TEXT)
        self._hint.setText(hint)
        if self._hint.property("role") != role:
            self._hint.setProperty("role", role)
            self._hint.style().unpolish(self._hint)
            self._hint.style().polish(self._hint)

    def _show_icons(self) -> None:
        self.previous.setIcon(self._theme.icon(Icon.PREVIOUS, "text"))
        self.next.setIcon(self._theme.icon(Icon.NEXT, "text"))
        self.next.setLayoutDirection(self._mirrored())

    def _mirrored(self) -> Qt.LayoutDirection:
        if self.layoutDirection() is Qt.LayoutDirection.RightToLeft:
            return Qt.LayoutDirection.LeftToRight
        return Qt.LayoutDirection.RightToLeft

    def _retranslate(self) -> None:
        if self._gone:
            told = self.tr(
                "The agent is told, once it calls again, that you chose not to answer, and why if "
                "you say it. The question is then skipped."
            )
        else:
            told = self.tr(
                "The agent is told at once that you chose not to answer, and why if you say it. "
                "The question is then skipped."
            )
        closed = self.tr(
            "The agent is sent nothing. Should it call again, it only hears that you withdrew the "
            "question, which is then closed without an answer."
        )
        for button, words in ((self.skip, told), (self.close_question, closed)):
            button.setAccessibleDescription(words)
            button.setToolTip(plain_tip(words))
        self.previous.setText(self.tr("Back"))
        self.next.setText(self.tr("Next"))
        if self._busy:
            self.submit.setText(self.tr("Sending…"))
        elif self._reviewed:
            self.submit.setText(self.tr("Submit"))
        else:
            self.submit.setText(self.tr("Review and submit"))
        self._fit_words()
