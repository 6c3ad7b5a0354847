"""A request of an agent to do something, and what its human decided (tool-review.md)."""

from dataclasses import dataclass
from enum import StrEnum

from backend.clock import Nanoseconds
from backend.domain.agents import PermissionOption, ToolCallChange
from backend.ids import MessageId, ReviewId, SessionId, TurnId


class ReviewStatus(StrEnum):
    """Of requests whose agent carries them out itself (T1.2, owner = agent)."""

    PENDING = "pending"
    APPROVED = "approved"
    """Decided, and not known to have reached the agent yet."""
    DECLINED = "declined"
    EXECUTED = "executed"
    """The agent was told that it may."""
    CANCELLED = "cancelled"
    """Nobody decided, and nobody waits any more."""
    OUTCOME_UNKNOWN = "outcome_unknown"
    """Approved; whether the agent heard of it is not known."""


class Verdict(StrEnum):
    ALLOW = "allow"
    DECLINE = "decline"


@dataclass(frozen=True, slots=True)
class Review:
    """One card. `options` are the agent's own, in its order and by its names."""

    review_id: ReviewId
    session_id: SessionId
    turn_id: TurnId
    message_id: MessageId
    """The row of the transcript that shows it."""
    agent_name: str
    folder: str
    call: ToolCallChange
    """What it wants to do, whole."""
    options: tuple[PermissionOption, ...]
    status: ReviewStatus
    asked_at: Nanoseconds
    chosen: str = ""
    """The id of the option that was chosen."""
    decided_at: Nanoseconds | None = None
    door: str = ""
    """Where it was decided: `window`."""


@dataclass(frozen=True, slots=True)
class ReviewOutcome:
    """The decision that holds; `winner` is False when somebody else made it first."""

    review: Review
    winner: bool
