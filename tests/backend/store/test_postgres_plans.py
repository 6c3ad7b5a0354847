"""How a real server runs the statements on the way of an answer (P2; K8.6 75-78).

A plan is asked for with the parameters as the driver sends them, and for any value, to which the
server changes after a few runs; with and without statistics; on a new store and on an older one.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass

import pytest

from backend.clock import Nanoseconds
from backend.domain.clarification import Answered, Delivery, Withdrawn
from backend.ids import ClaimId, PendingId
from backend.store import bundles, intents, messages, open_bundles, withdrawals
from backend.store.database import Transaction
from backend.store.postgres import PostgresDatabase
from tests.helpers.builders import make_answer
from tests.helpers.clock import FakeClock
from tests.helpers.place import raw
from tests.helpers.plans import Access, Recorder, accesses
from tests.helpers.postgres import PostgresServer
from tests.helpers.store import RowMaker, lock_and_claim, make_claim

MESSAGES = "task_session_messages"
ORDERED = "idx_messages_metadata_pending_id_lookup_ordered"
OLDER = ("idx_messages_metadata_pending_id", "idx_messages_metadata_pending_id_lookup")
COMPETING = ("idx_messages_delivery_intent",)
CLAIM = ClaimId("claim-1")
NOW = Nanoseconds(9_000)
BOTH = Answered((make_answer("q1", "q1_opt1"), make_answer("q2", "q2_opt1")))
HISTORY = """
INSERT INTO {table} (id, task_session_id, turn_id, content, type, metadata, created_at, updated_at)
SELECT 'other-' || n, 's-' || n % 200, 't-' || n % 200, '',
 CASE WHEN n < 2000 THEN 'clarification_request' WHEN n % 5 = 0 THEN 'tool_call'
  WHEN n % 5 = 1 THEN 'permission_request' WHEN n % 5 = 2 THEN 'thinking' ELSE 'message' END,
 CASE WHEN n < 2000 THEN '{{"pending_id":"' || md5('q' || n) || '","status":"pending"}}'
  WHEN n % 5 = 0 THEN '{{"tool_call_id":"call-' || n || '"}}'
  WHEN n % 5 = 1 THEN '{{"pending_id":"' || md5('p' || n) || '","status":"approved"}}'
  ELSE '{{}}' END,
 '2026-01-01T00:00:00.' || lpad(n::text, 9, '0') || 'Z', '2026-01-01T00:00:00.000000000Z'
FROM generate_series(0, 22999) n
"""


@dataclass(frozen=True)
class Big:
    """A store with 23,000 rows of others, 2,000 of them open questions, and free ids for tests."""

    url: str
    pending: Iterator[str]

    def new_question(self) -> PendingId:
        pending = next(self.pending)
        rows = RowMaker(self.url)
        rows.session(f"s-{pending}")
        rows.turn(f"t-{pending}", f"s-{pending}")
        for number in (1, 2):
            rows.question(
                pending,
                turn=f"t-{pending}",
                session=f"s-{pending}",
                question_id=f"q{number}",
                question_index=number - 1,
            )
        return PendingId(pending)


def fill(url: str) -> None:
    rows = RowMaker(url)
    for number in range(200):
        rows.session(f"s-{number}")
        rows.turn(f"t-{number}", f"s-{number}")
    with raw(url) as connection:
        connection.execute(HISTORY.format(table=MESSAGES))


def converge(url: str) -> None:
    async def open_and_close() -> None:
        database = await PostgresDatabase.open(url, FakeClock(), allow_migration=True)
        await database.close()

    asyncio.run(open_and_close())


def contents(url: str) -> list[tuple[object, ...]]:
    with raw(url) as connection:
        found = connection.execute(f"SELECT *, ctid FROM {MESSAGES} ORDER BY id")  # noqa: S608
        return [tuple(row) for row in found.fetchall()]


def definitions(url: str) -> dict[str, str]:
    with raw(url) as connection:
        found = connection.execute("SELECT indexname, indexdef FROM pg_indexes").fetchall()
    return {row[0]: row[1] for row in found}


@pytest.fixture(scope="module", params=["new", "with statistics", "upgraded"])
def big(request: pytest.FixtureRequest, postgres: PostgresServer) -> Iterator[Big]:
    with postgres.database() as url:
        converge(url)
        with raw(url) as connection:
            connection.execute(f"ALTER TABLE {MESSAGES} SET (autovacuum_enabled = off)")
            if request.param == "upgraded":
                connection.execute(f"DROP INDEX {ORDERED}")
        fill(url)
        if request.param == "upgraded":
            before = contents(url)
            converge(url)
            assert contents(url) == before
        if request.param == "with statistics":
            with raw(url) as connection:
                connection.execute("ANALYZE")
        yield Big(url, (f"p{number}" for number in range(1_000)))


Call = Callable[[Transaction, PendingId], Awaitable[object]]


async def plan_of(big: Big, call: Call, *, claimed: bool, generic: bool) -> list[Access]:
    """Every read of messages by what `call` runs; each of them by an index, or this fails."""
    pending = big.new_question()
    database = await PostgresDatabase.open(big.url, FakeClock(), allow_migration=False)
    try:
        if claimed:
            async with database.writing() as tx:
                assert await lock_and_claim(tx, make_claim(pending, BOTH))
        async with database.writing() as tx:
            recorder = Recorder(tx)
            assert await call(recorder, pending)
    finally:
        await database.close()
    found = [
        access
        for sql, params in recorder.statements
        for access in accesses(big.url, sql, params, generic=generic, without=COMPETING)
        if access.table == MESSAGES
    ]
    assert found
    assert not [access for access in found if not access.condition], "read whole"
    return found


def by_pending_id(found: list[Access]) -> set[str]:
    return {access.by for access in found if "'pending_id'" in access.condition}


CALLS: dict[str, tuple[Call, bool]] = {
    "lookup": (messages.bundle_messages, False),
    "read": (bundles.load_bundle, False),
    "is open": (open_bundles.is_open, False),
    "claim": (lambda tx, pending: lock_and_claim(tx, make_claim(pending, BOTH)), False),
    "finalize": (lambda tx, p: intents.finalize(tx, p, CLAIM, Delivery.DELIVERED, NOW), True),
    "restore": (lambda tx, pending: intents.restore(tx, pending, CLAIM, NOW), True),
    "detach": (lambda tx, pending: withdrawals.detach(tx, pending, NOW), False),
    "expire": (lambda tx, pending: withdrawals.expire(tx, pending, NOW), False),
    "withdraw": (
        lambda tx, pending: withdrawals.withdraw(tx, pending, Withdrawn.BY_HUMAN, NOW),
        False,
    ),
}


@pytest.mark.parametrize("generic", [False, True], ids=["as sent", "for any value"])
@pytest.mark.parametrize("name", list(CALLS))
async def test_every_statement_on_the_way_of_an_answer_finds_its_rows_by_the_ordered_index(
    big: Big, name: str, *, generic: bool
) -> None:
    """K8.6 75-78, RR.5: lookup, claim with its guard, reload, finalize and restore."""
    call, claimed = CALLS[name]
    found = await plan_of(big, call, claimed=claimed, generic=generic)
    assert by_pending_id(found) == {ORDERED}
    others = {access.by for access in found if "'pending_id'" not in access.condition}
    assert not {index for index in others if "pending_id" in index or "clarification" in index} - {
        "idx_messages_clarification_open"
    }


async def test_the_guard_of_the_claim_searches_once_for_each_row(big: Big) -> None:
    """K8.6 78: the exact statement, its NOT EXISTS included."""
    found = await plan_of(big, CALLS["claim"][0], claimed=False, generic=False)
    assert [access.by for access in found].count(ORDERED) >= 4


def test_replaying_the_definitions_changes_nothing(big: Big) -> None:
    """K8.6 75, 78: old indexes are kept, the new one is there, twice is once."""
    before = definitions(big.url), contents(big.url)
    converge(big.url)
    assert (definitions(big.url), contents(big.url)) == before
    assert {ORDERED, *OLDER} <= before[0].keys()
    assert before[0][ORDERED].endswith(
        "USING btree ((((metadata)::jsonb ->> 'pending_id'::text)), created_at, id)"
        " WHERE (((metadata)::jsonb ->> 'pending_id'::text) IS NOT NULL)"
    )
