"""Transactions on both dialects."""

import asyncio
import sqlite3

import psycopg
import pytest

from backend.clock import Deadline, Nanoseconds
from backend.errors import ErrorCode, StorageFailed, TemporarilyUnavailable
from backend.store import settings
from backend.store.database import Database, Priority
from tests.helpers.clock import FakeClock, settle
from tests.helpers.place import Place, open_store, raw
from tests.helpers.transactions import FOR_EVER, put_within, value


async def test_a_normal_exit_commits_and_an_error_rolls_back(database: Database) -> None:
    async with database.writing() as tx:
        await settings.put(tx, "k", "kept")

    async def fail() -> None:
        async with database.writing() as tx:
            await settings.put(tx, "k", "lost")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await fail()
    assert await value(database) == "kept"


async def test_a_reader_sees_one_snapshot_and_never_the_open_write(
    database: Database,
) -> None:
    async with database.reading() as reader:
        assert await settings.get(reader, "k") is None
        async with database.writing() as tx:
            await settings.put(tx, "k", "new")
        assert await settings.get(reader, "k") is None
    assert await value(database) == "new"


async def test_a_reader_cannot_write(database: Database) -> None:
    with pytest.raises(StorageFailed) as caught:
        async with database.reading() as tx:
            await settings.put(tx, "k", "v")
    assert caught.value.code is ErrorCode.STORE_READ_ONLY


async def test_nothing_is_committed_after_the_deadline(
    database: Database, clock: FakeClock
) -> None:
    async def outlive() -> None:
        async with database.writing(Deadline(clock, 5.0)) as tx:
            await settings.put(tx, "k", "lost")
            await clock.advance(5.0)

    with pytest.raises(TemporarilyUnavailable):
        await outlive()
    assert await value(database) is None


async def test_a_failed_statement_spoils_the_transaction_even_when_its_error_is_caught(
    database: Database,
) -> None:
    async def leave_a_step_behind() -> None:
        async with database.writing() as tx:
            await settings.put(tx, "k", "lost")
            step = asyncio.create_task(tx.fetch_all(FOR_EVER))
            await settle(3)
            step.cancel()
            await asyncio.gather(step, return_exceptions=True)

    with pytest.raises(TemporarilyUnavailable):
        await leave_a_step_behind()
    assert await value(database) is None


@pytest.mark.parametrize("statement", [FOR_EVER, "SELECT 1"])
async def test_a_cancelled_transaction_is_rolled_back_and_the_writer_goes_on(
    database: Database, statement: str
) -> None:
    reached = asyncio.Event()

    async def work() -> None:
        async with database.writing() as tx:
            await settings.put(tx, "k", "lost")
            reached.set()
            await tx.fetch_all(statement)
            await asyncio.Event().wait()

    task = asyncio.create_task(work())
    await reached.wait()
    await settle(3)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    async with database.writing() as tx:
        assert await settings.get(tx, "k") is None
        await settings.put(tx, "k", "next")
    assert await value(database) == "next"


async def test_cancelling_at_any_await_leaves_the_store_usable(database: Database) -> None:
    async def work(number: int) -> None:
        async with database.writing() as tx:
            await settings.put(tx, f"a{number}", "1")
            await settings.put(tx, f"b{number}", "1")

    for turns in range(40):
        task = asyncio.create_task(work(turns))
        await settle(turns)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    async with database.writing() as tx:
        rows = await tx.fetch_all("SELECT key FROM settings")
    found = {str(row["key"]) for row in rows}
    assert {f"b{key[1:]}" for key in found if key[0] == "a"} == {
        key for key in found if key[0] == "b"
    }


async def test_what_is_claimed_is_settled_first_and_claims_jump_the_queue(
    database: Database,
) -> None:
    order: list[str] = []

    async def write(name: str, priority: Priority) -> None:
        async with database.writing(priority=priority):
            order.append(name)

    async with database.writing():
        waiting = [
            asyncio.create_task(write("bulk", Priority.BULK)),
            asyncio.create_task(write("first", Priority.NORMAL)),
            asyncio.create_task(write("second", Priority.NORMAL)),
            asyncio.create_task(write("claim", Priority.CLAIM)),
            asyncio.create_task(write("settle", Priority.SETTLE)),
        ]
        await settle()
    await asyncio.gather(*waiting)
    assert order == ["settle", "claim", "first", "second", "bulk"]


async def test_waiting_for_the_writer_ends_at_the_deadline(
    database: Database, clock: FakeClock
) -> None:
    async with database.writing():
        task = asyncio.create_task(put_within(database, clock, 5.0))
        await settle()
        await clock.advance(5.0)
        with pytest.raises(TemporarilyUnavailable):
            await task
    await put_within(database, clock, 5.0)
    assert clock.pending_timers == 0


async def test_a_waiter_cancelled_as_its_turn_comes_passes_the_turn_on(
    database: Database, clock: FakeClock
) -> None:
    async with database.writing():
        first = asyncio.create_task(put_within(database, clock, 5.0))
        second = asyncio.create_task(put_within(database, clock, 5.0))
        await settle()
    first.cancel()
    await asyncio.gather(first, return_exceptions=True)
    await asyncio.wait_for(second, 30)
    assert await value(database) == "v"


async def test_a_bug_in_a_statement_is_not_an_expected_failure(database: Database) -> None:
    with pytest.raises((sqlite3.OperationalError, psycopg.errors.UndefinedTable)):
        async with database.reading() as tx:
            await tx.fetch_all("SELECT nothing FROM nowhere")


async def test_a_transaction_cannot_be_used_after_its_end_or_by_two_tasks(
    database: Database,
) -> None:
    async with database.reading() as tx:
        first = asyncio.create_task(tx.fetch_all("SELECT 1"))
        await asyncio.sleep(0)
        with pytest.raises(RuntimeError):
            await tx.fetch_all("SELECT 2")
        await first
    with pytest.raises(RuntimeError):
        await tx.fetch_all("SELECT 3")


async def test_closing_refuses_new_work_and_lets_the_running_end(
    place: Place, clock: FakeClock
) -> None:
    database = await open_store(place, clock)
    async with database.writing() as tx:
        waiting = asyncio.create_task(put_within(database, clock, 5.0))
        await settle()
        closing = asyncio.create_task(database.close())
        await settle()
        with pytest.raises(TemporarilyUnavailable):
            async with database.reading():
                pass
        await settings.put(tx, "last", "word")
    await closing
    with pytest.raises(TemporarilyUnavailable):
        await waiting
    with raw(place) as connection:
        found = connection.execute("SELECT value FROM settings WHERE key = 'last'").fetchall()
    assert [row["value"] for row in found] == ["word"]


async def test_an_expired_deadline_starts_nothing(database: Database, clock: FakeClock) -> None:
    late = Deadline(clock, 0.0)
    assert late.remaining() == 0.0
    with pytest.raises(TemporarilyUnavailable):
        async with database.reading(late) as tx:
            await settings.get(tx, "k")
    assert clock.now() > Nanoseconds(0)
