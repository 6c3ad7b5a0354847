"""A program that is killed leaves either all of a transaction or nothing (P1)."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from backend.ids import PendingId
from backend.store import bundles, settings
from backend.store.sqlite import SqliteDatabase
from tests.helpers.clock import FakeClock
from tests.helpers.place import raw

PROGRAM = """
import asyncio, sys
from pathlib import Path
from backend.clock import SystemClock
from backend.store import settings
from backend.store.sqlite import SqliteDatabase
from tests.helpers.store import ask

async def main():
    clock = SystemClock()
    database = await SqliteDatabase.open(Path(sys.argv[1]), clock)
    asked = await ask(database, clock)
    async with database.writing() as tx:
        await settings.put(tx, "half", "x" * 5_000_000)
        await tx.execute("DELETE FROM task_session_messages")
        if sys.argv[2] == "inside":
            print(asked.pending_id, flush=True)
            await asyncio.Event().wait()
    print(asked.pending_id, flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""


def killed(path: Path, where: str) -> str:
    """Run the program, kill it at a point, and return the question it had asked before."""
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(path), where], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        pending_id = process.stdout.readline().strip()
        process.kill()
    return pending_id


@pytest.mark.parametrize(("where", "durable"), [("inside", False), ("after", True)])
async def test_a_killed_transaction_is_whole_or_absent(
    path: Path, clock: FakeClock, where: str, *, durable: bool
) -> None:
    pending_id = killed(path, where)
    assert pending_id
    database = await SqliteDatabase.open(path, clock)
    async with database.reading() as tx:
        open_ids = [bundle.pending_id for bundle in await bundles.list_open(tx)]
        half = await settings.get(tx, "half")
    await database.close()
    assert (half is not None) is durable
    assert open_ids == ([] if durable else [pending_id])
    with raw(path) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"


def test_a_reader_without_the_owner_sees_what_the_killed_program_committed(path: Path) -> None:
    pending_id = killed(path, "inside")

    async def read() -> list[PendingId]:
        database = await SqliteDatabase.open_read_only(path, FakeClock())
        async with database.reading() as tx:
            found = [bundle.pending_id for bundle in await bundles.list_open(tx)]
        await database.close()
        return found

    assert asyncio.run(read()) == [pending_id]
