"""`kandesk doctor --repair`: metadata nobody can read is moved, whole and after a backup."""

import json
import sqlite3
from pathlib import Path

import pytest

from backend.cli import doctor
from backend.paths import Home
from tests.backend.store.test_upgrade import converge
from tests.helpers.desk_process import run_kandesk
from tests.helpers.doctor import break_metadata, examine, levels, snapshot
from tests.helpers.place import raw

ORDERED = "idx_messages_metadata_pending_id_lookup_ordered"
pytestmark = pytest.mark.usefixtures("no_agents")


def test_metadata_nobody_can_read_is_a_problem_that_names_its_repair(
    home: Home, store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    row = break_metadata(store, '{"cut')
    code, found, _ = examine(home, capsys)
    assert (code, levels(found)["metadata"]) == (1, "problem")
    assert row in found["metadata"][0]["text"]
    assert "doctor --repair" in found["metadata"][0]["text"]


@pytest.mark.parametrize("value", ['{"cut', b"\x00\xff", b'{"a":1}', "{'a':NaN}"])
@pytest.mark.parametrize("kind", ["message", "clarification_request"])
def test_repair_moves_the_raw_metadata_after_a_backup_and_the_store_converges(
    home: Home, store: Path, value: str | bytes, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    row = break_metadata(store, value, kind=kind)
    code, found, done = examine(home, capsys, "--repair")
    assert code == 0
    assert levels(found)["metadata"] == "ok"
    assert any(row in line for line in done)
    (backup,) = home.root.glob("*.backup")
    assert str(backup) in done[0]
    with raw(backup) as connection:
        kept = connection.execute(
            "SELECT metadata FROM task_session_messages WHERE id = ?", (row,)
        ).fetchone()[0]
    with raw(store) as connection:
        moved = connection.execute("SELECT * FROM quarantined_metadata").fetchall()
        now = connection.execute(
            "SELECT metadata FROM task_session_messages WHERE id = ?", (row,)
        ).fetchone()[0]
    assert kept == value
    assert [(m["table_name"], m["row_id"]) for m in moved] == [("task_session_messages", row)]
    assert (moved[0]["raw_bytes"] if isinstance(value, bytes) else moved[0]["raw_text"]) == value
    assert moved[0]["reason"]
    assert moved[0]["moved_at"].endswith("Z")
    assert now == ("{}" if kind == "message" else '{"status":"cancelled"}')
    converge(store)


def test_a_question_whose_metadata_is_gone_is_nobodys_open_question(
    home: Home, store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    break_metadata(store, "{broken", kind="clarification_request")
    examine(home, capsys, "--repair")
    converge(store)
    result = run_kandesk(home, "pending", "--json")
    assert json.loads(result.stdout)["bundles"] == []
    with raw(store) as connection:
        row = connection.execute(
            "SELECT COUNT(*) FROM task_session_messages WHERE type = 'clarification_request'"
            " AND COALESCE(json_extract(metadata,'$.status'),'') IN ('','pending')"
        ).fetchone()
    assert row[0] == 0


def test_repair_does_nothing_the_second_time(
    home: Home, store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    break_metadata(store, "{broken")
    examine(home, capsys, "--repair")
    before = snapshot(home.root)
    _, found, done = examine(home, capsys, "--repair")
    assert done == ["nothing to repair: all metadata is JSON"]
    assert "1 rows were quarantined" in found["metadata"][0]["text"]
    after = snapshot(home.root)
    assert {name: after[name] for name in before if not name.endswith(".lock")} == {
        name: value for name, value in before.items() if not name.endswith(".lock")
    }


def test_repair_is_one_transaction(
    home: Home, store: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A failure at the last row leaves every row and no quarantine."""
    break_metadata(store, "{broken")
    with raw(store) as connection:
        connection.execute("UPDATE tasks SET metadata = '{broken too'")
        connection.execute(
            "CREATE TRIGGER fail BEFORE UPDATE ON task_session_messages"
            " BEGIN SELECT RAISE(ABORT, 'injected'); END"
        )
    with pytest.raises(sqlite3.IntegrityError, match="injected"):
        doctor.main(["--home", str(home.root), "--repair"])
    with raw(store) as connection:
        assert connection.execute("SELECT metadata FROM tasks").fetchone()[0] == "{broken too"
        names = [row[0] for row in connection.execute("SELECT name FROM sqlite_schema")]
    assert "quarantined_metadata" not in names
