"""What would happen if two programs had one database: claims still exclude each other (K2.7)."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from backend.clock import Deadline, SystemClock
from backend.domain.clarification import Answered
from backend.store import turns
from backend.store.locks import lock_sessions
from backend.store.postgres import PostgresDatabase
from tests.helpers.builders import make_answer
from tests.helpers.clock import FakeClock
from tests.helpers.place import raw
from tests.helpers.store import SKIP, RowMaker, ask, claim, make_claim, metadata_of
from tests.helpers.waiting import until

ROUNDS = 25
NO = Answered((make_answer("q1", "q1_opt2"),))


@pytest.fixture
def place(postgres_url: str) -> str:
    return postgres_url


@pytest.fixture
async def other(database: PostgresDatabase, place: str) -> AsyncIterator[PostgresDatabase]:
    """A second program on the database of the first."""
    opened = await PostgresDatabase.open(place, FakeClock(), allow_migration=False)
    yield opened
    await opened.close()


async def test_of_two_claims_at_once_exactly_one_wins(
    database: PostgresDatabase, other: PostgresDatabase, clock: FakeClock, place: str
) -> None:
    for number in range(ROUNDS):
        asked = await ask(database, clock)
        outcomes = await asyncio.gather(
            claim(database, make_claim(asked.pending_id, NO, claim_id="first")),
            claim(other, make_claim(asked.pending_id, SKIP, claim_id="second")),
        )
        assert sorted(outcomes) == [False, True]
        (metadata,) = metadata_of(place, asked.pending_id)
        won = ("answered", "first") if outcomes[0] else ("rejected", "second")
        assert (metadata["status"], metadata["kandesk"]["claim_id"]) == won, number  # type: ignore[index]


async def test_bundles_that_span_sessions_are_locked_in_one_order(
    database: PostgresDatabase, other: PostgresDatabase, place: str
) -> None:
    """A malformed bundle names several sessions; two transactions must not wait for each other."""
    rows = RowMaker(place)
    for name in ("s1", "s2"):
        rows.session(name)
        rows.turn(f"turn of {name}", name)
    for pending, order in (("p1", ("s1", "s2")), ("p2", ("s2", "s1"))):
        for session in order:
            rows.question(pending, session=session, turn=f"turn of {session}")
    for _ in range(ROUNDS):
        outcomes = await asyncio.gather(
            claim(database, make_claim("p1")),  # type: ignore[arg-type]
            claim(other, make_claim("p2")),  # type: ignore[arg-type]
        )
        assert not any(outcomes)


async def test_a_new_turn_waits_for_the_claim_and_a_claim_for_the_new_turn(
    database: PostgresDatabase, other: PostgresDatabase, place: str, clock: FakeClock
) -> None:
    asked = await ask(database, clock)

    async def supersede() -> None:
        async with other.writing(Deadline(SystemClock(), 20.0)) as tx:
            await turns.open_turn(tx, asked.session_id, asked.task_id, clock.now())

    def waits() -> bool:
        with raw(place) as connection:
            found = connection.execute("SELECT 1 FROM pg_locks WHERE NOT granted")
            return found.fetchone() is not None

    async with database.writing() as tx:
        await lock_sessions(tx, [asked.session_id])
        newer = asyncio.create_task(supersede())
        await until(waits)
        assert not newer.done()
    await newer
    assert not await claim(database, make_claim(asked.pending_id))
