"""The composer's view models on a fake desk, with a clock that is moved by hand."""

from app.tasks import WindowTasks
from app.viewmodels.composer import ComposerViewModel
from app.viewmodels.conversations import ConversationsViewModel
from app.viewmodels.messages import MessagesViewModel, SendPhase, Writing
from app.viewmodels.sessions import SessionsViewModel
from backend.domain.conversation import SessionKind
from backend.domain.hosted import Conversation
from backend.errors import AppError
from backend.ids import SessionId
from tests.helpers.clarification_case import deadline_on
from tests.helpers.clock import FakeClock, settle
from tests.helpers.desk_builders import make_session
from tests.helpers.fake_backend import FakeBackend
from tests.helpers.fake_conversations import FakeConversations, make_conversation


class ComposerCase:
    """One window: what it knows of the conversations, and the composer of the one it shows."""

    def __init__(self, backend: FakeBackend | None = None) -> None:
        self.backend = backend or FakeBackend()
        self.clock = FakeClock()
        self.errors: list[AppError] = []
        self.tasks = WindowTasks(self.errors.append)
        self.sessions = SessionsViewModel(self.backend)
        self.conversations = ConversationsViewModel(self.backend)
        self.messages = MessagesViewModel(
            self.backend,
            clock=self.clock,
            deadline=lambda seconds: deadline_on(self.clock, seconds),
            background=self.tasks,
        )
        self.view_model = ComposerViewModel(
            self.backend, self.sessions, self.conversations, self.messages, self.tasks
        )

    @property
    def hosted(self) -> FakeConversations:
        return self.backend.desk.conversations

    @property
    def writing(self) -> Writing:
        writing = self.view_model.writing
        assert writing is not None
        return writing

    @property
    def sent(self) -> list[str]:
        return [message.text for message in self.hosted.sent]

    def is_in(self, phase: SendPhase) -> bool:
        return self.writing.phase is phase

    def can_stop(self) -> bool:
        return self.view_model.can_stop

    async def show(self, conversation: Conversation | None = None, *, pending: int = 0) -> None:
        """Host a session and show it."""
        shown = conversation or make_conversation()
        self.hosted.host(shown)
        self.backend.desk.put_session(
            make_session(shown.session_id, kind=SessionKind.HOSTED, pending=pending)
        )
        await self.go(shown.session_id)

    async def go(self, session: str) -> None:
        self.view_model.show_session(SessionId(session))
        await settle()

    async def send(self, text: str) -> None:
        self.view_model.write(text)
        self.view_model.send()
        await settle()
