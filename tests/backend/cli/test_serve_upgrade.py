"""`kandesk serve` while it brings an older store up to date: what it says, and how it stops."""

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import structlog

from backend.cli.serve import ProgressLog
from backend.events import BackendReady, StoreProgress, StoreStep
from backend.paths import Home
from backend.store.converge import pending_steps
from backend.store.dialect import Dialect
from backend.store.schema import indexes
from tests.backend.store.test_upgrade import converge
from tests.helpers.clock import FakeClock
from tests.helpers.desk_process import DeskProcess
from tests.helpers.place import raw
from tests.helpers.shim_process import shim_environment
from tests.helpers.store import add_unrelated_history
from tests.helpers.waiting import wait_until

BUILD = StoreProgress(StoreStep.BUILD_INDEX, 452_000, 904_000, "idx_x", 3, 27)


@pytest.fixture
def old(home: Home) -> Path:
    """A store with much history and no index."""
    home.create()
    converge(home.database)
    add_unrelated_history(home.database, pending=1_000, others=60_000)
    with raw(home.database) as connection:
        for index in indexes(Dialect.SQLITE):
            connection.execute(f"DROP INDEX {index.name}")
    return home.database


async def test_long_steps_are_told_once_a_second_after_the_first() -> None:
    clock = FakeClock()
    log = ProgressLog(clock)
    with structlog.testing.capture_logs() as told:
        log(BUILD)
        await clock.advance(1.1)
        for _ in range(5):
            log(BUILD)
        await clock.advance(1.1)
        log(BUILD)
        log(BackendReady("", ""))
    assert len(told) == 2
    assert told[0]["step"] == "build index idx_x"
    assert told[0]["number"] == "3 of 27"
    assert told[0]["done"] == "50%"


def test_a_backup_that_was_left_out_is_told_at_once() -> None:
    with structlog.testing.capture_logs() as told:
        ProgressLog(FakeClock())(StoreProgress(StoreStep.BACKUP_SKIPPED, 0, 0))
    assert [(line["log_level"], line["step"]) for line in told] == [
        ("warning", "backup skipped: no room on the disk")
    ]


@pytest.mark.skipif(sys.platform == "win32", reason="SIGTERM ends a process there at once")
def test_sigterm_during_an_upgrade_stops_it_and_the_next_start_completes_it(
    home: Home, old: Path, start_desk: Callable[..., DeskProcess]
) -> None:
    command = [sys.executable, "-m", "app.launch", "serve", "--home", str(home.root)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=shim_environment()
    ) as serve:
        wait_until(lambda: any(home.root.glob("*.backup")), seconds=30)
        serve.send_signal(signal.SIGTERM)
        out, err = serve.communicate(timeout=30)
    assert serve.returncode == 0, err
    with raw(old) as connection:
        left = pending_steps(connection)
    # It may have been quick enough to open; then it has said so.
    assert left or json.loads(out)["pid"]
    desk = start_desk()
    assert desk.told["api"]
    with raw(old) as connection:
        assert pending_steps(connection) == ()
