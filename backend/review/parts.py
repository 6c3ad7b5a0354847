"""What everything about permissions is built on."""

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from backend.clock import Clock, Deadline, Nanoseconds
from backend.domain.conversation import ProjectionRevision
from backend.errors import StorageFailed, TemporarilyUnavailable
from backend.events import EventBus
from backend.ids import SessionId
from backend.review.ruling import DefaultPolicy, ask_always
from backend.store.database import Database, Priority, Transaction
from backend.store.database_clock import store_now
from backend.work.deadline_worker import DeadlineWorker
from backend.work.supervisor import TaskSupervisor

T = TypeVar("T")

WRITE_BUDGET: Final = 5.0
"""Seconds for one try to write what has happened."""


@dataclass(frozen=True, slots=True)
class ReviewParts:
    """One store, one clock, one key: shared by all of them."""

    database: Database
    clock: Clock
    bus: EventBus
    supervisor: TaskSupervisor
    worker: DeadlineWorker
    signing_key: bytes
    """Without one nothing can be approved."""
    next_projection: Callable[[], ProjectionRevision]
    """The number of a reading of sessions that is about to begin."""
    server_name: Callable[[SessionId], str | None]
    """What the desk's own tools are called in the session's running agent."""
    default_policy: DefaultPolicy = ask_always
    store_now: Callable[[Transaction], Coroutine[Any, Any, Nanoseconds]] = store_now
    """What expires does so by the store's clock (T5.1)."""

    async def write_at_last(self, work: Callable[[Transaction], Coroutine[Any, Any, T]]) -> T:
        """Write what has happened, however long the store is away; `work` may run twice.

        It ends unwritten only with the desk, whose next start settles what is left.
        """
        failures = 0
        while True:
            try:
                deadline = Deadline(self.clock, WRITE_BUDGET)
                async with self.database.writing(deadline, priority=Priority.SETTLE) as tx:
                    return await tx.in_place(work)
            except (TemporarilyUnavailable, StorageFailed):
                await self.worker.pause(failures)
                failures += 1
