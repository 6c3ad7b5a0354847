"""The session list follows the backend."""

from dataclasses import replace

from app.viewmodels.sessions import SessionsViewModel
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
