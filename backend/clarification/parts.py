"""What every service of the clarification feature is built on."""

from dataclasses import dataclass

from backend.clarification.announcer import Announcer
from backend.clarification.waiters import Waiters
from backend.clock import Clock
from backend.store.database import Database
from backend.work.deadline_worker import DeadlineWorker
from backend.work.supervisor import TaskSupervisor


@dataclass(frozen=True, slots=True)
class Parts:
    """One store, one clock, one set of waiting calls: shared by all of them."""

    database: Database
    clock: Clock
    waiters: Waiters
    announcer: Announcer
    supervisor: TaskSupervisor
    worker: DeadlineWorker
