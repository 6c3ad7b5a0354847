"""The composer of one conversation: what a message becomes, what waits, what the agent offers."""

from collections.abc import Awaitable, Callable
from enum import StrEnum
from typing import Final

from PySide6.QtCore import QObject, Signal

from app.bridge.client import BackendClient
from app.viewmodels.conversations import ConversationsViewModel
from app.viewmodels.messages import MessagesViewModel, SendPhase, Writing
from app.viewmodels.picks import Offered
from app.viewmodels.sessions import SessionsViewModel
from app.viewmodels.timing import Background
from backend.api import ConversationApi
from backend.domain.agents import SlashCommand
from backend.domain.conversation import SessionKind
from backend.domain.hosted import AgentStatus, Conversation, QueuedPrompt
from backend.domain.input_mode import InputMode
from backend.errors import AppError
from backend.ids import MessageId, QueueEntryId, SessionId

Ask = Callable[[ConversationApi, SessionId], Awaitable[object]]
"""Returns the conversation as it is now, words that were taken back, or nothing of interest."""

_AT_WORK: Final = frozenset({AgentStatus.WORKING, AgentStatus.STOPPING})
_NOT_RUNNING: Final = frozenset({AgentStatus.ABSENT, AgentStatus.FAILED})
_AT_REST: Final = _NOT_RUNNING | {AgentStatus.READY}


class ComposerMode(StrEnum):
    """What becomes of a message sent now; each has words of its own."""

    NONE = "none"
    """No conversation is shown."""
    LOADING = "loading"
    GUEST = "guest"
    """The agent runs elsewhere: it can be answered, not messaged."""
    NOT_HOSTED = "not_hosted"
    """Not a guest, and not started here: it can only be read."""
    DIRECT = "direct"
    STARTS_AGENT = "starts_agent"
    """Sent now; the agent does not run, and the message starts it."""
    QUEUE_STARTING = "queue_starting"
    QUEUE_WORKING = "queue_working"
    QUEUE_QUESTION = "queue_question"
    """Nothing overtakes an open question of the conversation."""
    QUEUE_PERMISSION = "queue_permission"
    """Its agent waits for its human's decision on what it wants to do."""
    QUEUE_BEHIND = "queue_behind"
    """The agent does nothing, and messages that wait for it come first."""
    NOT_STARTED = "not_started"
    """Its agent did not start: its human starts it again, or takes back what waits."""
    ENDED = "ended"


WRITABLE: Final = frozenset(
    {
        ComposerMode.DIRECT,
        ComposerMode.STARTS_AGENT,
        ComposerMode.QUEUE_STARTING,
        ComposerMode.QUEUE_WORKING,
        ComposerMode.QUEUE_QUESTION,
        ComposerMode.QUEUE_PERMISSION,
        ComposerMode.QUEUE_BEHIND,
    }
)


class ComposerViewModel(QObject):
    """Follows one session at a time; `changed` after anything to show has changed.

    `text_replaced` when its text was changed by something else than the editor.
    """

    changed = Signal()
    text_replaced = Signal()
    sent = Signal()
    """The human has sent something, wherever the conversation is scrolled to."""

    def __init__(
        self,
        client: BackendClient,
        sessions: SessionsViewModel,
        conversations: ConversationsViewModel,
        messages: MessagesViewModel,
        background: Background,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._client = client
        self._sessions = sessions
        self._conversations = conversations
        self._messages = messages
        self._background = background
        self._session: SessionId | None = None
        self._stopping: set[SessionId] = set()
        self.problem: AppError | None = None
        """Why the last thing asked for here was not done."""
        conversations.changed.connect(self._follow)
        messages.changed.connect(self._follow)
        messages.text_replaced.connect(self._replace_text)
        sessions.changed.connect(self.changed)

    @property
    def session_id(self) -> SessionId | None:
        return self._session

    @property
    def conversation(self) -> Conversation | None:
        return self._conversations.get(self._session)

    @property
    def offered(self) -> Offered | None:
        """What its agent lets people choose."""
        found = self.conversation
        if found is None:
            return None
        return Offered(found.session_id, found.modes, found.mode, found.options)

    @property
    def writing(self) -> Writing | None:
        """None where nothing can be written."""
        writable = self._session is not None and self.conversation is not None
        return self._messages.writing(self._session) if writable and self._session else None

    @property
    def mode(self) -> ComposerMode:
        """Read at the moment it is asked for, from this session alone (K7.1)."""
        session_id, conversation = self._session, self.conversation
        if session_id is None:
            return ComposerMode.NONE
        summary = self._sessions.session(session_id)
        if summary is not None and summary.kind is SessionKind.GUEST:
            return ComposerMode.GUEST
        if conversation is None:
            read = self._conversations.is_read(session_id)
            return ComposerMode.NOT_HOSTED if read else ComposerMode.LOADING
        if conversation.input is InputMode.UNAVAILABLE:
            failed = conversation.status is AgentStatus.FAILED
            return ComposerMode.NOT_STARTED if failed else ComposerMode.ENDED
        if conversation.input is InputMode.DIRECT:
            absent = conversation.status in _NOT_RUNNING
            return ComposerMode.STARTS_AGENT if absent else ComposerMode.DIRECT
        if summary is not None and summary.pending_questions:
            return ComposerMode.QUEUE_QUESTION
        if summary is not None and summary.pending_permissions:
            return ComposerMode.QUEUE_PERMISSION
        if conversation.status in _AT_REST:
            return ComposerMode.QUEUE_BEHIND
        starting = conversation.status is AgentStatus.STARTING
        return ComposerMode.QUEUE_STARTING if starting else ComposerMode.QUEUE_WORKING

    @property
    def can_send(self) -> bool:
        writing = self.writing
        return writing is not None and writing.sendable and self.mode in WRITABLE

    @property
    def can_stop(self) -> bool:
        """The agent does something that was not yet asked to stop."""
        conversation = self.conversation
        if conversation is None or conversation.session_id in self._stopping:
            return False
        return conversation.status is AgentStatus.WORKING

    @property
    def at_work(self) -> bool:
        conversation = self.conversation
        return conversation is not None and conversation.status in _AT_WORK

    def commands(self, text: str) -> tuple[SlashCommand, ...]:
        """The agent's commands that begin as `text` does, while only a command is being typed."""
        conversation = self.conversation
        if conversation is None or not text.startswith("/") or any(c.isspace() for c in text):
            return ()
        begun = text[1:].casefold()
        return tuple(
            command
            for command in conversation.commands
            if command.name.removeprefix("/").casefold().startswith(begun)
        )

    def show_session(self, session_id: SessionId | None) -> None:
        """The human went to another conversation; what was typed in this one is kept."""
        if session_id == self._session:
            return
        self._messages.flush()
        self._session, self.problem = session_id, None
        self.text_replaced.emit()
        self.changed.emit()
        if session_id is not None:
            self._background.start(self._load(session_id), name="load conversation")

    def say(self, words: str) -> None:
        """Send these words; where something is being written, they only stand before it."""
        session_id, writing = self._session, self.writing
        if session_id is None or writing is None:
            return
        alone = not writing.text.strip()
        self._messages.give_back(session_id, words)
        if alone:
            self.send()

    def write(self, text: str) -> None:
        if self._session is not None and self.writing is not None:
            self.problem = None
            self._messages.write(self._session, text)

    def send(self) -> None:
        if self._session is not None and self.can_send:
            self.problem = None
            self._messages.send(self._session)
            self.sent.emit()

    @property
    def sending(self) -> bool:
        writing = self.writing
        return writing is not None and writing.phase is SendPhase.SENDING

    def stop(self) -> None:
        """Stop what the agent does now; once for each time it is asked."""
        session_id = self._session
        if session_id is not None and self.can_stop:
            self._stopping.add(session_id)
            self._ask(lambda api, session: api.cancel_turn(session), "stop the agent's turn")

    def resume(self, *, anew: bool = False) -> None:
        self._ask(lambda api, session: api.resume(session, anew=anew), "resume the agent")

    @property
    def unsent(self) -> MessageId | None:
        """A message that waits for an agent that does not run: it can be taken back."""
        conversation = self.conversation
        if conversation is None or conversation.status not in _NOT_RUNNING:
            return None
        return conversation.unsent

    def withdraw(self) -> None:
        """Take back what the agent was not given; its words are before what is typed now."""
        message_id = self.unsent
        if message_id is not None:
            self._ask(
                lambda api, session: api.withdraw_message(session, message_id),
                "take a message back",
            )

    def write_before(self, words: str) -> None:
        """Put words that could not stay where they were before what is typed now."""
        if self._session is not None:
            self._messages.give_back(self._session, words)

    def end_agent(self) -> None:
        self._ask(lambda api, session: api.end_session(session), "stop the agent")

    def edit_queued(self, entry: QueuedPrompt, text: str) -> None:
        """An edit names the revision it saw; one that came too late changes nothing."""
        words = text.strip()
        if words and words != entry.text:
            self._ask(
                lambda api, session: api.edit_queued(
                    session, entry.entry_id, words, revision=entry.revision
                ),
                "edit queued message",
            )

    def remove_queued(self, entry_id: QueueEntryId) -> None:
        self._ask(lambda api, session: api.remove_queued(session, entry_id), "remove queued")

    def move_queued(self, entry_id: QueueEntryId, position: int) -> None:
        conversation = self.conversation
        if conversation is not None and 0 <= position < len(conversation.queue):
            self._ask(
                lambda api, session: api.move_queued(session, entry_id, position), "move queued"
            )

    def send_queued_now(self, entry_id: QueueEntryId) -> None:
        self._ask(lambda api, session: api.send_queued_now(session, entry_id), "send queued")

    def set_auto_run(self, *, auto_run: bool) -> None:
        self._ask(
            lambda api, session: api.set_auto_run(session, auto_run=auto_run), "switch auto-run"
        )

    def set_mode(self, mode: str) -> None:
        self._ask(lambda api, session: api.set_mode(session, mode), "choose a mode")

    def set_option(self, option_id: str, value: str) -> None:
        self._ask(lambda api, session: api.set_option(session, option_id, value), "choose")

    async def reload(self) -> None:
        """The store was away and is back."""
        self._messages.store_is_back()
        if self._session is not None:
            await self._conversations.load(self._session)

    async def _load(self, session_id: SessionId) -> None:
        await self._conversations.load(session_id)

    def _ask(self, what: Ask, name: str) -> None:
        if self._session is not None:
            self.problem = None
            self.changed.emit()
            self._background.start(self._carry_out(self._session, what), name=name)

    async def _carry_out(self, session_id: SessionId, what: Ask) -> None:
        """What was refused is said here, and everything shows again what is so."""
        try:
            reply = await self._client.call(lambda api: what(api.conversations, session_id))
        except AppError as error:
            if session_id == self._session:
                self.problem = error
        else:
            if isinstance(reply, Conversation):
                self._conversations.take_in(reply)
            elif isinstance(reply, str):
                self._messages.give_back(session_id, reply)
        finally:
            self._stopping.discard(session_id)
            self.changed.emit()

    def _follow(self, session_id: SessionId) -> None:
        if session_id == self._session:
            self.changed.emit()

    def _replace_text(self, session_id: SessionId) -> None:
        if session_id == self._session:
            self.text_replaced.emit()
