import asyncio
import sqlite3
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from backend.clock import Deadline, Nanoseconds
from backend.errors import ErrorCode, StorageFailed, TemporarilyUnavailable
from backend.store import settings
from backend.store.connection import SqliteConnection
from backend.store.database import Priority
from backend.store.sqlite import SqliteDatabase
from tests.helpers.clock import FakeClock, settle
from tests.helpers.place import raw


@pytest.fixture
def place(path: Path) -> Path:
    """These tests are about SQLite."""
    return path


FOR_EVER = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT COUNT(*) FROM n"


def writer(database: SqliteDatabase) -> SqliteConnection:
    connection = database._writers._all[0]
    assert isinstance(connection, SqliteConnection)
    return connection


async def value(database: SqliteDatabase, key: str = "k") -> str | None:
    async with database.reading() as tx:
        return await settings.get(tx, key)


async def test_a_normal_exit_commits_and_an_error_rolls_back(database: SqliteDatabase) -> None:
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
    database: SqliteDatabase,
) -> None:
    async with database.reading() as reader:
        assert await settings.get(reader, "k") is None
        async with database.writing() as tx:
            await settings.put(tx, "k", "new")
        assert await settings.get(reader, "k") is None
    assert await value(database) == "new"


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


async def test_a_reader_cannot_write(database: SqliteDatabase) -> None:
    with pytest.raises(StorageFailed) as caught:
        async with database.reading() as tx:
            await settings.put(tx, "k", "v")
    assert caught.value.code is ErrorCode.STORE_READ_ONLY


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


async def test_nothing_is_committed_after_the_deadline(
    database: SqliteDatabase, clock: FakeClock
) -> None:
    async def outlive() -> None:
        async with database.writing(Deadline(clock, 5.0)) as tx:
            await settings.put(tx, "k", "lost")
            await clock.advance(5.0)

    with pytest.raises(TemporarilyUnavailable):
        await outlive()
    assert await value(database) is None


async def test_a_failed_statement_spoils_the_transaction_even_when_its_error_is_caught(
    database: SqliteDatabase,
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
    database: SqliteDatabase, statement: str
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


async def test_cancelling_at_any_await_leaves_the_store_usable(database: SqliteDatabase) -> None:
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


async def put_within(database: SqliteDatabase, clock: FakeClock, seconds: float) -> None:
    async with database.writing(Deadline(clock, seconds)) as tx:
        await settings.put(tx, "k", "v")


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


async def test_claims_jump_the_queue_of_the_writer(database: SqliteDatabase) -> None:
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
        ]
        await settle()
    await asyncio.gather(*waiting)
    assert order == ["claim", "first", "second", "bulk"]


async def test_waiting_for_the_writer_ends_at_the_deadline(
    database: SqliteDatabase, clock: FakeClock
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
    database: SqliteDatabase, clock: FakeClock
) -> None:
    async with database.writing():
        first = asyncio.create_task(put_within(database, clock, 5.0))
        second = asyncio.create_task(put_within(database, clock, 5.0))
        await settle()
    first.cancel()
    await asyncio.gather(first, return_exceptions=True)
    await asyncio.wait_for(second, 30)
    assert await value(database) == "v"


async def test_a_full_disk_is_said_and_what_was_there_stays(database: SqliteDatabase) -> None:
    async with database.writing() as tx:
        await settings.put(tx, "k", "kept")
    pages = (await writer(database).fetch_all("PRAGMA page_count", {}))[0]["page_count"]
    await writer(database).fetch_all(f"PRAGMA max_page_count = {pages!s}", {})
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
        await tx.execute_many(
            "INSERT INTO settings (key, value) VALUES (:key, :value)",
            [{"key": f"key {number}", "value": "x" * 500} for number in range(2_000)],
        )
    await database.close()
    overwrite_second_half(path)
    damaged = await SqliteDatabase.open(path, clock)
    with pytest.raises(StorageFailed) as caught:
        async with damaged.reading() as tx:
            await tx.fetch_all("SELECT * FROM settings")
    await damaged.close()
    assert caught.value.code is ErrorCode.STORE_CORRUPT


async def test_a_bug_in_a_statement_is_not_an_expected_failure(database: SqliteDatabase) -> None:
    with pytest.raises(sqlite3.OperationalError):
        async with database.reading() as tx:
            await tx.fetch_all("SELECT nothing FROM nowhere")


async def test_a_transaction_cannot_be_used_after_its_end_or_by_two_tasks(
    database: SqliteDatabase,
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
    path: Path, clock: FakeClock
) -> None:
    database = await SqliteDatabase.open(path, clock)
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
    with raw(path) as connection:
        assert connection.execute("SELECT key FROM settings").fetchall()[0]["key"] == "last"


async def test_an_expired_deadline_starts_nothing(
    database: SqliteDatabase, clock: FakeClock
) -> None:
    late = Deadline(clock, 0.0)
    assert late.remaining() == 0.0
    with pytest.raises(TemporarilyUnavailable):
        async with database.reading(late) as tx:
            await settings.get(tx, "k")
    assert clock.now() > Nanoseconds(0)
