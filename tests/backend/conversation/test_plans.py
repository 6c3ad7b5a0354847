"""What sending looks for, it finds by an index, however much others have said (P2; K8.6, 76-78)."""

import json
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from backend.clock import Nanoseconds, format_timestamp
from backend.conversation.dispatcher import LiveAgent
from backend.domain.conversation import SessionState
from backend.domain.hosted import MessageDraft, PromptOutcome
from backend.ids import AdmissionId, MessageId, QueueEntryId, TurnId
from backend.store import (
    admissions,
    input_facts,
    kept_answers,
    message_drafts,
    message_queue,
    messages,
    prompts,
    unheard,
)
from backend.store.database import Params, Transaction
from tests.helpers.clock import FakeClock
from tests.helpers.place import Place, open_store, raw
from tests.helpers.plans import accesses, statements_of
from tests.helpers.sending import S, Sending

SESSIONS = 100
LONG = 2_000
"""Rows, and turns, of the session itself; all others have as many together."""
BIG = {
    "task_session_messages",
    "task_session_turns",
    "message_admissions",
    "queued_messages",
    "interaction_deliveries",
}
PARTIAL = {
    "idx_turns_reserved",
    "idx_messages_delivery_intent",
    "idx_messages_clarification_open",
    "idx_deliveries_waiting",
}
"""Indexes that hold only the few rows that matter: read whole, they are quick."""


def moment(number: int) -> str:
    return format_timestamp(Nanoseconds(1_600_000_000_000_000_000 + number))


def said(number: int) -> tuple[str, str]:
    """Type and metadata of a row: every third is a question that was answered."""
    if number % 3:
        return "message", "{}"
    asked = {"pending_id": f"p{number}", "question_id": "q1", "status": "answered"}
    return "clarification_request", json.dumps(asked)


def state_of(number: int, owner: str) -> str:
    """Some answers of others wait for their agents."""
    return "delivered" if number % 400 or owner == "s1" else "waiting_for_agent"


def fill(place: Place) -> None:
    """The long session's own history, and a hundred others with as much together."""
    owners = ["s1"] * LONG + [f"o{number % SESSIONS}" for number in range(LONG)]
    with raw(place) as connection:
        connection.executemany(
            "INSERT INTO task_sessions (id, task_id, started_at, updated_at)"
            " VALUES (?, 'task-s1', '2020', '2020')",
            [(f"o{number}",) for number in range(SESSIONS)],
        )
        connection.execute(
            "UPDATE task_sessions SET metadata = ?", ('{"kandesk": {"kind": "hosted"}}',)
        )
        connection.executemany(
            "INSERT INTO task_session_turns (id, task_session_id, task_id, started_at, metadata,"
            " created_at, updated_at) VALUES (?, ?, 'task-s1', ?, '{}', ?, ?)",
            [(f"t{n}", owner, moment(n), moment(n), moment(n)) for n, owner in enumerate(owners)],
        )
        connection.executemany(
            "INSERT INTO task_session_messages (id, task_session_id, turn_id, content, type,"
            " metadata, created_at, updated_at) VALUES (?, ?, ?, '', ?, ?, ?, ?)",
            [
                (f"m{n}", owner, f"t{n}", *said(n), moment(n), moment(n))
                for n, owner in enumerate(owners)
            ],
        )
        connection.executemany(
            "INSERT INTO message_admissions (admission_id, task_id, session_id, pending_id,"
            " payload_digest, outcome, created_at, updated_at)"
            " VALUES (?, '', ?, ?, '', 'sent', ?, ?)",
            [
                (f"a{n}", owner, f"p{n}" if n % 3 else "", moment(n), moment(n))
                for n, owner in enumerate(owners)
            ],
        )
        connection.executemany(
            "INSERT INTO interaction_deliveries (pending_id, session_id, state, outcome,"
            " opened_at, claimed_at, updated_at) VALUES (?, ?, ?, 'answered', ?, ?, ?)",
            [
                (f"p{n}", owner, state_of(n, owner)) + (moment(n),) * 3
                for n, owner in enumerate(owners)
            ],
        )
        connection.executemany(
            "INSERT INTO queued_messages (id, session_id, task_id, position, queued_at)"
            " VALUES (?, ?, 'task-s1', ?, ?)",
            [(f"q{n}", owner, n, moment(n)) for n, owner in enumerate(owners) if owner != "s1"],
        )


@pytest.fixture(params=["new", "with statistics"])
async def long(
    request: pytest.FixtureRequest, place: Place, clock: FakeClock
) -> AsyncIterator[Sending]:
    """The session has one prompt on its way, two messages in its queue, and answers that wait."""
    database = await open_store(place, clock)
    sending = Sending(database, clock, place)
    sending.rows.session(state=SessionState.IDLE.value)
    fill(place)
    # The answers that wait in the session would hold a message back.
    sending.dispatcher.live = LiveAgent(failed=True)
    for text in ("first", "second", "third"):
        await sending.send(text)
    with raw(place) as connection:
        connection.execute(
            "UPDATE interaction_deliveries SET state = 'waiting_for_agent'"
            " WHERE pending_id IN ('p0', 'p3')"
        )
        if request.param == "with statistics":
            connection.execute("ANALYZE")
    yield sending
    await database.close()


Call = Callable[[Transaction, Sending], Awaitable[object]]


async def settle(tx: Transaction, sending: Sending) -> object:
    (prompt,) = await prompts.list_undispatched(tx, S)
    assert await prompts.mark_attempted(tx, prompt, sending.clock.now())
    assert await prompts.put_back(tx, prompt, sending.clock.now())
    return await prompts.settle(tx, prompt, PromptOutcome.UNKNOWN, sending.clock.now())


async def shorten(tx: Transaction, _: Sending) -> object:
    entries = await message_queue.list_entries(tx, S)
    assert await message_queue.set_text(tx, entries[0].prompt, "other")
    await message_queue.mark_send_now(tx, entries[1].prompt.entry_id)
    await message_queue.remove(tx, S, entries[1].prompt.entry_id)
    return entries


async def append(tx: Transaction, sending: Sending) -> object:
    entry = message_queue.make_entry(
        QueueEntryId("new"), "new", AdmissionId("new"), sending.clock.now()
    )
    facts = await input_facts.load(tx, S)
    assert facts is not None
    await message_queue.append(tx, S, facts.task_id, entry)
    return entry


async def taken(tx: Transaction) -> object:
    (prompt,) = await prompts.list_undispatched(tx, S)
    return await prompts.was_taken(tx, prompt)


CALLS: dict[str, Call] = {
    "identity": lambda tx, _: admissions.find(tx, AdmissionId("first")),
    "row": lambda tx, _: messages.exists(tx, MessageId("m7")),
    "facts": lambda tx, _: input_facts.load(tx, S),
    "queue": lambda tx, _: message_queue.list_entries(tx, S),
    "append": append,
    "shorten": shorten,
    "prompts": lambda tx, _: prompts.list_undispatched(tx),
    "prompts of one": lambda tx, _: prompts.list_undispatched(tx, S),
    "settle": settle,
    "turn": lambda tx, _: prompts.load(tx, TurnId("t7")),
    "kept answers": lambda tx, _: kept_answers.list_sessions(tx),
    "kept answers of one": lambda tx, _: kept_answers.list_of_session(tx, S),
    "last word": lambda tx, _: unheard.last_word(tx, TurnId("t7")),
    "doubt": lambda tx, desk: unheard.doubt(tx, TurnId("t7"), unheard.NEVER, desk.clock.now()),
    "draft": lambda tx, desk: message_drafts.save(
        tx, MessageDraft(S, "half", None, ""), desk.clock.now()
    ),
    "draft again": lambda tx, _: message_drafts.load(tx, S),
    "sent": lambda tx, desk: admissions.mark_sent(
        tx, AdmissionId("a7"), MessageId("m7"), desk.clock.now()
    ),
    "taken": lambda tx, _: taken(tx),
}


async def test_no_statement_reads_what_others_said_or_all_of_a_long_session(long: Sending) -> None:
    """RR.5 for messages: every lookup by its key, or by an index of the few rows that matter."""
    seen: set[str] = set()
    for call in CALLS.values():
        run = await statements_of(long.database, lambda tx, call=call: call(tx, long))  # type: ignore[misc]
        for sql, params in run:
            if sql not in seen:
                seen.add(sql)
                assert_searches(long.place, sql, params)
    assert len(seen) > len(CALLS)


def assert_searches(place: Place, sql: str, params: Params) -> None:
    if isinstance(place, Path):
        assert_searches_sqlite(place, sql, dict(params))
    else:
        assert_searches_postgres(place, sql, params)


def assert_searches_sqlite(path: Path, sql: str, params: dict[str, object]) -> None:
    connection = sqlite3.connect(path)
    plan = [str(row[3]) for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}", params)]
    connection.close()
    for line in plan:
        if line.startswith("SCAN") and "CONSTANT" not in line and "VIRTUAL" not in line:
            assert any(index in line for index in PARTIAL), (line, sql)
        if "idx_messages_session" in line or "idx_messages_metadata_pending_id (" in line:
            raise AssertionError((line, sql))


def assert_searches_postgres(url: str, sql: str, params: Params) -> None:
    for generic in (False, True):
        for access in accesses(url, sql, params, generic=generic):
            if access.table in BIG:
                assert access.condition or access.by in PARTIAL, (access, generic, sql)
