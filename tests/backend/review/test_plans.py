"""No statement about permissions reads the history of others (T2, T7)."""

import sqlite3
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from backend.clock import Nanoseconds, format_timestamp
from backend.ids import ClaimId, ClientId, ReviewId, TurnId
from backend.store import review_outcomes, reviews, sessions
from backend.store.database import Transaction
from backend.store.review_schema import PROJECTED
from tests.helpers.clock import FakeClock
from tests.helpers.place import raw
from tests.helpers.plans import Recorder
from tests.helpers.reviewing import ReviewDesk, S, review_desk

HISTORY = 3_000
NOW = Nanoseconds(9_000)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """These plans are SQLite's; PostgreSQL's are read with the other tables'."""
    return tmp_path / "kandesk.db"


async def find(tx: Transaction, review_id: ReviewId) -> object:
    return await reviews.find(tx, review_id)


async def list_pending(tx: Transaction, review_id: ReviewId) -> object:
    return await reviews.list_pending(tx)


async def list_unsettled(tx: Transaction, review_id: ReviewId) -> object:
    return await reviews.list_unsettled(tx)


async def find_asker(tx: Transaction, review_id: ReviewId) -> object:
    return await reviews.find_asker(tx, S, TurnId("turn1"))


async def find_card(tx: Transaction, review_id: ReviewId) -> object:
    stored = await reviews.find(tx, review_id)
    assert stored is not None
    return await reviews.find_card(tx, stored.review)


async def summary(tx: Transaction, review_id: ReviewId) -> object:
    return await sessions.get_summary(tx, S)


async def decide(tx: Transaction, review_id: ReviewId) -> object:
    stored = await reviews.find(tx, review_id)
    assert stored is not None
    decision = review_outcomes.Decision(
        review_id, "once", "approved", ClaimId("c"), ClientId("w"), "window", NOW
    )
    assert await review_outcomes.decide(tx, stored, decision)
    again = await reviews.find(tx, review_id)
    assert again is not None
    assert await review_outcomes.mark_told(tx, again, NOW)
    return await review_outcomes.mark_executed(tx, again, "succeeded", NOW, drifted=False)


@pytest.mark.parametrize(
    "call", [find, list_pending, list_unsettled, find_asker, find_card, summary, decide]
)
async def test_every_statement_finds_its_rows_by_an_index(
    place: Path, call: Callable[[Transaction, ReviewId], Awaitable[object]]
) -> None:
    async with review_desk(place, FakeClock()) as desk:
        _, review = await desk.ask_one()
        add_history(desk)
        async with desk.faults.writing() as tx:
            recorder = Recorder(tx)
            await call(recorder, review.review_id)
        scans = plan_of(place, recorder)
        await desk.reviews.permissions.nobody_waits(S)
    assert recorder.statements
    # The index of open requests holds nothing else: all of it is what is looked for.
    rest = [line for line in scans if "idx_requests_unsettled" not in line]
    assert not [line for line in rest if "SCAN r" in line or "SCAN tool_" in line], scans


async def test_the_queries_of_a_later_projection_have_their_indexes(place: Path) -> None:
    """T2: the card's link and the outcomes that a card must show, each within one workspace."""
    async with review_desk(place, FakeClock()) as desk:
        await desk.ask_one()
        add_history(desk)
    with raw(place) as connection:
        link = connection.execute(
            "EXPLAIN QUERY PLAN SELECT 1 FROM tool_action_requests"
            " WHERE workspace_id = 'w' AND interaction_id = 'm' LIMIT 1"
        ).fetchall()
        page = connection.execute(
            "EXPLAIN QUERY PLAN SELECT id FROM tool_action_requests"  # noqa: S608
            f" WHERE workspace_id = 'w' AND id > 'x' AND {PROJECTED} ORDER BY id LIMIT 100"
        ).fetchall()
    assert "idx_requests_interaction" in str(link[0][3])
    assert "idx_requests_projected" in str(page[0][3])
    assert not [row for row in page if "TEMP B-TREE" in str(row[3])]


def add_history(desk: ReviewDesk) -> None:
    """Closed requests of another session."""
    desk.rows.session("other")
    moment = format_timestamp(Nanoseconds(1_600_000_000_000_000_000))
    with raw(desk.place) as connection:
        connection.executemany(
            "INSERT INTO tool_invocations (id, owner, session_id, arguments_hash, created_at,"
            " updated_at) VALUES (?, 'agent', 'other', '', ?, ?)",
            ((f"i{number}", moment, moment) for number in range(HISTORY)),
        )
        connection.executemany(
            "INSERT INTO tool_action_requests (id, owner, invocation_id, session_id, status,"
            " interaction_id, canonical_arguments_hash, signed_arguments, created_at, updated_at)"
            " VALUES (?, 'agent', ?, 'other', 'executed', ?, '', '{}', ?, ?)",
            ((f"r{n}", f"i{n}", f"m{n}", moment, moment) for n in range(HISTORY)),
        )


def plan_of(place: Path, recorder: Recorder) -> list[str]:
    connection = sqlite3.connect(place)
    found: list[str] = []
    for sql, params in recorder.statements:
        plan = connection.execute(f"EXPLAIN QUERY PLAN {sql}", dict(params))
        found += [str(row[3]) for row in plan]
    connection.close()
    return found
