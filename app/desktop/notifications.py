"""One notification for each request while the window is not in front; never with a verdict."""

from typing import Protocol

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QApplication, QWidget

from app.text import workspace_text
from app.viewmodels.inbox import InboxViewModel
from app.viewmodels.sessions import SessionsViewModel
from backend.domain.clarification import Bundle
from backend.ids import PendingId

_LONGEST = 160


class Messenger(Protocol):
    """What shows a notification on this desktop."""

    def show_message(self, title: str, text: str) -> None: ...


class Notifications(QObject):
    """`opened` with the pending id whose notification was clicked."""

    opened = Signal(object)

    def __init__(
        self,
        inbox: InboxViewModel,
        sessions: SessionsViewModel,
        messenger: Messenger,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._sessions = sessions
        self._messenger = messenger
        self._window = window
        self._latest: PendingId | None = None
        inbox.arrived.connect(self._tell)
        inbox.left.connect(self._withdraw)

    def clicked(self) -> None:
        """A click on a notification opens its card while that question is open."""
        latest, self._latest = self._latest, None
        self.opened.emit(latest)

    def _tell(self, bundle: Bundle) -> None:
        if self._window.isActiveWindow() and not self._window.isMinimized():
            return
        self._latest = bundle.pending_id
        self._messenger.show_message(self._title(bundle), _text(bundle))
        QApplication.alert(self._window)

    def _withdraw(self, pending_id: PendingId) -> None:
        """Qt cannot take a shown notification back; its click no longer leads to a closed card."""
        if pending_id == self._latest:
            self._latest = None

    def _title(self, bundle: Bundle) -> str:
        session = self._sessions.session(bundle.session_id)
        words = self.tr("%1 asks in %2")
        words = words.replace("%1", session.agent if session else self.tr("An agent"))
        return words.replace("%2", workspace_text(session.workspace if session else ""))


def _text(bundle: Bundle) -> str:
    first = bundle.questions[0].question
    words = " ".join((first.title or first.prompt).split())
    return words if len(words) <= _LONGEST else f"{words[:_LONGEST]}…"
