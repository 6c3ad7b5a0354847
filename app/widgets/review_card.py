"""What an agent wants to do and may not do unasked, as part of the chat: never a dialog."""

from typing import Final

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QHBoxLayout,
    QLabel,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from app.models.review_content import is_long, review_pieces
from app.models.review_words import ReviewWords, undecided
from app.text import workspace_text
from app.theme import Theme
from app.viewmodels.review_choices import Decision
from app.viewmodels.reviews import ReviewCard, ReviewPhase, ReviewsViewModel
from app.viewmodels.sessions import SessionsViewModel
from app.viewmodels.timing import Timer
from app.widgets.announcing import announce
from app.widgets.arming import ArmingGuard
from app.widgets.covered_list import CoveredList
from app.widgets.named_button import named_button
from app.widgets.pane_focus import holds_focus
from app.widgets.result_view import ResultView
from app.widgets.review_buttons import ReviewButtons
from app.widgets.review_header import ReviewHeader
from app.widgets.review_status import ReviewStatusText, is_bad, is_hosted
from app.widgets.review_text import ReviewText
from app.widgets.touch import TouchLayout, show_touch
from backend.domain.review import ReviewStatus

AGE_SECONDS: Final = 30.0
_MAX_WIDTH: Final = 808
_BORDER: Final = 2
_LOW: Final = 470
"""Below this height of the chat only what is needed to decide is shown."""


class ReviewCardWidget(QWidget):
    """Shows the view model's card; whoever places it decides how tall it may be.

    `focus_wanted` when the card has gone that held the keyboard, `again_wanted` with what is to be
    said to the agent so that it asks again.
    """

    focus_wanted = Signal()
    again_wanted = Signal(str)

    def __init__(
        self,
        view_model: ReviewsViewModel,
        sessions: SessionsViewModel,
        theme: Theme,
        touch: TouchLayout,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("reviewCard")
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._view_model = view_model
        self._sessions = sessions
        self._theme = theme
        self._touch = touch
        self._held_back = False
        self._by_human = False
        self._told = ""
        self._age_timer: Timer | None = None
        self._words = ReviewWords(self)
        self._says = ReviewStatusText(self)
        self.guard = ArmingGuard(view_model.clock.monotonic, self)
        self._frame = QFrame()
        self._frame.setProperty("role", "question-card")
        self._header = ReviewHeader(theme)
        self._text = ReviewText(theme)
        self._show_all = named_button("showWholeRequest", "link")
        self._status = QLabel()
        self._status.setObjectName("reviewStatus")
        self._status.setWordWrap(True)
        self._status.setTextFormat(Qt.TextFormat.PlainText)
        self._retry = named_button("reviewRetry")
        self._again = named_button("askAgain")
        self._close = named_button("closeReview")
        self._buttons = ReviewButtons(theme, self.guard, view_model.clock.monotonic)
        self._covered = CoveredList(theme, self.guard)
        self._result = ResultView(theme)
        self._build()
        self._connect()
        self._retranslate()
        self.hide()
        self._replace()

    def set_chat_height(self, height: int) -> None:
        """Say less where there is little height."""
        low = height < self._theme.pixels(_LOW)
        self._header.set_low(low=low)
        self._buttons.set_low(low=low)
        self.updateGeometry()

    def hold_back(self, *, held: bool) -> None:
        """A question is shown: it goes first, unless the human has opened this card."""
        self._held_back = held
        self._show_or_hide()

    def focus_card(self) -> None:
        """The human asked for the keyboard to be here; it is where nothing is decided."""
        self._text.setFocus(Qt.FocusReason.OtherFocusReason)

    def hasHeightForWidth(self) -> bool:
        return False

    def sizeHint(self) -> QSize:
        return QSize(self.width(), self._height(self._text.natural_height()))

    def minimumSizeHint(self) -> QSize:
        slack = 0 if self._buttons.isHidden() else self._buttons.options.slack(self._inside())
        return QSize(0, self._height(self._text.minimumSizeHint().height()) - slack)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._stop_following_time()
        self._follow_time()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._stop_following_time()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
            self._refresh()
            self._name()
        super().changeEvent(event)

    def _build(self) -> None:
        px = self._theme.pixels
        self._last = QHBoxLayout()
        self._last.setSpacing(px(8))
        self._last.addWidget(self._status, 1)
        self._last.addWidget(self._retry)
        self._last.addWidget(self._again)
        self._last.addWidget(self._close)
        self._column = QVBoxLayout(self._frame)
        self._column.setContentsMargins(px(16), px(12), px(16), px(12))
        self._column.setSpacing(px(8))
        self._column.addWidget(self._header)
        self._column.addWidget(self._text, 1)
        self._column.addWidget(self._show_all, 0, Qt.AlignmentFlag.AlignLeft)
        self._column.addLayout(self._last)
        for part in (self._result, self._covered, self._buttons):
            self._column.addWidget(part)
        self._frame.setMaximumWidth(px(_MAX_WIDTH))
        self._outer = QHBoxLayout(self)
        self._outer.setContentsMargins(px(16), px(4), px(16), 0)
        self._outer.addStretch(1)
        self._outer.addWidget(self._frame, 1000)
        self._outer.addStretch(1)

    def _connect(self) -> None:
        view_model = self._view_model
        view_model.card_replaced.connect(self._replace)
        view_model.changed.connect(self._refresh)
        view_model.closed_here.connect(self._note_human)
        self._text.end_seen.connect(view_model.end_seen)
        self._show_all.clicked.connect(self._show_whole)
        self._buttons.chosen.connect(self._decide)
        self._buttons.resized.connect(self.updateGeometry)
        self._result.resized.connect(self.updateGeometry)
        self._covered.confirmed.connect(view_model.settle_covered)
        self._covered.left_open.connect(self._leave_covered)
        self._retry.clicked.connect(self._try_again)
        self._again.clicked.connect(self._ask_again)
        self._close.clicked.connect(self._put_away)
        self.guard.watch(self._retry)
        self._theme.changed.connect(self._restyle)
        self._touch.changed.connect(self._show_touch)

    def _replace(self) -> None:
        """Another card, or none: nothing of it takes the keyboard from somebody who types."""
        card, had_focus = self._view_model.card, holds_focus(self)
        if had_focus:
            focus = QApplication.focusWidget()
            if focus is not None:
                focus.clearFocus()
        if card is not None:
            self._text.show_pieces(review_pieces(card.review, whole=card.whole))
            self._buttons.show_review(card.review)
            self._refresh()
            self._show_touch()
            self.guard.rearm()
            self._announce()
        self._show_or_hide()
        if had_focus and self._by_human:
            self.focus_wanted.emit()
        self._by_human = False

    def _refresh(self) -> None:
        card = self._view_model.card
        if card is None:
            return
        if card.phase is ReviewPhase.SENDING and holds_focus(self):
            # What has the keyboard is about to be disabled, and would drop it.
            self.setFocus(Qt.FocusReason.OtherFocusReason)
        session = self._sessions.session(card.review.session_id)
        self._header.refresh(
            card,
            session,
            more=self._view_model.more_waiting,
            now=self._view_model.clock.now(),
        )
        self._show_all.setVisible(not card.whole and is_long(card.review))
        closed = card.phase is ReviewPhase.CLOSED
        covers = card.phase is ReviewPhase.COVERED
        self._buttons.setVisible(not closed and not covers)
        self._covered.show_card(card, shown=covers)
        # Who has decided it knows what was asked; what comes of it is what is read now.
        self._text.setVisible(not card.kept and not covers)
        failed = card.review.status in {ReviewStatus.FAILED, ReviewStatus.OUTCOME_UNKNOWN}
        self._result.show_result(card.review.result if closed else "", failed=failed)
        self._buttons.refresh(
            decidable=card.decidable,
            readable=card.seen,
            sending=card.phase is ReviewPhase.SENDING,
        )
        self._retry.setVisible(card.phase is ReviewPhase.ERROR)
        self._close.setVisible(closed)
        self._again.setVisible(closed and undecided(card.review) and is_hosted(session))
        words = self._says.words(card, session)
        self._status.setText(words)
        self._status.setVisible(bool(words))
        self._status.setProperty("role", "danger" if is_bad(card) else "small")
        self._status.style().unpolish(self._status)
        self._status.style().polish(self._status)
        self._tell(card, words)
        self._show_closed(closed=closed)
        self._show_or_hide()
        self.updateGeometry()

    def _tell(self, card: ReviewCard, words: str) -> None:
        """What comes of a call is told once to who does not see it."""
        if card.kept and words != self._told:
            announce(self, words)
        self._told = words

    def _decide(self, decision: Decision) -> None:
        self._view_model.decide(decision)

    def _leave_covered(self) -> None:
        self._by_human = True
        self._view_model.leave_covered()

    def _show_whole(self) -> None:
        card = self._view_model.card
        if card is not None:
            self._view_model.show_all()
            self._text.show_pieces(review_pieces(card.review, whole=True), keep_place=True)
            self._refresh()

    def _try_again(self) -> None:
        if self.guard.accepts(self._retry):
            self._view_model.retry()

    def _ask_again(self) -> None:
        card = self._view_model.card
        if card is not None:
            self.again_wanted.emit(self._words.again(card.review))
            self._put_away()

    def _put_away(self) -> None:
        self._by_human = True
        self._view_model.dismiss()

    def _note_human(self) -> None:
        self._by_human = True

    def _show_or_hide(self) -> None:
        card = self._view_model.card
        held = self._held_back and not self._view_model.was_opened
        shown = card is not None and not held
        if shown is self.isHidden():
            self.setVisible(shown)
            self.guard.rearm()

    def _show_closed(self, *, closed: bool) -> None:
        if bool(self._frame.property("closed")) is not closed:
            self._frame.setProperty("closed", closed)
            self._frame.style().unpolish(self._frame)
            self._frame.style().polish(self._frame)

    def _height(self, text: int) -> int:
        outer, inner = self._outer.contentsMargins(), self._column.contentsMargins()
        parts = [self._header, self._show_all, self._result, self._covered, self._buttons]
        shown = [part for part in parts if not part.isHidden()]
        width = self._inside()
        height = sum(_tall(part, width) for part in shown)
        gaps = len(shown) - 1
        if not self._text.isHidden():
            height, gaps = height + text, gaps + 1
        if not self._status.isHidden():
            beside = [
                part for part in (self._retry, self._again, self._close) if not part.isHidden()
            ]
            taken = sum(part.sizeHint().width() + self._last.spacing() for part in beside)
            least = max((part.sizeHint().height() for part in beside), default=0)
            height += max(_tall(self._status, width - taken), least)
            gaps += 1
        around = outer.top() + outer.bottom() + inner.top() + inner.bottom() + _BORDER
        return height + gaps * self._column.spacing() + around

    def _inside(self) -> int:
        outer, inner = self._outer.contentsMargins(), self._column.contentsMargins()
        width = min(self.width() - outer.left() - outer.right(), self._frame.maximumWidth())
        return max(width - inner.left() - inner.right() - _BORDER, 80)

    def _announce(self) -> None:
        words = self._name()
        if words:
            announce(self, words, urgent=True)

    def _name(self) -> str:
        """Name the card for those who hear it; empty when there is none."""
        card = self._view_model.card
        if card is None:
            return ""
        session = self._sessions.session(card.review.session_id)
        words = self.tr("Permission for %1 in %2")
        words = words.replace("%1", card.review.agent_name or self.tr("an agent"))
        place = session.workspace if session is not None else card.review.folder
        words = words.replace("%2", workspace_text(place))
        self.setAccessibleName(words)
        self._frame.setAccessibleName(words)
        return words

    def _show_touch(self) -> None:
        show_touch(self, touch=self._touch.on)
        self.updateGeometry()

    def _restyle(self) -> None:
        self._frame.setMaximumWidth(self._theme.pixels(_MAX_WIDTH))
        self.guard.rearm()
        self.updateGeometry()

    def _follow_time(self) -> None:
        self._refresh()
        self._age_timer = self._view_model.clock.call_later(AGE_SECONDS, self._follow_time)

    def _stop_following_time(self) -> None:
        if self._age_timer is not None:
            self._age_timer.cancel()
            self._age_timer = None

    def _retranslate(self) -> None:
        self._show_all.setText(self.tr("Show all of it"))
        self._retry.setText(self.tr("Try again"))
        self._again.setText(self.tr("Ask the agent to try again"))
        self._close.setText(self.tr("Close"))
        self._text.setAccessibleName(self.tr("What is to be allowed"))


def _tall(part: QWidget, width: int) -> int:
    tall = part.heightForWidth(width) if part.hasHeightForWidth() else -1
    return max(tall, part.sizeHint().height()) if tall < 0 else tall
