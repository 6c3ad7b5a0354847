"""The first start on 904,000 messages of an earlier version, and every start after it."""

import sqlite3
import tempfile
import threading
import time
from itertools import pairwise
from pathlib import Path

import pytest

from backend.clock import Nanoseconds
from backend.events import StoreProgress, StoreStep
from backend.store import opening
from tests.bench.claim.big_store import Size
from tests.bench.claim.stores import SESSION_FIRST, complete_store, keep_session_first_only
from tests.bench.claim.test_claim import copy_of
from tests.bench.machine import describe_machine

NOW = Nanoseconds(1_790_000_000_000_000_000)
SIZE = Size(904_000)
BACKUPS = "*.backup"


class CountedStop(threading.Event):
    """Counts how often the work looks whether it is to stop: every 10,000 steps of SQLite."""

    looks = 0

    def is_set(self) -> bool:
        self.looks += 1
        return super().is_set()


def looks_of_a_start(path: Path) -> int:
    """How often the start of a complete store looks whether it is to stop."""
    stop = CountedStop()
    opening.prepare(path, NOW, stop, lambda _: pytest.fail("nothing is left to do"))
    return stop.looks


def looks_without_history() -> int:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kandesk.db"
        opening.prepare(path, NOW, threading.Event(), lambda _: None)
        return looks_of_a_start(path)


def facts(path: Path) -> tuple[object, ...]:
    connection = sqlite3.connect(path)
    found = connection.execute(
        "SELECT COUNT(*), SUM(length(metadata)), SUM(revision), MAX(updated_at)"
        " FROM task_session_messages"
    ).fetchone()
    root = connection.execute(
        "SELECT rootpage FROM sqlite_schema WHERE name = ?", (SESSION_FIRST,)
    ).fetchone()
    connection.close()
    return (*found, *root)


@pytest.mark.bench
@pytest.mark.timeout(900)
def test_a_large_older_store_converges_and_then_opens_at_once(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Rows and the index that was there stay untouched; a later start reads no history."""
    told: list[tuple[float, StoreProgress]] = []
    with copy_of(complete_store(SIZE)) as path:
        keep_session_first_only(path)
        before = facts(path)
        began = time.perf_counter()
        opening.prepare(
            path, NOW, threading.Event(), lambda event: told.append((time.perf_counter(), event))
        )
        upgrade = time.perf_counter() - began
        assert facts(path) == before
        assert len(list(path.parent.glob(BACKUPS))) == 1
        began = time.perf_counter()
        looks = looks_of_a_start(path)
        again = time.perf_counter() - began
    assert looks <= looks_without_history() + 1
    totals: dict[tuple[str, str], float] = {}
    for (moment, event), (following, _) in pairwise(told):
        key = (event.step, event.subject)
        totals[key] = totals.get(key, 0.0) + following - moment
    with capsys.disabled():
        print(f"\n{describe_machine()}\n  {SIZE.messages:,} messages: upgrade {upgrade:.1f} s,")
        for (step, subject), seconds in totals.items():
            print(f"    {step} {subject}: {seconds:.2f} s")
        print(f"  opened again in {again * 1000:.1f} ms; {len(told)} events")
    assert told[-1][1].step is StoreStep.DONE
    assert len(told) <= 10 * upgrade + 2 * len(totals)
