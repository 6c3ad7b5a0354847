"""Conversations of a desk that runs for one command: it has no agents and starts none."""

from backend.domain.hosted import (
    Admission,
    AgentOffer,
    Conversation,
    MessageDraft,
    OutgoingMessage,
    SessionStart,
)
from backend.errors import Conflict, ErrorCode
from backend.ids import AdmissionId, MessageId, QueueEntryId, SessionId


class NoConversations:
    """Implements `backend.api.ConversationApi`; everything that needs an agent is refused."""

    async def list_agents(self) -> tuple[AgentOffer, ...]:
        return ()

    async def start_session(self, start: SessionStart) -> SessionId:
        raise _no_agents()

    async def conversation(self, session_id: SessionId) -> Conversation | None:
        return None

    async def send(self, message: OutgoingMessage) -> Admission:
        raise _no_agents()

    async def find_admission(self, admission_id: AdmissionId) -> Admission | None:
        raise _no_agents()

    async def save_message_draft(self, draft: MessageDraft) -> None:
        return

    async def load_message_draft(self, session_id: SessionId) -> MessageDraft | None:
        return None

    async def flush(self) -> None:
        return

    async def edit_queued(
        self, session_id: SessionId, entry_id: QueueEntryId, text: str, *, revision: int
    ) -> Conversation:
        raise _no_agents()

    async def remove_queued(self, session_id: SessionId, entry_id: QueueEntryId) -> Conversation:
        raise _no_agents()

    async def move_queued(
        self, session_id: SessionId, entry_id: QueueEntryId, position: int
    ) -> Conversation:
        raise _no_agents()

    async def send_queued_now(self, session_id: SessionId, entry_id: QueueEntryId) -> Conversation:
        raise _no_agents()

    async def set_auto_run(self, session_id: SessionId, *, auto_run: bool) -> Conversation:
        raise _no_agents()

    async def withdraw_message(self, session_id: SessionId, message_id: MessageId) -> str:
        raise _no_agents()

    async def cancel_turn(self, session_id: SessionId) -> None:
        raise _no_agents()

    async def resume(self, session_id: SessionId, *, anew: bool = False) -> None:
        raise _no_agents()

    async def end_session(self, session_id: SessionId) -> None:
        raise _no_agents()

    async def set_pinned(self, session_id: SessionId, *, pinned: bool) -> None:
        raise _no_agents()

    async def set_mode(self, session_id: SessionId, mode: str) -> None:
        raise _no_agents()

    async def set_option(self, session_id: SessionId, option_id: str, value: str) -> None:
        raise _no_agents()


def _no_agents() -> Conflict:
    return Conflict(ErrorCode.NOT_ACTIVE, "no agents run here; open the desk and try again")
