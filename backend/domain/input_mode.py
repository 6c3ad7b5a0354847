"""What becomes of a message a human sends to a session now (K7.1)."""

from enum import StrEnum

from backend.domain.conversation import SessionState


class InputMode(StrEnum):
    DIRECT = "direct"
    """It is the agent's next prompt."""
    QUEUE = "queue"
    """It waits until the agent can take it."""
    UNAVAILABLE = "unavailable"


class ForegroundActivity(StrEnum):
    """What a running agent says of the work it does for its last prompt."""

    FOREGROUND = "foreground"
    BACKGROUND = "background"
    """It goes on by itself and leaves the conversation free."""


_READY = frozenset({SessionState.CREATED, SessionState.IDLE, SessionState.WAITING_FOR_INPUT})


def input_mode(
    state: SessionState | None,
    *,
    activity: ForegroundActivity | None = None,
    supports_steering: bool = False,
    queued: int = 0,
) -> InputMode:
    """By the session alone, as it is at the moment of sending; None is a session that is gone.

    An agent that can be steered takes a message while it runs, unless others wait before it.
    """
    if state is None:
        return InputMode.UNAVAILABLE
    if state in _READY:
        return InputMode.DIRECT
    if state is SessionState.STARTING:
        return InputMode.QUEUE
    if state is SessionState.RUNNING:
        background = activity is ForegroundActivity.BACKGROUND
        steered = supports_steering and queued == 0
        return InputMode.DIRECT if background or steered else InputMode.QUEUE
    return InputMode.UNAVAILABLE


def composer_mode(mode: InputMode, *, held: bool) -> InputMode:
    """What the composer does: nothing overtakes what comes first in the session, such as an open
    question or messages that wait.
    """
    if mode is InputMode.DIRECT and held:
        return InputMode.QUEUE
    return mode
