"""Which agent calls over MCP, and where what it does belongs."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

from backend.clock import Nanoseconds
from backend.domain.conversation import GuestIdentity
from backend.ids import IdempotencyKey, ReviewId, SessionId, TurnId
from backend.store.database import Transaction


@dataclass(frozen=True, slots=True)
class ToolCaller:
    """The agent whose call it is, by what its connection proves."""

    identity: GuestIdentity
    hosted: SessionId | None = None
    """Its session, where this desk runs it."""
    idempotency_key: IdempotencyKey | None = None
    """Of this one call: it comes again with it when it did not hear how it ended."""


class Places(Protocol):
    """Where the calls of agents belong, and which agents are there."""

    async def __call__(
        self, tx: Transaction, caller: ToolCaller, now: Nanoseconds
    ) -> tuple[SessionId, TurnId]:
        """As `Locate`."""
        ...

    def waits(self, review_id: ReviewId, session_id: SessionId) -> Callable[[], None]:
        """A call of this session waits until what is returned is called: its agent is there."""
        ...


Locate = Callable[[Transaction, ToolCaller, Nanoseconds], Awaitable[tuple[SessionId, TurnId]]]
"""The session and the turn a call belongs to; a guest's are made at its first."""
