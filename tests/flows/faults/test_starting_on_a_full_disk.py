"""Starts, upgrades and the store's own housekeeping on a disk without room."""

import json
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from backend.clock import Nanoseconds, SystemClock
from backend.errors import ErrorCode, StorageFailed
from backend.events import StoreProgress, StoreStep
from backend.paths import Home
from backend.runtime import Runtime
from backend.store.opening import prepare
from tests.flows.faults.test_full_disk import NO_ROOM, full_desk
from tests.helpers.disk import SmallDisk, memory_disk
from tests.helpers.program import run_command, running_desk
from tests.helpers.stored import count_rows

pytestmark = pytest.mark.faults

KIB = 1024
ROOMS = (0, 4, 8, 16, 24, 32, 48, 64, 96, 128, 192, 256)
"""Free KiB: each lets another part of a start be the first that finds no room."""
SECRETS = {"token", "agent-token", "ticket-key"}


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[SmallDisk]:
    with memory_disk(tmp_path / "disk", mib=2) as disk:
        yield disk


async def start(home: Home) -> StorageFailed | None:
    """Start and stop; the failure, if it is one of the store."""
    try:
        runtime = await Runtime.open(home, SystemClock(), kind="serve", listener=lambda _: None)
    except StorageFailed as error:
        return error
    await runtime.close(deliberate=False)
    return None


async def opens(home: Home) -> bool:
    """Whether it starts; if not, because there is no room."""
    failure = await start(home)
    if failure is None:
        return True
    assert failure.code is ErrorCode.STORE_FULL, failure.detail
    assert "no room left" in failure.detail
    assert str(home.root) in failure.detail
    return False


def check_files(home: Home) -> None:
    """Nothing unfinished lies about, and no secret is half of one."""
    names = {path.name for path in home.root.iterdir()}
    known = {"kandesk.db", "kandesk.db.lock", "kandesk.db-wal", "kandesk.db-shm"}
    assert names <= known | SECRETS | {"endpoint.json", "logs", "quit"}, names
    for name in SECRETS & names:
        assert len((home.root / name).read_text()) >= 32


def open_files(home: Home) -> list[str]:
    """Files of the home that this process holds."""
    held = []
    for descriptor in Path("/proc/self/fd").iterdir():
        with suppress(OSError):
            held.append(str(descriptor.readlink()))
    return [path for path in held if path.startswith(f"{home.root}/")]


@pytest.mark.parametrize("existed", [False, True], ids=["new", "existing"])
async def test_a_start_without_room_says_so_and_succeeds_once_there_is_some(
    disk: SmallDisk, *, existed: bool
) -> None:
    """K5.7: a failed start names the cause; whatever was the first to find no room."""
    started = []
    for room in ROOMS:
        home = Home(disk.root / f"home{room}")
        disk.make_room()
        if existed:
            assert await opens(home)
        disk.fill(leave=room * KIB)
        started.append(await opens(home))
        if home.root.exists():
            check_files(home)
        disk.make_room()
        assert await opens(home)
        check_files(home)
        assert open_files(home) == []
        for path in sorted(home.root.rglob("*"), reverse=True):
            path.unlink()
    assert not started[0]
    assert any(started) or not existed


async def test_the_program_ends_with_one_line_when_there_is_no_room(disk: SmallDisk) -> None:
    home = disk.root / "home"
    disk.fill()
    code, out, err = await run_command(home, "serve")
    assert (code, out) == (1, "")
    (line,) = err.splitlines()
    assert line.startswith("kandesk: there is no room left for")
    disk.make_room()
    async with running_desk(home) as desk:
        assert await desk.terminate() == 0


def older_store(path: Path) -> None:
    """One without the indexes, and with enough rows for them to need room."""
    prepare(path, Nanoseconds(0), threading.Event(), lambda _: None)
    with closing(sqlite3.connect(path, isolation_level=None)) as store:
        found = store.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'index' AND sql NOT NULL"
        )
        for (name,) in found.fetchall():
            store.execute(f"DROP INDEX {name}")
        metadata = json.dumps({"pending_id": "p" * 200, "status": "pending"})
        store.execute("BEGIN")
        store.executemany(
            "INSERT INTO task_session_messages (id, task_session_id, turn_id, content, type,"
            " metadata, created_at, updated_at) VALUES (?, 's', 't', '', 'message', ?, '', '')",
            ((f"m{number}", metadata) for number in range(1_500)),
        )
        store.execute("COMMIT")
        store.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def everything(path: Path) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as store:
        assert store.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return store.execute("SELECT * FROM task_session_messages ORDER BY id").fetchall()


def test_an_upgrade_that_finds_no_room_stops_and_goes_on_once_there_is_some(
    tmp_path: Path,
) -> None:
    """K8.6 75, upgrade: the backup is left out and that is said; no row is lost, nothing half."""
    with memory_disk(tmp_path / "disk", mib=8) as disk:
        path = disk.root / "kandesk.db"
        older_store(path)
        rows = everything(path)
        told: list[StoreProgress] = []
        disk.fill(leave=100 * KIB)
        with pytest.raises(StorageFailed) as caught:
            prepare(path, Nanoseconds(0), threading.Event(), told.append)
        assert caught.value.code is ErrorCode.STORE_FULL
        assert StoreStep.BACKUP_SKIPPED in {event.step for event in told}
        assert everything(path) == rows
        disk.make_room()
        prepare(path, Nanoseconds(0), threading.Event(), lambda _: None)
        assert everything(path) == rows


def test_a_disk_that_becomes_full_during_the_backup_leaves_no_half_of_one(tmp_path: Path) -> None:
    """The room was there when it was looked for."""
    with memory_disk(tmp_path / "disk", mib=80) as disk:
        path = disk.root / "kandesk.db"
        older_store(path)
        rows = everything(path)

        def fill(event: StoreProgress) -> None:
            if event.step is StoreStep.BACK_UP:
                disk.fill()

        with pytest.raises(StorageFailed) as caught:
            prepare(path, Nanoseconds(0), threading.Event(), fill)
        assert caught.value.code is ErrorCode.STORE_FULL
        assert [item.name for item in disk.root.glob("*backup*")] == []
        assert everything(path) == rows
        disk.make_room()
        prepare(path, Nanoseconds(0), threading.Event(), lambda _: None)
        assert len(list(disk.root.glob("*.backup"))) == 1


async def test_what_was_stored_survives_a_log_that_cannot_be_moved_into_the_store(
    tmp_path: Path,
) -> None:
    """P1: the log has no room to be checkpointed; what was acknowledged is there after a crash."""
    async with full_desk(tmp_path) as here:
        assert not await here.note("first")
        here.disk.fill(leave=6_500 * KIB)
        kept = 1
        while not (said := await here.note("x" * 30_000)):
            kept += 1
        assert NO_ROOM in said
        assert kept > 30
        stored = count_rows(here.store, "task_session_messages")
        assert stored == kept
        here.disk.make_room()
        assert not await here.note("y" * 30_000)
        await here.desk.kill()
        assert count_rows(here.store, "task_session_messages") == stored + 1
        everything(here.store)
