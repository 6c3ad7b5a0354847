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
LOOK_SECONDS: Final = 5.0
"""Between looks whether a store that could not be written can be."""
_LOOK_BUDGET: Final = 2.0

_log = logging.getLogger(__name__)


class WatchedFile(WrappedDatabase):
    """Implements `Database`; knows whether the last write failed for want of the store."""

    def __init__(self, database: Database, clock: Clock) -> None:
        super().__init__(database)
        self._clock = clock
        self._failed = asyncio.Event()
        self._written = 0

    @asynccontextmanager
    async def writing(
        self, deadline: Deadline | None = None, *, priority: Priority = Priority.NORMAL
    ) -> AsyncIterator[Transaction]:
        try:
            async with self._database.writing(deadline, priority=priority) as tx:
                yield tx
        except (TemporarilyUnavailable, StorageFailed):
            self._failed.set()
            raise
        self._failed.clear()
        self._written += 1

    async def watch(self, publish: Callable[[Event], None]) -> None:
        """Tell when the store cannot be written, and when it can again; nothing ticks before."""
        while True:
            await self._failed.wait()
            await sleep(self._clock, DOUBT_SECONDS)
            told = ""
            while (error := await self._trouble()) is not None:
                if error.detail != told:
                    told = error.detail
                    _log.warning("the store is away: %s", told)
                    publish(StoreAvailability(available=False, detail=told))
                await sleep(self._clock, LOOK_SECONDS)
            if told:
                _log.info("the store is back")
                publish(StoreAvailability(available=True, detail=""))

    async def _trouble(self) -> AppError | None:
        """Why nothing can be written; None when something was."""
        written = self._written
        if not self._failed.is_set():
            return None
        try:
            async with self.writing(Deadline(self._clock, _LOOK_BUDGET)) as tx:
                await touch_epoch(tx)
        except (TemporarilyUnavailable, StorageFailed) as error:
            # Others may have written meanwhile: then it is busy, and no more than that.
            return error if self._written == written else None
        return None
