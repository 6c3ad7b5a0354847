"""The open questions of hosted sessions, for the conversations that ended or overtook them."""

from collections.abc import Sequence

from backend.clarification.lifecycle import Lifecycle
from backend.domain.clarification import Withdrawn
from backend.ids import PendingId, SessionId


class SessionQuestions:
    """Implements `backend.conversation.ports.OpenQuestions`."""

    def __init__(self, lifecycle: Lifecycle) -> None:
        self._lifecycle = lifecycle

    async def turn_ended(self, session_id: SessionId) -> None:
        await self._lifecycle.detach_session(session_id)

    async def turn_stopped(self, session_id: SessionId) -> None:
        await self._lifecycle.withdraw_session(session_id, Withdrawn.BY_HUMAN)

    async def superseded(self, pending_ids: Sequence[PendingId]) -> None:
        await self._lifecycle.tell(pending_ids)

    async def doubted(self, pending_ids: Sequence[PendingId]) -> None:
        await self._lifecycle.doubted(pending_ids)
