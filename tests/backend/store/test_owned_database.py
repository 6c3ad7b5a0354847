"""Writes of a desk that may have lost its store: admitted, fenced, or never made."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from backend.clock import Deadline
from backend.errors import ErrorCode, StorageFailed, TemporarilyUnavailable
from backend.store import settings
from backend.store.counted_database import CountedDatabase
from backend.store.database import Database, Statement
from backend.store.epoch import DESK_EPOCH, begin_epoch, is_current, next_epoch
from backend.store.owned_database import OwnedDatabase
from backend.store.postgres_owner import PostgresOwner
from backend.store.sqlite import SqliteDatabase
from backend.store.store_location import DatabaseServer
from backend.store.write_gate import Term, WriteGate
from tests.helpers.clock import FakeClock, settle
from tests.helpers.place import open_store
from tests.helpers.postgres_faults import kill_lock
from tests.helpers.waiting import until


class Desk:
    """One owner of a database, as far as writing goes; `term` ends when its lock is lost."""

    def __init__(self, raw: Database) -> None:
        self.raw = raw
        self.gate = WriteGate()
        self.term = Term()
        self.database = OwnedDatabase(raw, self.gate)
        self.recovery = OwnedDatabase(raw, self.gate, recovering=True)

    async def begin(self, deadline: Deadline | None = None) -> None:
        async with self.raw.writing(deadline) as tx:
            self.term.epoch = await begin_epoch(tx)
        self.gate.enter(self.term)
        self.term.recovered = True

    async def write(self, value: str) -> None:
        async with self.database.writing() as tx:
            await settings.put(tx, "value", value)

    async def value(self) -> str | None:
        async with self.database.reading() as tx:
            return await settings.get(tx, "value")


@asynccontextmanager
async def desk_on(url: str, clock: FakeClock) -> AsyncIterator[Desk]:
    raw = await open_store(url, clock)
    try:
        yield Desk(raw)
    finally:
        await raw.close()


@pytest.fixture
async def desk(postgres_url: str, clock: FakeClock) -> AsyncIterator[Desk]:
    async with desk_on(postgres_url, clock) as opened:
        yield opened


async def refused(desk: Desk) -> str:
    with pytest.raises(TemporarilyUnavailable) as caught:
        await desk.write("never")
    assert caught.value.code is ErrorCode.TEMPORARILY_UNAVAILABLE
    return caught.value.detail


async def test_a_desk_that_lost_its_lock_unnoticed_cannot_write_after_another_took_over(
    desk: Desk, postgres_url: str, clock: FakeClock
) -> None:
    """architecture.md, The store: nothing is written until the lock is back."""
    server = DatabaseServer(postgres_url)
    unheard: list[str] = []
    first = await PostgresOwner.acquire(server, kind="serve", on_lost=unheard.append)
    await desk.begin()
    await desk.write("from the first")
    kill_lock(postgres_url)
    second = await PostgresOwner.acquire(server, kind="serve", on_lost=unheard.append)
    try:
        await desk.write("nobody else owns it yet")
        async with desk_on(postgres_url, clock) as other:
            await other.begin()
            assert not desk.term.over.is_set()
            assert "another desk has taken over" in await refused(desk)
            assert desk.term.over.is_set()
            assert await other.value() == "nobody else owns it yet"
            await other.write("from the second")
            assert "another desk has taken over" in await refused(desk)
            assert await desk.value() == "from the second"
    finally:
        await first.release()
        await second.release()


async def test_another_desk_begins_only_after_a_write_under_way_has_ended(
    desk: Desk, postgres_url: str, clock: FakeClock
) -> None:
    """What recovery of the second reads, the first cannot change any more."""
    await desk.begin()
    async with desk_on(postgres_url, clock) as other:
        async with desk.database.writing() as tx:
            await settings.put(tx, "value", "under way")
            taking = asyncio.ensure_future(other.begin())
            await asyncio.sleep(0.2)
            assert not taking.done()
        await taking
        assert await other.value() == "under way"
        await refused(desk)


async def test_a_write_that_looked_before_the_other_began_and_is_slow_still_counts_first(
    desk: Desk, postgres_url: str, clock: FakeClock
) -> None:
    await desk.begin()
    order: list[str] = []

    async def slow() -> None:
        async with desk.database.writing() as tx:
            await settings.put(tx, "value", "slow")
            await asyncio.sleep(0.2)
            order.append("first")

    async with desk_on(postgres_url, clock) as other:
        writing = asyncio.ensure_future(slow())
        await asyncio.sleep(0.1)
        await other.begin()
        order.append("second")
        await writing
    assert order == ["first", "second"]


async def test_from_the_moment_of_the_loss_no_write_begins_goes_on_or_is_committed(
    desk: Desk,
) -> None:
    """architecture.md, The store: admission stops at once, open work fails as retryable."""
    await desk.begin()
    await desk.write("before")

    async def lose_it() -> None:
        async with desk.database.writing() as tx:
            await settings.put(tx, "value", "uncommitted")
            desk.term.end("the cable was cut")

    with pytest.raises(TemporarilyUnavailable, match="cable"):
        await lose_it()
    assert await desk.value() == "before"
    assert "cable" in await refused(desk)


async def test_a_running_transaction_fails_at_its_next_statement(desk: Desk) -> None:
    await desk.begin()
    refusals: list[object] = []

    async def lose_it() -> None:
        async with desk.database.writing() as tx:
            desk.term.end("the cable was cut")
            statements = (
                tx.fetch_all("SELECT 1"),
                tx.fetch_one("SELECT 1"),
                tx.execute("SELECT 1"),
                tx.execute_each([Statement("SELECT 1", {})]),
            )
            refusals.extend(await asyncio.gather(*statements, return_exceptions=True))

    with pytest.raises(TemporarilyUnavailable, match="cable"):
        await lose_it()
    assert [type(refusal) for refusal in refusals] == [TemporarilyUnavailable] * 4


async def test_reading_goes_on_while_the_store_is_away(desk: Desk) -> None:
    await desk.begin()
    await desk.write("kept")
    desk.term.end("away")
    assert await desk.value() == "kept"


async def test_nobody_but_recovery_writes_before_recovery_has_run(desk: Desk) -> None:
    """architecture.md, The store: nothing is written until recovery has run."""
    assert "not ready" in await refused(desk)
    await desk.begin()
    desk.term.recovered = False
    assert "not ready" in await refused(desk)
    async with desk.recovery.writing() as tx:
        await settings.put(tx, "value", "recovered")
    desk.term.recovered = True
    await desk.write("and now everybody")


async def test_a_term_that_ended_while_others_waited_for_the_writer_ends_them_all(
    desk: Desk,
) -> None:
    await desk.begin()
    async with desk.raw.writing():
        waiting = [asyncio.ensure_future(desk.write(str(number))) for number in range(5)]
        await settle()
        desk.term.end("away")
    outcomes = await asyncio.gather(*waiting, return_exceptions=True)
    assert all(isinstance(outcome, TemporarilyUnavailable) for outcome in outcomes)
    assert await desk.value() is None


@pytest.mark.parametrize("stored", [-1, -5])
async def test_an_epoch_that_is_no_count_of_starts_stops_the_start_and_is_named(
    database: Database, stored: int
) -> None:
    """K2.6."""
    async with database.writing() as tx:
        await tx.execute(
            "INSERT INTO sequences (name, value) VALUES (:name, :value)",
            {"name": DESK_EPOCH, "value": stored},
        )
    for read in (begin_epoch, next_epoch):
        with pytest.raises(StorageFailed, match=DESK_EPOCH) as caught:
            async with database.writing() as tx:
                await read(tx)
        assert caught.value.code is ErrorCode.STORE_INVALID_ROW
        assert caught.value.params["row"] == DESK_EPOCH


async def test_every_start_has_the_next_number_and_only_the_last_is_current(
    database: Database,
) -> None:
    """K2.6; both dialects."""
    for wanted in (1, 2, 3):
        async with database.writing() as tx:
            assert await next_epoch(tx) == wanted
            assert await begin_epoch(tx) == wanted
            assert await is_current(tx, wanted)
            assert not await is_current(tx, wanted - 1)


def _always() -> None:
    """Nobody takes the store away."""


async def test_the_embedded_store_counts_a_start_with_its_first_write(
    path: Path, clock: FakeClock
) -> None:
    raw = await SqliteDatabase.open(path, clock)
    try:
        counted = CountedDatabase(raw, _always)
        assert await _stored_epoch(raw) is None
        with pytest.raises(LookupError):
            async with counted.writing():
                raise LookupError
        assert await _stored_epoch(raw) is None

        async def write() -> None:
            async with counted.writing() as tx:
                await settings.put(tx, "value", "x")

        await asyncio.gather(*(write() for _ in range(5)))
        assert await _stored_epoch(raw) == 1
        async with CountedDatabase(raw, _always).writing():
            pass
        assert await _stored_epoch(raw) == 2
    finally:
        await raw.close()


async def _stored_epoch(database: Database) -> object:
    async with database.reading() as tx:
        row = await tx.fetch_one(
            "SELECT value FROM sequences WHERE name = :name", {"name": DESK_EPOCH}
        )
    return None if row is None else row["value"]


async def test_a_loss_is_noticed_by_whoever_waits_for_it(desk: Desk, postgres_url: str) -> None:
    owner = await PostgresOwner.acquire(
        DatabaseServer(postgres_url), kind="serve", on_lost=desk.term.end
    )
    await desk.begin()
    kill_lock(postgres_url)
    await until(desk.term.over.is_set, seconds=1)
    assert "administrator" in await refused(desk)
    await owner.release()
