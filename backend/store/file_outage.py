"""A store in a file that may be locked, full or read-only for a while, and who tells of it."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final

from backend.clock import Clock, Deadline, sleep
from backend.errors import AppError, StorageFailed, TemporarilyUnavailable
from backend.events import Event, StoreAvailability
from backend.store.database import Database, Priority, Transaction
from backend.store.epoch import touch_epoch
from backend.store.wrapped_database import WrappedDatabase

DOUBT_SECONDS: Final = 1.0
"""What is over sooner is nothing a human needs to hear of."""
LOOK_SECONDS: Final = 6.0
"""Between looks at a store that could not be written: more than anybody waits between two tries."""
_LOOK_BUDGET: Final = 2.0

_log = logging.getLogger(__name__)


class WatchedFile(WrappedDatabase):
    """Implements `Database`; knows which writes failed for want of the store."""

    def __init__(self, database: Database, clock: Clock) -> None:
        super().__init__(database)
        self._clock = clock
        self._failed = asyncio.Event()
        """Set while the last write was one that failed."""
        self._written = 0
        self._failures = 0
        self._error: AppError | None = None

    @asynccontextmanager
    async def writing(
        self, deadline: Deadline | None = None, *, priority: Priority = Priority.NORMAL
    ) -> AsyncIterator[Transaction]:
        try:
            async with self._database.writing(deadline, priority=priority) as tx:
                yield tx
        except (TemporarilyUnavailable, StorageFailed) as error:
            self._error = error
            self._failures += 1
            self._failed.set()
            raise
        self._failed.clear()
        self._written += 1

    async def watch(self, publish: Callable[[Event], None]) -> None:
        """Tell when the store cannot be written, and when it can again; nothing ticks before."""
        while True:
            await self._failed.wait()
            before, written = self._failures, self._written
            await sleep(self._clock, DOUBT_SECONDS)
            # One that takes the writes of others is busy, and no more than that.
            trouble = await self._trouble(before) if self._written == written else None
            if trouble is not None:
                await self._tell(trouble, publish)
            self._failed.clear()

    async def _tell(self, trouble: AppError, publish: Callable[[Event], None]) -> None:
        told, now = "", trouble.detail
        while now:
            if now != told:
                told = now
                _log.warning("the store is away: %s", told)
                publish(StoreAvailability(available=False, detail=told))
            before = self._failures
            await sleep(self._clock, LOOK_SECONDS)
            again = await self._trouble(before)
            now = "" if again is None else again.detail
        _log.info("the store is back")
        publish(StoreAvailability(available=True, detail=""))

    async def _trouble(self, before: int) -> AppError | None:
        """Why nothing can be written. A full disk may have room for little and not for what waits:
        a look of our own counts only where nobody has failed meanwhile.
        """
        if self._failures > before:
            return self._error
        try:
            async with self._database.writing(Deadline(self._clock, _LOOK_BUDGET)) as tx:
                await touch_epoch(tx)
        except (TemporarilyUnavailable, StorageFailed) as error:
            return error
        return None
