"""One notification for each request while the window is not in front; never with a verdict."""

from typing import Protocol

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QApplication, QWidget

from app.models.review_words import ReviewWords
from app.text import workspace_text
from app.viewmodels.inbox import InboxViewModel
from app.viewmodels.reviews import ReviewsViewModel
from app.viewmodels.sessions import SessionsViewModel
from backend.domain.clarification import Bundle
from backend.domain.review import Review
from backend.ids import PendingId, ReviewId, SessionId

_LONGEST = 160


class Messenger(Protocol):
    """What shows a notification on this desktop."""

    def show_message(self, title: str, text: str) -> None: ...


class Notifications(QObject):
    """`opened` with the id of the question or permission whose notification was clicked."""

    opened = Signal(object)

    def __init__(
        self,
        inbox: InboxViewModel,
        sessions: SessionsViewModel,
        reviews: ReviewsViewModel,
        messenger: Messenger,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._sessions = sessions
        self._messenger = messenger
        self._window = window
        self._words = ReviewWords(self)
        self._latest: PendingId | ReviewId | None = None
        reviews.arrived.connect(self._tell_of_review)
        reviews.left.connect(self._withdraw)
        inbox.arrived.connect(self._tell)
        inbox.left.connect(self._withdraw)

    def clicked(self) -> None:
        """A click on a notification opens its card while that question is open."""
        latest, self._latest = self._latest, None
        self.opened.emit(latest)

    def _tell(self, bundle: Bundle) -> None:
        title = self._title(self.tr("%1 asks in %2"), bundle.session_id)
        self._show(bundle.pending_id, title, _text(bundle))

    def _tell_of_review(self, review: Review) -> None:
        title = self._title(self.tr("%1 needs your permission in %2"), review.session_id)
        self._show(review.review_id, title, _short(self._words.short(review)))

    def _show(self, latest: PendingId | ReviewId, title: str, text: str) -> None:
        if self._window.isActiveWindow() and not self._window.isMinimized():
            return
        self._latest = latest
        self._messenger.show_message(title, text)
        QApplication.alert(self._window)

    def _withdraw(self, closed: PendingId | ReviewId) -> None:
        """Qt cannot take a shown notification back; its click no longer leads to a closed card."""
        if closed == self._latest:
            self._latest = None

    def _title(self, words: str, session_id: SessionId) -> str:
        session = self._sessions.session(session_id)
        words = words.replace("%1", session.agent if session else self.tr("An agent"))
        return words.replace("%2", workspace_text(session.workspace if session else ""))


def _text(bundle: Bundle) -> str:
    first = bundle.questions[0].question
    return _short(first.title or first.prompt)


def _short(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= _LONGEST else f"{words[:_LONGEST]}…"
