"""Quick Chats that nobody touches any more go by themselves (window.md, Layout)."""

from collections.abc import Callable
from pathlib import Path

import pytest

from backend.conversation.quick_chats import QuickChats
from backend.domain.hosted import CUSTOM_AGENT, SessionStart
from backend.errors import NotFound
from backend.events import SessionChanged, SessionRemoved
from backend.ids import SessionId, new_id
from backend.store import quick_chats
from tests.helpers.hosting_desk import HostingDesk, hosting_desk, is_free
from tests.helpers.place import raw
from tests.helpers.scripted_agents import scripted_command
from tests.helpers.waiting import until


async def chat(desk: HostingDesk) -> SessionId:
    """A Quick Chat whose agent was started and has ended again."""
    session = SessionId(new_id())
    await desk.api.start_session(
        SessionStart(session, CUSTOM_AGENT, "", command=scripted_command())
    )
    await desk.until(session, is_free)
    await desk.api.end_session(session)
    return session


def age(folder: Path, session: SessionId) -> None:
    """Nobody has touched it for years."""
    with raw(folder / "home" / "kandesk.db") as connection:
        connection.execute(
            "UPDATE task_sessions SET updated_at = '2020-01-01T00:00:00.000000000Z' WHERE id = ?",
            (session,),
        )


def rows(folder: Path) -> int:
    with raw(folder / "home" / "kandesk.db") as connection:
        return int(connection.execute("SELECT COUNT(*) FROM task_sessions").fetchone()[0])


async def listed(desk: HostingDesk) -> set[SessionId]:
    return {summary.session_id for summary in await desk.desk.list_sessions()}


def folders(folder: Path) -> list[Path]:
    return sorted((folder / "home" / "quick-chats").glob("*"))


async def test_old_ones_go_when_the_desk_starts_and_pinned_ones_stay(tmp_path: Path) -> None:
    async with hosting_desk(tmp_path) as desk:
        old, pinned = await chat(desk), await chat(desk)
        await desk.api.set_pinned(pinned, pinned=True)
    for session in (old, pinned):
        age(tmp_path, session)
    before = folders(tmp_path)
    async with hosting_desk(tmp_path) as desk:
        await until(lambda: rows(tmp_path) == 1)
        assert await listed(desk) == {pinned}
        assert SessionRemoved(old) in desk.events
        with pytest.raises(NotFound):
            await desk.api.conversation(old)
        await until(lambda: len(folders(tmp_path)) == len(before) - 1)


async def test_old_ones_go_when_a_new_one_is_started_unless_their_agent_runs(
    tmp_path: Path,
) -> None:
    async with hosting_desk(tmp_path) as desk:
        old, running = await chat(desk), await chat(desk)
        await desk.api.resume(running)
        await desk.until(running, is_free)
        await until(lambda: desk.process(running) > 0)
        for session in (old, running):
            age(tmp_path, session)
        new = await chat(desk)
        await until(lambda: SessionRemoved(old) in desk.events)
        assert await listed(desk) == {running, new}


async def test_what_an_agent_has_made_in_the_folder_stays(tmp_path: Path) -> None:
    async with hosting_desk(tmp_path) as desk:
        old = await chat(desk)
    (made,) = folders(tmp_path)
    (made / "notes.md").write_text("keep me")
    age(tmp_path, old)
    async with hosting_desk(tmp_path):
        await until(lambda: rows(tmp_path) == 0)
    assert (made / "notes.md").read_text() == "keep me"


async def test_a_removal_that_was_interrupted_goes_on_with_the_next_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The desk dies after the chat is out of sight, before its rows are gone."""

    async def dies(self: QuickChats, taken: object) -> None:
        del self, taken

    async with hosting_desk(tmp_path) as desk:
        old = await chat(desk)
    age(tmp_path, old)
    with monkeypatch.context() as patched:
        patched.setattr(QuickChats, "_remove", dies)
        async with hosting_desk(tmp_path) as desk:
            await until(lambda: SessionRemoved(old) in desk.events)
            assert await listed(desk) == set()
    assert rows(tmp_path) == 1
    async with hosting_desk(tmp_path):
        await until(lambda: rows(tmp_path) == 0)


async def test_pinning_is_told_to_the_window_and_only_quick_chats_are_pinned(
    tmp_path: Path,
) -> None:
    async with hosting_desk(tmp_path) as desk:
        session = await chat(desk)
        await desk.api.set_pinned(session, pinned=True)

        def told(pinned: bool) -> Callable[[], bool]:  # noqa: FBT001
            return lambda: any(
                isinstance(event, SessionChanged) and event.session.pinned is pinned
                for event in desk.events
            )

        await until(told(True))
        project = await desk.start()
        with pytest.raises(NotFound):
            await desk.api.set_pinned(project, pinned=True)


async def test_many_rows_are_removed_in_several_transactions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between them others write: a claim never waits for all of it."""
    monkeypatch.setattr(quick_chats, "BATCH", 2)
    async with hosting_desk(tmp_path) as desk:
        old = await chat(desk)
        await desk.send(old, "say one")
        await desk.until(old, is_free)
        await desk.send(old, "say two")
        await desk.until(old, is_free)
        await desk.api.end_session(old)
    age(tmp_path, old)
    async with hosting_desk(tmp_path):
        await until(lambda: rows(tmp_path) == 0)
    with raw(tmp_path / "home" / "kandesk.db") as connection:
        assert connection.execute("SELECT COUNT(*) FROM task_session_messages").fetchone()[0] == 0
