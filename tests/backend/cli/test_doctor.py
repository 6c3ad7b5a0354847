"""`kandesk doctor`: one line per check, never a change unasked, never a token (product.md)."""

import asyncio
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest

from backend.cli import doctor, doctor_home
from backend.cli.finding import Level
from backend.clock import SystemClock
from backend.paths import Home
from backend.store.owner_lock import OwnerLock
from tests.backend.store.test_upgrade import FIRST_RELEASE
from tests.helpers.desk_process import DeskProcess, run_kandesk
from tests.helpers.doctor import examine, levels, snapshot
from tests.helpers.place import open_store, raw
from tests.helpers.store import RowMaker

ORDERED = "idx_messages_metadata_pending_id_lookup_ordered"
pytestmark = pytest.mark.usefixtures("no_agents")


def test_a_home_that_was_never_used_is_fine_and_stays_away(
    home: Home, capsys: pytest.CaptureFixture[str]
) -> None:
    code, found, _ = examine(home, capsys)
    assert code == 0
    assert set(levels(found).values()) == {"ok"}
    assert not home.root.exists()


def test_a_sound_store_has_no_problem_and_nothing_is_written(
    home: Home, store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = snapshot(home.root)
    code, found, _ = examine(home, capsys, "--full")
    assert code == 0
    assert set(levels(found).values()) == {"ok"}
    assert {"home", "disk", "tokens", "desk", "store", "indexes", "integrity", "metadata",
            "waiting", "agents"} <= set(found)  # fmt: skip
    assert snapshot(home.root) == before


def test_each_check_is_one_line_that_begins_with_its_level(
    home: Home, store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    doctor.main(["--home", str(home.root)])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) >= 9
    assert all(line.split()[0] in {"ok", "warning", "problem"} for line in lines)


@pytest.mark.skipif(sys.platform == "win32", reason="modes are POSIX")
def test_what_others_may_read_is_named_and_left_as_it_is(
    home: Home, store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home.desk_token.write_text("secret-of-the-desk")
    home.desk_token.chmod(0o644)
    home.agent_token.write_text("secret-of-the-agents")
    home.agent_token.chmod(0o600)
    home.root.chmod(0o755)
    before = snapshot(home.root)
    code, found, _ = examine(home, capsys)
    assert code == 0
    assert levels(found)["home"] == "warning"
    told = " ".join(check["text"] + check["advice"] for check in found["files"])
    assert str(home.desk_token) in told
    assert "--rotate-tokens" in told
    assert snapshot(home.root) == before


def test_no_token_is_ever_printed(
    home: Home, start_desk: Callable[..., DeskProcess], capsys: pytest.CaptureFixture[str]
) -> None:
    start_desk()
    secrets = [path.read_text() for path in (home.desk_token, home.agent_token, home.ticket_key)]
    doctor.main(["--home", str(home.root)])
    doctor.main(["--home", str(home.root), "--json"])
    told = capsys.readouterr()
    assert not [secret for secret in secrets if secret in told.out + told.err]


def test_a_running_desk_is_asked_and_the_store_is_read_beside_it(
    home: Home, start_desk: Callable[..., DeskProcess], capsys: pytest.CaptureFixture[str]
) -> None:
    desk = start_desk()
    code, found, _ = examine(home, capsys)
    assert code == 0
    assert f"process {desk.process.pid}" in found["desk"][0]["text"]
    assert levels(found)["counters"] == "ok"
    assert levels(found)["store"] == "ok"


def test_late_answers_that_the_desk_has_counted_are_told() -> None:
    """clarification.md, Observability."""
    body: dict[str, object] = {
        "counters": {"clarification_response_timeout_total": {"claim": 2, "identity": 0}}
    }
    finding = doctor_home._check_counters(body)
    assert finding.level is Level.WARNING
    assert "claim 2" in finding.text
    assert "identity" not in finding.text


def test_a_desk_that_holds_the_store_and_does_not_answer_is_a_problem(
    home: Home, store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lock = OwnerLock.acquire(store, kind="serve")
    try:
        code, found, _ = examine(home, capsys)
    finally:
        lock.release()
    assert code == 1
    assert str(os.getpid()) in found["desk"][0]["text"]


def test_an_index_that_is_missing_or_another_is_told_apart(
    home: Home, store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with raw(store) as connection:
        connection.execute(f"DROP INDEX {ORDERED}")
    code, found, _ = examine(home, capsys)
    assert (code, levels(found)["indexes"]) == (0, "warning")
    assert ORDERED in found["indexes"][0]["text"]
    with raw(store) as connection:
        connection.execute(f"CREATE INDEX {ORDERED} ON task_session_messages(id)")
    code, found, _ = examine(home, capsys)
    assert (code, levels(found)["indexes"]) == (1, "problem")


def test_damage_and_lost_references_are_problems(
    home: Home, store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with raw(store) as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute("DELETE FROM task_session_turns")
    code, found, _ = examine(home, capsys)
    assert (code, levels(found)["integrity"]) == (0, "ok")
    code, found, _ = examine(home, capsys, "--full")
    assert (code, levels(found)["integrity"]) == (1, "problem")
    with raw(store) as connection:
        page = connection.execute(
            "SELECT rootpage FROM sqlite_schema WHERE name = 'task_session_messages'"
        ).fetchone()[0]
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    with store.open("r+b") as file:
        file.seek((page - 1) * 4096)
        file.write(b"\x77" * 4096)
    code, found, _ = examine(home, capsys)
    assert code == 1


@pytest.mark.parametrize("content", [b"", b"no database at all" * 20])
def test_what_is_no_store_is_a_problem_that_is_left_alone(
    home: Home, content: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    home.create()
    home.database.write_bytes(content)
    home.database.chmod(0o600)
    code, found, _ = examine(home, capsys)
    assert (code, levels(found)["store"]) == (1, "problem")
    assert home.database.read_bytes() == content


def test_settings_that_cannot_be_are_a_problem(
    home: Home, capsys: pytest.CaptureFixture[str]
) -> None:
    home.create()
    home.desk_toml.write_text("[store\n")
    home.desk_toml.chmod(0o600)
    code, found, _ = examine(home, capsys)
    assert (code, levels(found)["settings"]) == (1, "problem")


def test_a_store_on_a_server_is_reached_and_one_that_is_away_is_a_problem(
    home: Home, postgres_url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    home.create()

    async def make() -> None:
        await (await open_store(postgres_url, SystemClock())).close()

    asyncio.run(make())
    for address, level in ((postgres_url, "ok"), ("postgresql://x@127.0.0.1:1/x", "problem")):
        home.desk_toml.write_text(f'[store]\ndatabase = "{address}"\n')
        home.desk_toml.chmod(0o600)
        _, found, _ = examine(home, capsys)
        assert levels(found)["store"] == level


def test_what_the_last_run_left_is_told_with_what_settles_it(
    home: Home, store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = RowMaker(store)
    rows.session("s2")
    rows.turn("t2", "s2", prompt_dispatch_pending=True)
    rows.question("p2", turn="t2", session="s2", status="answered", response_delivery_pending=True)
    code, found, _ = examine(home, capsys)
    assert code == 0
    assert levels(found)["answers"] == "warning"
    assert levels(found)["turns"] == "warning"
    assert "start Kandesk" in found["answers"][0]["advice"]


@pytest.mark.parametrize("option", ["--repair", "--rotate-tokens"])
def test_nothing_is_changed_while_a_desk_runs(
    home: Home,
    option: str,
    start_desk: Callable[..., DeskProcess],
    capsys: pytest.CaptureFixture[str],
) -> None:
    desk = start_desk()
    token = home.desk_token.read_text()
    assert doctor.main(["--home", str(home.root), option]) == 1
    assert f"process {desk.process.pid}" in capsys.readouterr().err
    assert home.desk_token.read_text() == token


def test_new_tokens_end_the_old_ones(
    home: Home, start_desk: Callable[..., DeskProcess], capsys: pytest.CaptureFixture[str]
) -> None:
    """product.md: port and tokens persist in the home until they are rotated."""
    old = start_desk()
    before = [path.read_text() for path in (home.desk_token, home.agent_token, home.ticket_key)]
    stale = old.desk()
    old.stop()
    code, _, done = examine(home, capsys, "--rotate-tokens")
    after = [path.read_text() for path in (home.desk_token, home.agent_token, home.ticket_key)]
    assert code == 0
    assert done
    assert before[:2] != after[:2]
    assert before[0] != after[0]
    assert before[1] != after[1]
    assert before[2] == after[2]
    assert home.agent_token.stat().st_mode & 0o077 == 0
    fresh = start_desk().desk()
    assert fresh.request("GET", "/api/v1/desk", seconds=5).status == 200
    rejected = type(stale)(fresh.host, fresh.port, stale.token, fresh.pid, fresh.kind)
    assert rejected.request("GET", "/api/v1/desk", seconds=5).status == 401


def test_the_command_is_listed_and_needs_no_qt(home: Home) -> None:
    result = run_kandesk(home, "doctor", "--json")
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)["checks"]
    program = (
        "import sys; from app.launch import main;"
        f"main(['doctor', '--home', {str(home.root)!r}]);"
        "sys.exit(any('PySide6' in name for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
    assert "kandesk doctor" in run_kandesk(home, "--help").stdout


@contextmanager
def low_disk(monkeypatch: pytest.MonkeyPatch, free: int) -> Iterator[None]:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=free))
    yield


@pytest.mark.parametrize(("free", "level"), [(10 << 20, "problem"), (101 << 20, "ok")])
def test_the_room_on_the_disk_is_told(
    home: Home,
    store: Path,
    free: int,
    level: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with low_disk(monkeypatch, free):
        _, found, _ = examine(home, capsys)
    assert levels(found)["disk"] == level


def test_a_store_of_an_earlier_version_is_inspected_as_it_is(
    home: Home, capsys: pytest.CaptureFixture[str]
) -> None:
    home.create()
    text = FIRST_RELEASE.read_text("utf-8")
    connection = sqlite3.connect(home.database)
    connection.executescript(text)
    connection.execute("ALTER TABLE tasks DROP COLUMN autopilot_enabled")
    connection.close()
    home.database.chmod(0o600)
    code, found, _ = examine(home, capsys, "--full")
    assert code == 0
    assert levels(found)["indexes"] == "warning"
    assert "add columns" in found["indexes"][0]["text"]


def test_a_lock_that_is_no_file_is_a_problem(
    home: Home, store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lock = Path(f"{home.database}.lock")
    lock.unlink(missing_ok=True)
    lock.mkdir()
    code, found, _ = examine(home, capsys)
    assert code == 1
    assert levels(found)["desk"] == "problem"


@pytest.mark.parametrize("target", ["away/kandesk.db", "kandesk.db"])
def test_a_store_behind_a_link_that_leads_nowhere_is_a_problem_and_no_empty_one(
    home: Home, target: str, capsys: pytest.CaptureFixture[str]
) -> None:
    home.create()
    home.database.symlink_to(home.root / target)
    code, found, _ = examine(home, capsys)
    assert code == 1
    assert levels(found)["store"] == "problem"
    listed = run_kandesk(home, "pending")
    assert listed.returncode == 1
    assert len(listed.stderr.splitlines()) == 1
