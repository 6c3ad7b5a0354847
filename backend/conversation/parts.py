"""What everything about conversations is built on."""

from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from backend.clock import Clock, Deadline
from backend.conversation.agent_port import AgentLauncher
from backend.conversation.live import LiveSessions
from backend.conversation.ports import (
    AgentCommands,
    AgentRequests,
    OpenQuestions,
    ToolAccess,
    TurnRows,
)
from backend.errors import StorageFailed, TemporarilyUnavailable
from backend.events import EventBus
from backend.ids import SessionId
from backend.store.database import Database, Priority, Transaction
from backend.work.deadline_worker import DeadlineWorker
from backend.work.supervisor import TaskSupervisor

T = TypeVar("T")

CALL_BUDGET: Final = 5.0
"""Seconds for one look or one change that somebody waits for."""


@dataclass(frozen=True, slots=True)
class ConversationParts:
    """One store, one clock, one way to start agents: shared by all of them."""

    database: Database
    clock: Clock
    supervisor: TaskSupervisor
    worker: DeadlineWorker
    bus: EventBus
    launcher: AgentLauncher
    tools: ToolAccess
    requests: AgentRequests
    questions: OpenQuestions
    announce_session: Callable[[SessionId], Coroutine[Any, Any, None]]
    """Publishes the session's line in the list as the store has it now."""
    live: LiveSessions
    rows: TurnRows
    commands: AgentCommands

    async def read(self, work: Callable[[Transaction], Coroutine[Any, Any, T]]) -> T:
        async with self.database.reading(Deadline(self.clock, CALL_BUDGET)) as tx:
            return await work(tx)

    async def write(self, work: Callable[[Transaction], Coroutine[Any, Any, T]]) -> T:
        deadline = Deadline(self.clock, CALL_BUDGET)
        async with self.database.writing(deadline, priority=Priority.SETTLE) as tx:
            return await work(tx)

    async def write_at_last(self, work: Callable[[Transaction], Coroutine[Any, Any, T]]) -> T:
        """Write what has happened, however long the store is away; `work` may run again.

        It ends unwritten only with the desk, and the next start finds that out by itself.
        """
        return await self.at_last(lambda: self.write(work))

    async def at_last(self, call: Callable[[], Awaitable[T]]) -> T:
        """Make a call that is safe to repeat until the store is there for it."""
        failures = 0
        while True:
            try:
                return await call()
            except (TemporarilyUnavailable, StorageFailed):
                await self.worker.pause(failures)
                failures += 1
