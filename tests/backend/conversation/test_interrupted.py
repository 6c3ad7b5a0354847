"""What a start makes of turns whose end nobody saw (agents.md, ACP: a crashed agent)."""

from collections.abc import AsyncIterator

import pytest

from backend.conversation.interrupted import settle_interrupted
from backend.conversation.turn_rows import notice_row
from backend.domain.agents import TextChunk, ThoughtChunk, ToolCallChange, ToolKind, ToolStatus
from backend.domain.conversation import Message, SessionState
from backend.domain.turn_end import prompt_failed
from backend.ids import SessionId, TurnId
from backend.store import hosted_sessions, messages, sessions, turns
from backend.store.metadata import as_dict
from tests.helpers.clock import FakeClock
from tests.helpers.place import Place
from tests.helpers.store import RowMaker, ask
from tests.helpers.transcript_case import TranscriptCase, transcript_case


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
async def case(place: Place, clock: FakeClock) -> AsyncIterator[TranscriptCase]:
    """A desk that ended in the middle of a turn, and the store opened again."""
    async with transcript_case(place, clock) as before:
        async with before.database.writing() as tx:
            await sessions.set_state(tx, before.session, SessionState.RUNNING, clock.now())
        before.updated(
            ThoughtChunk("Hm"),
            ToolCallChange("c1", started=True, kind=ToolKind.EXECUTE, title="make"),
            ToolCallChange("c2", started=True, title="done", status=ToolStatus.COMPLETED),
            TextChunk("I am in the mid"),
        )
        await before.flush()
        before.updated(TextChunk("dle of"))
    async with transcript_case(place, clock, fresh=False) as after:
        yield after


def notices(rows: tuple[Message, ...]) -> list[object]:
    return [
        as_dict(row.metadata.get("kandesk")).get("notice") for row in rows if row.kind == "status"
    ]


async def test_rows_stay_and_say_that_they_were_interrupted(case: TranscriptCase) -> None:
    assert await settle_interrupted(case.database, case.clock) == 1
    rows = await case.rows()
    assert [row.kind for row in rows] == [
        "thinking",
        "tool_execute",
        "tool_call",
        "message",
        "status",
    ]
    assert [row.metadata.get("status") for row in rows[1:3]] == ["interrupted", "completed"]
    assert rows[3].content.startswith("I am in the mid")
    assert rows[3].metadata == {}
    assert notices(rows) == ["desk_ended"]


async def test_the_turn_is_over_and_the_session_at_rest(case: TranscriptCase) -> None:
    await settle_interrupted(case.database, case.clock)
    assert (await case.stored()).state is SessionState.IDLE
    async with case.database.writing() as tx:
        assert not await turns.complete_turn(tx, case.turn, case.clock.now())


async def test_a_second_start_changes_nothing(case: TranscriptCase) -> None:
    await settle_interrupted(case.database, case.clock)
    rows = await case.rows()
    assert await settle_interrupted(case.database, case.clock) == 0
    assert await case.rows() == rows


async def test_a_turn_this_process_runs_is_left_alone(case: TranscriptCase) -> None:
    """A store that was lost and is back."""
    before = await case.rows()
    assert await settle_interrupted(case.database, case.clock, running={case.turn}) == 0
    assert await case.rows() == before
    assert (await case.stored()).state is SessionState.RUNNING


async def test_an_open_question_of_the_turn_stays_open(case: TranscriptCase, place: Place) -> None:
    RowMaker(place).question("p1", turn="turn1", session="s1")
    await settle_interrupted(case.database, case.clock)
    assert (await case.stored()).state is SessionState.WAITING_FOR_INPUT
    assert notices(await case.rows()) == ["desk_ended_waiting"]
    async with case.database.reading() as tx:
        (summary,) = await sessions.list_summaries(tx)
    assert summary.pending_questions == 1


async def test_a_turn_that_is_told_of_already_is_not_told_of_twice(case: TranscriptCase) -> None:
    kind, content, metadata = notice_row(prompt_failed("lost"))
    async with case.database.writing() as tx:
        await messages.insert_message(
            tx,
            session_id=case.session,
            task_id=(await case.stored()).task_id,
            turn_id=case.turn,
            kind=kind,
            author="agent",
            content=content,
            metadata=metadata,
            now=case.clock.now(),
        )
    await settle_interrupted(case.database, case.clock)
    rows = await case.rows()
    assert (rows[-1].kind, notices(rows)) == ("error", [])


async def test_a_session_that_was_starting_is_at_rest(case: TranscriptCase) -> None:
    await case.add_session("s2")
    async with case.database.writing() as tx:
        await turns.complete_turn(tx, TurnId("turn-s2"), case.clock.now())
        await sessions.set_state(tx, SessionId("s2"), SessionState.STARTING, case.clock.now())
    await settle_interrupted(case.database, case.clock, working={SessionId("s2")})
    async with case.database.reading() as tx:
        left = await hosted_sessions.load(tx, SessionId("s2"))
    assert left is not None
    assert left.state is SessionState.STARTING
    await settle_interrupted(case.database, case.clock)
    async with case.database.reading() as tx:
        left = await hosted_sessions.load(tx, SessionId("s2"))
    assert left is not None
    assert left.state is SessionState.IDLE


async def test_guests_and_the_sessions_of_others_are_left_alone(
    case: TranscriptCase, place: Place
) -> None:
    asked = await ask(case.database, case.clock)
    rows = RowMaker(place)
    rows.session("imported", state="RUNNING")
    rows.turn("imported-turn", "imported")
    await settle_interrupted(case.database, case.clock)
    async with case.database.writing() as tx:
        assert await turns.complete_turn(tx, asked.turn_id, case.clock.now())
        assert await turns.complete_turn(tx, TurnId("imported-turn"), case.clock.now())
