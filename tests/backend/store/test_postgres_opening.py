"""Making a database on a server a store of ours, bringing it up to date, or leaving it alone."""

import asyncio
import json
import secrets
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from backend.errors import AppError, ErrorCode, StorageFailed, TemporarilyUnavailable
from backend.events import StoreProgress, StoreStep
from backend.store import settings
from backend.store.dialect import Dialect
from backend.store.postgres import PostgresDatabase
from backend.store.postgres_converge import MARK
from backend.store.schema import TABLES, indexes
from tests.helpers.clock import FakeClock
from tests.helpers.place import raw
from tests.helpers.postgres import PostgresServer, _programs
from tests.helpers.store import RowMaker, ask
from tests.helpers.waiting import until

KEY = "(metadata::jsonb->>'pending_id')"
ORDERED = "idx_messages_metadata_pending_id_lookup_ordered"


async def converge(
    url: str, *, allow: bool = False, told: list[StoreProgress] | None = None
) -> None:
    log = told if told is not None else []
    database = await PostgresDatabase.open(
        url, FakeClock(), progress=log.append, allow_migration=allow
    )
    await database.close()


async def refused(url: str, *, allow: bool = True) -> StorageFailed:
    before = schema_of(url)
    with pytest.raises(StorageFailed) as caught:
        await converge(url, allow=allow)
    assert schema_of(url) == before
    return caught.value


def run(url: str, *statements: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement.encode())


def schema_of(url: str) -> list[tuple[object, ...]]:
    with psycopg.connect(url) as connection:
        return connection.execute(
            "SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod),"
            " pg_get_indexdef(c.oid) FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid"
            " WHERE c.relnamespace = 'public'::regnamespace AND a.attnum > 0 ORDER BY 1, a.attnum"
        ).fetchall()


def names(url: str, kind: str) -> set[str]:
    with raw(url) as connection:
        found = connection.execute(
            "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace"
            " AND relkind = ?",
            (kind,),
        )
        return {str(row[0]) for row in found}


def give_rows(url: str) -> None:
    rows = RowMaker(url)
    rows.session()
    rows.turn("turn1")
    rows.question("p1")


async def test_a_new_store_has_every_table_and_index_and_our_mark(postgres_url: str) -> None:
    """K8.6 75, fresh."""
    told: list[StoreProgress] = []
    await converge(postgres_url, told=told)
    assert names(postgres_url, "r") == {table.name for table in TABLES}
    assert {index.name for index in indexes(Dialect.POSTGRESQL)} <= names(postgres_url, "i")
    with raw(postgres_url) as connection:
        (mark,) = connection.execute("SELECT value FROM settings WHERE key = ?", (MARK,)).fetchall()
    assert mark["value"] == "1"
    assert told[0].step is StoreStep.CREATE_TABLES
    assert told[-1].step is StoreStep.DONE


async def test_text_sorts_by_bytes_and_times_keep_their_nanoseconds(postgres_url: str) -> None:
    await converge(postgres_url)
    with psycopg.connect(postgres_url) as connection:
        odd = connection.execute(
            "SELECT table_name, column_name FROM information_schema.columns"
            " WHERE table_schema = 'public' AND NOT (data_type = 'bigint'"
            " OR (data_type = 'text' AND collation_name = 'C'))"
        ).fetchall()
    assert odd == []


async def test_opening_again_changes_nothing_and_asks_nothing(postgres_url: str) -> None:
    """K8.6 75, replay."""
    await converge(postgres_url)
    give_rows(postgres_url)
    before = schema_of(postgres_url)
    told: list[StoreProgress] = []
    await converge(postgres_url, told=told)
    assert schema_of(postgres_url) == before
    assert told == []


async def test_a_store_with_rows_is_changed_only_when_that_is_agreed_to(postgres_url: str) -> None:
    """architecture.md: a migrating start asks for confirmation and prints the pg_dump command."""
    await converge(postgres_url)
    run(postgres_url, f"DROP INDEX {ORDERED}")
    await converge(postgres_url)  # Empty: there is nothing to lose.
    give_rows(postgres_url)
    run(postgres_url, f"DROP INDEX {ORDERED}", "DROP TABLE answer_drafts")
    error = await refused(postgres_url, allow=False)
    assert error.code is ErrorCode.STORE_MIGRATION_UNCONFIRMED
    assert f"build index {ORDERED}" in error.detail
    assert "create tables" in error.detail
    assert "pg_dump --format=custom --file=kandesk-" in error.detail
    await converge(postgres_url, allow=True)
    assert ORDERED in names(postgres_url, "i")
    with raw(postgres_url) as connection:
        rows = connection.execute("SELECT id FROM task_session_messages").fetchall()
    assert len(rows) == 1


async def test_a_password_is_nowhere_in_what_is_said(postgres_url: str) -> None:
    await converge(postgres_url)
    give_rows(postgres_url)
    run(postgres_url, f"DROP INDEX {ORDERED}")
    secret = postgres_url.replace("postgres@", "postgres:s3cret@", 1)
    with pytest.raises(StorageFailed) as caught:
        await converge(secret)
    assert "s3cret" not in f"{caught.value.detail}{caught.value.params}"
    database = await PostgresDatabase.open(secret, FakeClock(), allow_migration=True)
    assert database.location == postgres_url
    await database.close()


async def test_a_missing_column_is_added_and_filled(postgres_url: str) -> None:
    await converge(postgres_url)
    give_rows(postgres_url)
    run(
        postgres_url,
        "ALTER TABLE task_session_messages DROP COLUMN updated_at, DROP COLUMN revision",
        "ALTER TABLE interaction_deliveries DROP COLUMN replaced_by",
    )
    await converge(postgres_url, allow=True)
    with raw(postgres_url) as connection:
        (row,) = connection.execute("SELECT * FROM task_session_messages").fetchall()
        connection.execute("SELECT replaced_by FROM interaction_deliveries")
    assert row["updated_at"] == row["created_at"]
    assert row["revision"] == 0


async def test_receipts_of_requests_lie_beside_those_of_answers_in_an_older_store(
    postgres_url: str,
) -> None:
    """T1.4: what lies there is of questions; nothing is owed that no receipt tells of."""
    await converge(postgres_url)
    give_rows(postgres_url)
    run(
        postgres_url,
        "DROP INDEX idx_deliveries_receipts",
        "ALTER TABLE interaction_deliveries DROP COLUMN kind",
        "INSERT INTO interaction_deliveries (pending_id, session_id, opened_at, updated_at)"
        " SELECT 'p1', id, '2024', '2024' FROM task_sessions LIMIT 1",
    )
    await converge(postgres_url, allow=True)
    with raw(postgres_url) as connection:
        rows = connection.execute("SELECT kind FROM interaction_deliveries").fetchall()
        found = connection.execute(
            "SELECT 1 FROM pg_indexes WHERE indexname = 'idx_deliveries_receipts'"
        ).fetchall()
    assert {row["kind"] for row in rows} == {"question"}
    assert len(found) == 1


async def test_a_column_nothing_can_stand_in_for_is_said(postgres_url: str) -> None:
    await converge(postgres_url)
    run(postgres_url, "ALTER TABLE tasks DROP COLUMN title")
    error = await refused(postgres_url)
    assert error.code is ErrorCode.STORE_CORRUPT
    assert "title" in error.detail


@pytest.mark.parametrize(
    "definition",
    [
        f"({KEY}, id, created_at) WHERE {KEY} IS NOT NULL",
        f"({KEY}, created_at, id)",
        f"({KEY}, created_at DESC, id) WHERE {KEY} IS NOT NULL",
        f"({KEY.replace('pending', 'Pending')}, created_at, id) WHERE {KEY} IS NOT NULL",
        f'({KEY} COLLATE "C", created_at, id) WHERE {KEY} IS NOT NULL',
    ],
)
async def test_an_index_with_our_name_and_another_definition_is_said_with_both(
    postgres_url: str, definition: str
) -> None:
    """architecture.md, The store."""
    await converge(postgres_url)
    run(
        postgres_url,
        f"DROP INDEX {ORDERED}",
        f"CREATE INDEX {ORDERED} ON task_session_messages {definition}",
    )
    error = await refused(postgres_url)
    assert error.code is ErrorCode.INDEX_MISMATCH
    assert "Found: CREATE INDEX" in error.detail
    assert f"Needed: CREATE INDEX IF NOT EXISTS {ORDERED}" in error.detail


async def test_another_spelling_and_storage_of_our_definition_is_ours(postgres_url: str) -> None:
    await converge(postgres_url)
    run(
        postgres_url,
        f"DROP INDEX {ORDERED}",
        f"create index {ORDERED} on public.task_session_messages using btree"
        " ((((metadata)::jsonb) ->> 'pending_id'::text), (created_at) asc nulls last, id)"
        " with (fillfactor = 70) where ((metadata::jsonb ->> 'pending_id') is not null)",
    )
    await converge(postgres_url)


async def call(*command: object) -> None:
    process = await asyncio.create_subprocess_exec(*(str(part) for part in command))
    assert await process.wait() == 0


async def test_a_store_that_was_dumped_and_restored_is_ours_as_it_is(
    postgres: PostgresServer, postgres_url: str, tmp_path: Path
) -> None:
    await converge(postgres_url)
    give_rows(postgres_url)
    dump = tmp_path / "store.dump"
    programs = _programs()
    await call(programs / "pg_dump", "--format=custom", f"--file={dump}", postgres_url)
    with postgres.database() as copy:
        await call(programs / "pg_restore", "--no-owner", f"--dbname={copy}", dump)
        before = schema_of(copy)
        await converge(copy)
        assert schema_of(copy) == before


def without_json_indexes(url: str) -> None:
    for index in indexes(Dialect.POSTGRESQL):
        if "jsonb" in index.ddl():
            run(url, f"DROP INDEX {index.name}")


async def test_empty_metadata_becomes_an_object_and_other_text_stops_the_start(
    postgres_url: str,
) -> None:
    """architecture.md, The store: the rows are named, and what to do."""
    await converge(postgres_url)
    give_rows(postgres_url)
    without_json_indexes(postgres_url)
    rows = RowMaker(postgres_url)
    bad = [rows.message() for _ in range(3)]
    with raw(postgres_url) as connection:
        connection.execute("UPDATE task_sessions SET metadata = ''")
        change = "UPDATE task_session_messages SET metadata = ? WHERE id = ?"
        for row, text in zip(bad, ("{", '{"a":"\\u0000"}', '{"a":"\\ud800"}'), strict=True):
            connection.execute(change, (text, row))
    error = await refused(postgres_url)
    assert error.code is ErrorCode.STORE_INVALID_ROW
    assert all(row in error.detail for row in bad)
    assert "kandesk doctor --repair" in error.detail
    with raw(postgres_url) as connection:
        connection.execute("UPDATE task_session_messages SET metadata = NULL")
    await converge(postgres_url, allow=True)
    with raw(postgres_url) as connection:
        (session,) = connection.execute("SELECT metadata FROM task_sessions").fetchall()
    assert session["metadata"] == "{}"


@pytest.mark.parametrize("key", ["pending_id", "tool_call_id"])
async def test_a_text_that_is_too_long_for_an_index_stops_the_start_and_names_its_row(
    postgres_url: str, key: str
) -> None:
    """architecture.md, The store: SQLite indexes texts of any length, a server does not."""
    await converge(postgres_url)
    give_rows(postgres_url)
    row = RowMaker(postgres_url).message()
    index = f"idx_messages_metadata_{key}"
    change = "UPDATE task_session_messages SET metadata = ? WHERE id = ?"
    # Random, or the server would store it compressed.
    long = json.dumps({key: secrets.token_hex(4_000)})
    without_json_indexes(postgres_url)
    with raw(postgres_url) as connection:
        connection.execute(change, (long, row))
    before = everything(postgres_url)
    for _ in range(2):
        with pytest.raises(StorageFailed) as caught:
            await converge(postgres_url, allow=True)
        error = caught.value
        assert error.code is ErrorCode.STORE_INVALID_ROW
        assert error.params["rows"] == row
        assert row in error.detail
        assert index in error.detail
        assert len(error.detail.splitlines()) == 1
        assert len(error.detail) < 600
    assert everything(postgres_url) == before
    with raw(postgres_url) as connection:
        connection.execute(change, ("{}", row))
    await converge(postgres_url, allow=True)


def everything(url: str) -> list[tuple[object, ...]]:
    with psycopg.connect(url) as connection:
        return connection.execute("SELECT * FROM task_session_messages ORDER BY id").fetchall()


async def test_a_newer_store_is_refused(postgres_url: str) -> None:
    await converge(postgres_url)
    run(postgres_url, f"UPDATE settings SET value = '2' WHERE key = '{MARK}'")  # noqa: S608
    error = await refused(postgres_url)
    assert error.code is ErrorCode.STORE_TOO_NEW
    assert error.params["found"] == 2


async def test_a_kandev_database_is_refused_with_the_way_to_bring_it_in(postgres_url: str) -> None:
    run(
        postgres_url,
        "CREATE TABLE task_sessions (id TEXT PRIMARY KEY, started_at TIMESTAMP)",
        "CREATE TABLE task_session_messages (id TEXT PRIMARY KEY, metadata TEXT)",
    )
    error = await refused(postgres_url)
    assert error.code is ErrorCode.STORE_FOREIGN
    assert error.params["hint"] == "import-kandev"


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TABLE settings (id INTEGER, name TEXT)",
        "CREATE TABLE settings (key TEXT, value TEXT)",
        "CREATE TABLE tasks (id INTEGER)",
        "CREATE VIEW sequences AS SELECT 1 AS name",
    ],
)
async def test_tables_of_others_with_our_names_are_refused(
    postgres_url: str, statement: str
) -> None:
    run(postgres_url, statement)
    assert (await refused(postgres_url)).code is ErrorCode.STORE_FOREIGN


async def test_tables_of_others_with_other_names_are_no_hindrance(postgres_url: str) -> None:
    run(postgres_url, "CREATE TABLE invoices (id INTEGER)")
    await converge(postgres_url)
    assert "invoices" in names(postgres_url, "r")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ("ALTER TABLE sequences ALTER value TYPE text", "sequences.value is text COLLATE default"),
        (
            'ALTER TABLE task_session_turns ALTER started_at TYPE text COLLATE "default"',
            "task_session_turns.started_at is text COLLATE default",
        ),
        (
            "ALTER TABLE tasks ALTER created_at TYPE timestamptz USING now()",
            "tasks.created_at is timestamp with time zone",
        ),
        (
            "ALTER TABLE answer_drafts RENAME TO d; CREATE VIEW answer_drafts AS SELECT * FROM d",
            "is in a view",
        ),
    ],
)
async def test_a_column_of_another_kind_stops_the_start(
    postgres_url: str, change: str, says: str
) -> None:
    """Text that sorts by a language would make another turn the newest (K1.8)."""
    await converge(postgres_url)
    run(postgres_url, change)
    error = await refused(postgres_url)
    assert error.code is ErrorCode.STORE_CORRUPT
    assert says in error.detail


async def test_a_table_without_its_mark_is_no_kandev_database(postgres_url: str) -> None:
    await converge(postgres_url)
    run(postgres_url, "DROP TABLE settings")
    error = await refused(postgres_url)
    assert error.code is ErrorCode.STORE_FOREIGN
    assert "mark in the table settings is gone" in error.detail


async def test_a_search_path_that_ends_with_temporary_tables_is_no_hindrance(
    postgres_url: str,
) -> None:
    """The usual protection against tables that hide others."""
    url = f"{postgres_url}?options=-csearch_path%3Dpublic,pg_temp"
    await converge(url)
    before = schema_of(url)
    await converge(url)
    assert schema_of(url) == before


async def test_a_store_that_another_schema_hides_is_not_made_anew(postgres_url: str) -> None:
    await converge(postgres_url)
    give_rows(postgres_url)
    run(postgres_url, "CREATE SCHEMA before")
    error = await refused(f"{postgres_url}?options=-csearch_path%3Dbefore,public")
    assert error.code is ErrorCode.STORE_FOREIGN
    assert "schema public is hidden by schema before" in error.detail
    await converge(f"{postgres_url}?options=-csearch_path%3Dbefore")


@pytest.mark.parametrize(
    "setting", ["client_encoding=LATIN1", "options=-cstandard_conforming_strings%3Doff"]
)
async def test_every_text_is_kept_whatever_the_address_sets(
    postgres_url: str, setting: str
) -> None:
    database = await PostgresDatabase.open(
        f"{postgres_url}?{setting}", FakeClock(), allow_migration=True
    )
    try:
        async with database.writing() as tx:
            await settings.put(tx, "k", "\u65e5\u672c \\' \U0001f600")
        async with database.reading() as tx:
            assert await settings.get(tx, "k") == "\u65e5\u672c \\' \U0001f600"
    finally:
        await database.close()


async def test_a_server_that_takes_no_more_connections_is_said(postgres_url: str) -> None:
    run(
        postgres_url,
        "DROP ROLE IF EXISTS kandesk_few",
        "CREATE ROLE kandesk_few LOGIN CONNECTION LIMIT 3",
    )
    with pytest.raises(TemporarilyUnavailable, match="takes no more connections"):
        await converge(postgres_url.replace("postgres@", "kandesk_few@"))


async def test_a_database_that_cannot_hold_every_text_is_refused(postgres: PostgresServer) -> None:
    with psycopg.connect(postgres.url, autocommit=True) as connection:
        connection.execute("CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
        try:
            url = postgres.url.rpartition("/")[0] + "/latin"
            error = await refused(url)
        finally:
            connection.execute("DROP DATABASE latin WITH (FORCE)")
    assert error.code is ErrorCode.STORE_FOREIGN
    assert "LATIN1" in error.detail


@pytest.fixture
def reader(postgres_url: str) -> Iterator[str]:
    """A role that may do nothing in the database but look."""
    run(postgres_url, "CREATE ROLE looks LOGIN")
    yield postgres_url.replace("postgres@", "looks@", 1)
    run(postgres_url, "DROP OWNED BY looks", "DROP ROLE looks")


async def test_a_role_without_the_right_to_write_is_said(reader: str) -> None:
    with pytest.raises(StorageFailed) as caught:
        await converge(reader)
    assert caught.value.code is ErrorCode.STORE_READ_ONLY


@pytest.mark.parametrize("change", [("postgres@", "nobody@"), ("kandesk_", "missing_")])
async def test_a_refused_login_is_said(postgres_url: str, change: tuple[str, str]) -> None:
    with pytest.raises(StorageFailed) as caught:
        await converge(postgres_url.replace(*change, 1))
    assert caught.value.code is ErrorCode.STORE_UNREACHABLE


async def test_a_store_is_opened_for_reading_only_when_it_is_complete(
    postgres_url: str, clock: FakeClock
) -> None:
    with pytest.raises(StorageFailed):
        await PostgresDatabase.open_read_only(postgres_url, clock)
    assert names(postgres_url, "r") == set()
    await converge(postgres_url)
    database = await PostgresDatabase.open_read_only(postgres_url, clock)
    async with database.reading() as tx:
        assert await settings.get(tx, MARK) == "1"
    with pytest.raises(AppError):
        async with database.writing():
            pass
    await database.close()


async def test_a_long_step_tells_how_far_it_is_and_can_be_cancelled(postgres_url: str) -> None:
    await converge(postgres_url)
    run(postgres_url, f"DROP INDEX {ORDERED}")
    give_rows(postgres_url)
    run(
        postgres_url,
        "INSERT INTO task_session_messages (id, task_session_id, turn_id, content, created_at,"
        " updated_at, metadata) SELECT 'm' || n, 's1', 'turn1', '', 'x', 'x',"
        " '{\"pending_id\":\"' || n || '\"}' FROM generate_series(1, 100000) n",
        "ANALYZE task_session_messages",
    )
    told: list[StoreProgress] = []
    start = asyncio.create_task(converge(postgres_url, allow=True, told=told))
    await until(lambda: [event for event in told if event.subject == ORDERED])
    assert told[-1].total >= 100_000
    start.cancel()
    with pytest.raises(asyncio.CancelledError):
        await start
    assert ORDERED not in names(postgres_url, "i")
    with psycopg.connect(postgres_url) as connection:
        running = connection.execute(
            "SELECT 1 FROM pg_stat_activity WHERE query LIKE 'CREATE INDEX%'"
            " AND datname = current_database()"
        ).fetchall()
    assert running == []
    await converge(postgres_url, allow=True)
    assert ORDERED in names(postgres_url, "i")


async def test_a_table_somebody_else_locks_stops_the_start_as_retryable(
    postgres_url: str, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("backend.store.postgres_connection.LOCK_PATIENCE", 100)
    database = await PostgresDatabase.open(postgres_url, clock, allow_migration=False)
    await ask(database, clock)
    await database.close()
    run(postgres_url, f"DROP INDEX {ORDERED}")
    with raw(postgres_url) as other:
        other.execute("LOCK TABLE task_session_messages IN ROW EXCLUSIVE MODE")
        with pytest.raises(TemporarilyUnavailable):
            await converge(postgres_url, allow=True)
        other.rollback()
    await converge(postgres_url, allow=True)
