"""How far an upgrade is, how it is stopped, and that a complete store costs nothing to open."""

import itertools
import sqlite3
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from itertools import groupby, pairwise
from pathlib import Path

import pytest

from backend.clarification.recovery import recover
from backend.clock import Nanoseconds
from backend.errors import TemporarilyUnavailable
from backend.events import StoreProgress, StoreStep
from backend.store import index_build, opening
from backend.store.converge import pending_steps
from backend.store.dialect import Dialect
from backend.store.schema import indexes
from backend.store.sqlite import SqliteDatabase
from backend.store.step_progress import StepProgress
from tests.backend.store.test_query_plans import Plans
from tests.helpers.clock import FakeClock
from tests.helpers.place import raw
from tests.helpers.plans import Recorder
from tests.helpers.store import add_unrelated_history

NOW = Nanoseconds(1_790_000_000_000_000_000)
ROWS = 40_000


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with rows and without any index; copy it to work on it."""
    path = tmp_path_factory.mktemp("bare") / "kandesk.db"
    prepare(path)
    add_unrelated_history(path, pending=2_000, others=ROWS)
    with raw(path) as connection:
        for index in indexes(Dialect.SQLITE):
            connection.execute(f"DROP INDEX {index.name}")
        connection.execute("DELETE FROM sequences")
    return path


@pytest.fixture
def old(bare: Path, path: Path) -> Path:
    path.write_bytes(bare.read_bytes())
    return path


def prepare(
    path: Path,
    tell: Callable[[StoreProgress], None] = lambda _: None,
    stop: threading.Event | None = None,
    monotonic: Callable[[], float] | None = None,
) -> None:
    opening.prepare(
        path, NOW, stop or threading.Event(), tell, monotonic or itertools.count().__next__
    )


class CountedStop(threading.Event):
    """Counts how often it is looked at: once per step of SQLite's machine where it is told so."""

    def __init__(self) -> None:
        super().__init__()
        self.looks = 0

    def is_set(self) -> bool:
        self.looks += 1
        return super().is_set()


def test_every_step_moves_forward_and_ends_at_its_total(old: Path) -> None:
    told: list[StoreProgress] = []
    prepare(old, told.append)
    for _, group in groupby(told, key=lambda event: (event.step, event.subject)):
        events = list(group)
        assert len({event.total for event in events}) == 1
        assert all(before.done <= after.done for before, after in pairwise(events))
        assert events[-1].done == events[-1].total
    numbers = [event.number for event in told if event.number]
    assert numbers == sorted(numbers)
    assert {event.count for event in told if event.number} == {numbers[-1]}
    assert told[-1].step is StoreStep.DONE


def test_a_long_step_tells_its_progress_evenly(old: Path) -> None:
    """The estimate is close: no third of the work passes without the bar moving a tenth."""
    told: list[StoreProgress] = []
    prepare(old, told.append)
    for name in ("idx_messages_created_at", "idx_messages_metadata_pending_id"):
        shares = [
            event.done / event.total
            for event in told
            if event.step is StoreStep.BUILD_INDEX and event.subject == name
        ]
        assert len(shares) >= 10
        third = len(shares) // 3
        assert all(shares[n + third] - shares[n] > 0.1 for n in range(len(shares) - third))
        assert shares[-2] > 0.8


def test_events_come_at_most_ten_times_a_second(old: Path) -> None:
    moments: list[float] = []
    now = itertools.count(step=0.001)

    def clock() -> float:
        return next(now)

    told: list[StoreProgress] = []

    def tell(event: StoreProgress) -> None:
        moments.append(clock())
        told.append(event)

    prepare(old, tell, monotonic=clock)
    inside = [
        moment for moment, event in zip(moments, told, strict=True) if 0 < event.done < event.total
    ]
    assert all(later - earlier >= 0.1 for earlier, later in pairwise(inside))
    assert len(told) < 3 * len(indexes(Dialect.SQLITE)) + len(inside) + 10


def test_what_goes_back_or_too_far_is_left_out() -> None:
    told: list[StoreProgress] = []
    progress = StepProgress(told.append, threading.Event(), itertools.count().__next__)
    progress.begin(StoreStep.CHECK_METADATA, 10)
    for done in (4, 3, 12, 10, 9):
        progress.advance(done)
    progress.end()
    assert [event.done for event in told] == [0, 4, 9, 10]


@pytest.mark.parametrize(
    "step",
    [StoreStep.BACK_UP, StoreStep.CHECK_METADATA, StoreStep.START_REVISIONS, StoreStep.BUILD_INDEX],
)
def test_a_wish_to_stop_inside_a_step_is_obeyed_soon_and_the_store_starts_again(
    old: Path, step: StoreStep
) -> None:
    stop = CountedStop()
    seen: list[StoreProgress] = []
    looks: list[int] = []

    def tell(event: StoreProgress) -> None:
        seen.append(event)
        inside = 0 < event.done < event.total or step is StoreStep.BACK_UP
        if event.step is step and not looks and inside:
            looks.append(stop.looks)
            stop.set()

    with pytest.raises(TemporarilyUnavailable):
        prepare(old, tell, stop)
    assert seen[-1].step is step
    assert seen[-1].done < seen[-1].total
    assert stop.looks - looks[0] <= 2
    assert not list(old.parent.glob("*unfinished*"))
    prepare(old)
    with raw(old) as connection:
        assert pending_steps(connection) == ()


def test_building_with_progress_does_the_work_of_the_bare_statement(old: Path) -> None:
    """Steps of SQLite's machine, and rows read: the estimate costs a few rows, not a scan."""
    name = "idx_messages_metadata_pending_id_lookup_ordered"
    index = next(index for index in indexes(Dialect.SQLITE) if index.name == name)
    connection = sqlite3.connect(old, isolation_level=None)
    connection.row_factory = sqlite3.Row
    bare = index_build._count_steps(connection, index.ddl())
    connection.execute(f"DROP INDEX {index.name}")
    ticks = 0

    class Ticks(threading.Event):
        def is_set(self) -> bool:
            nonlocal ticks
            ticks += 1
            return False

    index_build.build_index(
        connection, index, StepProgress(lambda _: None, Ticks(), time.monotonic)
    )
    connection.close()
    assert ticks * index_build.STEPS_BETWEEN_CHECKS <= 1.1 * bare


def test_opening_a_complete_store_reads_no_row(
    old: Path, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """P2, and the budget of a start: as many steps with 42,000 rows as with none."""
    prepare(old)
    empty = tmp_path / "empty.db"
    prepare(empty)
    monkeypatch.setattr(index_build, "STEPS_BETWEEN_CHECKS", 1)
    counts = []
    for store in (empty, old):
        stop = CountedStop()
        told: list[StoreProgress] = []
        prepare(store, told.append, stop)
        assert told == []
        counts.append(stop.looks)
    assert counts[0] == counts[1]
    assert 0 < counts[0] < 90_000


class RecordedReads:
    """Implements what recovery needs of a `Database`; the statements of all its reads are kept."""

    dialect = Dialect.SQLITE

    def __init__(self, database: SqliteDatabase) -> None:
        self._database = database
        self.recorders: list[Recorder] = []

    @asynccontextmanager
    async def reading(self, _deadline: object = None) -> AsyncIterator[Recorder]:
        async with self._database.reading() as tx:
            self.recorders.append(Recorder(tx))
            yield self.recorders[-1]


async def test_recovery_of_a_complete_store_scans_no_history(old: Path, clock: FakeClock) -> None:
    """Every start runs it: it reads what is left over, through partial indexes."""
    database = await SqliteDatabase.open(old, clock)
    reads = RecordedReads(database)
    await recover(reads, clock, lambda _: None)  # type: ignore[arg-type]
    await database.close()
    everything = reads.recorders[0]
    for more in reads.recorders[1:]:
        everything.statements += more.statements
    lines = Plans(old, database, everything).lines()
    assert len(lines) >= 3
    partial = ("idx_turns_reserved", "idx_turns_unpublished", "idx_messages_delivery_intent")
    scans = [line for line in lines if line.startswith("SCAN")]
    assert not [line for line in scans if not any(name in line for name in partial)]
