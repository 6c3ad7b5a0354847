"""Where a message goes that is sent to a session (K7.1)."""

import pytest

from backend.domain.conversation import TERMINAL_STATES, SessionState
from backend.domain.input_mode import ForegroundActivity, InputMode, composer_mode, input_mode

RUNNING = SessionState.RUNNING
BACKGROUND = ForegroundActivity.BACKGROUND


def test_a_session_that_is_gone_takes_nothing() -> None:
    """K8.7 case 114."""
    assert input_mode(None) is InputMode.UNAVAILABLE


@pytest.mark.parametrize(
    "state", [SessionState.CREATED, SessionState.IDLE, SessionState.WAITING_FOR_INPUT]
)
def test_a_session_at_rest_takes_a_message_at_once(state: SessionState) -> None:
    """K8.7 case 114."""
    assert input_mode(state, queued=3) is InputMode.DIRECT


def test_a_session_that_starts_lets_it_wait() -> None:
    """K8.7 case 114."""
    assert input_mode(SessionState.STARTING, supports_steering=True) is InputMode.QUEUE


@pytest.mark.parametrize("state", sorted(TERMINAL_STATES))
def test_a_session_that_has_ended_takes_nothing(state: SessionState) -> None:
    """K8.7 case 114."""
    assert input_mode(state, activity=BACKGROUND) is InputMode.UNAVAILABLE


@pytest.mark.parametrize("activity", [None, ForegroundActivity.FOREGROUND])
def test_an_agent_at_work_lets_it_wait(activity: ForegroundActivity | None) -> None:
    """K8.7 case 114: also one whose activity is not known."""
    assert input_mode(RUNNING, activity=activity) is InputMode.QUEUE


def test_an_agent_at_work_in_the_background_takes_it_at_once() -> None:
    """K8.7 case 114."""
    assert input_mode(RUNNING, activity=BACKGROUND, queued=2) is InputMode.DIRECT


def test_an_agent_that_can_be_steered_takes_it_unless_others_wait() -> None:
    """K8.7 case 114."""
    assert input_mode(RUNNING, supports_steering=True) is InputMode.DIRECT
    assert input_mode(RUNNING, supports_steering=True, queued=1) is InputMode.QUEUE


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        (InputMode.DIRECT, InputMode.QUEUE),
        (InputMode.QUEUE, InputMode.QUEUE),
        (InputMode.UNAVAILABLE, InputMode.UNAVAILABLE),
    ],
)
def test_nothing_overtakes_what_comes_first(mode: InputMode, expected: InputMode) -> None:
    """K8.7 case 114."""
    assert composer_mode(mode, held=True) is expected
    assert composer_mode(mode, held=False) is mode
