"""The projection worker as a desk runs it: started, kept quiet while the store is away, ended."""

import logging
from typing import Final

from backend.clock import Clock
from backend.events import Event, EventBus, StoreAvailability
from backend.review.projection import Projection, Repaired
from backend.review.reflection import Reflection, Tell
from backend.store.database import Database
from backend.work.scoped_worker import ScopedDeadlineWorker
from backend.work.supervisor import TaskSupervisor

NAME: Final = "repair cards"

_log = logging.getLogger(__name__)


class CardRepair:
    """Nothing happens before `start`; it ends with its supervisor."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        bus: EventBus,
        supervisor: TaskSupervisor,
        tell: Tell,
    ) -> None:
        self._database = database
        self._bus = bus
        self._supervisor = supervisor
        self._is_stopped = False
        self._projection = Projection(
            database, clock, supervisor, Reflection(database, clock, tell)
        )
        self._worker = ScopedDeadlineWorker(
            clock,
            supervisor,
            name=NAME,
            discover=self._projection.discover,
            sweep=self._projection.sweep,
        )
        supervisor.at_stop(self._close)

    def start(self, *, maintenance: bool) -> None:
        """Repair what the last run left, once recovery has run; with `maintenance` go on after."""
        if not maintenance:
            self._supervisor.start(self._repair_once(), name=NAME)
            return
        self._database.hints.subscribe(self._worker.hint)
        self._bus.subscribe(self._follow)
        self._worker.reconstruct()
        self._worker.admit()

    async def repair(self, budget: int | None = None) -> Repaired:
        """Every card there is to repair, or `budget` of them. Raises `AppError`."""
        return await self._projection.sweep_all(self._goes_on, budget)

    async def stop(self) -> None:
        """Begin no further card, and wait for the one that is written."""
        self._close()
        await self._worker.stop()

    async def _repair_once(self) -> None:
        done = await self.repair()
        if done.attempted:
            _log.info("%d card(s) repaired at the start", done.attempted)

    def _follow(self, happened: Event) -> None:
        if isinstance(happened, StoreAvailability):
            if happened.available:
                self._worker.reconstruct()
                self._worker.admit()
            else:
                self._worker.drain()

    def _close(self) -> None:
        self._is_stopped = True

    def _goes_on(self) -> bool:
        return not self._is_stopped
