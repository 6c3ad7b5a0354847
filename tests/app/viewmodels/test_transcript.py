"""The transcript is a window over the store that events keep up to date."""

import asyncio
from dataclasses import replace

import pytest

from app.viewmodels import transcript
from app.viewmodels.transcript import PAGE, TranscriptViewModel
from backend.errors import AppError, ErrorCode, TemporarilyUnavailable
from backend.ids import PendingId, SessionId
from tests.helpers.desk_builders import make_bundle, make_message, make_session
from tests.helpers.fake_backend import FakeBackend
from tests.helpers.waiting import until

_S1 = SessionId("s1")


@pytest.fixture
def rows(backend: FakeBackend) -> TranscriptViewModel:
    backend.desk.put_session(make_session("s1"))
    backend.desk.put_session(make_session("s2"))
    return TranscriptViewModel(backend)


def _fill(backend: FakeBackend, count: int, session: str = "s1") -> None:
    backend.desk.add_messages(
        *(
            make_message(f"{session}-{number}", f"row {number}", session=session, created=number)
            for number in range(count)
        )
    )


def _texts(rows: TranscriptViewModel) -> list[str]:
    return [row.content for row in rows.rows]


async def test_a_session_opens_at_its_end(backend: FakeBackend, rows: TranscriptViewModel) -> None:
    _fill(backend, PAGE + 30)
    await rows.show(_S1)
    assert len(rows.rows) == PAGE
    assert _texts(rows)[-1] == f"row {PAGE + 29}"
    assert rows.has_older
    assert not rows.has_newer


async def test_older_rows_come_in_pages(backend: FakeBackend, rows: TranscriptViewModel) -> None:
    _fill(backend, PAGE + 30)
    await rows.show(_S1)
    await rows.load_older()
    assert _texts(rows) == [f"row {number}" for number in range(PAGE + 30)]
    assert not rows.has_older


async def test_older_rows_asked_for_during_a_refresh_come_after_it(
    backend: FakeBackend, rows: TranscriptViewModel
) -> None:
    _fill(backend, PAGE + 30)
    await rows.show(_S1)
    gate = backend.desk.hold("list_messages")
    refreshing = asyncio.create_task(rows.refresh())
    await until(lambda: rows.loading)
    assert not rows.wants_older()
    gate.set()
    await refreshing
    assert len(rows.rows) == PAGE + 30
    assert not rows.wants_older()


async def test_the_window_holds_no_more_than_its_limit(
    backend: FakeBackend, rows: TranscriptViewModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transcript, "WINDOW", 250)
    _fill(backend, 600)
    await rows.show(_S1)
    for _ in range(5):
        await rows.load_older()
    assert len(rows.rows) == 250
    assert rows.has_newer
    assert _texts(rows)[0] == "row 0"
    for _ in range(5):
        await rows.load_newer()
    assert len(rows.rows) == 250
    assert _texts(rows)[-1] == "row 599"
    assert rows.has_older
    assert not rows.has_newer


async def test_new_rows_arrive_in_order_and_only_once(
    backend: FakeBackend, rows: TranscriptViewModel
) -> None:
    await rows.show(_S1)
    late = make_message("late", "late", created=20)
    backend.desk.add_messages(late)
    backend.desk.add_messages(make_message("early", "early", created=10))
    backend.desk.add_messages(late)
    assert _texts(rows) == ["early", "late"]


async def test_a_row_is_replaced_only_by_a_newer_revision(
    backend: FakeBackend, rows: TranscriptViewModel
) -> None:
    """K8.7 case 115; K6.6, clarification.md improvement 10."""
    message = make_message("m", "first", revision=10)
    backend.desk.add_messages(message)
    await rows.show(_S1)
    backend.desk.add_messages(replace(message, content="older", revision=9))
    assert _texts(rows) == ["first"]
    backend.desk.add_messages(replace(message, content="newer", revision=11))
    assert _texts(rows) == ["newer"]


async def test_rows_of_another_session_are_not_shown(
    backend: FakeBackend, rows: TranscriptViewModel
) -> None:
    await rows.show(_S1)
    _fill(backend, 3, session="s2")
    assert not rows.rows


async def test_rows_that_arrive_while_the_page_is_read_are_kept(
    backend: FakeBackend, rows: TranscriptViewModel
) -> None:
    _fill(backend, 2)
    gate = backend.desk.hold("list_messages")
    reading = asyncio.ensure_future(rows.show(_S1))
    await asyncio.sleep(0.01)
    backend.desk.add_messages(make_message("new", "new", created=50))
    gate.set()
    await reading
    assert _texts(rows) == ["row 0", "row 1", "new"]


async def test_the_last_choice_wins_when_two_sessions_are_read_at_once(
    backend: FakeBackend, rows: TranscriptViewModel
) -> None:
    _fill(backend, 2, session="s1")
    _fill(backend, 3, session="s2")
    gate = backend.desk.hold("list_messages")
    first = asyncio.ensure_future(rows.show(_S1))
    second = asyncio.ensure_future(rows.show(SessionId("s2")))
    await asyncio.sleep(0.01)
    gate.set()
    await asyncio.gather(first, second)
    assert rows.session_id == "s2"
    assert len(rows.rows) == 3
    assert not rows.loading


async def test_a_page_that_cannot_be_read_leaves_the_rows_alone(
    backend: FakeBackend, rows: TranscriptViewModel
) -> None:
    _fill(backend, PAGE + 5)
    await rows.show(_S1)
    backend.desk.fail("list_messages", TemporarilyUnavailable(ErrorCode.STORE_BUSY, "busy"))
    with pytest.raises(AppError):
        await rows.load_older()
    assert len(rows.rows) == PAGE
    assert not rows.loading
    await rows.load_older()
    assert len(rows.rows) == PAGE + 5


async def test_rows_of_a_removed_question_leave(
    backend: FakeBackend, rows: TranscriptViewModel
) -> None:
    """K8.7 case 115."""
    backend.desk.open(make_bundle("p1"))
    await rows.show(_S1)
    assert len(rows.rows) == 1
    backend.desk.remove(PendingId("p1"))
    assert not rows.rows
