"""Handing an answer to a hosted agent whose call is gone: what this desk asks of its agents."""

from dataclasses import dataclass
from typing import Protocol

from backend.ids import MessageId, PendingId, SessionId, TaskId, TurnId


@dataclass(frozen=True, slots=True)
class ResumeRequest:
    """One prompt that carries a claimed answer; it opens the turn `successor_turn_id`."""

    session_id: SessionId
    task_id: TaskId
    pending_id: PendingId
    turn_id: TurnId
    """The turn the question belongs to."""
    successor_turn_id: TurnId
    message_ids: tuple[MessageId, ...]
    """The claimed rows, in the order of the questions."""
    prompt: str


class DetachedResumer(Protocol):
    """Gives prompts to hosted agents (K5.5, detached)."""

    def works_on(self, session_id: SessionId, turn_id: TurnId) -> bool:
        """Whether this turn runs and nobody has stopped it: its agent may come for an answer."""
        ...

    async def promptable(self, session_id: SessionId) -> bool:
        """Whether the session takes a prompt now; waits for a cancellation that is under way."""
        ...

    async def dispatch(self, request: ResumeRequest) -> None:
        """Give the agent the prompt and return once it is acknowledged, not when the turn ends.

        Called at most once per request. Cancelling stops the waiting only: whether the agent
        took the prompt is then unknown.

        Raises:
            AgentFailed: it is certain that the agent has not taken the prompt.
        """
        ...
