"""What scrolls in the overlay: context, stored answer, and the question or the review."""

from typing import Final

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from app.theme import Theme
from app.viewmodels.clarification_card import Card
from app.widgets.arming import ArmingGuard
from app.widgets.context_box import ContextBox
from app.widgets.question_card import QuestionCard
from app.widgets.review_page import ReviewPage
from app.widgets.stored_answer_notice import StoredAnswerNotice

_LEAST: Final = 56
_ROOMY: Final = 220
_FIRST_LINES: Final = 4
_LOW_LINES: Final = 1


class OverlayBody(QScrollArea):
    """Builds one step at a time; every input leaves as a signal."""

    chosen = Signal(object)
    edited = Signal(str)
    entered = Signal()
    finished = Signal()
    change_wanted = Signal(int)

    def __init__(self, theme: Theme, guard: ArmingGuard) -> None:
        super().__init__()
        self._theme = theme
        self._guard = guard
        self._touch = False
        self._crowded = False
        self._first = True
        self.page: QuestionCard | ReviewPage | None = None
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        theme.changed.connect(self._restyle)
        self._restyle()
        self._context = ContextBox(theme)
        self.stored = StoredAnswerNotice(theme)
        self._content = QWidget()
        self._column = QVBoxLayout(self._content)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(theme.pixels(12))
        self._column.addWidget(self._context)
        self._column.addWidget(self.stored)
        self._column.addStretch(1)
        self.setWidget(self._content)

    def show_step(self, card: Card) -> None:
        """Build the page of the card's current step anew; the context is told at length once."""
        self._first = card.step == 0
        self._context.show_context("" if card.reviewing else card.bundle.context)
        self._fit_context()
        if self.page is not None:
            self._column.removeWidget(self.page)
            self.page.hide()
            self.page.setParent(None)
            self.page.deleteLater()
        self.page = self._review(card) if card.reviewing else self._question(card)
        self._column.insertWidget(2, self.page)
        self.verticalScrollBar().setValue(0)

    def refresh(self, card: Card, now: int) -> None:
        self.stored.refresh(card, now)
        if self.page is not None:
            self.page.refresh(card)

    def show_for(self, *, touch: bool) -> None:
        self._touch = touch
        if isinstance(self.page, QuestionCard):
            self.page.show_for(touch=touch)

    def natural_height(self, width: int) -> int:
        """The height at which nothing needs to scroll."""
        layout = self._column
        if layout.hasHeightForWidth():
            return layout.totalHeightForWidth(max(width, 80))
        return layout.totalSizeHint().height()

    def sizeHint(self) -> QSize:
        return QSize(400, self.natural_height(self.viewport().width()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrows step through options and questions; only the page keys scroll."""
        if event.key() in {Qt.Key.Key_PageUp, Qt.Key.Key_PageDown}:
            super().keyPressEvent(event)
        else:
            event.ignore()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_context()

    @property
    def least_height(self) -> int:
        """At which some of the question can be read."""
        return self._theme.pixels(_LEAST)

    def set_crowded(self, *, crowded: bool) -> None:
        """The buttons under it come first."""
        self._crowded = crowded
        self._restyle()

    def _restyle(self) -> None:
        self.setMinimumHeight(1 if self._crowded else self.least_height)

    def _fit_context(self) -> None:
        """With the first question, and as much as leaves the question in sight."""
        roomy = self.viewport().height() >= self._theme.pixels(_ROOMY)
        self._context.set_lines((_FIRST_LINES if roomy else _LOW_LINES) if self._first else 0)

    def _follow_cursor(self) -> None:
        """Keep the line that is written in sight."""
        page = self.page
        if isinstance(page, QuestionCard) and page.answer.field.hasFocus():
            field = page.answer.field
            place = field.mapTo(self._content, field.cursorRect().bottomLeft())
            self.ensureVisible(place.x(), place.y(), 0, self._theme.pixels(16))

    def _question(self, card: Card) -> QuestionCard:
        page = QuestionCard(card, card.step, self._theme)
        page.chosen.connect(self.chosen)
        page.edited.connect(self.edited)
        page.answer.field.entered.connect(self.entered)
        page.answer.field.finished.connect(self.finished)
        page.answer.field.cursorPositionChanged.connect(self._follow_cursor)
        page.show_for(touch=self._touch)
        for row in page.choices.rows:
            self._guard.watch(row)
        return page

    def _review(self, card: Card) -> ReviewPage:
        page = ReviewPage(card, self._theme)
        page.change_wanted.connect(self.change_wanted)
        return page
