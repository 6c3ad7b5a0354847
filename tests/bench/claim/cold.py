"""The first identity read and claim of a new process, in milliseconds.

usage: python -m tests.bench.claim.cold STORE PENDING_ID
"""

import asyncio
import sys
from pathlib import Path

from backend.clock import SystemClock
from backend.ids import PendingId
from backend.store.sqlite import SqliteDatabase
from tests.bench.claim.operations import Desk


async def measure(path: Path, pending: PendingId) -> float:
    database = await SqliteDatabase.open(path, SystemClock())
    try:
        return await Desk(database).identity_and_claim(pending)
    finally:
        await database.close()


if __name__ == "__main__":
    print(asyncio.run(measure(Path(sys.argv[1]), PendingId(sys.argv[2]))) * 1000)
