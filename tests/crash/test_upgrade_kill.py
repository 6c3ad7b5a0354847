"""An upgrade that is killed at any moment goes on at the next start, and nothing is lost."""

import itertools
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from backend.clock import Nanoseconds
from backend.events import StoreProgress, StoreStep
from backend.store import opening
from backend.store.converge import pending_steps
from backend.store.dialect import Dialect
from backend.store.schema import TABLES, indexes
from tests.crash.upgrade_that_dies import NOW
from tests.helpers.place import raw
from tests.helpers.store import RowMaker, add_unrelated_history

LONG = os.environ.get("KANDESK_LONG") == "1"
KEPT = "idx_messages_metadata_pending_id"
HISTORY = 12_000
"""Rows enough for steps that tell more than their beginning."""


@pytest.fixture(scope="module")
def old(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of an earlier version: tables, rows, one index; a column is missing."""
    path = tmp_path_factory.mktemp("old") / "kandesk.db"
    converge(path)
    rows = RowMaker(path)
    rows.session()
    rows.turn("turn1")
    rows.question("p1")
    add_unrelated_history(path, pending=200, others=HISTORY)
    with raw(path) as connection:
        for index in indexes(Dialect.SQLITE):
            if index.name != KEPT:
                connection.execute(f"DROP INDEX {index.name}")
        connection.execute("ALTER TABLE tasks DROP COLUMN autopilot_enabled")
        connection.execute("DROP TABLE settings")
        connection.execute("DELETE FROM sequences")
    return path


def converge(path: Path) -> list[StoreProgress]:
    told: list[StoreProgress] = []
    opening.prepare(
        path, Nanoseconds(NOW + 1), threading.Event(), told.append, itertools.count().__next__
    )
    return told


def message_rows(path: Path) -> list[tuple[object, ...]]:
    with raw(path) as connection:
        return [tuple(row) for row in connection.execute("SELECT * FROM task_session_messages")]


def events_of(path: Path, folder: Path) -> list[StoreProgress]:
    copy = folder / "whole.db"
    shutil.copy(path, copy)
    return converge(copy)


def check_after(path: Path, rows: list[tuple[object, ...]], kept_root: int) -> None:
    """What was there is there; what was begun is undone or done; the next start completes it."""
    with raw(path) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
    converge(path)
    assert message_rows(path) == rows
    with raw(path) as connection:
        assert pending_steps(connection) == ()
        root = connection.execute(
            "SELECT rootpage FROM sqlite_schema WHERE name = ?", (KEPT,)
        ).fetchone()[0]
        assert connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        for table in TABLES:
            connection.execute(f"SELECT 1 FROM {table.name} LIMIT 1")  # noqa: S608
    assert root == kept_root
    assert not list(path.parent.glob("*unfinished*"))
    for backup in path.parent.glob("*.backup"):
        copy = sqlite3.connect(backup)
        found = copy.execute("SELECT COUNT(*) FROM task_session_messages").fetchone()[0]
        copy.close()
        assert found == len(rows)


@pytest.mark.crash
@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is POSIX")
def test_an_upgrade_killed_in_the_middle_of_each_step_goes_on(old: Path, tmp_path: Path) -> None:
    events = events_of(old, tmp_path)
    rows = message_rows(old)
    with raw(old) as connection:
        kept_root = connection.execute(
            "SELECT rootpage FROM sqlite_schema WHERE name = ?", (KEPT,)
        ).fetchone()[0]
    moments: dict[tuple[str, str], int] = {}
    for number, event in enumerate(events, start=1):
        inside = 0 < event.done < event.total
        if inside or (event.step, event.subject) not in moments:
            moments[event.step, event.subject] = number
    steps = {step for step, _ in moments}
    assert steps >= set(StoreStep) - {StoreStep.BACKUP_SKIPPED, StoreStep.CONNECT}
    inside_of = {events[number - 1].step for number in moments.values() if events[number - 1].done}
    assert {StoreStep.CHECK_METADATA, StoreStep.BUILD_INDEX} <= inside_of
    chosen = sorted(moments.values())
    if not LONG:
        # The first of each kind, and some of the many indexes.
        first = {step: number for (step, _), number in reversed(moments.items())}
        picks = random.Random(7).sample(chosen, 4)  # noqa: S311 - the same each time
        chosen = sorted({*first.values(), *picks})
    for number in chosen:
        folder = tmp_path / str(number)
        folder.mkdir()
        path = folder / "kandesk.db"
        shutil.copy(old, path)
        command = [sys.executable, "-m", "tests.crash.upgrade_that_dies", str(path), str(number)]
        result = subprocess.run(command, check=False, capture_output=True, timeout=60)
        assert result.returncode == -signal.SIGKILL, (events[number - 1], result.stderr)
        check_after(path, rows, kept_root)
        shutil.rmtree(folder)
