"""Deadlines, locks, lost connections and servers that go away, on PostgreSQL."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator

import pytest

from backend.clock import Deadline, SystemClock
from backend.errors import AppError, ErrorCode, TemporarilyUnavailable
from backend.store import postgres_connection, settings
from backend.store.postgres import PostgresDatabase
from tests.helpers.clock import FakeClock, settle
from tests.helpers.place import raw
from tests.helpers.postgres_faults import PrivateServer, private_server
from tests.helpers.transactions import FOR_EVER, put_within, value
from tests.helpers.waiting import eventually, until

SLEEP = "SELECT pg_sleep(60)"
SLOW_COMMIT = """
CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql
SET client_connection_check_interval = 0 AS $$
BEGIN PERFORM pg_sleep(0.7); RETURN NULL; END $$;
CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON settings
DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION slow()
"""
"""Ends by itself: without the setting the server may find its client gone while it sleeps."""


@pytest.fixture
def place(postgres_url: str) -> str:
    return postgres_url


@pytest.fixture
async def database(place: str, clock: FakeClock) -> AsyncIterator[PostgresDatabase]:
    opened = await PostgresDatabase.open(place, clock, allow_migration=False)
    yield opened
    await opened.close()


@pytest.fixture
def server() -> Iterator[PrivateServer]:
    with private_server() as started:
        yield started


def running(url: str, text: str) -> bool:
    """Whether the server is at work on a statement with `text`."""
    with raw(url) as connection:
        found = connection.execute(
            "SELECT 1 FROM pg_stat_activity WHERE state = 'active' AND pid <> pg_backend_pid()"
            " AND datname = current_database() AND position(? IN query) > 0",
            (text,),
        )
        return found.fetchone() is not None


def terminate(url: str) -> None:
    """End every session of the program, as an administrator would."""
    with raw(url) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE application_name = 'kandesk' AND datname = current_database()"
        )


async def run_within(database: PostgresDatabase, deadline: Deadline | None, sql: str) -> None:
    async with database.writing(deadline) as tx:
        await settings.put(tx, "k", "lost")
        await tx.fetch_all(sql)


@pytest.mark.parametrize("statement", [SLEEP, FOR_EVER])
async def test_a_deadline_cancels_the_statement_that_runs(
    database: PostgresDatabase, clock: FakeClock, place: str, statement: str
) -> None:
    """K8.6 30; clarification.md, Budgets."""
    task = asyncio.create_task(run_within(database, Deadline(clock, 5.0), statement))
    await until(lambda: running(place, statement))
    began = time.monotonic()
    await clock.advance(5.0)
    with pytest.raises(TemporarilyUnavailable):
        await asyncio.wait_for(task, 5)
    assert time.monotonic() - began < 1.0
    assert not running(place, statement)
    await put_within(database, clock, 5.0)
    assert await value(database) == "v"
    assert clock.pending_timers == 0


async def test_the_server_knows_the_deadline_too_and_forgets_it_with_the_transaction(
    database: PostgresDatabase, clock: FakeClock
) -> None:
    async with database.writing(Deadline(clock, 4.5)) as tx:
        row = await tx.fetch_one("SHOW statement_timeout")
    assert row is not None
    assert row["statement_timeout"] == "4500ms"
    async with database.writing() as tx:
        row = await tx.fetch_one("SHOW statement_timeout")
    assert row is not None
    assert row["statement_timeout"] == "0"


async def test_a_cancelled_caller_leaves_nothing_running(
    database: PostgresDatabase, place: str, clock: FakeClock
) -> None:
    task = asyncio.create_task(run_within(database, None, SLEEP))
    await until(lambda: running(place, SLEEP))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await until(lambda: not running(place, SLEEP))
    await put_within(database, clock, 5.0)
    assert await value(database) == "v"


async def test_a_statement_whose_cancel_is_lost_holds_no_lock_for_long(
    database: PostgresDatabase,
    place: str,
    clock: FakeClock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A busy server does not see by itself that the connection it works for is gone."""
    await put_within(database, clock, 5.0)
    monkeypatch.setattr(postgres_connection, "_cancel", lambda _: None)

    async def hold() -> None:
        async with database.writing() as tx:
            await settings.put(tx, "k", "never")
            await tx.fetch_all(FOR_EVER)

    task = asyncio.create_task(hold())
    await until(lambda: running(place, FOR_EVER))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    async with database.writing() as tx:
        await settings.put(tx, "k", "w")
    assert await value(database) == "w"


async def test_a_cancel_never_meets_the_next_transaction(database: PostgresDatabase) -> None:
    clock = SystemClock()
    for number in range(40):
        seconds = 0.02 + number / 4_000
        task = asyncio.create_task(
            run_within(database, Deadline(clock, 0.03), f"SELECT pg_sleep({seconds})")
        )
        await asyncio.gather(task, return_exceptions=True)
        async with database.writing() as tx:
            await tx.fetch_all("SELECT pg_sleep(0.01)")


async def make_commit_slow(database: PostgresDatabase) -> None:
    async with database.writing() as tx:
        for statement in SLOW_COMMIT.split(";\nCREATE CONSTRAINT"):
            prefix = "" if "FUNCTION slow() RETURNS" in statement else "CREATE CONSTRAINT"
            await tx.execute(prefix + statement)


async def test_a_commit_is_never_interrupted_and_its_result_within_the_grace_decides(
    database: PostgresDatabase, clock: FakeClock, place: str
) -> None:
    """clarification.md, Budgets: 2 s after the deadline."""
    await make_commit_slow(database)
    task = asyncio.create_task(put_within(database, clock, 5.0))
    await until(lambda: running(place, "COMMIT"))
    await clock.advance(6.9)
    assert not task.done()
    await task
    assert await value(database) == "v"


async def test_the_limit_of_the_statements_does_not_hold_for_the_commit(
    database: PostgresDatabase,
) -> None:
    await make_commit_slow(database)
    async with database.writing(Deadline(SystemClock(), 0.4)) as tx:
        await settings.put(tx, "k", "v")
    assert await value(database) == "v"


async def test_a_commit_without_a_result_is_not_waited_for_and_still_ends(
    database: PostgresDatabase, clock: FakeClock, place: str
) -> None:
    await make_commit_slow(database)
    task = asyncio.create_task(put_within(database, clock, 5.0))
    await until(lambda: running(place, "COMMIT"))
    await clock.advance(7.0)
    with pytest.raises(TemporarilyUnavailable):
        await task
    assert task.cancelling() == 0
    # The writer is free again once the COMMIT it was left with is over.
    async with database.writing() as tx:
        assert await settings.get(tx, "k") == "v"


async def test_a_commit_whose_answer_is_lost_is_not_known_to_have_happened(
    database: PostgresDatabase, clock: FakeClock, place: str
) -> None:
    """After COMMIT: a fresh connection tells what became of it."""
    await make_commit_slow(database)
    task = asyncio.create_task(put_within(database, clock, 5.0))
    await until(lambda: running(place, "COMMIT"))
    database.break_off()
    with pytest.raises(TemporarilyUnavailable):
        await task

    async def is_there() -> bool:
        return await value(database) == "v"

    await eventually(is_there)


@pytest.mark.parametrize(
    "lock",
    [
        "LOCK TABLE settings IN ACCESS EXCLUSIVE MODE",
        "SELECT * FROM settings WHERE key = 'k' FOR UPDATE",
    ],
)
async def test_a_lock_of_another_session_is_waited_for_until_the_deadline(
    database: PostgresDatabase, clock: FakeClock, place: str, lock: str
) -> None:
    """K5.6 2."""
    async with database.writing() as tx:
        await settings.put(tx, "k", "before")
    with raw(place) as other:
        other.execute(lock)
        task = asyncio.create_task(put_within(database, clock, 5.0))
        await until(lambda: running(place, "INSERT INTO settings"))
        await clock.advance(4.9)
        assert not task.done()
        await clock.advance(0.1)
        with pytest.raises(TemporarilyUnavailable):
            await asyncio.wait_for(task, 5)
        other.rollback()
    assert await value(database) == "before"
    await put_within(database, clock, 5.0)
    assert await value(database) == "v"


async def test_a_locked_table_without_a_deadline_is_busy(
    database: PostgresDatabase, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_connection, "LOCK_PATIENCE", 100)
    with raw(place) as other:
        other.execute("LOCK TABLE settings IN ACCESS EXCLUSIVE MODE")
        with pytest.raises(TemporarilyUnavailable) as caught:
            await run_within(database, None, "SELECT 1")
        other.rollback()
    assert caught.value.code is ErrorCode.STORE_BUSY


async def test_a_session_ended_by_an_administrator_fails_as_retryable_and_is_made_again(
    database: PostgresDatabase, clock: FakeClock, place: str
) -> None:
    task = asyncio.create_task(run_within(database, Deadline(clock, 5.0), SLEEP))
    await until(lambda: running(place, SLEEP))
    terminate(place)
    with pytest.raises(TemporarilyUnavailable) as caught:
        await asyncio.wait_for(task, 5)
    assert caught.value.code is ErrorCode.STORE_UNREACHABLE
    await put_within(database, clock, 5.0)
    assert await value(database) == "v"


async def test_idle_connections_that_broke_are_not_noticed_by_anybody(
    database: PostgresDatabase, clock: FakeClock, place: str
) -> None:
    terminate(place)
    await put_within(database, clock, 5.0)
    for _ in range(6):
        assert await value(database) == "v"


async def test_a_frozen_server_holds_up_no_caller_and_not_the_loop(server: PrivateServer) -> None:
    """architecture.md: the socket is closed 500 ms after the cancel."""
    clock = SystemClock()
    database = await PostgresDatabase.open(server.url, clock, allow_migration=False)
    begun = asyncio.create_task(run_within(database, Deadline(clock, 1.5), SLEEP))
    await until(lambda: running(server.url, SLEEP))
    server.freeze()
    gaps = asyncio.create_task(longest_gap())
    new = asyncio.create_task(read_within(database, clock, 1.0))
    began = time.monotonic()
    outcomes = await asyncio.gather(begun, new, return_exceptions=True)
    took = time.monotonic() - began
    # A connection that cannot be made is left behind in the same way.
    began = time.monotonic()
    again = await asyncio.gather(read_within(database, clock, 1.0), return_exceptions=True)
    again_took = time.monotonic() - began
    server.thaw()
    gaps.cancel()
    assert [type(outcome) for outcome in (*outcomes, *again)] == [TemporarilyUnavailable] * 3
    assert took < 2.5
    assert again_took < 2.0
    assert await gaps < 0.3
    async with database.writing(Deadline(clock, 20.0)) as tx:
        assert await settings.get(tx, "k") is None
        await settings.put(tx, "k", "after")
    assert await value(database) == "after"
    await database.close()


async def read_within(database: PostgresDatabase, clock: SystemClock, seconds: float) -> None:
    async with database.reading(Deadline(clock, seconds)) as tx:
        await settings.get(tx, "k")


async def longest_gap() -> float:
    """Seconds the loop was not there for others, at most, until cancelled."""
    longest, last = 0.0, time.monotonic()
    try:
        while True:
            await asyncio.sleep(0.01)
            longest, last = max(longest, time.monotonic() - last), time.monotonic()
    except asyncio.CancelledError:
        return longest


async def test_a_killed_server_is_away_until_it_is_back(server: PrivateServer) -> None:
    clock = SystemClock()
    database = await PostgresDatabase.open(server.url, clock, allow_migration=False)
    async with database.writing() as tx:
        await settings.put(tx, "k", "kept")
    task = asyncio.create_task(run_within(database, Deadline(clock, 20.0), SLEEP))
    await until(lambda: running(server.url, SLEEP))
    server.kill()
    with pytest.raises(TemporarilyUnavailable):
        await task
    for transaction in (database.reading, database.writing):
        with pytest.raises(TemporarilyUnavailable) as caught:
            async with transaction(Deadline(clock, 5.0)):
                pass
        assert caught.value.code is ErrorCode.STORE_UNREACHABLE
    server.start()
    for _ in range(6):
        assert await value(database) == "kept"
    async with database.writing() as tx:
        await settings.put(tx, "k", "after")
    assert await value(database) == "after"
    await database.close()


async def test_a_server_that_is_away_at_the_start_is_said_at_once(
    server: PrivateServer, clock: FakeClock
) -> None:
    server.kill()
    with pytest.raises(TemporarilyUnavailable) as caught:
        await PostgresDatabase.open(server.url, clock, allow_migration=False)
    assert caught.value.code is ErrorCode.STORE_UNREACHABLE


async def test_a_frozen_server_does_not_hold_up_closing(server: PrivateServer) -> None:
    clock = SystemClock()
    database = await PostgresDatabase.open(server.url, clock, allow_migration=False)
    server.freeze()
    with pytest.raises(AppError):
        await read_within(database, clock, 0.2)
    await asyncio.wait_for(database.close(), 10)
    server.thaw()


async def test_a_transaction_that_is_cut_at_any_await_leaves_the_store_usable(
    database: PostgresDatabase, clock: FakeClock
) -> None:
    for turns in range(15):
        task = asyncio.create_task(put_within(database, clock, 5.0))
        await settle(turns)
        database.break_off()
        await asyncio.gather(task, return_exceptions=True)
    await put_within(database, clock, 5.0)
    assert await value(database) == "v"
