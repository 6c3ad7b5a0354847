"""A conversation without a project, beside whatever else is shown."""

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal

from app.bridge.client import BackendClient
from app.viewmodels.clarification import ClarificationViewModel
from app.viewmodels.composer import ComposerViewModel
from app.viewmodels.desk import DeskViewModel
from app.viewmodels.new_session import NewSessionViewModel
from app.viewmodels.reviews import ReviewsViewModel
from app.viewmodels.sessions import SessionsViewModel
from app.viewmodels.timing import Background
from app.viewmodels.transcript import TranscriptViewModel
from backend.domain.conversation import SessionSummary
from backend.ids import ClientId, SessionId, new_id


class QuickChatViewModel(QObject):
    """Implements `app.viewmodels.chat.Chat` for the side panel.

    Drafts, queue and late answers are those of the desk: a conversation is the same wherever it
    is shown. `changed` when another one is shown, or the list of them changed.
    """

    changed = Signal()

    def __init__(
        self,
        client: BackendClient,
        desk: DeskViewModel,
        clarification: ClarificationViewModel,
        background: Background,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._background = background
        self._wanted = False
        self.inbox = desk.inbox
        self.clarification = clarification
        self.sessions = SessionsViewModel(client, self)
        self.transcript = TranscriptViewModel(client, self)
        self.reviews = ReviewsViewModel(
            client,
            clock=clarification.clock,
            deadline=clarification.deadline,
            background=background,
            client_id=ClientId(f"window-{new_id()}"),
            parent=self,
        )
        self.composer = ComposerViewModel(
            client, self.sessions, desk.conversations, desk.messages, background, self
        )
        self.new_session = NewSessionViewModel(
            client,
            self.sessions,
            deadline=clarification.deadline,
            background=background,
            quick=True,
            parent=self,
        )
        self.new_session.started.connect(self.show_session)
        self.sessions.removed.connect(self._leave_removed)
        self.sessions.changed.connect(self.changed)
        desk.loaded.connect(self._start)
        desk.reloaded.connect(self._reload)
        desk.typed.watch(self.new_session, clarification)
        if desk.ready:
            self._start()

    @property
    def current(self) -> SessionId | None:
        return self.sessions.current_id

    def chats(self) -> Sequence[SessionSummary]:
        """The Quick Chats that are still kept, newest activity first."""
        now = self.clarification.clock.now()
        mine = (summary for group in self.sessions.groups() for summary in group.sessions)
        return [summary for summary in mine if summary.quick_chat and _is_kept(summary, now)]

    def set_pinned(self, *, pinned: bool) -> None:
        """Keep the one that is shown for good, or as long as any other."""
        current = self.current
        if current is not None:
            self._background.start(
                self.sessions.set_pinned(current, pinned=pinned), name="pin quick chat"
            )

    def open(self) -> None:
        """Show the newest, or the beginning of a new one where there is none."""
        if not self.sessions.loaded:
            self._wanted = True
            return
        chats = self.chats()
        if self.current is None and chats:
            self.show_session(chats[0].session_id)
        elif self.current is None:
            self.begin()

    def begin(self) -> None:
        """Show no conversation, so that a new one can be begun."""
        self._select(None)
        self.new_session.open()

    def show_session(self, session_id: SessionId) -> None:
        if session_id != self.current:
            self._select(session_id)
            self._background.start(self.transcript.show(session_id), name="show quick chat")

    def leave(self) -> None:
        """The conversation is shown in the main pane: it is in one place at a time."""
        self._select(None)

    def load_older(self) -> None:
        if self.transcript.wants_older():
            self._background.start(self.transcript.load_older(), name="load older rows")

    def load_newer(self) -> None:
        if self.transcript.has_newer and not self.transcript.loading:
            self._background.start(self.transcript.load_newer(), name="load newer rows")

    def show_end(self) -> None:
        if self.transcript.has_newer:
            self._background.start(self.transcript.show_end(), name="show the end")

    def _select(self, session_id: SessionId | None) -> None:
        self.sessions.select(session_id)
        self.clarification.show_session(session_id)
        self.reviews.show_session(session_id)
        self.composer.show_session(session_id)
        if session_id is None:
            self.transcript.clear()
        self.changed.emit()

    def _leave_removed(self, session_id: object) -> None:
        if session_id == self.current:
            self._select(None)
            self.open()

    def _start(self) -> None:
        self._background.start(self._load(), name="load quick chats")

    async def _load(self) -> None:
        await self.sessions.load()
        await self.clarification.load()
        await self.reviews.load()
        if self._wanted:
            self._wanted = False
            self.open()

    def _reload(self) -> None:
        self._background.start(self._load_anew(), name="reload quick chats")

    async def _load_anew(self) -> None:
        await self.clarification.reload()
        await self.reviews.load()
        await self.sessions.load()
        await self.transcript.refresh()


def _is_kept(summary: SessionSummary, now: int) -> bool:
    until = summary.kept_until
    return until is None or until >= now
