"""What admission and the queue need of whoever gives prompts to agents."""

from dataclasses import dataclass
from typing import Protocol

from backend.domain.conversation import Message
from backend.domain.input_mode import ForegroundActivity
from backend.ids import PendingId, SessionId, TurnId


@dataclass(frozen=True, slots=True)
class LiveAgent:
    """What only a running agent knows of how it takes messages; the defaults are for any other."""

    activity: ForegroundActivity | None = None
    supports_steering: bool = False
    works: bool = False
    """A turn runs that takes no message besides, whatever the state of its session says: a
    question of it that was withdrawn leaves the session waiting for input."""
    failed: bool = False
    """What is only queued does not start it again: its human does, by a message too."""


@dataclass(frozen=True, slots=True)
class Admitted:
    """A message that is the session's next prompt, durably: its row, and a turn reserved for it."""

    session_id: SessionId
    turn_id: TurnId
    message: Message
    superseded: tuple[PendingId, ...] = ()
    """Questions that could be answered until this turn began."""


class Dispatcher(Protocol):
    """Gives reserved prompts to agents. Every method returns at once and is called after COMMIT.

    What is to be sent is read from the store (`prompts.list_undispatched`): being told twice, or
    of nothing, does no harm.
    """

    def agent(self, session_id: SessionId) -> LiveAgent: ...

    def admitted(self, admitted: Admitted) -> None:
        """Tell the window of the row and the superseded questions, then dispatch the prompt."""
        ...

    def queue_changed(self, session_id: SessionId) -> None:
        """Tell the window what is queued now."""
        ...

    def look_again(self, session_id: SessionId) -> None:
        """A COMMIT has no known result, or a prompt was found that may not have been told of."""
        ...
