"""Which agent calls over MCP, and where what it does belongs."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from backend.clock import Nanoseconds
from backend.domain.conversation import GuestIdentity
from backend.ids import IdempotencyKey, SessionId, TurnId
from backend.store.database import Transaction


@dataclass(frozen=True, slots=True)
class ToolCaller:
    """The agent whose call it is, by what its connection proves."""

    identity: GuestIdentity
    hosted: SessionId | None = None
    """Its session, where this desk runs it."""
    idempotency_key: IdempotencyKey | None = None
    """Of this one call: it comes again with it when it did not hear how it ended."""


Locate = Callable[[Transaction, ToolCaller, Nanoseconds], Awaitable[tuple[SessionId, TurnId]]]
"""The session and the turn a call belongs to; a guest's are made at its first."""
