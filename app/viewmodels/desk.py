"""What the window as a whole does: reads everything once, then follows what the human opens."""

from contextlib import suppress

from PySide6.QtCore import QObject, Signal

from app.bridge.client import BackendClient
from app.tasks import WindowTasks
from app.viewmodels.clarification import ClarificationViewModel
from app.viewmodels.composer import ComposerViewModel
from app.viewmodels.conversations import ConversationsViewModel
from app.viewmodels.history import HistoryViewModel
from app.viewmodels.inbox import InboxViewModel
from app.viewmodels.ledger import LedgerViewModel
from app.viewmodels.messages import MessagesViewModel
from app.viewmodels.new_session import NewSessionViewModel
from app.viewmodels.notices import Notice, NoticesViewModel, Severity
from app.viewmodels.preferences import Preferences
from app.viewmodels.reviews import ReviewsViewModel
from app.viewmodels.rules import RulesViewModel
from app.viewmodels.servers import ServersViewModel
from app.viewmodels.sessions import SessionsViewModel
from app.viewmodels.timing import WindowClock
from app.viewmodels.transcript import TranscriptViewModel
from app.viewmodels.typed_work import TypedWork
from backend.api import DeskInfo
from backend.domain.clarification import Bundle
from backend.domain.review import Review
from backend.errors import AppError
from backend.events import Event, StoreAvailability, StoreProgress, WindowRequested, Woke
from backend.ids import ClientId, PendingId, SessionId, new_id


class DeskViewModel(QObject):
    """Owns the view models of the pages and moves them together.

    `loaded` once everything is read, `reloaded` when it was read anew after the store was away,
    `window_requested` with the event that asks for the window,
    `store_progress` with each `StoreProgress`.
    """

    loaded = Signal()
    reloaded = Signal()
    window_requested = Signal(object)
    store_progress = Signal(object)

    def __init__(
        self,
        client: BackendClient,
        clarification: ClarificationViewModel,
        notices: NoticesViewModel,
        tasks: WindowTasks,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._client = client
        self._tasks = tasks
        self.notices = notices
        self.clarification = clarification
        self.sessions = SessionsViewModel(client, self)
        self.reviews = ReviewsViewModel(
            client,
            clock=clarification.clock,
            deadline=clarification.deadline,
            background=tasks,
            client_id=ClientId(f"window-{new_id()}"),
            parent=self,
        )
        self.inbox = InboxViewModel(client, self, reviews=self.reviews)
        self.transcript = TranscriptViewModel(client, self)
        self.preferences = Preferences(parent=self)
        self.conversations = ConversationsViewModel(client, self)
        self.messages = MessagesViewModel(
            client,
            clock=clarification.clock,
            deadline=clarification.deadline,
            background=tasks,
            parent=self,
        )
        self.composer = ComposerViewModel(
            client, self.sessions, self.conversations, self.messages, tasks, self
        )
        self.new_session = NewSessionViewModel(
            client, self.sessions, deadline=clarification.deadline, background=tasks, parent=self
        )
        self._make_lists(clarification.clock)
        self.typed = TypedWork(client, clarification.deadline)
        self.typed.watch(self.new_session, clarification, self.messages)
        self.info: DeskInfo | None = None
        self.ready = False
        self._away: Notice | None = None
        client.event_received.connect(self._apply)
        self.sessions.removed.connect(self._leave_removed)
        self.inbox.arrived.connect(self._follow_first_question)
        self.reviews.arrived.connect(self._follow_first_review)

    @property
    def settled(self) -> bool:
        """Everything is read, also the conversation that is open."""
        shown = self.transcript.session_id == self.sessions.current_id
        return self.ready and shown and not self.transcript.loading

    def look_again(self) -> None:
        """The window is used again: any call finds out whether the machine has slept meanwhile."""
        if self.ready:
            self._tasks.start(self._look(), name="look whether the machine has slept")

    def start(self) -> None:
        """The backend is ready: read what the window shows."""
        self.conversations.forget()
        self._tasks.start(self._load(), name="load the desk")

    async def close(self) -> None:
        """Save everything that is being typed: the window is about to close."""
        await self.typed.close()

    def open_session(self, session_id: SessionId) -> None:
        """Show a session's conversation."""
        if session_id == self.sessions.current_id:
            return
        self.sessions.select(session_id)
        self.clarification.show_session(session_id)
        self.reviews.show_session(session_id)
        self.composer.show_session(session_id)
        self._tasks.start(self.transcript.show(session_id), name="show session")

    def open_bundle(self, bundle: Bundle) -> None:
        """Show the conversation of a bundle, and the bundle if it is still open."""
        self.open_session(bundle.session_id)
        self.clarification.open_bundle(bundle.pending_id)

    def open_review(self, review: Review) -> None:
        """Show the conversation of a request, and the request if it is still open."""
        self.open_session(review.session_id)
        self.reviews.open_review(review.review_id)

    def close_session(self) -> None:
        """Show no conversation."""
        self.sessions.select(None)
        self.clarification.show_session(None)
        self.reviews.show_session(None)
        self.composer.show_session(None)
        self.transcript.clear()

    def set_pinned(self, session_id: SessionId, pinned: bool) -> None:  # noqa: FBT001 - a Qt slot
        """Keep a Quick Chat for good, or as long as any other."""
        self._tasks.start(self.sessions.set_pinned(session_id, pinned=pinned), name="pin")

    def close_questions(self, pending_ids: list[PendingId]) -> None:
        for pending_id in pending_ids:
            self._tasks.start(self.inbox.close_question(pending_id), name="close question")

    def discard_answers(self, pending_ids: list[PendingId]) -> None:
        for pending_id in pending_ids:
            self._tasks.start(self.inbox.discard_answer(pending_id), name="discard answer")

    def load_older(self) -> None:
        if self.transcript.wants_older():
            self._tasks.start(self.transcript.load_older(), name="load older rows")

    def load_newer(self) -> None:
        if self.transcript.has_newer and not self.transcript.loading:
            self._tasks.start(self.transcript.load_newer(), name="load newer rows")

    def show_end(self) -> None:
        if self.transcript.has_newer:
            self._tasks.start(self.transcript.show_end(), name="show the end")

    def _make_lists(self, clock: WindowClock) -> None:
        """What is read when its page is opened."""
        client, tasks = self._client, self._tasks
        self.history = HistoryViewModel(client, clock=clock, background=tasks, parent=self)
        self.rules = RulesViewModel(client, clock=clock, background=tasks, parent=self)
        self.ledger = LedgerViewModel(client, clock=clock, background=tasks, parent=self)
        self.servers = ServersViewModel(client, background=tasks, parent=self)

    async def _load(self) -> None:
        self.info = await self._client.call(lambda api: api.desk_info())
        self.clarification.expire_after = self.info.expire_after
        await self.sessions.load()
        await self.inbox.load()
        await self.reviews.load()
        await self.clarification.load()
        if self.sessions.current_id is None:
            self._open_most_urgent()
        self.ready = True
        self.loaded.emit()

    async def _look(self) -> None:
        with suppress(AppError):
            await self._client.call(lambda api: api.desk_info())

    def _follow_store(self, happened: StoreAvailability) -> None:
        """One notice while the store is away, whatever it is told; everything anew afterwards."""
        before, self._away = self._away, None
        if not happened.available:
            words = self.tr(
                "The store is away. What you type is kept here and saved when it is back."
            )
            self._away = Notice(words, Severity.WARNING, happened.detail)
            # Before the old one goes: what the human has opened in the bar stays open.
            self.notices.show_notice(self._away)
        if before is not None and before != self._away:
            self.notices.withdraw(before)
        if not happened.available:
            return
        if self.ready:
            self._tasks.start(self._reload(), name="reload the desk")
        else:
            self.start()

    async def _reload(self) -> None:
        await self.clarification.reload()
        await self.composer.reload()
        await self.sessions.load()
        await self.inbox.load()
        await self.reviews.load()
        await self.transcript.refresh()
        self.reloaded.emit()

    def _open_most_urgent(self) -> None:
        """The oldest open question, else the session with the newest activity."""
        waiting = self.inbox.content.open
        groups = self.sessions.groups()
        wanted = self.reviews.open
        if waiting:
            self.open_bundle(waiting[0])
        elif wanted:
            self.open_review(wanted[0])
        elif groups:
            self.open_session(groups[0].sessions[0].session_id)

    def _leave_removed(self, session_id: object) -> None:
        if session_id == self.sessions.current_id:
            self.close_session()

    def _follow_first_question(self, bundle: Bundle) -> None:
        """With nothing open there is nothing to disturb: show who asks."""
        if self.sessions.current_id is None and self.ready:
            self.open_bundle(bundle)

    def _follow_first_review(self, review: Review) -> None:
        if self.sessions.current_id is None and self.ready:
            self.open_review(review)

    def _apply(self, happened: Event) -> None:
        if isinstance(happened, WindowRequested):
            self.window_requested.emit(happened)
        elif isinstance(happened, StoreProgress):
            self.store_progress.emit(happened)
        elif isinstance(happened, Woke) and self.ready:
            self._tasks.start(self._reload(), name="reload after a sleep")
        elif isinstance(happened, StoreAvailability):
            self._follow_store(happened)
