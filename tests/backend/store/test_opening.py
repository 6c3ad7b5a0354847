import asyncio
import itertools
import shutil
import sqlite3
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from backend.clock import Nanoseconds
from backend.errors import ErrorCode, StorageFailed, TemporarilyUnavailable
from backend.events import StoreProgress, StoreStep
from backend.store import opening, settings
from backend.store.dialect import Dialect
from backend.store.schema import APPLICATION_ID, TABLES, indexes
from backend.store.sqlite import SqliteDatabase
from tests.helpers.clock import FakeClock
from tests.helpers.place import raw
from tests.helpers.store import RowMaker, add_unrelated_history, ask


@pytest.fixture
def place(path: Path) -> Path:
    """These tests are about SQLite."""
    return path


NOW = Nanoseconds(1_790_000_000_000_000_000)
ORDERED = "idx_messages_metadata_pending_id_lookup_ordered"


def open_blocking(path: Path, told: list[StoreProgress] | None = None) -> None:
    log = told if told is not None else []
    unthrottled = itertools.count().__next__
    opening.prepare(path, NOW, threading.Event(), log.append, unthrottled)


def refused(path: Path) -> StorageFailed:
    with pytest.raises(StorageFailed) as caught:
        open_blocking(path)
    return caught.value


def snapshot(folder: Path) -> dict[str, bytes]:
    return {item.name: item.read_bytes() for item in folder.iterdir()}


def downgrade(path: Path) -> None:
    """The store as a version before the ordered index would have left it."""
    with raw(path) as connection:
        connection.execute(f"DROP INDEX {ORDERED}")


def test_a_new_store_has_every_table_and_index_and_belongs_to_its_owner_only(path: Path) -> None:
    """K8.6 75, fresh."""
    open_blocking(path)
    with raw(path) as connection:
        found = {
            (row["type"], row["name"])
            for row in connection.execute("SELECT type, name FROM sqlite_schema")
        }
        assert connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
        assert connection.execute("PRAGMA application_id").fetchone()[0] == APPLICATION_ID
    assert {("table", table.name) for table in TABLES} <= found
    assert {("index", index.name) for index in indexes(Dialect.SQLITE)} <= found
    assert path.stat().st_mode & 0o077 == 0


def test_all_three_pending_id_indexes_exist_by_name(path: Path) -> None:
    """ADR-2026-09-05: the older two are kept."""
    open_blocking(path)
    with raw(path) as connection:
        names = {row[0] for row in connection.execute("SELECT name FROM sqlite_schema")}
    assert {
        "idx_messages_metadata_pending_id",
        "idx_messages_metadata_pending_id_lookup",
        ORDERED,
    } <= names


def test_there_is_no_clarification_table(path: Path) -> None:
    """K8.6 74."""
    open_blocking(path)
    with raw(path) as connection:
        names = [row[0] for row in connection.execute("SELECT name FROM sqlite_schema")]
    assert not [name for name in names if "resolution" in name or name.startswith("clarif")]


def test_opening_again_changes_nothing_and_makes_no_backup(path: Path) -> None:
    """K8.6 75, replay."""
    open_blocking(path)
    before = path.read_bytes()
    told: list[StoreProgress] = []
    open_blocking(path, told)
    assert path.read_bytes() == before
    assert told == []
    assert [item.name for item in path.parent.iterdir()] == [path.name]


async def test_an_upgrade_builds_the_index_and_keeps_rows_and_the_old_indexes(
    path: Path, clock: FakeClock
) -> None:
    """K8.6 75, upgrade."""
    database = await SqliteDatabase.open(path, clock)
    await ask(database, clock)
    await database.close()
    downgrade(path)
    told: list[StoreProgress] = []
    open_blocking(path, told)
    with raw(path) as connection:
        names = {row[0] for row in connection.execute("SELECT name FROM sqlite_schema")}
        rows = connection.execute("SELECT COUNT(*) FROM task_session_messages").fetchone()[0]
    assert ORDERED in names
    assert "idx_messages_metadata_pending_id" in names
    assert rows == 1
    assert (StoreStep.BUILD_INDEX, ORDERED) in [(event.step, event.subject) for event in told]


def test_a_missing_table_and_a_missing_column_are_added(path: Path) -> None:
    open_blocking(path)
    with raw(path) as connection:
        connection.execute("DROP TABLE answer_drafts")
        connection.execute("DROP INDEX idx_deliveries_waiting")
        connection.execute("ALTER TABLE interaction_deliveries DROP COLUMN replaced_by")
    open_blocking(path)
    with raw(path) as connection:
        connection.execute("SELECT replaced_by FROM interaction_deliveries")
        connection.execute("SELECT answers FROM answer_drafts")


def test_a_store_is_backed_up_before_it_changes_and_the_last_two_copies_are_kept(
    path: Path,
) -> None:
    open_blocking(path)
    for day in range(4):
        with raw(path) as connection:
            connection.execute(
                "INSERT OR REPLACE INTO settings (key, value) VALUES ('day', ?)", (str(day),)
            )
        downgrade(path)
        moment = Nanoseconds(NOW + day * 86_400_000_000_000)
        opening.prepare(path, moment, threading.Event(), lambda _: None)
    copies = sorted(path.parent.glob("*.backup"))
    assert len(copies) == 2
    for copy, expected in zip(copies, ("2", "3"), strict=True):
        assert copy.stat().st_mode & 0o077 == 0
        with raw(copy) as connection:
            assert connection.execute("SELECT value FROM settings").fetchone()[0] == expected
            names = {row[0] for row in connection.execute("SELECT name FROM sqlite_schema")}
        assert ORDERED not in names


def test_a_backup_that_has_no_room_is_skipped_and_said(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_blocking(path)
    downgrade(path)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=1_000))
    told: list[StoreProgress] = []
    open_blocking(path, told)
    assert told[0].step is StoreStep.BACKUP_SKIPPED
    assert not list(path.parent.glob("*.backup"))


def test_a_long_step_can_be_stopped_and_leaves_the_store_as_it_was(path: Path) -> None:
    open_blocking(path)
    add_unrelated_history(path)
    downgrade(path)
    stop = threading.Event()

    def tell(event: StoreProgress) -> None:
        if event.step is StoreStep.BUILD_INDEX:
            stop.set()

    with pytest.raises(TemporarilyUnavailable):
        opening.prepare(path, NOW, stop, tell, itertools.count().__next__)
    with raw(path) as connection:
        names = {row[0] for row in connection.execute("SELECT name FROM sqlite_schema")}
    assert ORDERED not in names
    open_blocking(path)


def test_a_backup_can_be_stopped_and_leaves_no_file(path: Path) -> None:
    open_blocking(path)
    downgrade(path)
    stop = threading.Event()
    stop.set()
    with pytest.raises(TemporarilyUnavailable):
        opening.prepare(path, NOW, stop, lambda _: None)
    assert [item.name for item in path.parent.iterdir()] == [path.name]


async def test_cancelling_the_start_stops_it_and_waits_for_that(
    path: Path, clock: FakeClock
) -> None:
    open_blocking(path)
    add_unrelated_history(path)
    with raw(path) as connection:
        for index in indexes(Dialect.SQLITE):
            connection.execute(f"DROP INDEX {index.name}")
    told = asyncio.Event()
    task = asyncio.create_task(SqliteDatabase.open(path, clock, progress=lambda _: told.set()))
    await told.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    last = indexes(Dialect.SQLITE)[-1].name
    with raw(path) as connection:
        names = {row[0] for row in connection.execute("SELECT name FROM sqlite_schema")}
    assert last not in names
    again = await SqliteDatabase.open(path, clock)
    await again.close()


def test_an_index_of_the_right_name_and_the_wrong_definition_names_both(path: Path) -> None:
    open_blocking(path)
    with raw(path) as connection:
        connection.execute(f"DROP INDEX {ORDERED}")
        connection.execute(f"CREATE INDEX {ORDERED} ON task_session_messages(created_at)")
    error = refused(path)
    assert error.code is ErrorCode.INDEX_MISMATCH
    assert "task_session_messages(created_at)" in error.detail
    assert "json_extract(metadata,'$.pending_id'), created_at, id" in error.detail


def test_spacing_and_case_of_a_definition_do_not_matter(path: Path) -> None:
    open_blocking(path)
    with raw(path) as connection:
        connection.execute(f"DROP INDEX {ORDERED}")
        connection.execute(
            f'create index "{ORDERED}" on task_session_messages'
            " ( JSON_EXTRACT(metadata, '$.pending_id'),created_at ,id )"
            "\n where json_extract( metadata,'$.pending_id') is not null"
        )
    open_blocking(path)


def test_empty_metadata_becomes_an_empty_object_before_the_index(path: Path) -> None:
    open_blocking(path)
    rows = RowMaker(path)
    rows.session()
    rows.turn("turn1")
    message = rows.message()
    with raw(path) as connection:
        for index in indexes(Dialect.SQLITE):
            if "json_extract" in index.ddl():
                connection.execute(f"DROP INDEX {index.name}")
        connection.execute("UPDATE task_session_messages SET metadata = ''")
    open_blocking(path)
    with raw(path) as connection:
        row = connection.execute("SELECT id, metadata FROM task_session_messages").fetchone()
    assert (row["id"], row["metadata"]) == (message, "{}")


def test_metadata_that_is_not_json_stops_the_start_and_names_the_rows(path: Path) -> None:
    open_blocking(path)
    rows = RowMaker(path)
    rows.session()
    rows.turn("turn1")
    message = rows.message()
    with raw(path) as connection:
        for index in indexes(Dialect.SQLITE):
            if "json_extract" in index.ddl():
                connection.execute(f"DROP INDEX {index.name}")
        connection.execute("UPDATE task_session_messages SET metadata = '{broken'")
    error = refused(path)
    assert error.code is ErrorCode.STORE_INVALID_ROW
    assert message in error.detail
    assert "doctor --repair" in error.detail
    with raw(path) as connection:
        kept = connection.execute("SELECT metadata FROM task_session_messages").fetchone()[0]
    assert kept == "{broken"


def test_an_empty_file_becomes_a_store(path: Path) -> None:
    path.touch()
    open_blocking(path)
    open_blocking(path)


def test_a_store_locked_by_another_program_is_busy(path: Path) -> None:
    open_blocking(path)
    downgrade(path)
    with raw(path) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(TemporarilyUnavailable) as caught:
            open_blocking(path)
        other.rollback()
    assert caught.value.code is ErrorCode.STORE_BUSY


async def test_every_connection_has_its_settings(database: SqliteDatabase) -> None:
    async def pragma(name: str, *, write: bool) -> object:
        async with database.writing() if write else database.reading() as tx:
            row = await tx.fetch_one(f"PRAGMA {name}")
        assert row is not None
        return next(iter(row))  # type: ignore[call-overload]

    for write in (True, False):
        assert await pragma("foreign_keys", write=write) == 1
        assert await pragma("busy_timeout", write=write) == 1_000
    assert await pragma("synchronous", write=True) == 2
    assert await pragma("query_only", write=False) == 1


async def test_a_reader_beside_the_owner_sees_its_commits_and_cannot_write(
    database: SqliteDatabase, path: Path, clock: FakeClock
) -> None:
    beside = await SqliteDatabase.open_read_only(path, clock)
    async with database.writing() as tx:
        await settings.put(tx, "k", "v")
    async with beside.reading() as tx:
        assert await settings.get(tx, "k") == "v"
    with pytest.raises(StorageFailed) as caught:
        async with beside.writing():
            pass
    await beside.close()
    assert caught.value.code is ErrorCode.STORE_READ_ONLY


async def test_reading_without_a_desk_needs_a_store_that_is_up_to_date(
    path: Path, clock: FakeClock
) -> None:
    with pytest.raises(StorageFailed):
        await SqliteDatabase.open_read_only(path, clock)
    assert not snapshot(path.parent)
    open_blocking(path)
    alone = await SqliteDatabase.open_read_only(path, clock)
    async with alone.reading() as tx:
        assert await settings.get(tx, "k") is None
    await alone.close()
    downgrade(path)
    with pytest.raises(StorageFailed) as caught:
        await SqliteDatabase.open_read_only(path, clock)
    assert "brought up to date" in caught.value.detail


def test_rows_with_unreadable_metadata_cannot_enter_the_store(path: Path) -> None:
    """K2.4: with the expression indexes SQLite refuses invalid JSON."""
    open_blocking(path)
    rows = RowMaker(path)
    rows.session()
    rows.turn("turn1")
    message = rows.message()
    with raw(path) as connection, pytest.raises(sqlite3.OperationalError):
        connection.execute(
            "UPDATE task_session_messages SET metadata = '{broken' WHERE id = ?", (message,)
        )


def test_the_log_of_another_database_beside_a_store_is_refused_and_overwrites_nothing(
    path: Path, tmp_path: Path
) -> None:
    """As it is left when a copy is put in the place of a store whose desk was killed."""
    open_blocking(path)
    before = path.read_bytes()
    other = sqlite3.connect(tmp_path / "other.db")
    other.execute("PRAGMA page_size = 8192")
    other.execute("PRAGMA journal_mode = WAL")
    other.execute("CREATE TABLE t (value)")
    other.execute("INSERT INTO t VALUES (zeroblob(90000))")
    other.commit()
    log = Path(f"{path}-wal")
    log.write_bytes((tmp_path / "other.db-wal").read_bytes())
    other.close()
    for _ in range(2):
        with pytest.raises(StorageFailed, match="-wal") as caught:
            open_blocking(path)
        assert caught.value.code is ErrorCode.STORE_CORRUPT
    with pytest.raises(StorageFailed, match="-wal"):
        opening.check_readable(path)
    assert path.read_bytes() == before
    log.unlink()
    Path(f"{path}-shm").unlink(missing_ok=True)
    open_blocking(path)


async def test_receipts_of_requests_lie_beside_those_of_answers_in_an_older_store(
    path: Path, clock: FakeClock
) -> None:
    """T1.4: what lies there is of questions; nothing is owed that no receipt tells of."""
    database = await SqliteDatabase.open(path, clock)
    await ask(database, clock)
    await database.close()
    with raw(path) as connection:
        connection.execute("DROP INDEX idx_deliveries_receipts")
        connection.execute("ALTER TABLE interaction_deliveries DROP COLUMN kind")
    told: list[StoreProgress] = []
    open_blocking(path, told)
    assert StoreStep.ADD_COLUMNS in [event.step for event in told]
    assert "idx_deliveries_receipts" in [event.subject for event in told]
    with raw(path) as connection:
        rows = connection.execute("SELECT kind FROM interaction_deliveries").fetchall()
    assert [row["kind"] for row in rows] == ["question"]
    told.clear()
    open_blocking(path, told)
    assert told == []
