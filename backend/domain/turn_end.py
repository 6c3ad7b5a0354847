"""How a turn of a hosted agent ended, and what its transcript says of that."""

from dataclasses import dataclass, replace
from enum import StrEnum

from backend.domain.agents import AgentEnd, PromptEnd, StopReason, Usage


class TurnOutcome(StrEnum):
    COMPLETED = "completed"
    CANCELLED = "cancelled"
    INTERRUPTED = "interrupted"
    """The agent or the desk was gone before the agent had said that it is done."""
    FAILED = "failed"
    """The agent answered the prompt with an error."""


class TurnNotice(StrEnum):
    """What a `status` or `error` row of a turn's end tells; each has words in the window."""

    MAX_TOKENS = "max_tokens"
    MAX_TURN_REQUESTS = "max_turn_requests"
    REFUSAL = "refusal"
    CANCELLED = "cancelled"
    OTHER_STOP = "other_stop"
    """The agent gave a reason this desk has no name for."""
    AGENT_ENDED = "agent_ended"
    DESK_ENDED = "desk_ended"
    DESK_ENDED_WAITING = "desk_ended_waiting"
    """The desk ended while the agent waited for its human."""
    PROMPT_FAILED = "prompt_failed"


@dataclass(frozen=True, slots=True)
class TurnEnding:
    outcome: TurnOutcome
    notice: TurnNotice | None = None
    """None when there is nothing to tell: the agent has done what it was asked."""
    detail: str = ""
    """What the agent or the system said: a reason, an error, the tail of stderr."""
    exit_code: int | None = None
    usage: Usage | None = None


_NOTICES = {
    StopReason.MAX_TOKENS: TurnNotice.MAX_TOKENS,
    StopReason.MAX_TURN_REQUESTS: TurnNotice.MAX_TURN_REQUESTS,
    StopReason.REFUSAL: TurnNotice.REFUSAL,
}


def prompt_ended(end: PromptEnd) -> TurnEnding:
    """The agent says that it is done, or why it goes no further."""
    if end.reason == StopReason.CANCELLED:
        return TurnEnding(TurnOutcome.CANCELLED, TurnNotice.CANCELLED, usage=end.usage)
    if end.reason == StopReason.END_TURN:
        return TurnEnding(TurnOutcome.COMPLETED, usage=end.usage)
    known = end.reason in StopReason.__members__.values()
    notice = _NOTICES[StopReason(end.reason)] if known else TurnNotice.OTHER_STOP
    return TurnEnding(TurnOutcome.COMPLETED, notice, detail=end.reason, usage=end.usage)


def prompt_failed(detail: str) -> TurnEnding:
    """The agent refused the prompt or spoke nonsense; its process may still be there."""
    return TurnEnding(TurnOutcome.FAILED, TurnNotice.PROMPT_FAILED, detail=detail)


def agent_ended(end: AgentEnd) -> TurnEnding:
    """The process is gone. One that the human had stopped was cancelled."""
    if end.wanted:
        return TurnEnding(TurnOutcome.CANCELLED, TurnNotice.CANCELLED)
    return TurnEnding(
        TurnOutcome.INTERRUPTED,
        TurnNotice.AGENT_ENDED,
        detail=end.stderr_tail,
        exit_code=end.code,
    )


def was_stopped(ending: TurnEnding) -> TurnEnding:
    """The human had stopped the turn, however its agent took that."""
    if ending.outcome is TurnOutcome.FAILED:
        return ending
    return replace(ending, outcome=TurnOutcome.CANCELLED)


def desk_ended(*, waited: bool = False) -> TurnEnding:
    """The desk ends while the agent works or, `waited`, while it waits for its human; or it has
    ended and starts again.
    """
    notice = TurnNotice.DESK_ENDED_WAITING if waited else TurnNotice.DESK_ENDED
    return TurnEnding(TurnOutcome.INTERRUPTED, notice)
