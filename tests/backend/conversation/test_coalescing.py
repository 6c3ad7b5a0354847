"""How often the store is written and the window told while agents talk (architecture.md, Store)."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from backend.clock import Deadline
from backend.conversation import coalescing, session_rows
from backend.conversation.coalescing import COMMIT_INTERVAL
from backend.conversation.live_rows import LiveRow
from backend.conversation.transcripts import Transcripts
from backend.domain.agents import (
    AgentUpdate,
    ModeChanged,
    TextChunk,
    ThoughtChunk,
    TitleChanged,
    ToolCallChange,
    ToolStatus,
    UnknownUpdate,
)
from backend.domain.conversation import Message
from backend.errors import TemporarilyUnavailable
from backend.events import MessagesChanged, StoreAvailability
from backend.ids import SessionId, TurnId
from backend.store import settings, transcript_batch
from backend.store.database import Priority, Transaction
from backend.store.metadata import as_dict
from backend.store.transcript_batch import Batch
from backend.store.wrapped_database import WrappedDatabase
from tests.helpers.clock import FakeClock, settle
from tests.helpers.faults import Fault, unavailable
from tests.helpers.place import Place
from tests.helpers.transcript_case import DONE, TranscriptCase, transcript_case


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
async def case(place: Place, clock: FakeClock) -> AsyncIterator[TranscriptCase]:
    async with transcript_case(place, clock) as made:
        yield made


def stream_of(message: Message) -> object:
    return as_dict(message.metadata.get("kandesk")).get("stream")


async def test_the_first_chunk_of_a_row_is_shown_before_anything_else_happens(
    case: TranscriptCase,
) -> None:
    case.updated(TextChunk("Hel"))
    (told,) = case.told
    (row,) = told.messages
    assert (row.content, row.revision, stream_of(row)) == ("Hel", 0, 1)


async def test_a_streaming_row_keeps_its_id_and_what_is_told_of_it_only_grows(
    case: TranscriptCase, clock: FakeClock
) -> None:
    """K8.7 case 115."""
    for _ in range(40):
        case.updated(TextChunk("x"))
        await clock.advance(0.005)
    await case.end()
    seen = [event.messages[0] for event in case.told]
    assert len({row.message_id for row in seen}) == 1
    lengths = [len(row.content) for row in seen]
    assert lengths == sorted(lengths)
    assert lengths[-1] == 40
    order = [(row.revision, stream_of(row) or 10**9) for row in seen]
    assert order == sorted(order)
    assert seen[-1].metadata == {}
    (stored,) = await case.rows()
    assert stored == seen[-1]


async def test_three_agents_that_talk_fast_cost_forty_commits_a_second_and_thirty_events(
    case: TranscriptCase, clock: FakeClock
) -> None:
    """200 chunks a second in each of three sessions, for two seconds."""
    sessions = [(case.session, case.turn)]
    for name in ("s2", "s3"):
        await case.add_session(name)
        sessions.append((SessionId(name), TurnId(f"turn-{name}")))
    for _ in range(400):
        for session, turn in sessions:
            case.transcripts.updated(session, turn, TextChunk("word "))
        await clock.advance(0.005)
    commits = case.transcripts.writer.commits
    assert 70 <= commits <= 81
    for session, turn in sessions:
        told = [event for event in case.told if event.session_id == session]
        assert 50 <= len(told) <= 66
        await case.soon(case.transcripts.end(session, turn, DONE))
        (row,) = await case.rows(session)
        assert row.content == "word " * 400


async def test_many_new_rows_come_at_the_pace_of_a_session_too(
    case: TranscriptCase, clock: FakeClock
) -> None:
    """K8.7 case 115."""
    for number in range(200):
        case.updated(TextChunk("a", f"m{number}"))
        await clock.advance(0.005)
    assert len(case.told) <= 30 + 5
    await case.end()
    assert len(await case.rows()) == len(case.shown) == 200


async def test_a_session_that_is_idle_costs_nothing(case: TranscriptCase, clock: FakeClock) -> None:
    case.updated(TextChunk("still open"), ToolCallChange("c1", started=True), TextChunk("more"))
    await clock.advance(1)
    commits, events = case.transcripts.writer.commits, len(case.events)
    assert clock.pending_timers == 0
    assert len(asyncio.all_tasks()) == 1
    await clock.advance(3_600)
    assert (case.transcripts.writer.commits, len(case.events)) == (commits, events)
    assert clock.pending_timers == 0


async def test_rows_are_first_shown_in_the_order_in_which_they_were_made(
    case: TranscriptCase, clock: FakeClock
) -> None:
    """K8.7 case 115: text is shown before it is stored, but never before a row that may not be."""
    fault = Fault("at commit")
    case.faults.plan(fault)
    case.updated(ThoughtChunk("hm"), ToolCallChange("c1", started=True, title="tool"))
    case.updated(TextChunk("after"))
    await clock.advance(0.5)
    assert [row.kind for row in case.shown.values()] == ["thinking"]
    fault.go_on.set()
    await case.flush()
    assert [row.kind for row in case.shown.values()] == ["thinking", "tool_call", "message"]


async def test_only_text_is_shown_before_it_is_stored(
    case: TranscriptCase, clock: FakeClock
) -> None:
    fault = Fault("at commit")
    case.faults.plan(fault)
    case.updated(ToolCallChange("c1", started=True, title="tool"))
    await clock.advance(0.5)
    assert case.told == []
    fault.go_on.set()
    await clock.advance(0.1)
    assert [row.revision > 0 for row in case.shown.values()] == [True]


async def test_a_flush_returns_when_all_rows_are_stored_and_shown(case: TranscriptCase) -> None:
    """K8.7 case 115."""
    for number in range(5):
        case.updated(TextChunk(f"text {number}"), ToolCallChange(f"c{number}", started=True))
    await case.flush()
    rows = await case.rows()
    assert tuple(case.shown.values()) == rows
    assert len(rows) == 10


async def test_all_sessions_are_flushed_at_once(case: TranscriptCase) -> None:
    """What is asked before the window quits: is everything that was said in the store?"""
    case.updated(TextChunk("said"))
    await case.soon(case.transcripts.flush_all())
    assert [row.content for row in await case.rows()] == ["said"]
    commits = case.transcripts.writer.commits
    await case.soon(case.transcripts.flush_all())
    assert case.transcripts.writer.commits == commits, "nothing is left to write"


async def test_a_flush_waits_for_every_batch(
    case: TranscriptCase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """K8.7 case 115: what must be there first is there, however much was said."""
    monkeypatch.setattr(coalescing, "BATCH_LIMIT", 1)
    case.updated(TextChunk("the writer looks at the limit when it has written"))
    await case.flush()
    before = case.transcripts.writer.commits
    for number in range(4):
        case.updated(ToolCallChange(f"c{number}", started=True), TextChunk(f"text {number}"))
    await case.flush()
    assert len(await case.rows()) == 9
    assert case.transcripts.writer.commits - before > 1


async def test_a_flush_does_not_wait_for_what_is_said_after_it(
    case: TranscriptCase, clock: FakeClock
) -> None:
    case.updated(TextChunk("before"))
    flush = asyncio.create_task(case.transcripts.flush(case.session))
    for _ in range(20):
        case.updated(TextChunk(" after"))
        await clock.advance(0.005)
    assert flush.done()
    await flush


@pytest.mark.parametrize("when", ["before", "at commit", "after commit"])
async def test_what_the_store_did_not_take_is_written_again_in_order_and_once(
    case: TranscriptCase, clock: FakeClock, when: str
) -> None:
    """Also when nobody knows whether the commit has happened."""
    case.faults.plan(*[Fault(when, unavailable()) for _ in range(3)])  # type: ignore[arg-type]
    case.updated(TextChunk("one"), ToolCallChange("c1", started=True), TitleChanged("Named"))
    await clock.advance(0.01)
    case.updated(TextChunk("two"), ToolCallChange("c1", status=ToolStatus.COMPLETED))
    ending = asyncio.create_task(case.transcripts.end(case.session, case.turn, DONE))
    await clock.advance(10)
    await ending
    rows = await case.rows()
    assert [(row.kind, row.content) for row in rows] == [
        ("message", "one"),
        ("tool_call", "c1"),
        ("message", "two"),
    ]
    assert rows[1].metadata["status"] == "completed"
    assert tuple(case.shown.values()) == rows
    assert (await case.stored()).title == "Named"


async def test_tries_grow_rare_while_the_store_is_away_and_begin_at_once_when_it_is_back(
    case: TranscriptCase, clock: FakeClock
) -> None:
    away = [Fault("before", unavailable()) for _ in range(100)]
    case.faults.plan(*away)
    case.updated(ToolCallChange("c1", started=True))
    await clock.advance(60)
    tried = sum(fault.reached.is_set() for fault in away)
    assert 10 <= tried <= 16
    case.faults.plan_nothing()
    case.bus.publish(StoreAvailability(available=True, detail=""))
    await clock.advance(0.05)
    assert len(await case.rows()) == 1


async def test_an_agent_that_talks_while_the_store_is_away_does_not_make_it_try_more(
    case: TranscriptCase, clock: FakeClock
) -> None:
    away = [Fault("before", unavailable()) for _ in range(1_000)]
    case.faults.plan(*away)
    for _ in range(400):
        case.updated(TextChunk("x"))
        await clock.advance(0.005)
    assert sum(fault.reached.is_set() for fault in away) <= 4
    case.faults.plan_nothing()
    await clock.advance(5)
    (row,) = await case.rows()
    assert row.content == "x" * 400


async def test_agents_are_listened_to_slower_while_too_much_waits_for_the_store(
    case: TranscriptCase, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(coalescing, "ROOM", 10_000)
    await case.transcripts.room()
    fault = Fault("before")
    case.faults.plan(fault)
    case.updated(TextChunk("x" * 20_000))
    room = asyncio.create_task(case.transcripts.room())
    await clock.advance(1)
    assert not room.done()
    fault.go_on.set()
    await clock.advance(0.1)
    assert room.done()


async def test_a_long_row_that_grows_is_rewritten_less_often(
    case: TranscriptCase, clock: FakeClock
) -> None:
    """2 MB of one row: what is written in all stays near what was said."""
    case.updated(TextChunk("x" * 2_000_000))
    await clock.advance(0.1)
    before = case.transcripts.writer.commits
    for _ in range(200):
        case.updated(TextChunk("y" * 100))
        await clock.advance(0.005)
    assert 1 <= case.transcripts.writer.commits - before <= 3
    case.updated(ModeChanged("plan"))
    await clock.advance(0.05)
    assert (await case.stored()).mode == "plan"
    await case.end()
    (row,) = await case.rows()
    assert len(row.content) == 2_020_000


async def test_one_session_s_long_row_does_not_hold_up_another_session(
    case: TranscriptCase, clock: FakeClock
) -> None:
    await case.add_session("s2")
    case.updated(TextChunk("x" * 2_000_000))
    await clock.advance(0.1)
    case.updated(TextChunk("y"))
    case.transcripts.updated(SessionId("s2"), TurnId("turn-s2"), TextChunk("hello"))
    await clock.advance(COMMIT_INTERVAL + 0.01)
    assert len(await case.rows(SessionId("s2"))) == 1
    assert clock.pending_timers == 1


async def test_an_answer_goes_before_what_agents_say(
    case: TranscriptCase, clock: FakeClock
) -> None:
    done: list[str] = []

    async def claim() -> None:
        async with case.database.writing(priority=Priority.CLAIM) as tx:
            await settings.put(tx, "claim", "1")
        done.append("claim")

    async with case.database.writing() as tx:
        case.updated(ToolCallChange("c1", started=True))
        await settle()
        waiting = asyncio.create_task(claim())
        await settle()
        await settings.put(tx, "before", "1")
    case.bus.subscribe(
        lambda event: done.append("row") if isinstance(event, MessagesChanged) else None
    )
    await case.flush()
    await waiting
    assert done == ["claim", "row"]


async def test_a_defect_of_one_session_costs_no_other_session_anything(
    case: TranscriptCase, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    save = transcript_batch.save

    async def save_unless_poisoned(tx: Transaction, batch: Batch) -> int:
        if any("poison" in row.content for row in batch.rows):
            message = "a defect"
            raise LookupError(message)
        return await save(tx, batch)

    monkeypatch.setattr(transcript_batch, "save", save_unless_poisoned)
    await case.add_session("s2")
    await case.add_session("s3")
    s2, s3 = SessionId("s2"), SessionId("s3")
    case.transcripts.updated(s2, TurnId("turn-s2"), TextChunk("fine"))
    case.updated(TextChunk("poison"))
    case.transcripts.updated(s3, TurnId("turn-s3"), TextChunk("good"))
    ends = [
        asyncio.create_task(case.transcripts.end(session, TurnId(f"turn-{session}"), DONE))
        for session in (s2, s3)
    ]
    poisoned = asyncio.create_task(case.transcripts.flush(case.session))
    await clock.advance(1)
    await asyncio.gather(*ends)
    with pytest.raises(TemporarilyUnavailable):
        await poisoned
    assert [row.content for row in await case.rows(s2)] == ["fine"]
    assert [row.content for row in await case.rows(s3)] == ["good"]
    case.updated(TextChunk("healthy"))
    await case.flush()
    assert [row.content for row in await case.rows()] == ["healthy"]


class _Broken(WrappedDatabase):
    """Whose first transaction meets a defect of ours."""

    broken = True

    @asynccontextmanager
    async def writing(
        self, deadline: Deadline | None = None, *, priority: Priority = Priority.NORMAL
    ) -> AsyncIterator[Transaction]:
        if self.broken:
            self.broken = False
            message = "a defect"
            raise LookupError(message)
        async with self._database.writing(deadline, priority=priority) as tx:
            yield tx


async def test_a_defect_fails_who_waits_and_stops_nobody_after_it(
    case: TranscriptCase, clock: FakeClock
) -> None:
    async def announce(_session: SessionId) -> None:
        pass

    broken = Transcripts(
        _Broken(case.database), clock, case.bus, case.supervisor, announce=announce
    )
    broken.updated(case.session, case.turn, TextChunk("lost", "m1"))
    with pytest.raises(TemporarilyUnavailable):
        await broken.flush(case.session)
    broken.updated(case.session, case.turn, TextChunk("kept", "m2"))
    await case.soon(broken.flush(case.session))
    assert [row.content for row in await case.rows()][-1:] == ["kept"]


async def test_a_desk_that_stops_writes_what_it_has_heard(
    case: TranscriptCase, clock: FakeClock
) -> None:
    """K8.7 case 115."""
    case.updated(TextChunk("last words"))
    stopping = asyncio.create_task(case.supervisor.stop())
    await clock.advance(0.1)
    await stopping
    assert [row.content for row in await case.rows()] == ["last words"]


async def test_a_desk_that_is_killed_keeps_all_but_the_last_moment(
    place: Place, clock: FakeClock
) -> None:
    async with transcript_case(place, clock) as case:
        for _ in range(100):
            case.updated(TextChunk("x"))
            await clock.advance(0.005)
        case.faults.plan(*[Fault("before", unavailable()) for _ in range(9)])
        case.updated(TextChunk("never written"))
    async with transcript_case(place, clock, fresh=False) as after:
        (row,) = await after.rows()
        assert 90 <= len(row.content) <= 100
        assert row.metadata == {"kandesk": {"streaming": True}}


def size_of(batch: Batch) -> int:
    return sum(len(row.content) + len(json.dumps(row.metadata)) for row in batch.rows)


@pytest.fixture
def batches(monkeypatch: pytest.MonkeyPatch) -> list[Batch]:
    """What was given to the store, also what it did not take."""
    tried: list[Batch] = []
    real = transcript_batch.save

    async def save(tx: Transaction, batch: Batch) -> int:
        tried.append(batch)
        return await real(tx, batch)

    monkeypatch.setattr(transcript_batch, "save", save)
    return tried


@pytest.mark.parametrize("kind", ["input", "output", "unknown"])
async def test_everything_a_row_keeps_counts_for_the_size_of_a_commit(
    case: TranscriptCase, batches: list[Batch], kind: str
) -> None:
    """A commit that is too large for its budget is never made, and holds everybody up."""
    for number in range(120):
        call = ToolCallChange(f"c{number}", started=True)
        updates: dict[str, AgentUpdate] = {
            "input": replace(call, raw_input={"command": "x" * 200_000}),
            "output": replace(call, raw_output={"text": "x" * 200_000}),
            "unknown": UnknownUpdate("hologram", {"data": "x" * 200_000}),
        }
        case.updated(updates[kind])
    await case.end()
    assert len(await case.rows()) == 120
    assert max(size_of(batch) for batch in batches) < 1.1 * coalescing.BATCH_LIMIT


async def test_a_store_that_is_too_slow_for_a_commit_is_given_less(
    case: TranscriptCase, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = transcript_batch.save

    async def save(tx: Transaction, batch: Batch) -> int:
        if size_of(batch) > 500_000:
            raise unavailable()
        return await real(tx, batch)

    monkeypatch.setattr(transcript_batch, "save", save)
    for number in range(60):
        case.updated(TextChunk("x" * 100_000, f"m{number}"))
    ending = asyncio.create_task(
        case.transcripts.end(case.session, case.turn, DONE), name="the turn ends"
    )
    for _ in range(100):
        await clock.advance(0.5)
    assert ending.done()
    await ending
    assert len(await case.rows()) == 60


async def test_thousands_of_rows_that_wait_cost_no_more_for_the_next(
    case: TranscriptCase, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked = 0
    real = session_rows._is_unsaved

    def counted(row: LiveRow) -> bool:
        nonlocal looked
        looked += 1
        return real(row)

    monkeypatch.setattr(session_rows, "_is_unsaved", counted)
    for number in range(3_000):
        case.updated(ToolCallChange(f"c{number}", started=True))
    assert looked < 20 * 3_000
