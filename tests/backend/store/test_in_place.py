"""Work on the connection's own thread, and statements that are run together."""

import asyncio
import threading

import pytest

from backend.clock import Deadline
from backend.errors import ErrorCode, TemporarilyUnavailable
from backend.store import settings
from backend.store.database import Database, Statement, Transaction
from backend.store.owned_database import OwnedDatabase
from backend.store.write_gate import Term, WriteGate
from tests.helpers.clock import FakeClock
from tests.helpers.transactions import value

PUT = "INSERT INTO settings (key, value) VALUES (:key, :value)"


def put(key: str, text: str = "v") -> Statement:
    return Statement(PUT, {"key": key, "value": text})


async def test_work_in_place_is_part_of_its_transaction(database: Database) -> None:
    threads: list[str] = []

    async def work(tx: Transaction) -> str | None:
        threads.append(threading.current_thread().name)
        await tx.execute(*put("k"))
        row = await tx.fetch_one("SELECT value FROM settings WHERE key = :key", {"key": "k"})
        return None if row is None else str(row["value"])

    async with database.writing() as tx:
        assert await tx.in_place(work) == "v"
        assert await settings.get(tx, "k") == "v"
    assert await value(database) == "v"
    assert threads != [threading.current_thread().name]


async def test_work_in_place_may_be_made_of_work_in_place(database: Database) -> None:
    async def inner(tx: Transaction) -> int:
        return await tx.execute(*put("k"))

    async def outer(tx: Transaction) -> int:
        return await tx.in_place(inner)

    async with database.writing() as tx:
        assert await tx.in_place(outer) == 1


async def test_work_in_place_that_fails_leaves_nothing(database: Database) -> None:
    async def work(tx: Transaction) -> None:
        await tx.execute(*put("k"))
        raise LookupError

    with pytest.raises(LookupError):
        async with database.writing() as tx:
            await tx.in_place(work)
    assert await value(database) is None


async def test_work_in_place_must_not_wait_for_the_loop(database: Database) -> None:
    async def work(tx: Transaction) -> None:
        await tx.execute(*put("k"))
        await asyncio.sleep(0)

    with pytest.raises(RuntimeError, match="awaits something else"):
        async with database.writing() as tx:
            await tx.in_place(work)
    assert await value(database) is None


async def test_a_deadline_stops_work_in_place_before_its_next_statement(
    database: Database, clock: FakeClock
) -> None:
    begun, go_on = threading.Event(), threading.Event()

    async def work(tx: Transaction) -> None:
        await tx.execute(*put("k"))
        begun.set()
        go_on.wait(10)
        await tx.execute(*put("other"))

    async def within_a_second() -> None:
        async with database.writing(Deadline(clock, 1.0)) as tx:
            await tx.in_place(work)

    running = asyncio.create_task(within_a_second())
    await asyncio.to_thread(begun.wait, 10)
    await clock.advance(1.5)
    go_on.set()
    with pytest.raises(TemporarilyUnavailable):
        await running
    assert await value(database) is None


async def test_work_in_place_is_fenced_statement_by_statement(database: Database) -> None:
    """architecture.md, The store: nothing is written once the lock is lost."""
    gate, term = WriteGate(), Term()
    async with database.writing() as tx:
        await tx.execute("INSERT INTO sequences (name, value) VALUES ('desk_epoch', 1)")
    term.epoch, term.recovered = 1, True
    gate.enter(term)

    async def work(tx: Transaction) -> None:
        await tx.execute(*put("k"))
        term.end("another desk has taken over")
        await tx.execute(*put("other"))

    with pytest.raises(TemporarilyUnavailable, match="another desk") as caught:
        async with OwnedDatabase(database, gate).writing() as tx:
            await tx.in_place(work)
    assert caught.value.code is ErrorCode.TEMPORARILY_UNAVAILABLE
    assert await value(database) is None


async def test_statements_run_together_tell_what_each_has_changed(database: Database) -> None:
    async with database.writing() as tx:
        changed = await tx.execute_each(
            [
                put("k", "first"),
                put("other"),
                Statement("UPDATE settings SET value = 'v' WHERE key IN ('k', 'other')", {}),
                Statement("DELETE FROM settings WHERE key = :key", {"key": "nothing"}),
            ]
        )
        assert list(changed) == [1, 1, 2, 0]
        assert list(await tx.execute_each([])) == []
    assert await value(database) == "v"


async def test_of_statements_run_together_all_are_kept_or_none(database: Database) -> None:
    async with database.writing() as tx:
        await settings.put(tx, "taken", "x")
    with pytest.raises(Exception, match=r"(?i)unique"):
        async with database.writing() as tx:
            await tx.execute_each([put("k"), put("taken"), put("other")])
    assert await value(database) is None
    # The connection is as good as before.
    async with database.writing() as tx:
        await tx.execute_each([put("k"), put("other")])
    assert await value(database) == "v"


async def test_statements_that_were_never_reached_can_be_run_later(database: Database) -> None:
    """PostgreSQL's driver takes what it often runs for known to the server, also if an earlier
    statement of the same trip has failed and the server never saw it.
    """
    remove = Statement("DELETE FROM settings WHERE key = :key", {"key": "k"})
    async with database.writing() as tx:
        await tx.execute_each([put("taken"), remove])
    for _ in range(10):
        with pytest.raises(Exception, match=r"(?i)unique"):
            async with database.writing() as tx:
                await tx.execute_each([put("taken"), remove])
    async with database.writing() as tx:
        assert list(await tx.execute_each([put("k"), remove])) == [1, 1]
