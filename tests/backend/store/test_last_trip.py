"""Work and its COMMIT in one trip to the connection's thread: all of it is durable, or nothing."""

import asyncio
import threading

import pytest

from backend.clock import Deadline
from backend.errors import TemporarilyUnavailable
from backend.store import settings
from backend.store.database import Database, Transaction
from backend.store.transaction import StoreTransaction
from tests.helpers.clock import FakeClock
from tests.helpers.transactions import value


async def put(tx: Transaction) -> str:
    await settings.put(tx, "k", "v")
    tx.hint("w1")
    return "put"


async def test_it_is_durable_when_the_trip_is_over(database: Database) -> None:
    heard: list[str] = []
    database.hints.subscribe(heard.append)
    async with database.writing() as tx:
        assert await tx.in_place(put, last=True) == "put"
        assert await value(database) == "v"
        with pytest.raises(RuntimeError, match="after its end"):
            await settings.put(tx, "k", "later")
    assert await value(database) == "v"
    assert heard == ["w1"]


async def test_what_fails_in_it_leaves_nothing(database: Database) -> None:
    async def fails(tx: Transaction) -> None:
        await put(tx)
        raise LookupError

    with pytest.raises(LookupError):
        async with database.writing() as tx:
            await tx.in_place(fails, last=True)
    assert await value(database) is None
    async with database.writing() as tx:
        await settings.put(tx, "k", "next")
    assert await value(database) == "next"


@pytest.mark.parametrize("last", [True, False])
async def test_what_is_checked_before_the_commit_can_prevent_it(
    database: Database, *, last: bool
) -> None:
    threads: list[str] = []

    def refuse() -> None:
        threads.append(threading.current_thread().name)
        raise LookupError

    async def write() -> None:
        async with database.writing() as tx:
            tx.before_commit(refuse)
            await tx.in_place(put, last=last)

    with pytest.raises(LookupError):
        await write()
    assert await value(database) is None
    assert (threads == [threading.current_thread().name]) is not last


async def test_a_deadline_that_passes_during_the_work_prevents_the_commit(
    database: Database, clock: FakeClock
) -> None:
    begun, go_on = threading.Event(), threading.Event()

    async def slow(tx: Transaction) -> None:
        await put(tx)
        begun.set()
        go_on.wait(5)

    async def write() -> None:
        async with database.writing(Deadline(clock, 5.0)) as tx:
            await tx.in_place(slow, last=True)

    writing = asyncio.create_task(write())
    await asyncio.to_thread(begun.wait, 5)
    await clock.advance(5.1)
    go_on.set()
    with pytest.raises(TemporarilyUnavailable):
        await writing
    assert await value(database) is None


async def test_a_commit_that_has_started_is_not_stopped_by_the_deadline(
    database: Database, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its result, where it is known soon after, decides."""
    begun, go_on = threading.Event(), threading.Event()
    real = StoreTransaction._start_commit

    def slow(tx: StoreTransaction) -> None:
        real(tx)
        begun.set()
        go_on.wait(5)

    monkeypatch.setattr(StoreTransaction, "_start_commit", slow)

    async def write() -> None:
        async with database.writing(Deadline(clock, 5.0)) as tx:
            await tx.in_place(put, last=True)

    writing = asyncio.create_task(write())
    await asyncio.to_thread(begun.wait, 5)
    await clock.advance(5.1)
    go_on.set()
    await writing
    assert await value(database) == "v"


async def test_a_caller_that_leaves_before_the_commit_leaves_nothing(database: Database) -> None:
    begun, go_on = threading.Event(), threading.Event()

    async def slow(tx: Transaction) -> None:
        await put(tx)
        begun.set()
        go_on.wait(5)

    async def write() -> None:
        async with database.writing() as tx:
            await tx.in_place(slow, last=True)

    writing = asyncio.create_task(write())
    await asyncio.to_thread(begun.wait, 5)
    writing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await writing
    go_on.set()
    async with database.writing() as tx:
        assert await settings.get(tx, "k") is None


async def test_a_transaction_that_does_nothing_is_one_all_the_same(database: Database) -> None:
    async with database.writing():
        pass
    async with database.writing() as tx:
        await settings.put(tx, "k", "v")
    assert await value(database) == "v"
