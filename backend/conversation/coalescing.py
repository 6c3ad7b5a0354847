"""Writes what the agents of all sessions say, together and seldom (architecture.md, The store)."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Final

from backend.clock import Clock, Deadline
from backend.conversation.live_rows import LiveRow
from backend.conversation.session_rows import SessionRows, Taken
from backend.errors import AppError, ErrorCode, StorageFailed, TemporarilyUnavailable
from backend.ids import SessionId
from backend.store import transcript_batch
from backend.store.database import Database, Priority
from backend.store.hosted_sessions import SessionChange
from backend.store.transcript_batch import Batch, EndedTurn
from backend.store.transcript_rows import find_rows
from backend.work.supervisor import TaskSupervisor

COMMIT_INTERVAL: Final = 0.025
"""Seconds between two commits, of all sessions together: turns that begin and end need some more,
and the store is to have 50 a second at most."""
COMMIT_BUDGET: Final = 5.0
RETRY_DELAYS: Final = (0.1, 0.5, 2.0, 5.0)
"""Seconds between tries while the store is away; the last repeats."""
BATCH_LIMIT: Final = 8 * 1024 * 1024
"""About how many characters go into one commit."""
LEAST_BATCH: Final = 64 * 1024
"""What a store that is slow is given at least: it was too slow for more."""
ROOM: Final = 32 * 1024 * 1024
"""About how many characters may wait for the store before agents are to be listened to slower."""

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class Pending:
    """What waits to be written of one session."""

    rows: SessionRows
    change: SessionChange | None = None
    ended: list[EndedTurn] = field(default_factory=list)
    barriers: list["asyncio.Future[None]"] = field(default_factory=list)

    @property
    def written(self) -> bool:
        return self.rows.all_saved and self.change is None and not self.ended

    def due_at(self) -> float | None:
        """On the monotonic clock; None when there is nothing to write."""
        if self.written:
            return None
        if self.change is not None or self.ended or self.barriers:
            return 0.0
        return self.rows.due_at()


@dataclass(slots=True)
class _Taken:
    """What one commit takes of one session."""

    pending: Pending
    rows: list[Taken]
    change: SessionChange | None
    ended: list[EndedTurn] = field(default_factory=list)
    barriers: list["asyncio.Future[None]"] = field(default_factory=list)

    @property
    def urgent(self) -> bool:
        """Somebody waits for it."""
        return bool(self.ended or self.barriers)

    def kept(self) -> None:
        """It was not written, and comes first the next time."""
        pending = self.pending
        pending.change = _merged(self.change, pending.change)
        pending.ended = self.ended + pending.ended
        pending.barriers = self.barriers + pending.barriers


class TranscriptWriter:
    """One task while something waits to be written; none, and no timer, while nothing does.

    What cannot be written now is tried again, in the same order, until it is.
    """

    def __init__(
        self,
        database: Database,
        clock: Clock,
        supervisor: TaskSupervisor,
        *,
        told: Callable[[SessionId], None],
    ) -> None:
        self._database = database
        self._clock = clock
        self._supervisor = supervisor
        self._told = told
        self._waiting: dict[SessionId, Pending] = {}
        self._task: asyncio.Task[None] | None = None
        self._nudge = asyncio.Event()
        self._written = asyncio.Event()
        self._last = float("-inf")
        self._failures = 0
        self._limit = BATCH_LIMIT
        self._goes_on = False
        self._alone = False
        """Sessions are written one by one, since a defect is in one of them."""
        self._sleeps_until = 0.0
        self.commits = 0

    def put(self, pending: Pending) -> None:
        """Write what is new of this session soon."""
        due = pending.due_at()
        if due is None:
            return
        self._waiting[pending.rows.session_id] = pending
        if self._task is None:
            self._task = self._supervisor.start(self._run(), name="write transcripts")
        elif max(due, self._earliest) < self._sleeps_until:
            self._nudge.set()

    async def flush(self, pending: Pending) -> None:
        """Wait until all that is known of this session now is stored and shown.

        Raises:
            TemporarilyUnavailable: the desk stops, and not all of it was stored.
        """
        if not pending.written:
            barrier: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            pending.barriers.append(barrier)
            self.put(pending)
            await barrier
        else:
            pending.rows.show(at_once=True)

    async def room(self) -> None:
        """Wait while the store is so far behind that nothing more should be taken in."""
        while sum(pending.rows.unsaved for pending in self._waiting.values()) > ROOM:
            self._written.clear()
            await self._written.wait()

    def try_again(self) -> None:
        """The store is there again."""
        self._failures = 0
        self._nudge.set()

    @property
    def _earliest(self) -> float:
        """The moment of the next commit, if there is something to write."""
        if self._failures:
            delay = RETRY_DELAYS[min(self._failures, len(RETRY_DELAYS)) - 1]
            return self._last + delay
        return self._last + COMMIT_INTERVAL

    def _next(self) -> float | None:
        due = [at for pending in self._waiting.values() if (at := pending.due_at()) is not None]
        return max(min(due), self._earliest) if due else None

    async def _run(self) -> None:
        try:
            while (due := self._next()) is not None:
                if due > self._clock.monotonic():
                    await self._sleep_until(due)
                else:
                    await self._commit()
        finally:
            self._task = None
            if self._goes_on and self._waiting:
                self._goes_on = False
                self._task = self._supervisor.start(self._run(), name="write transcripts")
            else:
                self._give_up()

    async def _sleep_until(self, moment: float) -> None:
        self._nudge.clear()
        self._sleeps_until = moment
        timer = self._clock.call_later(moment - self._clock.monotonic(), self._nudge.set)
        try:
            await self._nudge.wait()
        finally:
            timer.cancel()
            self._sleeps_until = 0.0

    async def _commit(self) -> None:
        self._last = self._clock.monotonic()
        if not await self._recall():
            return
        taken = self._take()
        batch = _batch_of(taken, self._clock)
        deadline = Deadline(self._clock, COMMIT_BUDGET)
        urgent = any(part.urgent for part in taken)
        priority = Priority.NORMAL if urgent else Priority.BULK
        try:
            async with self._database.writing(deadline, priority=priority) as tx:
                revision = await tx.in_place(lambda tx: transcript_batch.save(tx, batch))
        except (TemporarilyUnavailable, StorageFailed) as error:
            self._keep(taken, error)
            return
        except BaseException as defect:
            self._isolate(taken, goes_on=not isinstance(defect, asyncio.CancelledError))
            raise
        self._failures = 0
        self._limit = min(self._limit * 2, BATCH_LIMIT)
        self.commits += 1
        for part in taken:
            self._saved(part, revision)
        self._written.set()

    async def _recall(self) -> bool:
        """Bring back what was put away of rows that have changed; False when it cannot be now."""
        wanted: list[tuple[SessionRows, LiveRow]] = []
        left = self._limit
        for pending in self._waiting.values():
            for row in pending.rows.wanted_back(left):
                left -= row.away
                wanted.append((pending.rows, row))
        if not wanted:
            return True
        ids = [row.message_id for _, row in wanted]
        try:
            async with self._database.reading(Deadline(self._clock, COMMIT_BUDGET)) as tx:
                found = await find_rows(tx, ids)
        except (TemporarilyUnavailable, StorageFailed) as error:
            self._keep([], error)
            return False
        for rows, row in wanted:
            rows.recall(row, found.get(row.message_id))
        return True

    def _take(self) -> list[_Taken]:
        now, wall = self._clock.monotonic(), self._clock.now()
        taken: list[_Taken] = []
        left = self._limit
        for pending in self._waiting.values():
            if left <= 0 or (self._alone and taken):
                break
            at_once = bool(pending.barriers or pending.ended)
            rows = pending.rows.take(now, wall, limit=left, at_once=at_once)
            left -= sum(item.row.weight for item in rows)
            part = _Taken(pending, rows, pending.change)
            pending.change = None
            if not pending.rows.unsaved_beside(rows):
                part.ended, pending.ended = pending.ended, []
                part.barriers, pending.barriers = pending.barriers, []
            taken.append(part)
        return taken

    def _keep(self, taken: list[_Taken], error: AppError) -> None:
        for part in taken:
            part.kept()
        if not self._failures:
            _log.warning("transcripts are written later: %s", error.detail)
        self._failures += 1
        self._limit = max(self._limit // 2, LEAST_BATCH)

    def _isolate(self, taken: list[_Taken], *, goes_on: bool) -> None:
        """A defect would come again with the same rows: only its own session's are given up."""
        for part in taken:
            part.kept()
        if goes_on and len(taken) == 1:
            pending = self._waiting.pop(taken[0].pending.rows.session_id)
            pending.rows.give_up(taken[0].rows)
            pending.change, pending.ended = None, []
            _fail(pending)
        self._alone = len(taken) > 1
        self._goes_on = goes_on

    def _saved(self, part: _Taken, revision: int) -> None:
        pending, now = part.pending, self._clock.monotonic()
        for item in part.rows:
            pending.rows.saved(item, revision, now)
        self._waiting.pop(pending.rows.session_id, None)
        if pending.written:
            part.barriers += pending.barriers
            pending.barriers.clear()
        else:
            # Last, so that the next commit begins with the sessions that were not in this one.
            self._waiting[pending.rows.session_id] = pending
        pending.rows.show(at_once=part.urgent)
        for barrier in part.barriers:
            if not barrier.done():
                barrier.set_result(None)
        if part.ended or (part.change is not None and part.change.title is not None):
            self._told(pending.rows.session_id)

    def _give_up(self) -> None:
        """Nothing is left to write, or the desk stops: nobody waits for ever."""
        self._alone = False
        for pending in self._waiting.values():
            _fail(pending)
        self._waiting.clear()
        self._written.set()


def _fail(pending: Pending) -> None:
    barriers, pending.barriers = pending.barriers, []
    error = TemporarilyUnavailable(
        ErrorCode.TEMPORARILY_UNAVAILABLE, "the transcript was not stored"
    )
    for barrier in barriers:
        if not barrier.done():
            barrier.set_exception(error)


def change_known(pending: Pending, change: SessionChange) -> None:
    """Keep what became known of the session until it is written; the later word counts."""
    pending.change = _merged(pending.change, change)


def _merged(earlier: SessionChange | None, later: SessionChange | None) -> SessionChange | None:
    if earlier is None or later is None:
        return earlier or later
    names = ("modes", "mode", "options", "commands", "usage", "title")
    told = {name: value for name in names if (value := getattr(later, name)) is not None}
    return replace(earlier, **told)


def _batch_of(taken: list[_Taken], clock: Clock) -> Batch:
    return Batch(
        rows=[item.state for part in taken for item in part.rows],
        changes={
            part.pending.rows.session_id: part.change for part in taken if part.change is not None
        },
        ended=[ended for part in taken for ended in part.ended],
        now=clock.now(),
    )
