"""Stores of earlier versions converge, or stop with one message that says what to do."""

import itertools
import json
import sqlite3
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import pytest

from backend.clock import Nanoseconds
from backend.domain.clarification import Delivery
from backend.errors import ErrorCode, StorageFailed
from backend.events import StoreProgress, StoreStep
from backend.ids import PendingId
from backend.store import bundles, drafts, messages, opening, settings
from backend.store.dialect import Dialect
from backend.store.schema import MESSAGES, TABLES, indexes
from backend.store.sqlite import SqliteDatabase
from tests.helpers.clock import FakeClock
from tests.helpers.place import raw
from tests.helpers.store import RowMaker, claim, make_claim

NOW = Nanoseconds(1_790_000_000_000_000_000)
SESSION_FIRST = "idx_messages_metadata_pending_id"
BARE = "idx_messages_metadata_pending_id_lookup"
ORDERED = "idx_messages_metadata_pending_id_lookup_ordered"
PENDING_ID = "json_extract(metadata,'$.pending_id')"
FIRST_RELEASE = Path(__file__).with_name("first_release.sql")


def converge(path: Path) -> list[StoreProgress]:
    told: list[StoreProgress] = []
    opening.prepare(path, NOW, threading.Event(), told.append, itertools.count().__next__)
    return told


def refusal(path: Path) -> StorageFailed:
    with pytest.raises(StorageFailed) as caught:
        converge(path)
    return caught.value


class Indexed(NamedTuple):
    name: str
    sql: str
    root: int


def index_list(path: Path) -> dict[str, Indexed]:
    with raw(path) as connection:
        rows = connection.execute(
            "SELECT name, sql, rootpage FROM sqlite_schema WHERE type = 'index' AND sql NOT NULL"
        )
        return {row["name"]: Indexed(*row) for row in rows}


def contents(path: Path) -> dict[str, list[tuple[object, ...]]]:
    with raw(path) as connection:
        return {
            table.name: [
                tuple(row)
                for row in connection.execute(f"SELECT * FROM {table.name} ORDER BY rowid")  # noqa: S608
            ]
            for table in TABLES
        }


def built(told: Iterable[StoreProgress]) -> set[str]:
    return {event.subject for event in told if event.step is StoreStep.BUILD_INDEX}


@pytest.fixture
def old(path: Path) -> Path:
    """A store with a question and some history, and every index."""
    converge(path)
    rows = RowMaker(path)
    rows.session()
    rows.turn("turn1")
    rows.message()
    rows.question("p1")
    return path


@pytest.mark.parametrize(
    "kept",
    [(SESSION_FIRST,), (BARE,), (SESSION_FIRST, BARE)],
    ids=["session first", "bare", "both"],
)
def test_an_older_store_gets_what_it_lacks_and_keeps_its_rows_and_indexes(
    old: Path, kept: tuple[str, ...]
) -> None:
    """K8.6 75, upgrade."""
    with raw(old) as connection:
        for name in index_list(old):
            if name not in kept:
                connection.execute(f"DROP INDEX {name}")
    before, rows = index_list(old), contents(old)
    assert set(before) == set(kept)
    told = converge(old)
    after = index_list(old)
    assert {name: after[name] for name in kept} == before
    assert contents(old) == rows
    assert not built(told) & set(kept)
    assert {index.name for index in indexes(Dialect.SQLITE)} <= set(after)
    assert converge(old) == []


@pytest.mark.parametrize(
    "wrong",
    [
        f"CREATE INDEX {ORDERED} ON task_session_messages({PENDING_ID}, created_at, id)",
        (
            f"CREATE INDEX {ORDERED} ON task_session_messages({PENDING_ID}, id, created_at)"
            f" WHERE {PENDING_ID} IS NOT NULL"
        ),
        (
            f"CREATE INDEX {ORDERED} ON task_session_messages({PENDING_ID}, created_at DESC, id)"
            f" WHERE {PENDING_ID} IS NOT NULL"
        ),
        (
            f"CREATE INDEX {ORDERED} ON task_session_messages({PENDING_ID} COLLATE NOCASE,"
            f" created_at, id) WHERE {PENDING_ID} IS NOT NULL"
        ),
        (
            f"CREATE UNIQUE INDEX {ORDERED} ON task_session_messages({PENDING_ID}, created_at, id)"
            f" WHERE {PENDING_ID} IS NOT NULL"
        ),
        f"CREATE INDEX {ORDERED.upper()} ON task_sessions(id)",
        f"CREATE TABLE {ORDERED} (id TEXT)",
    ],
    ids=["not partial", "order", "descending", "collation", "unique", "other table", "no index"],
)
def test_something_else_under_the_name_of_an_index_stops_the_start_untouched(
    old: Path, wrong: str
) -> None:
    """clarification.md, Shape: an error that names both, before anything changes."""
    with raw(old) as connection:
        connection.execute(f"DROP INDEX {ORDERED}")
        connection.execute(wrong)
        connection.execute("DROP INDEX idx_deliveries_waiting")
    before = index_list(old)
    error = refusal(old)
    assert error.code is ErrorCode.INDEX_MISMATCH
    assert wrong.replace("  ", " ") in error.detail
    assert f"json_extract(metadata,'$.pending_id'), created_at, id) WHERE {PENDING_ID}" in (
        error.detail
    )
    assert "start again" in error.detail
    assert index_list(old) == before
    assert not list(old.parent.glob("*backup*"))


def without_json_indexes(path: Path) -> None:
    with raw(path) as connection:
        for name, found in index_list(path).items():
            if "json_extract" in found.sql:
                connection.execute(f"DROP INDEX {name}")


def set_metadata(path: Path, table: str, value: object) -> str:
    """Put `value` into the first row; its id."""
    without_json_indexes(path)
    with raw(path) as connection:
        row_id = str(connection.execute(f"SELECT MIN(id) FROM {table}").fetchone()[0])  # noqa: S608
        connection.execute(f"UPDATE {table} SET metadata = ? WHERE id = ?", (value, row_id))  # noqa: S608
    return row_id


@pytest.mark.parametrize(
    "value",
    [
        '{"pending_id":"p9","status',
        '{"a":NaN}',
        "{'pending_id':'p9'}",
        "\ufeff{}",
        " ",
        b'{"pending_id":"p9"}',
        b"\x00\xff\xfe",
        "[" * 2_500 + "]" * 2_500,
    ],
    ids=["cut short", "NaN", "single quotes", "mark", "blank", "JSON bytes", "bytes", "too deep"],
)
@pytest.mark.parametrize("table", ["task_session_messages", "task_sessions", "tasks"])
def test_metadata_nobody_can_read_stops_the_start_naming_row_and_repair(
    old: Path, table: str, value: object
) -> None:
    """architecture.md, The store."""
    row_id = set_metadata(old, table, value)
    rows = contents(old)
    error = refusal(old)
    assert error.code is ErrorCode.STORE_INVALID_ROW
    assert row_id in error.detail
    assert table in error.detail
    assert "kandesk doctor --repair" in error.detail
    assert contents(old) == rows


@pytest.mark.parametrize(
    "value",
    [
        None,
        "[]",
        '["pending_id"]',
        "3",
        "null",
        '"text"',
        '{"pending_id":7}',
        '{"status":"pending","status":"answered"}',
        '{"pending_id":"p\\ud800"}',
        '{"title":"\\udfff"}',
        '{"a":1e999}',
        '{"pending_id":"p9","deep":' + "[" * 1_000 + "]" * 1_000 + "}",
    ],
    ids=[
        *("absent", "empty list", "list", "number", "null", "text", "number as id"),
        *("twice the same key", "half a character in the id", "half a character", "huge", "deep"),
    ],
)
async def test_odd_but_readable_metadata_converges_and_the_session_is_shown(
    old: Path, clock: FakeClock, value: object
) -> None:
    set_metadata(old, MESSAGES.name, value)
    rows = contents(old)
    converge(old)
    assert contents(old) == rows
    database = await SqliteDatabase.open(old, clock)
    async with database.reading() as tx:
        session = (await tx.fetch_all("SELECT id FROM task_sessions"))[0]["id"]
        page = await messages.page(tx, str(session), limit=50)  # type: ignore[arg-type]
        await bundles.list_open(tx)
    await database.close()
    assert len(page.messages) == 2


def test_empty_metadata_becomes_an_object_in_every_table_in_one_pass(old: Path) -> None:
    """architecture.md: '' becomes '{}' before the index."""
    for table in ("tasks", "task_sessions", "task_session_turns", "task_session_messages"):
        set_metadata(old, table, "")
    told = converge(old)
    for rows in ("tasks", "task_sessions", "task_session_turns", "task_session_messages"):
        with raw(old) as connection:
            found = connection.execute(f"SELECT metadata FROM {rows}").fetchall()  # noqa: S608
        assert "" not in [row[0] for row in found]
    checks = [event for event in told if event.step is StoreStep.CHECK_METADATA]
    assert {event.number for event in checks} == {checks[0].number}


def test_a_store_whose_rows_were_all_read_once_is_not_checked_again(old: Path) -> None:
    with raw(old) as connection:
        connection.execute("DROP INDEX idx_messages_created_at")
    assert {event.step for event in converge(old)} == {
        StoreStep.BACK_UP,
        StoreStep.BUILD_INDEX,
        StoreStep.DONE,
    }


def test_a_column_that_may_be_absent_is_added_and_one_that_may_not_is_named(old: Path) -> None:
    with raw(old) as connection:
        connection.execute("DROP INDEX idx_messages_session_updated")
        connection.execute("ALTER TABLE task_session_messages DROP COLUMN updated_at")
        connection.execute("ALTER TABLE task_session_messages DROP COLUMN revision")
        connection.execute("DELETE FROM sequences")
        connection.execute("ALTER TABLE tasks ADD COLUMN colour TEXT DEFAULT 'red'")
    converge(old)
    with raw(old) as connection:
        rows = connection.execute("SELECT * FROM task_session_messages").fetchall()
        assert [row["updated_at"] for row in rows] == [row["created_at"] for row in rows]
        assert [row["revision"] for row in rows] == [0, 0]
        assert connection.execute("SELECT colour FROM tasks").fetchone()[0] == "red"
        connection.execute("ALTER TABLE tasks DROP COLUMN title")
    error = refusal(old)
    assert error.code is ErrorCode.STORE_CORRUPT
    assert "tasks has no column title" in error.detail


def test_row_numbers_with_wide_gaps_are_passed_quickly(old: Path) -> None:
    with raw(old) as connection:
        connection.execute(
            "UPDATE task_session_messages SET rowid = 1 << 61 WHERE type <> 'x'"
            " AND rowid = (SELECT MAX(rowid) FROM task_session_messages)"
        )
    row_id = set_metadata(old, MESSAGES.name, "{broken")
    assert row_id in refusal(old).detail


async def test_a_store_of_the_first_release_converges_and_everything_in_it_goes_on(
    path: Path, clock: FakeClock
) -> None:
    """The release whose schema is in `first_release.sql`."""
    with raw(path) as connection:
        connection.executescript(FIRST_RELEASE.read_text("utf-8"))
    rows = contents_of_first_release(path)
    database = await SqliteDatabase.open(path, clock)
    answered, asked = (PendingId(f"00000000-0000-4000-8000-00000000000{n}") for n in (4, 6))
    async with database.reading() as tx:
        kept = await bundles.require_bundle(tx, answered)
        still_open = await bundles.require_bundle(tx, asked)
        draft = await drafts.load(tx, asked)
        assert await settings.get(tx, "http.port") == "40404"
    assert kept.delivery is Delivery.WAITING_FOR_AGENT
    assert still_open.answerable
    assert draft is not None
    assert draft.answers[0].custom_text == "half a th"
    assert await claim(database, make_claim(asked))
    await database.close()
    assert rows.items() <= contents_of_first_release(path, skip=True).items()


def contents_of_first_release(path: Path, *, skip: bool = False) -> dict[str, str]:
    """Tasks, turns and settings as text: what opening and answering must not touch."""
    with raw(path) as connection:
        return {
            table: json.dumps([tuple(row) for row in connection.execute(f"SELECT * FROM {table}")])  # noqa: S608
            for table in ("tasks", "task_session_turns", "settings")
        }


def test_the_first_release_in_text_is_a_store_of_ours(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.executescript(FIRST_RELEASE.read_text("utf-8"))
    connection.close()
    assert opening._is_ours(path)
