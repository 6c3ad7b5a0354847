"""Where a call that comes over MCP belongs: the session of its agent, and the turn it works in."""

from collections.abc import Callable

from backend.clarification.places import of_caller
from backend.clarification.waiters import Waiters
from backend.clock import Nanoseconds
from backend.ids import PendingId, ReviewId, SessionId, TurnId
from backend.review.callers import ToolCaller
from backend.store.database import Transaction


class CallerPlaces:
    """Implements `backend.review.callers.Locate` and `Places`."""

    def __init__(self, waiters: Waiters) -> None:
        self._waiters = waiters

    async def __call__(
        self, tx: Transaction, caller: ToolCaller, now: Nanoseconds
    ) -> tuple[SessionId, TurnId]:
        """Raises `NotFound` and `Conflict` as `of_caller` does."""
        connected = self._waiters.sessions()
        place = await of_caller(tx, caller.identity, caller.hosted, connected=connected, now=now)
        return place.session_id, place.turn_id

    def waits(self, review_id: ReviewId, session_id: SessionId) -> Callable[[], None]:
        """A call of this session waits until what is returned is called: its agent is there."""
        waiter = self._waiters.add(PendingId(review_id), session_id)
        return lambda: self._waiters.remove(waiter)
