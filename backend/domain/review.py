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
    """Decided; the agent is being told, or has been and is at work on it."""
    DECLINED = "declined"
    EXECUTED = "executed"
    """The agent was told that it may, and has gone on."""
    CANCELLED = "cancelled"
    """Nobody decided, and nobody waits any more."""
    OUTCOME_UNKNOWN = "outcome_unknown"
    """Approved; whether the agent heard of it, and what came of it, is not known."""


class Verdict(StrEnum):
    ALLOW = "allow"
    DECLINE = "decline"


def verdict_of(option: PermissionOption) -> Verdict:
    """What choosing it says; a kind nobody knows allows, and is shown as if it did."""
    return Verdict.DECLINE if option.kind.startswith("reject") else Verdict.ALLOW


class Door(StrEnum):
    """Where a decision was made."""

    WINDOW = "window"
    RULE = "rule"
    """By this desk, for its own tools."""


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
    """A `Door`; empty while nobody has decided."""
    drifted: bool = False
    """What the agent did was not quite what it had asked for."""

    def option(self, option_id: str) -> PermissionOption | None:
        return next((option for option in self.options if option.id == option_id), None)

    @property
    def verdict(self) -> Verdict | None:
        chosen = self.option(self.chosen) if self.chosen else None
        return None if chosen is None else verdict_of(chosen)


@dataclass(frozen=True, slots=True)
class ReviewOutcome:
    """The decision that holds; `winner` is False when somebody else made it first."""

    review: Review
    winner: bool
