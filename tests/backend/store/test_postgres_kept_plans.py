"""Plans that a connection keeps from the time when the store was small (P2)."""

import uuid

import pytest

from backend.clock import SystemClock
from backend.domain.clarification import Answered
from backend.ids import PendingId
from tests.helpers.builders import make_answer, make_draft, make_guest, make_question
from tests.helpers.desk import HUMAN, TestDesk, new_token, open_desk
from tests.helpers.place import raw
from tests.helpers.store import ask

YES = Answered((make_answer("q1", "q1_opt1"),))
HISTORY = 3_000
FIRST, THEN = 12, 10
"""A plan for any value is made at the sixth run at the latest."""


@pytest.fixture
def place(postgres_store_url: str) -> str:
    return postgres_store_url


async def ask_and_answer(desk: TestDesk, count: int, folder: str = "/projects/one") -> None:
    for _ in range(count):
        guest = make_guest(str(uuid.uuid4()), folder=folder)
        draft = make_draft(make_question(prompt=str(uuid.uuid4())))
        pending = (await ask(desk.database, SystemClock(), draft, guest=guest)).pending_id
        await answer(desk, pending)


async def answer(desk: TestDesk, pending: PendingId) -> None:
    outcome = await desk.desk.respond(pending, YES, client_id=HUMAN, claim_token=new_token())
    assert outcome.claimed


def rows_read(url: str) -> int:
    """Rows of all tables that were read by any plan, as the server has counted them."""
    with raw(url) as connection:
        found = connection.execute(
            "SELECT sum(coalesce(t.seq_tup_read, 0) + coalesce(i.read, 0)) FROM"
            " pg_stat_user_tables t LEFT JOIN (SELECT relid, sum(idx_tup_read) AS read"
            " FROM pg_stat_user_indexes GROUP BY relid) i ON i.relid = t.relid"
        ).fetchone()
    return int(found[0])


MESSAGES = """
INSERT INTO task_session_messages (id, task_session_id, turn_id, author_type, content, type,
 metadata, created_at, updated_at)
SELECT 'h' || n, m.task_session_id, m.turn_id, 'agent', '', m.type,
 replace(m.metadata, m.metadata::jsonb->>'pending_id', 'p' || n), m.created_at, m.updated_at
FROM generate_series(1, ?) n, (SELECT * FROM task_session_messages ORDER BY created_at LIMIT 1) m
"""
DELIVERIES = """
INSERT INTO interaction_deliveries (pending_id, session_id, state, outcome, question_digest,
 opened_at, claimed_at, updated_at)
SELECT 'p' || n, d.session_id, d.state, d.outcome, 'digest ' || n, d.opened_at, d.claimed_at,
 d.updated_at
FROM generate_series(1, ?) n, (SELECT * FROM interaction_deliveries ORDER BY opened_at LIMIT 1) d
"""


def grow(url: str) -> None:
    """Far more in the session of the first question, and no statistics of it."""
    with raw(url) as connection:
        connection.execute(MESSAGES, (HISTORY,))
        connection.execute(DELIVERIES, (HISTORY,))


async def rows_read_by(place: str, *, history: bool) -> int:
    """Of a desk that asks and answers, between which the store may grow."""
    before = rows_read(place)
    async with open_desk(place, SystemClock()) as desk:
        await ask_and_answer(desk, 1, "/projects/history")
        await ask_and_answer(desk, FIRST)
        if history:
            grow(place)
        await ask_and_answer(desk, THEN)
    return rows_read(place) - before


async def test_an_answer_reads_no_more_rows_in_a_store_that_has_grown_since(place: str) -> None:
    small = await rows_read_by(place, history=False)
    # Growing reads its rows once or twice, to see that they are new.
    grown = await rows_read_by(place, history=True)
    assert grown < 2 * small + 3 * HISTORY
