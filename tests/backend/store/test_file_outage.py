"""A store in a file that cannot be written for a while: told once, and told when it can again."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import pytest

from backend.errors import AppError, ErrorCode, StorageFailed
from backend.events import Event, StoreAvailability
from backend.store.file_outage import DOUBT_SECONDS, LOOK_SECONDS, WatchedFile
from tests.helpers.clock import FakeClock, settle
from tests.helpers.faults import Fault, FaultyDatabase
from tests.helpers.place import open_store
from tests.helpers.waiting import until

FULL = StorageFailed(ErrorCode.STORE_FULL, "there is no room left for the store")


class Watched:
    """A store that can fail, and what is told of it."""

    def __init__(self, faults: FaultyDatabase, clock: FakeClock) -> None:
        self.faults = faults
        self.clock = clock
        self.file = WatchedFile(faults, clock)
        self.told: list[Event] = []

    async def write(self) -> None:
        with suppress(AppError):
            async with self.file.writing():
                pass
        await settle()

    async def pass_by(self, seconds: float) -> None:
        await self.clock.advance(seconds)
        await settle()


@pytest.fixture
async def watched(tmp_path: Path) -> AsyncIterator[Watched]:
    clock = FakeClock()
    database = await open_store(tmp_path / "kandesk.db", clock)
    found = Watched(FaultyDatabase(database), clock)
    watching = asyncio.create_task(found.file.watch(found.told.append))
    await settle()
    yield found
    watching.cancel()
    await database.close()


async def test_it_is_told_once_and_its_end_although_nobody_else_writes(watched: Watched) -> None:
    watched.faults.plan(*[Fault("before", FULL) for _ in range(4)])
    await watched.write()
    assert not watched.told
    await watched.pass_by(DOUBT_SECONDS)
    assert watched.told == [StoreAvailability(available=False, detail=FULL.detail)]
    for _ in range(2):
        await watched.pass_by(LOOK_SECONDS)
    assert len(watched.told) == 1
    await watched.pass_by(LOOK_SECONDS)
    await until(lambda: len(watched.told) == 2)
    assert watched.told[1] == StoreAvailability(available=True, detail="")


async def test_what_is_over_at_once_is_not_told(watched: Watched) -> None:
    watched.faults.plan(Fault("before", FULL))
    await watched.write()
    await watched.write()
    await watched.pass_by(DOUBT_SECONDS + LOOK_SECONDS)
    assert not watched.told


async def test_one_write_that_was_too_late_is_no_outage(watched: Watched) -> None:
    """Nobody writes after it: a look finds that the store can be written."""
    watched.faults.plan(Fault("before", FULL))
    await watched.write()
    await watched.pass_by(DOUBT_SECONDS + LOOK_SECONDS)
    assert not watched.told


async def test_what_still_finds_no_room_counts_more_than_a_look_that_does(
    watched: Watched,
) -> None:
    """A full disk may have room for little: what an agent said waits for more."""
    watched.faults.plan(Fault("before", FULL), Fault("before", FULL))
    await watched.write()
    await watched.write()
    assert not watched.told
    await watched.pass_by(DOUBT_SECONDS)
    await until(lambda: len(watched.told) == 1)
    watched.faults.plan(Fault("before", FULL))
    await watched.write()
    await watched.pass_by(LOOK_SECONDS)
    assert len(watched.told) == 1
    await watched.write()
    await watched.pass_by(LOOK_SECONDS)
    await until(lambda: len(watched.told) == 2)


async def test_nothing_ticks_while_the_store_is_well(watched: Watched) -> None:
    """agents.md; a day without a word costs nothing."""
    await watched.write()
    assert watched.clock.pending_timers == 0
