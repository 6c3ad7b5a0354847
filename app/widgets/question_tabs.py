"""The questions of a bundle as steps: what is answered, what is shown, and the review."""

from typing import Final

from PySide6.QtCore import QCoreApplication, QEvent, Qt, Signal
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QTabBar, QWidget

from app.plain_text import plain_tip
from app.resources import Icon
from app.theme import Theme
from app.viewmodels.clarification_card import Card
from backend.domain.clarification import Question

_TAB_CHARACTERS: Final = 24


def shortened(title: str) -> str:
    """A title as a tab shows it."""
    if len(title) <= _TAB_CHARACTERS:
        return title
    return title[: _TAB_CHARACTERS - 1].rstrip() + "…"


def question_name(question: Question, index: int) -> str:
    """What a question among several is called: its title, else its place."""
    words = QCoreApplication.translate("QuestionTabs", "Question {number}")
    return question.title or words.format(number=index + 1)


class _Steps(QTabBar):
    """Who scrolls past must not turn the page."""

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


class QuestionTabs(QWidget):
    """`step_wanted` with the index of a question, or of the review after the last."""

    step_wanted = Signal(int)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._card: Card | None = None
        self._bar = _Steps()
        self._bar.setObjectName("questionTabs")
        self._bar.setDrawBase(False)
        self._bar.setExpanding(False)
        self._bar.setUsesScrollButtons(True)
        self._bar.setElideMode(Qt.TextElideMode.ElideRight)
        self._progress = QLabel()
        self._progress.setObjectName("questionProgress")
        self._progress.setProperty("role", "small")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.pixels(12))
        row.addWidget(self._bar, 1)
        row.addWidget(self._progress)
        self._bar.tabBarClicked.connect(self._want)
        self._bar.currentChanged.connect(self._want)
        theme.changed.connect(self._refresh)

    @property
    def progress(self) -> str:
        """ "k of n answered", as it is shown."""
        return self._progress.text()

    def show_card(self, card: Card) -> None:
        self._card = card
        self.setVisible(card.review_step > 0)
        self._bar.blockSignals(True)  # noqa: FBT003 - Qt's signature
        while self._bar.count():
            self._bar.removeTab(0)
        if card.review_step > 0:
            for _ in range(card.review_step + 1):
                self._bar.addTab("")
        self._bar.blockSignals(False)  # noqa: FBT003 - Qt's signature
        self.refresh(card)

    def refresh(self, card: Card) -> None:
        self._card = card
        if card.review_step < 0:
            return
        for index in range(card.review_step + 1):
            self._show_tab(card, index)
        self._bar.blockSignals(True)  # noqa: FBT003 - Qt's signature
        self._bar.setCurrentIndex(card.step)
        self._bar.blockSignals(False)  # noqa: FBT003 - Qt's signature
        self._bar.setEnabled(not card.busy)
        self._progress.setText(
            self.tr("{done} of {total} answered").format(
                done=card.sheet.answered_count, total=len(card.questions)
            )
        )

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._refresh()
        super().changeEvent(event)

    def _show_tab(self, card: Card, index: int) -> None:
        if index == card.review_step:
            name, answered = self.tr("Review"), False
        else:
            name = question_name(card.questions[index], index)
            answered = card.sheet.answered(index)
        self._bar.setTabText(index, shortened(name).replace("&", "&&"))
        self._bar.setTabToolTip(index, plain_tip(name))
        icon = self._theme.icon(Icon.CHECK if answered else Icon.RADIO_OFF, "accent")
        if not answered:
            icon = self._theme.icon(Icon.RADIO_OFF, "text_muted")
        if index == card.review_step:
            icon = self._theme.icon(Icon.SUBMIT, "text_muted")
        self._bar.setTabIcon(index, icon)
        described = self.tr("{name}, answered") if answered else "{name}"
        self._bar.setAccessibleTabName(index, described.format(name=name))

    def _want(self, index: int) -> None:
        if self._card is not None and index >= 0 and index != self._card.step:
            self.step_wanted.emit(index)

    def _refresh(self) -> None:
        if self._card is not None:
            self.refresh(self._card)
