"""Conversations with hosted agents in memory, for tests of the window.

`FakeDesk.conversations` is one. `host(make_conversation(...))` makes a session hosted;
`change(...)` publishes what the real one would; `fail`, `hold` and `lose_reply` as on `FakeDesk`.
"""

from collections.abc import Callable
from dataclasses import replace

from backend.api import ConversationApi
from backend.clock import Nanoseconds
from backend.domain.hosted import (
    Admission,
    AdmissionOutcome,
    AgentOffer,
    AgentStatus,
    Conversation,
    MessageDraft,
    OutgoingMessage,
    QueuedPrompt,
    SessionStart,
)
from backend.domain.input_mode import InputMode
from backend.errors import Conflict, ErrorCode, NotFound
from backend.events import ConversationChanged, Event
from backend.ids import (
    AdmissionId,
    AgentKey,
    MessageId,
    QueueEntryId,
    SessionId,
)
from tests.helpers.clock import START
from tests.helpers.fake_calls import FakeCalls


def make_conversation(session: str = "s1", **changes: object) -> Conversation:
    """A hosted session whose agent is ready for a message."""
    ready = Conversation(
        session_id=SessionId(session),
        agent=AgentKey("claude-code"),
        agent_name="Claude Code",
        folder="/home/ann/shop",
        status=AgentStatus.READY,
        input=InputMode.DIRECT,
    )
    return replace(ready, **changes)  # type: ignore[arg-type]


class FakeConversations(FakeCalls, ConversationApi):
    """Implements `backend.api.ConversationApi` over dictionaries."""

    def __init__(self, publish: Callable[[Event], None]) -> None:
        super().__init__()
        self._publish = publish
        self.offers: tuple[AgentOffer, ...] = ()
        self.known: dict[SessionId, Conversation] = {}
        self.guests: set[SessionId] = set()
        self.drafts: dict[SessionId, MessageDraft] = {}
        self.sent: list[OutgoingMessage] = []
        """Messages that were admitted, each once."""
        self.started: list[SessionStart] = []
        self.chosen: list[tuple[str, str]] = []
        self.pinned: list[tuple[SessionId, bool]] = []
        self.unsent: dict[MessageId, str] = {}
        """Words of messages that can be taken back."""
        self._admissions: dict[AdmissionId, tuple[OutgoingMessage, Admission]] = {}
        self._entries = 0

    def host(self, conversation: Conversation) -> None:
        self.known[conversation.session_id] = conversation

    def change(self, session: str = "s1", **changes: object) -> Conversation:
        """Something of a conversation changes, and the window hears of it."""
        before = self.known[SessionId(session)]
        after = replace(before, version=before.version + 1, **changes)  # type: ignore[arg-type]
        self.known[after.session_id] = after
        self._publish(ConversationChanged(after))
        return after

    async def list_agents(self) -> tuple[AgentOffer, ...]:
        await self._enter("list_agents")
        return self.offers

    async def start_session(self, start: SessionStart) -> SessionId:
        await self._enter("start_session")
        if start.session_id not in self.known:
            self.started.append(start)
            self.host(make_conversation(start.session_id, folder=start.folder, agent=start.agent))
        self._leave("start_session")
        return start.session_id

    async def conversation(self, session_id: SessionId) -> Conversation | None:
        await self._enter("conversation")
        if session_id in self.known:
            return self.known[session_id]
        if session_id in self.guests:
            return None
        raise NotFound(ErrorCode.NOT_FOUND, "no such session")

    async def send(self, message: OutgoingMessage) -> Admission:
        await self._enter("send")
        established = self._admissions.get(message.admission_id)
        if established is not None:
            if established[0] != message:
                raise Conflict(ErrorCode.KEY_REUSED, "another message has this identity")
            self._leave("send")
            return replace(established[1], replayed=True)
        admission = self._admit(message)
        self._admissions[message.admission_id] = (message, admission)
        self.sent.append(message)
        self._leave("send")
        return admission

    async def find_admission(self, admission_id: AdmissionId) -> Admission | None:
        await self._enter("find_admission")
        found = self._admissions.get(admission_id)
        return None if found is None else replace(found[1], replayed=True)

    async def save_message_draft(self, draft: MessageDraft) -> None:
        await self._enter("save_message_draft")
        if draft.blank:
            self.drafts.pop(draft.session_id, None)
        else:
            self.drafts[draft.session_id] = draft

    async def load_message_draft(self, session_id: SessionId) -> MessageDraft | None:
        await self._enter("load_message_draft")
        return self.drafts.get(session_id)

    async def flush(self) -> None:
        await self._enter("flush")

    async def edit_queued(
        self, session_id: SessionId, entry_id: QueueEntryId, text: str, *, revision: int
    ) -> Conversation:
        await self._enter("edit_queued")
        entry = self._entry(session_id, entry_id)
        if entry.revision != revision:
            raise Conflict(ErrorCode.KEY_REUSED, "it was edited meanwhile")
        queue = [
            replace(item, text=text, revision=revision + 1) if item is entry else item
            for item in self.known[session_id].queue
        ]
        return self._requeue(session_id, queue)

    async def remove_queued(self, session_id: SessionId, entry_id: QueueEntryId) -> Conversation:
        await self._enter("remove_queued")
        entry = self._entry(session_id, entry_id)
        return self._requeue(
            session_id, [item for item in self.known[session_id].queue if item is not entry]
        )

    async def move_queued(
        self, session_id: SessionId, entry_id: QueueEntryId, position: int
    ) -> Conversation:
        await self._enter("move_queued")
        entry = self._entry(session_id, entry_id)
        queue = [item for item in self.known[session_id].queue if item is not entry]
        queue.insert(position, entry)
        return self._requeue(session_id, queue)

    async def send_queued_now(self, session_id: SessionId, entry_id: QueueEntryId) -> Conversation:
        await self._enter("send_queued_now")
        entry = self._entry(session_id, entry_id)
        rest = [item for item in self.known[session_id].queue if item is not entry]
        return self._requeue(session_id, [entry, *rest])

    async def set_auto_run(self, session_id: SessionId, *, auto_run: bool) -> Conversation:
        await self._enter("set_auto_run")
        return self.change(session_id, auto_run=auto_run)

    async def withdraw_message(self, session_id: SessionId, message_id: MessageId) -> str:
        await self._enter("withdraw_message")
        if self.known[session_id].unsent != message_id:
            raise Conflict(ErrorCode.NOT_ACTIVE, "it does not wait for its agent")
        self.change(session_id, unsent=None)
        self._leave("withdraw_message")
        return self.unsent.pop(message_id)

    async def cancel_turn(self, session_id: SessionId) -> None:
        await self._enter("cancel_turn")
        self.change(session_id, status=AgentStatus.STOPPING)

    async def resume(self, session_id: SessionId, *, anew: bool = False) -> None:
        await self._enter("resume anew" if anew else "resume")
        self.change(session_id, status=AgentStatus.STARTING, trouble=None)

    async def end_session(self, session_id: SessionId) -> None:
        await self._enter("end_session")
        self.change(session_id, status=AgentStatus.ABSENT)

    async def set_pinned(self, session_id: SessionId, *, pinned: bool) -> None:
        await self._enter("set_pinned")
        self.pinned.append((session_id, pinned))

    async def set_mode(self, session_id: SessionId, mode: str) -> None:
        await self._enter("set_mode")
        self.chosen.append(("mode", mode))
        self.change(session_id, mode=mode)

    async def set_option(self, session_id: SessionId, option_id: str, value: str) -> None:
        await self._enter("set_option")
        self.chosen.append((option_id, value))
        options = tuple(
            replace(option, current=value) if option.id == option_id else option
            for option in self.known[session_id].options
        )
        self.change(session_id, options=options)

    def _admit(self, message: OutgoingMessage) -> Admission:
        conversation = self.known.get(message.session_id)
        if conversation is None:
            raise NotFound(ErrorCode.NOT_FOUND, "no such session")
        if conversation.input is InputMode.UNAVAILABLE:
            raise Conflict(ErrorCode.NOT_ACTIVE, "the session takes no message any more")
        self._entries += 1
        if conversation.input is InputMode.DIRECT:
            row = MessageId(f"row-{self._entries}")
            return Admission(message.admission_id, AdmissionOutcome.SENT, message_id=row)
        if len(conversation.queue) >= conversation.queue_limit:
            raise Conflict(ErrorCode.QUEUE_FULL, "full", limit=conversation.queue_limit)
        entry = QueueEntryId(f"entry-{self._entries}")
        waiting = QueuedPrompt(entry, message.text, 0, Nanoseconds(START))
        self._requeue(message.session_id, [*conversation.queue, waiting])
        return Admission(message.admission_id, AdmissionOutcome.QUEUED, entry_id=entry)

    def _requeue(self, session_id: SessionId, queue: list[QueuedPrompt]) -> Conversation:
        numbered = tuple(replace(item, position=place) for place, item in enumerate(queue))
        return self.change(session_id, queue=numbered)

    def _entry(self, session_id: SessionId, entry_id: QueueEntryId) -> QueuedPrompt:
        for entry in self.known[session_id].queue:
            if entry.entry_id == entry_id:
                return entry
        raise NotFound(ErrorCode.NOT_FOUND, "no longer queued")
