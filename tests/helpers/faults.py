"""A database that fails or blocks at chosen transactions."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Literal

from backend.clock import Deadline
from backend.errors import AppError, ErrorCode, TemporarilyUnavailable
from backend.store.database import Database, Priority, Transaction
from backend.store.wrapped_database import WrappedDatabase


def unavailable() -> TemporarilyUnavailable:
    return TemporarilyUnavailable(ErrorCode.STORE_BUSY, "injected")


@dataclass
class Fault:
    """What happens to one transaction: an error, or a wait for `go_on` where there is none.

    "at commit" is when its statements have run: an error rolls back, a wait is a slow COMMIT.
    """

    when: Literal["before", "at commit", "after commit"]
    error: AppError | None = None
    reached: asyncio.Event = field(default_factory=asyncio.Event)
    go_on: asyncio.Event = field(default_factory=asyncio.Event)


class FaultyDatabase(WrappedDatabase):
    """Implements `Database`; passes everything on but the planned faults."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._planned: list[Fault | None] = []
        self.reads: Fault | None = None
        """What every read meets first while it is set."""
        self.refuse_writes = False

    def plan(self, *faults: Fault | None) -> None:
        """The next writes meet these, in order; None passes."""
        self._planned.extend(faults)

    def plan_nothing(self) -> None:
        """Whatever is still planned does not happen."""
        self._planned.clear()

    @asynccontextmanager
    async def reading(self, deadline: Deadline | None = None) -> AsyncIterator[Transaction]:
        if self.reads is not None:
            await self._meet(self.reads)
        async with self._database.reading(deadline) as tx:
            yield tx

    @asynccontextmanager
    async def writing(
        self, deadline: Deadline | None = None, *, priority: Priority = Priority.NORMAL
    ) -> AsyncIterator[Transaction]:
        if self.refuse_writes:
            raise unavailable()
        fault = self._planned.pop(0) if self._planned else None
        if fault is not None and fault.when == "before":
            await self._meet(fault)
        async with self._database.writing(deadline, priority=priority) as tx:
            yield tx
            if fault is not None and fault.when == "at commit":
                await self._meet(fault)
        if fault is not None and fault.when == "after commit":
            await self._meet(fault)

    @staticmethod
    async def _meet(fault: Fault) -> None:
        fault.reached.set()
        if fault.error is not None:
            raise fault.error
        await fault.go_on.wait()
