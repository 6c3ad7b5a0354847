"""The session list follows the backend."""

from dataclasses import replace

import pytest

from app.viewmodels.sessions import SessionsViewModel
from backend.domain.conversation import PendingAction, ProjectionRevision
from backend.ids import SessionId
from tests.helpers.desk_builders import make_session, moment
from tests.helpers.fake_backend import FakeBackend


async def test_sessions_are_grouped_by_workspace_newest_activity_first(
    backend: FakeBackend,
) -> None:
    backend.desk.put_session(make_session("old", workspace="/a", updated=1))
    backend.desk.put_session(make_session("new", workspace="/b", updated=3))
    backend.desk.put_session(make_session("mid", workspace="/a", updated=2))
    sessions = SessionsViewModel(backend)
    await sessions.load()
    assert [
        (group.workspace, [session.session_id for session in group.sessions])
        for group in sessions.groups()
    ] == [("/b", ["new"]), ("/a", ["mid", "old"])]


async def test_a_session_that_appears_later_is_in_the_list(backend: FakeBackend) -> None:
    sessions = SessionsViewModel(backend)
    await sessions.load()
    backend.desk.put_session(make_session("late"))
    assert sessions.session(SessionId("late")) is not None


async def test_what_an_event_said_is_not_undone_by_an_older_reading(backend: FakeBackend) -> None:
    session = make_session("s1", updated=1)
    backend.desk.put_session(session)
    sessions = SessionsViewModel(backend)
    backend.desk.put_session(replace(session, updated_at=moment(9), title="newer"))
    backend.desk.sessions[session.session_id] = session
    await sessions.load()
    found = sessions.session(session.session_id)
    assert found is not None
    assert found.title == "newer"


@pytest.mark.parametrize("first", [ProjectionRevision(2, 7), ProjectionRevision(3, 1)])
async def test_a_line_that_was_read_earlier_never_replaces_one_read_later(
    backend: FakeBackend, first: ProjectionRevision
) -> None:
    """K8.7 case 115; K4.4: (epoch, sequence); K8.5 5; a clock that was set back changes nothing of
    it.
    """
    asking = replace(make_session("s1", updated=1, pending=1), projected=first)
    clean = replace(make_session("s1", updated=9), projected=ProjectionRevision(2, 6))
    sessions = SessionsViewModel(backend)
    backend.desk.put_session(asking)
    backend.desk.put_session(clean)
    found = sessions.session(asking.session_id)
    assert found is not None
    assert found.pending_action is PendingAction.CLARIFICATION
    answered = replace(clean, projected=ProjectionRevision(first.epoch, first.sequence + 1))
    backend.desk.put_session(answered)
    found = sessions.session(asking.session_id)
    assert found is not None
    assert found.pending_action is None


async def test_choosing_a_session_is_told_once(backend: FakeBackend) -> None:
    backend.desk.put_session(make_session("s1"))
    sessions = SessionsViewModel(backend)
    await sessions.load()
    told: list[object] = []
    sessions.current_changed.connect(told.append)
    sessions.select(SessionId("s1"))
    sessions.select(SessionId("s1"))
    assert told == ["s1"]
    assert sessions.current is not None
