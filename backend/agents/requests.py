"""What the agents of this desk ask of their humans: permissions as cards, forms as questions."""

from typing import Protocol

from backend.agents.elicitation import Elicitations
from backend.domain.agents import AgentUpdate, ElicitationReply, Elicited, PermissionAsked
from backend.ids import SessionId, TurnId


class PermissionDesk(Protocol):
    """What `backend.review` offers to whoever runs the agents."""

    def updated(self, session_id: SessionId, update: AgentUpdate) -> None: ...

    async def permission_asked(
        self, session_id: SessionId, turn_id: TurnId, asked: PermissionAsked
    ) -> str | None: ...

    async def nobody_waits(self, session_id: SessionId) -> None: ...

    def stopped(self, session_id: SessionId) -> None: ...

    async def cancel_stopped(self, session_id: SessionId) -> None: ...


class Requests:
    """Implements `backend.conversation.ports.AgentRequests`."""

    def __init__(self, permissions: PermissionDesk, elicitations: Elicitations) -> None:
        self._permissions = permissions
        self._elicitations = elicitations

    def updated(self, session_id: SessionId, update: AgentUpdate) -> None:
        self._permissions.updated(session_id, update)

    async def permission_asked(
        self, session_id: SessionId, turn_id: TurnId, asked: PermissionAsked
    ) -> str | None:
        return await self._permissions.permission_asked(session_id, turn_id, asked)

    async def elicited(
        self, session_id: SessionId, turn_id: TurnId, elicited: Elicited
    ) -> ElicitationReply:
        del turn_id
        return await self._elicitations.elicited(session_id, elicited)

    async def nobody_waits(self, session_id: SessionId) -> None:
        await self._permissions.nobody_waits(session_id)

    def stopped(self, session_id: SessionId) -> None:
        self._permissions.stopped(session_id)

    async def cancel_stopped(self, session_id: SessionId) -> None:
        await self._permissions.cancel_stopped(session_id)
