"""SQLite's log is moved into the store beside the writes."""

import asyncio
import filecmp
import shutil
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from backend.store import checkpoints, settings
from backend.store.connection import connect
from backend.store.sqlite import SqliteDatabase
from tests.helpers.clock import FakeClock
from tests.helpers.place import raw
from tests.helpers.waiting import until


@pytest.fixture
async def database(path: Path, clock: FakeClock) -> AsyncIterator[SqliteDatabase]:
    opened = await SqliteDatabase.open(path, clock)
    yield opened
    await opened.close()


async def put(database: SqliteDatabase, key: str, value: str = "v") -> None:
    async with database.writing() as tx:
        await settings.put(tx, key, value)


def stored_without_log(path: Path, key: str) -> bool:
    """Whether the store's own file has it."""
    copy = path.with_name("copy.db")
    shutil.copy(path, copy)
    try:
        with raw(copy) as connection:
            found = connection.execute("SELECT 1 FROM settings WHERE key = ?", (key,)).fetchone()
    except sqlite3.DatabaseError:
        # It is being moved at this very moment.
        return False
    copy.unlink()
    return found is not None


async def test_the_log_is_moved_into_the_store_once_nobody_writes(
    database: SqliteDatabase, path: Path
) -> None:
    """P2: an answer must not wait until others' pages are written and flushed twice."""
    await put(database, "first")
    for number in range(checkpoints.WORTH_IT - 1):
        await put(database, f"key {number}", "x" * 200_000)
    assert not stored_without_log(path, "first")
    await until(lambda: stored_without_log(path, "first"))


async def test_a_log_of_a_few_writes_stays_where_it_is(
    database: SqliteDatabase, path: Path
) -> None:
    await put(database, "first")
    await asyncio.sleep(2 * checkpoints.QUIET)
    assert not stored_without_log(path, "first")


async def test_the_log_does_not_grow_for_ever_where_it_is_never_quiet(
    database: SqliteDatabase, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkpoints, "QUIET", 3600)
    monkeypatch.setattr(checkpoints, "LATEST", 64)
    writes = 40 * 64
    for number in range(writes):
        await put(database, f"key {number % 50}", "x" * 5_000)
    log = path.with_name(f"{path.name}-wal").stat().st_size
    assert log < writes * 5_000 / 2


async def test_a_log_that_cannot_be_moved_keeps_nobody_from_writing(
    database: SqliteDatabase, path: Path
) -> None:
    with raw(path) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM settings").fetchall()
        for number in range(3 * checkpoints.WORTH_IT):
            await put(database, f"key {number}")
        await asyncio.sleep(2 * checkpoints.QUIET)
        assert not stored_without_log(path, "key 5")
    async with database.reading() as tx:
        assert await settings.get(tx, "key 5") == "v"


async def test_the_log_is_not_moved_into_a_file_in_the_place_of_the_store(
    database: SqliteDatabase, path: Path, tmp_path: Path
) -> None:
    """A copy that is put back while the desk runs must stay what it was."""
    await put(database, "first")
    with raw(path) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    copy = tmp_path / "copied.db"
    shutil.copy(path, copy)
    for number in range(checkpoints.WORTH_IT):
        await put(database, f"key {number}", "x" * 5_000)
    copy.replace(path)
    shutil.copy(path, copy)
    await asyncio.sleep(2 * checkpoints.QUIET)
    assert filecmp.cmp(path, copy, shallow=False)


async def test_a_write_that_ends_while_the_store_closes_leaves_nothing_to_be_done(
    path: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once it is closed its files may be moved away, and another desk may own them."""
    opened: list[Path] = []

    def noted(place: Path, *, read_only: bool) -> sqlite3.Connection:
        opened.append(place)
        return connect(place, read_only=read_only)

    monkeypatch.setattr("backend.store.checkpoints.connect", noted)
    monkeypatch.setattr(checkpoints, "WORTH_IT", 1)
    database = await SqliteDatabase.open(path, clock)
    async with database.writing() as tx:
        closing = asyncio.create_task(database.close())
        await asyncio.sleep(0)
        await settings.put(tx, "last", "v")
    await closing
    before = len(opened)
    await asyncio.sleep(2 * checkpoints.QUIET)
    assert len(opened) == before
