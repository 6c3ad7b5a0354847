"""The append-only record of what was asked, decided and done (T5.6)."""

from dataclasses import dataclass

from backend.clock import Nanoseconds
from backend.domain.agents import ToolCallChange
from backend.domain.review import Review
from backend.ids import EventId, ReviewId, SessionId


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """One fact. `event_type`, `decision`, `outcome` and `reason` are codes of T2 and T5.6.

    `call` is what the request it belongs to asked for; None where none is kept.
    """

    event_id: EventId
    event_type: str
    at: Nanoseconds
    session_id: SessionId
    actor: str
    tool_name: str
    review_id: ReviewId | None = None
    decision: str = ""
    outcome: str = ""
    reason: str = ""
    door: str = ""
    call: ToolCallChange | None = None


@dataclass(frozen=True, slots=True)
class LedgerPage:
    """Newest first; `after` reads on, and is None at the end."""

    entries: tuple[LedgerEntry, ...]
    after: EventId | None = None


@dataclass(frozen=True, slots=True)
class ReviewPage:
    """Requests nobody can decide any more, newest first; `after` reads on, None at the end."""

    reviews: tuple[Review, ...]
    after: ReviewId | None = None
