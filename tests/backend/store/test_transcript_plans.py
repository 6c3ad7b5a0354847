"""What a running agent costs the store does not grow with the history (kandev-app.md b.2)."""

import json
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from backend.clock import Nanoseconds, format_timestamp
from backend.domain.agents import Usage
from backend.domain.turn_end import TurnOutcome
from backend.ids import MessageId, SessionId, TurnId
from backend.store import transcript_batch, unfinished
from backend.store.database import Database, Params, Transaction
from backend.store.hosted_sessions import SessionChange
from backend.store.transcript_batch import Batch, EndedTurn
from backend.store.transcript_rows import RowState, open_rows
from tests.helpers.clock import FakeClock
from tests.helpers.place import Place, open_store, raw
from tests.helpers.plans import Access, Recorder, accesses
from tests.helpers.store import RowMaker
from tests.helpers.transcript_case import transcript_case

MESSAGES = "task_session_messages"
S, T = SessionId("s1"), TurnId("turn1")
NOW = Nanoseconds(1_790_000_000_000_000_000)
HISTORY = 5_000
TURNS = 200


@pytest.fixture(params=[False, True], ids=["no statistics", "with statistics"])
async def big(
    place: Place, clock: FakeClock, request: pytest.FixtureRequest
) -> AsyncIterator[Database]:
    """The session has thousands of rows, all of earlier turns, and so has another one."""
    async with transcript_case(place, clock) as case:
        await case.add_session("s2", "s2-turn")
    rows = RowMaker(place)
    for number in range(TURNS):
        rows.turn(f"old-{number}", "s1" if number % 2 else "s2")
    moment = format_timestamp(Nanoseconds(1_600_000_000_000_000_000))
    with raw(place) as connection:
        connection.executemany(
            f"INSERT INTO {MESSAGES} (id, task_session_id, turn_id, content, type, metadata,"  # noqa: S608
            " created_at, updated_at) VALUES (?, ?, ?, 'text', ?, ?, ?, ?)",
            [
                (
                    f"old-{number}",
                    "s1" if number % 2 else "s2",
                    f"old-{number % TURNS}",
                    "tool_call" if number % 3 else "message",
                    json.dumps({"tool_call_id": f"call-{number}"}) if number % 3 else "{}",
                    moment,
                    moment,
                )
                for number in range(HISTORY)
            ],
        )
        if request.param:
            connection.execute("ANALYZE")
    database = await open_store(place, clock)
    yield database
    await database.close()


Call = Callable[[Transaction], Awaitable[object]]


async def statements(database: Database, call: Call) -> list[tuple[str, Params]]:
    async with database.writing() as tx:
        recorder = Recorder(tx)
        await call(recorder)
    return recorder.statements


async def reads(place: Place, database: Database, call: Call) -> list[Access]:
    """How `call` finds its rows of messages, on whichever dialect."""
    run = await statements(database, call)
    if not isinstance(place, Path):
        return [
            access
            for sql, params in run
            for generic in (False, True)
            for access in accesses(place, sql, params, generic=generic)
            if access.table == MESSAGES
        ]
    found: list[Access] = []
    connection = sqlite3.connect(place)
    for sql, params in run:
        for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}", dict(params)):
            verb, name, *rest = str(row[3]).split(" ", 2)
            if MESSAGES in sql and name in (MESSAGES, "m", "r", "o", "i", "e"):
                line = rest[0] if rest else ""
                index = line.removeprefix("USING ").removeprefix("INDEX ").split(" ")[0]
                found.append(Access(MESSAGES, index, line if verb == "SEARCH" else ""))
    connection.close()
    return found


def row(number: int) -> RowState:
    return RowState(
        message_id=MessageId(f"new-{number}"),
        session_id=S,
        turn_id=T,
        kind="tool_call",
        content="text",
        metadata={"tool_call_id": f"call-{number}", "status": "pending"},
        created_at=Nanoseconds(NOW + number),
        updated_at=NOW,
    )


async def test_a_commit_of_rows_reads_no_history(place: Place, big: Database) -> None:
    """Inserting, growing and ending a turn: no statement looks through the rows of a session."""
    batch = Batch(
        rows=[row(number) for number in range(3)],
        changes={S: SessionChange(usage=Usage(input_tokens=1), title="T")},
        ended=[EndedTurn(S, T, {"outcome": TurnOutcome.COMPLETED.value})],
        now=NOW,
    )
    for _ in range(2):
        found = await reads(place, big, lambda tx: transcript_batch.save(tx, batch))
        for access in found:
            assert access.condition, access
            assert access.by not in {"idx_messages_session_id", "idx_messages_session_created"}


async def test_open_rows_are_found_by_their_turn(place: Place, big: Database) -> None:
    found = await reads(place, big, lambda tx: open_rows(tx, T))
    found += await reads(place, big, lambda tx: unfinished.has_notice(tx, T))
    assert {access.by for access in found} == {"idx_messages_turn_id"}
