"""Every moment of a run at which a crash leaves something different, and a crash at one of them."""

import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import FrameType

from backend.clarification.lost_commit import SettlingWrite
from backend.clarification.resume import ResumeRequest
from backend.clock import Deadline
from backend.errors import AgentFailed, ErrorCode, TemporarilyUnavailable
from backend.ids import SessionId, TurnId
from backend.store.database import Database, Priority, Transaction
from backend.store.wrapped_database import WrappedDatabase
from tests.crash.journal import Journal

BEFORE = "before COMMIT"
AFTER = "after COMMIT"
WRITES_NOTHING = "Announcer._again"
"""Only waits for whoever wrote before; when it does depends on how fast the machine is."""


class Moments:
    """Counts moments and kills this process at number `last`; 0 kills at none."""

    def __init__(self, journal: Journal, last: int) -> None:
        self._journal = journal
        self._last = last
        self.names: list[str] = []

    def reach(self, name: str) -> None:
        self.names.append(name)
        if len(self.names) == self._last:
            self._journal.write("desk", "killed", at=name)
            os.kill(os.getpid(), signal.SIGKILL)


class MomentDatabase(WrappedDatabase):
    """Implements `Database`: two moments in every write transaction, named after its writer.

    `broken` names writers and how many of their transactions fail instead of being committed.
    """

    def __init__(
        self, database: Database, moments: Moments, broken: dict[str, int] | None = None
    ) -> None:
        super().__init__(database)
        self._moments = moments
        self._broken = broken if broken is not None else {}
        self.writes = 0
        """Write transactions that have begun and not ended."""

    @asynccontextmanager
    async def writing(
        self, deadline: Deadline | None = None, *, priority: Priority = Priority.NORMAL
    ) -> AsyncIterator[Transaction]:
        # This generator, the context manager's `__aenter__`, whoever writes.
        writer = _writer(sys._getframe(2))
        if writer == WRITES_NOTHING:
            async with self._database.writing(deadline, priority=priority) as tx:
                yield tx
            return
        self.writes += 1
        try:
            async with self._database.writing(deadline, priority=priority) as tx:
                tx.before_commit(lambda: self._before_commit(writer))
                yield tx
        finally:
            self.writes -= 1
        self._moments.reach(f"{writer}: {AFTER}")

    def _before_commit(self, writer: str) -> None:
        self._moments.reach(f"{writer}: {BEFORE}")
        if self._broken.get(writer, 0) > 0:
            self._broken[writer] -= 1
            raise TemporarilyUnavailable(ErrorCode.STORE_BUSY, "injected")


def _writer(frame: FrameType) -> str:
    """Who writes; behind a `SettlingWrite`, who has made it."""
    through = frame.f_locals.get("self")
    if isinstance(through, SettlingWrite):
        return str(through._work.__qualname__).partition(".<locals>")[0]
    return frame.f_code.co_qualname


class JournalAgent:
    """Implements `DetachedResumer`: an agent that outlives the desk, and remembers every prompt."""

    def __init__(
        self, journal: Journal, moments: Moments, *, promptable: bool = True, refuses: bool = False
    ) -> None:
        self._journal = journal
        self._moments = moments
        self._promptable = promptable
        self._refuses = refuses

    async def promptable(self, session_id: SessionId) -> bool:
        del session_id
        self._moments.reach("agent: is it promptable")
        return self._promptable

    def works_on(self, session_id: SessionId, turn_id: TurnId) -> bool:
        """It rests: the turn that asked has ended."""
        del session_id, turn_id
        return False

    async def dispatch(self, request: ResumeRequest) -> None:
        self._moments.reach("agent: about to be prompted")
        if self._refuses:
            self._journal.write("agent", "refused", pending=request.pending_id)
            self._moments.reach("agent: has refused")
            raise AgentFailed(ErrorCode.AGENT_FAILED, "the agent is gone")
        self._journal.write(
            "agent",
            "prompted",
            pending=request.pending_id,
            text=request.prompt,
            turn=request.successor_turn_id,
        )
        self._moments.reach("agent: prompted, not acknowledged")
        self._moments.reach("agent: acknowledged")
