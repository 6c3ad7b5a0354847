"""What header and side pane say of a session, and where each is found."""

import dataclasses

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from app.models.session_list_model import SessionListModel, SessionRole
from app.session_text import session_text
from app.viewmodels.conversations import ConversationsViewModel
from app.viewmodels.sessions import SessionsViewModel
from backend.domain.conversation import SessionKind, SessionState
from backend.domain.hosted import AgentProblem, AgentStatus, AgentTrouble
from tests.helpers.desk_builders import make_session
from tests.helpers.fake_backend import FakeBackend
from tests.helpers.fake_conversations import make_conversation
from tests.helpers.hosted_window import HostedWindow, hosted_window
from tests.helpers.waiting import until

_WAITS = "Waiting for you"
WORKS = make_session(state=SessionState.RUNNING, kind=SessionKind.HOSTED)


def test_a_session_whose_agent_waits_for_a_permission_is_not_said_to_work() -> None:
    """K4.4: what the human is to do goes before what the agent does; the store keeps RUNNING."""
    asks = dataclasses.replace(WORKS, pending_permissions=1)
    both = dataclasses.replace(asks, pending_questions=1)
    assert session_text(WORKS) == "Working"
    assert session_text(asks) == "Waiting for your permission"
    assert session_text(both) == "Waiting for you"
    rests = dataclasses.replace(asks, state=SessionState.IDLE)
    assert session_text(rests) == "Waiting for your permission"
    guest = dataclasses.replace(rests, kind=SessionKind.GUEST)
    assert session_text(guest) == "Waiting for your permission"
    ended = dataclasses.replace(asks, state=SessionState.CANCELLED)
    assert session_text(ended) == "Ended"


def test_a_start_that_failed_is_told_from_an_end() -> None:
    failed = dataclasses.replace(WORKS, state=SessionState.FAILED)
    assert session_text(failed) == "Could not start"


@pytest.mark.parametrize(
    ("state", "status", "problem", "words"),
    [
        (SessionState.IDLE, AgentStatus.FAILED, AgentProblem.EXITED, "Ended unexpectedly"),
        (SessionState.RUNNING, AgentStatus.FAILED, AgentProblem.EXITED, "Ended unexpectedly"),
        (SessionState.IDLE, AgentStatus.FAILED, AgentProblem.START_FAILED, "Could not start"),
        (SessionState.IDLE, AgentStatus.ABSENT, None, "Not running"),
        (SessionState.IDLE, AgentStatus.READY, None, "Idle"),
        (SessionState.RUNNING, AgentStatus.READY, None, "Working"),
        (SessionState.RUNNING, AgentStatus.STOPPING, None, "Stopping"),
        (SessionState.WAITING_FOR_INPUT, AgentStatus.FAILED, AgentProblem.EXITED, _WAITS),
        (SessionState.COMPLETED, AgentStatus.ABSENT, None, "Finished"),
    ],
)
def test_what_became_of_the_agent_goes_before_what_the_store_has_noted(
    state: SessionState, status: AgentStatus, problem: AgentProblem | None, words: str
) -> None:
    """One that ended in the middle of its run is not idle; whom it asked is asked still."""
    trouble = None if problem is None else AgentTrouble(problem)
    known = make_conversation(status=status, trouble=trouble)
    session = dataclasses.replace(WORKS, state=state)
    assert session_text(session, known) == words
    guest = dataclasses.replace(session, kind=SessionKind.GUEST, state=SessionState.IDLE)
    assert session_text(guest) == "Idle", "whether a guest's process runs is not known here"


async def test_an_agent_that_ends_in_its_run_is_told_alike_in_header_and_side_pane() -> None:
    async with hosted_window(make_conversation(status=AgentStatus.WORKING)) as window:
        window.shown.backend.desk.conversations.change(
            status=AgentStatus.FAILED, trouble=AgentTrouble(AgentProblem.EXITED, "exit code 3")
        )
        await _both_say(window, "Ended unexpectedly")
        window.shown.backend.desk.conversations.change(status=AgentStatus.READY, trouble=None)
        await _both_say(window, "Idle")


async def _both_say(window: HostedWindow, words: str) -> None:
    header = window.shown.view.pages.chat
    model = window.shown.view.sidebar.list.model()
    role = Qt.ItemDataRole.AccessibleTextRole
    await until(
        lambda: (
            any(words in each.text() for each in header.findChildren(QLabel))
            and words in str(model.index(1, 0).data(role))
        )
    )


async def test_header_and_side_pane_say_the_same() -> None:
    async with hosted_window(make_conversation()) as window:
        session = window.shown.desk.sessions.current
        assert session is not None
        window.shown.backend.desk.put_session(
            dataclasses.replace(
                session,
                state=SessionState.RUNNING,
                pending_permissions=1,
                updated_at=session.updated_at + 1,  # type: ignore[arg-type]
            )
        )
        await _both_say(window, "Waiting for your permission")


async def test_quick_chats_have_a_place_of_their_own_at_the_end(backend: FakeBackend) -> None:
    """window.md, Layout: a Quick Chat belongs to no project, and is none without a name."""
    model = SessionListModel(SessionsViewModel(backend), ConversationsViewModel(backend))
    backend.desk.put_session(make_session("q", title="Monads", workspace="", quick_chat=True))
    backend.desk.put_session(make_session("g", title="Guest", workspace="", updated=-1))
    backend.desk.put_session(make_session("s", title="Shop", updated=-2))
    await until(lambda: model.rowCount() == 6)
    shown = [model.index(row).data() for row in range(model.rowCount())]
    assert shown == ["No project", "Guest", "shop", "Shop", "Quick Chats", "Monads"]
    heading = model.index(4)
    assert heading.data(SessionRole.QUICK_CHATS) is True
    assert heading.data(Qt.ItemDataRole.AccessibleTextRole) == "Quick Chats"
