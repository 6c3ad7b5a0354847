"""`kandesk doctor` on a store that a PostgreSQL server keeps (architecture.md, The store)."""

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from backend.cli import doctor
from backend.clock import SystemClock
from backend.errors import ErrorCode, StorageFailed
from backend.paths import Home
from backend.store.dialect import Dialect
from backend.store.postgres import PostgresDatabase
from backend.store.schema import indexes
from tests.helpers.doctor import Checks, examine, levels
from tests.helpers.place import raw
from tests.helpers.postgres_desk import desk_on
from tests.helpers.postgres_faults import private_server
from tests.helpers.program import run_command
from tests.helpers.store import RowMaker

pytestmark = pytest.mark.usefixtures("no_agents")

ORDERED = "idx_messages_metadata_pending_id_lookup_ordered"
DEEP = "[" * 100_000 + "]" * 100_000
UNREADABLE = {
    "cut off": '{"cut',
    "bare word": "nothing",
    "single quotes": "{'a':1}",
    "not a number": '{"a":NaN}',
    "comma too much": '{"a":1,}',
    "two documents": "{}{}",
    "spaces only": "  ",
    "control character": '{"a":"\n"}',
    "escaped NUL": '{"a":"\\u0000"}',
    "lone high surrogate": '{"a":"\\ud800"}',
    "lone low surrogate": '{"a":"\\udc00x"}',
    "bad escape": '{"a":"\\x41"}',
    "number beyond all limits": '{"a":1e999999}',
    "nested without end": DEEP,
    "byte order mark": "\ufeff{}",
    "binary data as text": "\\x7b7d",
}
READABLE = ("{}", " {} ", '{"a":"\\ud83d\\ude00"}', "null", "5", "[]", '{"a":1,"a":2}', None)


def converge(url: str, *, allow: bool = False) -> None:
    async def open_and_close() -> None:
        database = await PostgresDatabase.open(url, SystemClock(), allow_migration=allow)
        await database.close()

    asyncio.run(open_and_close())


@pytest.fixture
def server(home: Home, postgres_url: str) -> str:
    """A complete store with a question and a plain row; the home names it."""
    home.create()
    name_store(home, postgres_url)
    converge(postgres_url)
    rows = RowMaker(postgres_url)
    rows.session()
    rows.turn("turn1")
    rows.question("p1")
    rows.message()
    return postgres_url


def name_store(home: Home, url: str) -> None:
    home.desk_toml.write_text(f'[store]\ndatabase = "{url}"\n')
    home.desk_toml.chmod(0o600)


def spoil(url: str, *texts: str) -> list[str]:
    """Rows with these as their metadata; the indexes that would refuse them are gone."""
    rows = RowMaker(url)
    ids = [rows.message() for _ in texts]
    with raw(url) as connection:
        for index in indexes(Dialect.POSTGRESQL):
            if "::jsonb" in index.ddl():
                connection.execute(f"DROP INDEX IF EXISTS {index.name}")
        for row, text in zip(ids, texts, strict=True):
            change = "UPDATE task_session_messages SET metadata = ? WHERE id = ?"
            connection.execute(change, (text, row))
    return ids


def everything(url: str) -> dict[str, list[tuple[object, ...]]]:
    """Every row of every table, with where it lies: a row that was written again has moved."""
    with psycopg.connect(url) as connection:
        tables = connection.execute(
            "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1"
        ).fetchall()
        found: dict[str, list[tuple[object, ...]]] = {}
        for (table,) in tables:
            rows = connection.execute(f"SELECT ctid, * FROM {table}".encode())  # noqa: S608
            found[table] = sorted(rows.fetchall(), key=str)
    return found


def repair(home: Home, capsys: pytest.CaptureFixture[str], *options: str) -> tuple[int, str]:
    code = doctor.main(["--home", str(home.root), "--repair", *options])
    told = capsys.readouterr()
    return code, told.err if code else told.out


def test_a_sound_store_has_no_problem_and_nothing_is_written(
    home: Home, server: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = everything(server)
    for options in ((), ("--full",)):
        code, found, _ = examine(home, capsys, *options)
        assert code == 0
        assert set(levels(found).values()) == {"ok"}
        assert {"store", "owner", "indexes", "metadata", "waiting"} <= set(found)
        assert "format 1" in found["store"][0]["text"]
    assert everything(server) == before


def test_an_empty_database_is_fine_and_stays_empty(
    home: Home, postgres_url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    home.create()
    name_store(home, postgres_url)
    code, found, _ = examine(home, capsys)
    assert (code, levels(found)["store"]) == (0, "ok")
    assert "empty" in found["store"][0]["text"]
    assert repair(home, capsys)[0] == 0
    assert everything(postgres_url) == {}


def test_every_text_that_is_no_json_is_found_moved_and_the_store_converges(
    home: Home, server: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """What stops a start can be repaired, whatever the text; what can be read stays as it is."""
    bad = dict(zip(spoil(server, *UNREADABLE.values()), UNREADABLE.values(), strict=True))
    rows = RowMaker(server)
    good = {rows.message(): text for text in READABLE}
    with raw(server) as connection:
        for row, text in good.items():
            change = "UPDATE task_session_messages SET metadata = ? WHERE id = ?"
            connection.execute(change, (text, row))
        connection.execute("UPDATE tasks SET metadata = '{of a task'")
        connection.execute("UPDATE task_session_turns SET metadata = '{of a turn'")
        connection.execute("UPDATE task_sessions SET metadata = '{of a session'")
    with pytest.raises(StorageFailed) as caught:
        converge(server, allow=True)
    assert caught.value.code is ErrorCode.STORE_INVALID_ROW
    assert caught.value.params["count"] == len(bad) + 3
    assert "kandesk doctor --repair" in caught.value.detail

    code, told = repair(home, capsys, "--backed-up")
    assert code == 0, told
    with raw(server) as connection:
        moved = connection.execute(
            "SELECT row_id, raw_text, reason, moved_at FROM quarantined_metadata"
            " WHERE table_name = 'task_session_messages'"
        ).fetchall()
        others = connection.execute(
            "SELECT raw_text FROM quarantined_metadata"
            " WHERE table_name <> 'task_session_messages' ORDER BY 1"
        ).fetchall()
        now = dict(
            tuple(row)
            for row in connection.execute("SELECT id, metadata FROM task_session_messages")
        )
    assert {row["row_id"]: row["raw_text"] for row in moved} == bad
    assert all(row["reason"] and row["moved_at"].endswith("Z") for row in moved)
    assert [row[0] for row in others] == ["{of a session", "{of a task", "{of a turn"]
    assert {now[row] for row in bad} == {"{}"}
    assert {row: now[row] for row in good} == good
    with pytest.raises(StorageFailed) as unconfirmed:
        converge(server)
    assert unconfirmed.value.code is ErrorCode.STORE_MIGRATION_UNCONFIRMED
    converge(server, allow=True)
    converge(server)
    _, found, _ = examine(home, capsys)
    assert levels(found)["indexes"] == levels(found)["metadata"] == "ok"
    assert f"{len(bad) + 3} rows were quarantined" in found["metadata"][0]["text"]


def test_a_question_whose_metadata_is_moved_is_nobodys_open_question(
    home: Home, server: str, capsys: pytest.CaptureFixture[str]
) -> None:
    spoil(server)
    with raw(server) as connection:
        connection.execute(
            "UPDATE task_session_messages SET metadata = '{' WHERE type = 'clarification_request'"
        )
    assert repair(home, capsys, "--backed-up")[0] == 0
    with raw(server) as connection:
        rows = connection.execute(
            "SELECT metadata FROM task_session_messages WHERE type = 'clarification_request'"
        ).fetchall()
    assert [json.loads(row[0]) for row in rows] == [{"status": "cancelled"}]


def test_without_a_confirmed_backup_it_says_how_to_make_one_and_changes_nothing(
    home: Home, server: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The words of a migrating start: what would be done, pg_dump, and the command to say so."""
    (row,) = spoil(server, "{broken")
    before = everything(server)
    code, told = repair(home, capsys)
    assert code == 1
    assert len(told.splitlines()) == 1
    assert row in told
    assert "Its backups are the server's: make one first, for example with: pg_dump " in told
    assert "kandesk doctor --repair --backed-up" in told
    assert everything(server) == before


def test_repair_does_nothing_the_second_time(
    home: Home, server: str, capsys: pytest.CaptureFixture[str]
) -> None:
    spoil(server, "{broken")
    assert repair(home, capsys, "--backed-up")[0] == 0
    before = everything(server)
    for options in ((), ("--backed-up",)):
        code, told = repair(home, capsys, *options)
        assert code == 0
        assert "nothing to repair: all metadata is JSON" in told
    assert everything(server) == before


def test_repair_is_one_transaction(
    home: Home, server: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A failure at the last table leaves every row, and no quarantine."""
    spoil(server, "{broken")
    with raw(server) as connection:
        connection.execute("UPDATE tasks SET metadata = '{broken too'")
        connection.execute(
            "CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS"
            " $$ BEGIN RAISE disk_full USING MESSAGE = 'injected'; END $$"
        )
        connection.execute(
            "CREATE TRIGGER fail BEFORE UPDATE ON task_session_messages"
            " FOR EACH ROW EXECUTE FUNCTION fail()"
        )
    before = everything(server)
    code, told = repair(home, capsys, "--backed-up")
    assert code == 1
    assert "injected" in told
    assert everything(server) == before


async def test_nothing_is_repaired_while_a_desk_runs_whatever_its_home(
    home: Home, server: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with desk_on(tmp_path / "other", server) as desk:
        code, told, err = await run_command(home.root, "doctor", "--repair", "--backed-up")
        assert (code, told) == (1, "")
        assert f"process {desk.pid} (serve)" in err
        code, told, err = await run_command(home.root, "doctor", "--json")
        assert code == 0, told + err
        checks = {check["check"]: check for check in json.loads(told)["checks"]}
        assert f"process {desk.pid} (serve)" in checks["owner"]["text"]
        await desk.kill()


def test_a_store_that_only_serve_was_told_of_can_be_named(
    home: Home, server: str, capsys: pytest.CaptureFixture[str]
) -> None:
    home.desk_toml.unlink()
    (row,) = spoil(server, "{broken")
    code, told = repair(home, capsys, "--database", server, "--backed-up")
    assert code == 0
    assert row in told
    with pytest.raises(SystemExit):
        repair(home, capsys, "--database", "postgresql://me:secret@host/name")
    told = capsys.readouterr().err
    assert "--database: must not contain a password" in told
    assert "secret" not in told


def found_level(home: Home, capsys: pytest.CaptureFixture[str], check: str) -> tuple[str, str]:
    _, found, _ = examine(home, capsys)
    return levels(found)[check], " ".join(found[check][0].values())


def test_indexes_are_judged_by_what_they_do(
    home: Home, server: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with raw(server) as connection:
        connection.execute(f"DROP INDEX {ORDERED}")
    level, told = found_level(home, capsys, "indexes")
    assert level == "warning"
    assert ORDERED in told
    assert "kandesk serve --migrate" in told
    with raw(server) as connection:
        connection.execute(f"CREATE INDEX {ORDERED} ON task_session_messages(id)")
    level, told = found_level(home, capsys, "indexes")
    assert level == "problem"
    assert "Found: " in told


def test_rows_nobody_can_read_are_a_problem_that_names_its_repair(
    home: Home, server: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with raw(server) as connection:
        connection.execute("UPDATE tasks SET metadata = '{broken'")
    level, told = found_level(home, capsys, "metadata")
    assert level == "problem"
    assert "tasks has rows" in told
    assert "kandesk doctor --repair" in told
    (row,) = spoil(server, "{broken")
    assert row in found_level(home, capsys, "metadata")[1]


def test_what_the_last_run_left_and_what_waits_is_told(
    home: Home, server: str, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = RowMaker(server)
    rows.session("s2")
    rows.turn("t2", "s2", prompt_dispatch_pending=True)
    rows.question("p2", turn="t2", session="s2", status="answered", response_delivery_pending=True)
    with raw(server) as connection:
        connection.execute(
            "INSERT INTO interaction_deliveries (pending_id, session_id, state, opened_at,"
            " updated_at) VALUES ('p2', 's2', 'waiting_for_agent', 'x', 'x')"
        )
    code, found, _ = examine(home, capsys)
    assert code == 0
    assert levels(found)["answers"] == levels(found)["turns"] == "warning"
    assert "1 answer waits" in found["waiting"][0]["text"]


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ("UPDATE settings SET value = '2' WHERE key = 'store_format'", "newer Kandesk"),
        ("DELETE FROM settings WHERE key = 'store_format'", "mark in the table settings is gone"),
    ],
)
def test_what_is_no_store_of_ours_is_a_problem_and_is_left_alone(
    home: Home, server: str, change: str, word: str, capsys: pytest.CaptureFixture[str]
) -> None:
    spoil(server, "{broken")
    with raw(server) as connection:
        connection.execute(change)
    before = everything(server)
    level, told = found_level(home, capsys, "store")
    assert level == "problem"
    assert word in told
    code, told = repair(home, capsys, "--backed-up")
    assert code == 1
    assert word in told
    assert everything(server) == before


@contextmanager
def guarded_store(home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A server that wants a password, which only a file of its own has."""
    secret = "correct-horse"  # noqa: S105 - of a server that lives as long as the test
    passwords = tmp_path / "pgpass"
    passwords.write_text(f"127.0.0.1:*:*:guarded:{secret}\n")
    passwords.chmod(0o600)
    monkeypatch.setenv("PGPASSFILE", str(passwords))
    with private_server(["host all guarded 127.0.0.1/32 scram-sha-256"]) as server:
        with psycopg.connect(server.url, autocommit=True) as connection:
            connection.execute(f"CREATE ROLE guarded LOGIN PASSWORD '{secret}'")
            connection.execute("GRANT ALL ON SCHEMA public TO guarded")
        url = server.address("desk", role="guarded")
        home.create()
        name_store(home, url)
        converge(url)
        yield secret


def test_no_password_is_ever_printed(
    home: Home,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with guarded_store(home, tmp_path, monkeypatch) as secret:
        code = doctor.main(["--home", str(home.root), "--repair"])
        told = capsys.readouterr()
        assert code == 0, told
        (tmp_path / "pgpass").write_text("127.0.0.1:*:*:guarded:battery-staple\n")
        wrong = doctor.main(["--home", str(home.root)])
        refused = capsys.readouterr()
    assert wrong == 1
    for text in (told.out, told.err, refused.out, refused.err):
        assert secret not in text
        assert "battery-staple" not in text


def test_a_server_that_is_away_is_a_problem_in_one_line(
    home: Home, capsys: pytest.CaptureFixture[str]
) -> None:
    home.create()
    name_store(home, "postgresql://x@127.0.0.1:1/x")
    level, told = found_level(home, capsys, "store")
    assert level == "problem"
    assert "postgresql://x@127.0.0.1:1/x cannot be reached" in told
    assert repair(home, capsys)[0] == 1
    checks: Checks = examine(home, capsys)[1]
    assert "owner" not in checks
