"""Deadlines, locks and disks that fail, on SQLite."""

import asyncio
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from backend.clock import Deadline
from backend.errors import ErrorCode, StorageFailed, TemporarilyUnavailable
from backend.store import settings
from backend.store.connection import SqliteConnection
from backend.store.database import Statement
from backend.store.sqlite import SqliteDatabase
from tests.helpers.clock import FakeClock, settle
from tests.helpers.place import raw
from tests.helpers.transactions import FOR_EVER, put_within, value


@pytest.fixture
def place(path: Path) -> Path:
    """These tests are about SQLite."""
    return path


@pytest.fixture
async def database(path: Path, clock: FakeClock) -> AsyncIterator[SqliteDatabase]:
    opened = await SqliteDatabase.open(path, clock)
    yield opened
    await opened.close()


def writer(database: SqliteDatabase) -> SqliteConnection:
    connection = database._writers._all[0]
    assert isinstance(connection, SqliteConnection)
    return connection


def replace_store(path: Path) -> None:
    path.rename(path.with_name("moved.db"))
    path.write_bytes(b"restored by a sync program")


def delete_store(path: Path) -> None:
    path.unlink()


def move(path: Path, to: Path) -> None:
    path.rename(to)


def delete_log(path: Path) -> None:
    Path(f"{path}-wal").unlink()


@pytest.mark.parametrize("damage", [replace_store, delete_store, delete_log])
async def test_nothing_is_said_to_be_saved_in_a_file_the_next_start_will_not_find(
    database: SqliteDatabase, path: Path, damage: Callable[[Path], None]
) -> None:
    """product.md, P1."""
    async with database.writing() as tx:
        await settings.put(tx, "k", "before")
    damage(path)
    with pytest.raises(StorageFailed) as caught:
        async with database.writing() as tx:
            await settings.put(tx, "k", "after")
    assert caught.value.code is ErrorCode.STORE_UNREACHABLE


async def test_a_store_that_is_back_in_its_place_is_written_again(
    database: SqliteDatabase, path: Path
) -> None:
    aside = path.with_name("aside.db")
    async with database.writing() as tx:
        await settings.put(tx, "k", "before")
    move(path, aside)
    with pytest.raises(StorageFailed):
        async with database.writing() as tx:
            await settings.put(tx, "k", "lost")
    move(aside, path)
    async with database.writing() as tx:
        await settings.put(tx, "k", "after")
    assert await value(database) == "after"


async def test_a_deadline_interrupts_a_statement_that_runs(
    database: SqliteDatabase, clock: FakeClock
) -> None:
    """K8.6 30; clarification.md, Budgets."""
    running = threading.Event()
    await writer(database)._proxy.create_function("running", 0, running.set)

    async def slow() -> None:
        async with database.writing(Deadline(clock, 5.0)) as tx:
            await settings.put(tx, "k", "lost")
            await tx.fetch_all("SELECT running()")
            await tx.fetch_all(FOR_EVER)

    task = asyncio.create_task(slow())
    while not running.is_set():
        await asyncio.sleep(0)
    await clock.advance(5.0)
    with pytest.raises(TemporarilyUnavailable):
        await asyncio.wait_for(task, 30)
    assert await value(database) is None
    async with database.writing() as tx:
        await settings.put(tx, "k", "after")
    assert await value(database) == "after"
    assert clock.pending_timers == 0


async def test_a_deadline_also_stops_a_statement_that_has_not_begun(
    database: SqliteDatabase, clock: FakeClock
) -> None:
    connection = writer(database)
    connection.stop_statement()
    with pytest.raises(TemporarilyUnavailable):
        async with database.writing() as tx:
            await tx.fetch_all(FOR_EVER)
    async with database.writing() as tx:
        await settings.put(tx, "k", "after")
    assert await value(database) == "after"


def hold_commit(
    database: SqliteDatabase, monkeypatch: pytest.MonkeyPatch
) -> tuple[asyncio.Event, asyncio.Event]:
    """Make COMMIT wait; returns (reached, go on)."""
    reached, go_on = asyncio.Event(), asyncio.Event()
    real: Callable[[], Awaitable[None]] = writer(database)._proxy.commit

    async def commit() -> None:
        reached.set()
        await go_on.wait()
        await real()

    monkeypatch.setattr(writer(database)._proxy, "commit", commit)
    return reached, go_on


async def test_a_commit_that_ends_within_the_grace_decides(
    database: SqliteDatabase, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """clarification.md, Budgets: COMMIT is never interrupted; 2 s after the deadline."""
    reached, go_on = hold_commit(database, monkeypatch)
    task = asyncio.create_task(put_within(database, clock, 5.0))
    await reached.wait()
    await clock.advance(6.9)
    assert not task.done()
    go_on.set()
    await task
    assert await value(database) == "v"


async def test_a_commit_without_a_result_is_not_waited_for(
    database: SqliteDatabase, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    reached, _ = hold_commit(database, monkeypatch)
    task = asyncio.create_task(put_within(database, clock, 5.0))
    await reached.wait()
    await clock.advance(7.0)
    with pytest.raises(TemporarilyUnavailable):
        await task
    assert task.cancelling() == 0


async def test_a_lock_of_another_program_is_waited_for_until_the_deadline(
    database: SqliteDatabase, clock: FakeClock, path: Path
) -> None:
    """K5.6 2."""
    with raw(path) as other:
        other.execute("BEGIN IMMEDIATE")
        task = asyncio.create_task(put_within(database, clock, 5.0))
        await settle()
        await clock.advance(4.0)
        assert not task.done()
        await clock.advance(1.0)
        with pytest.raises(TemporarilyUnavailable):
            await asyncio.wait_for(task, 30)
        other.rollback()
    await put_within(database, clock, 5.0)
    assert await value(database) == "v"


async def test_a_locked_store_without_a_deadline_is_busy(
    database: SqliteDatabase, path: Path
) -> None:
    with raw(path) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(TemporarilyUnavailable) as caught:
            async with database.writing():
                pass
        other.rollback()
    assert caught.value.code is ErrorCode.STORE_BUSY


async def test_a_full_disk_is_said_and_what_was_there_stays(database: SqliteDatabase) -> None:
    async with database.writing() as tx:
        await settings.put(tx, "k", "kept")
    connection = writer(database)
    found = await connection.run(lambda run: run.fetch_all("PRAGMA page_count", {}))
    limit = f"PRAGMA max_page_count = {found[0]['page_count']!s}"
    await connection.run(lambda run: run.fetch_all(limit, {}))
    with pytest.raises(StorageFailed) as caught:
        async with database.writing() as tx:
            await settings.put(tx, "k", "x" * 1_000_000)
    assert caught.value.code is ErrorCode.STORE_FULL
    assert await value(database) == "kept"


def overwrite_second_half(path: Path) -> None:
    content = bytearray(path.read_bytes())
    middle = len(content) // 2 // 4096 * 4096
    content[middle:] = b"\xa5" * (len(content) - middle)
    path.write_bytes(content)


async def test_damage_found_while_reading_is_said(
    database: SqliteDatabase, path: Path, clock: FakeClock
) -> None:
    async with database.writing() as tx:
        insert = "INSERT INTO settings (key, value) VALUES (:key, :value)"
        await tx.execute_each(
            [
                Statement(insert, {"key": f"key {number}", "value": "x" * 500})
                for number in range(2_000)
            ]
        )
    await database.close()
    overwrite_second_half(path)
    damaged = await SqliteDatabase.open(path, clock)
    with pytest.raises(StorageFailed) as caught:
        async with damaged.reading() as tx:
            await tx.fetch_all("SELECT * FROM settings")
    await damaged.close()
    assert caught.value.code is ErrorCode.STORE_CORRUPT
