"""A request of an agent to do something, and what its human decided (tool-review.md)."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from backend.clock import Nanoseconds
from backend.domain.agents import PermissionOption, ToolCallChange
from backend.domain.policy import Risk, RuleScope
from backend.ids import MessageId, ReviewId, RuleId, ServerId, SessionId, TurnId

NOT_TOLD: Final = "outcome_not_told"
"""Why the outcome of what a guest was allowed is not known: nothing tells it over MCP (T8.3)."""
STOPPED_WAITING: Final = "agent_stopped_waiting"
"""Why a request ended undecided whose caller waits no longer than it does."""
RECORD_UNREADABLE: Final = "record_unreadable"
"""Why the outcome of a request is not known whose row says what this desk does not know."""
STOPPED_BY_HUMAN: Final = "stopped_by_human"
"""Why a request was cancelled whose human has stopped its turn, or ended its agent."""


class ReviewStatus(StrEnum):
    """Of one request (T1.2). Whoever carries it out, the words are the same."""

    PENDING = "pending"
    APPROVED = "approved"
    """Decided; it is being carried out, or will be."""
    DECLINED = "declined"
    EXECUTED = "executed"
    """It was carried out, as far as whoever did it has told."""
    FAILED = "failed"
    """It was carried out, or could not be begun, and failed; `error` says why."""
    CANCELLED = "cancelled"
    """Nobody decided, and nobody waits any more."""
    EXPIRED = "expired"
    """Nobody decided in time."""
    OUTCOME_UNKNOWN = "outcome_unknown"
    """Approved; whether it was carried out, and what came of it, is not known."""


class Owner(StrEnum):
    """Who carries an approved call out (T8.3)."""

    AGENT = "agent"
    GATEWAY = "gateway"


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
    owner: Owner = Owner.AGENT
    risk: Risk = Risk.WRITE
    scopes: tuple[RuleScope, ...] = ()
    """What "Always allow" may remember of it; empty where it may not."""
    decline_scopes: tuple[RuleScope, ...] = ()
    """What "Decline always" may remember of it: also of what destroys."""
    server_id: ServerId | None = None
    server_name: str = ""
    """The server whose tool it is, where this desk carries it out."""
    expires_at: Nanoseconds | None = None
    rule_id: RuleId | None = None
    """The rule that was made with the verdict."""
    reason: str = ""
    """What the human gave for declining, else the code of why it ended undecided."""
    error: str = ""
    result: str = ""
    """What came of it, bounded; written by the tool, not by us."""

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
    covered: tuple[Review, ...] = ()
    """Other open requests that the rule made with it would have allowed or refused; they stay open
    until the human confirms them.
    """
