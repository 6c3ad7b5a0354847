"""What conversations need of their neighbours; `backend.services` brings them together."""

from collections.abc import Collection, Sequence
from typing import Protocol

from backend.conversation.agent_port import InjectedTools, ProcessMark
from backend.domain.agents import AgentUpdate, ElicitationReply, Elicited, PermissionAsked
from backend.domain.hosted import AgentOffer
from backend.domain.turn_end import TurnEnding
from backend.ids import PendingId, SessionId, TurnId


class ToolAccess(Protocol):
    """The desk's own tools, for one running agent at a time of a session."""

    def open(self, session_id: SessionId) -> InjectedTools: ...

    def close(self, session_id: SessionId) -> None:
        """The agent is gone: what it was given opens nothing any more."""
        ...


class AgentCommands(Protocol):
    """The agents this machine has; looked for anew each time."""

    async def list_offers(self) -> tuple[AgentOffer, ...]:
        """The catalog, those that were found first."""
        ...


class TurnRows(Protocol):
    """The rows an agent's updates become."""

    def updated(self, session_id: SessionId, turn_id: TurnId | None, update: AgentUpdate) -> None:
        """Heard in order. Without a turn it came after the end of one, or before the first."""
        ...

    async def room(self) -> None:
        """Awaited before more is heard: what waits for the store is bounded."""
        ...

    async def end(self, session_id: SessionId, turn_id: TurnId, ending: TurnEnding) -> None:
        """Close the turn's rows and end it and its session's work, durably once this returns."""
        ...

    async def flush_all(self) -> None:
        """Wait until everything heard of any agent is durable, however long that takes."""
        ...

    def forget(self, session_id: SessionId) -> None:
        """The session's agent is gone and its last turn has ended."""
        ...


class Survivors(Protocol):
    """Processes the last run of the desk has left."""

    async def stop(self, marks: Sequence[ProcessMark]) -> Collection[ProcessMark]:
        """End those that are still the processes of these marks; returns which those were."""
        ...


class OpenQuestions(Protocol):
    """What becomes of a session's open questions."""

    async def turn_ended(self, session_id: SessionId) -> None:
        """Nobody waits for their answers any more; they stay answerable (K1.7)."""
        ...

    async def turn_stopped(self, session_id: SessionId) -> None:
        """The human has stopped what asked them: they are withdrawn."""
        ...

    async def superseded(self, pending_ids: Sequence[PendingId]) -> None:
        """A newer turn has begun: tell whoever waits and shows them."""
        ...

    async def doubted(self, pending_ids: Sequence[PendingId]) -> None:
        """Nobody knows any more whether their answers arrived: tell whoever shows them."""
        ...


class WaitingAnswers(Protocol):
    """Answers to questions whose call had returned while the turn that asked went on."""

    async def waiting_sessions(self) -> tuple[SessionId, ...]:
        """Sessions with answers their agents are to be given."""
        ...

    async def give_next(self, session_id: SessionId) -> None:
        """Give the agent one as its prompt, which it works on then; nothing when none waits.

        Raises:
            TemporarilyUnavailable, StorageFailed: try later.
        """
        ...


class AgentRequests(Protocol):
    """What an agent asks of its human while it works. Cancelling is the agent taking it back."""

    def updated(self, session_id: SessionId, update: AgentUpdate) -> None:
        """Hear what the agent tells of its calls; in order, before what it asks for."""
        ...

    async def permission_asked(
        self, session_id: SessionId, turn_id: TurnId, asked: PermissionAsked
    ) -> str | None:
        """The id of the option that was chosen; None when nobody decides any more."""
        ...

    async def elicited(
        self, session_id: SessionId, turn_id: TurnId, elicited: Elicited
    ) -> ElicitationReply: ...

    async def nobody_waits(self, session_id: SessionId) -> None:
        """The agent's prompt has ended, or the agent is gone: close what is still open."""
        ...

    def stopped(self, session_id: SessionId) -> None:
        """The human stops it: whoever waits is told at once, before its agent can give up."""
        ...

    async def cancel_stopped(self, session_id: SessionId) -> None:
        """Whatever the human was asked for in it and has not begun is over, durably once this
        returns; what is being carried out goes on to its end.

        Raises:
            TemporarilyUnavailable, StorageFailed: it may be called again.
        """
        ...
