"""What ends or changes an open question besides an answer (K1.7)."""

from collections.abc import AsyncIterator, Coroutine, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final, TypeVar

from backend.clarification.parts import Parts
from backend.clock import Deadline
from backend.domain.clarification import Withdrawn
from backend.domain.conversation import SessionState
from backend.errors import Conflict, ErrorCode, StorageFailed, TemporarilyUnavailable
from backend.ids import PendingId, SessionId, TaskId, TurnId
from backend.store import bundles, drafts, open_bundles, sessions, turns, withdrawals
from backend.store.database import Priority, Transaction
from backend.store.locks import lock_sessions

LIFECYCLE_BUDGET: Final = 10.0
"""Seconds for one change, whoever waits for it (K5.2, terminal expiry)."""

T = TypeVar("T")


class Lifecycle:
    """Each change runs to its end when its caller is cancelled, in a bounded time of its own.

    Every bundle that changed is told once: to the calls that wait and to the window. What changed
    nothing tells nothing. Every method raises `TemporarilyUnavailable` when the store does not
    answer in time.
    """

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    async def detach_session(
        self, session_id: SessionId, *, deadline: Deadline | None = None
    ) -> tuple[PendingId, ...]:
        """The agent of the session is gone; its open questions stay answerable."""
        return await self._run(self._detach(session_id, self._bounded(deadline)), "detach session")

    async def expire_session(
        self,
        session_id: SessionId,
        *,
        ends_as: SessionState | None = None,
        deadline: Deadline | None = None,
    ) -> tuple[PendingId, ...]:
        """Close the open questions of a session that ends or is archived, together with its end.

        `ends_as` is the terminal state it gets in the same transaction.
        """
        expiring = self._expire(session_id, ends_as, self._bounded(deadline))
        return await self._run(expiring, "expire session")

    async def cancel(self, pending_id: PendingId, by: Withdrawn) -> None:
        """Withdraw an open question; never overwrites an answer.

        Raises:
            NotFound: no such bundle.
            Conflict: `not_active`, it is no longer open.
        """
        await self._run(self._cancel(pending_id, by), "close question")

    async def withdraw_session(self, session_id: SessionId, by: Withdrawn) -> tuple[PendingId, ...]:
        """Withdraw every open question of a session, such as when its turn is stopped (K1.7)."""
        return await self._run(self._withdraw_session(session_id, by), "withdraw questions")

    async def tell(self, pending_ids: Sequence[PendingId]) -> None:
        """Tell the calls that wait, and the window, of bundles that a newer turn has superseded."""
        await self._tell(pending_ids)

    async def doubted(self, pending_ids: Sequence[PendingId]) -> None:
        """Tell the window of bundles whose answers are not known any more to have arrived."""
        for pending_id in pending_ids:
            await self._parts.announcer.settled(pending_id)

    async def open_turn(self, session_id: SessionId, task_id: TaskId) -> TurnId:
        """Start a turn; the open questions of the older ones are superseded."""
        return await self._run(self._open_turn(session_id, task_id), "open turn")

    async def _detach(self, session_id: SessionId, deadline: Deadline) -> tuple[PendingId, ...]:
        async with self._changing(deadline) as (tx, changed):
            detached = await withdrawals.detach_session(tx, session_id, self._parts.clock.now())
            changed.extend(detached)
        for pending_id in detached:
            await self._parts.announcer.changed(pending_id)
        return detached

    async def _expire(
        self, session_id: SessionId, ends_as: SessionState | None, deadline: Deadline
    ) -> tuple[PendingId, ...]:
        async with self._changing(deadline) as (tx, changed):
            now = self._parts.clock.now()
            if ends_as is not None:
                await sessions.set_state(tx, session_id, ends_as, now)
            expired = await withdrawals.expire_session(tx, session_id, now)
            changed.extend(expired)
        await self._tell(expired)
        if not expired and ends_as is not None:
            await self._parts.announcer.session(session_id)
        return expired

    async def _cancel(self, pending_id: PendingId, by: Withdrawn) -> None:
        deadline = Deadline(self._parts.clock, LIFECYCLE_BUDGET)
        async with self._changing(deadline) as (tx, changed):
            await bundles.require_bundle(tx, pending_id)
            withdrawn = await withdrawals.withdraw(tx, pending_id, by, self._parts.clock.now())
            if withdrawn:
                await drafts.delete(tx, pending_id)
                changed.append(pending_id)
        if not withdrawn:
            raise Conflict(ErrorCode.NOT_ACTIVE, "this question is no longer active")
        await self._tell([pending_id])

    async def _withdraw_session(
        self, session_id: SessionId, by: Withdrawn
    ) -> tuple[PendingId, ...]:
        deadline = Deadline(self._parts.clock, LIFECYCLE_BUDGET)
        async with self._changing(deadline) as (tx, changed):
            await lock_sessions(tx, [session_id])
            now = self._parts.clock.now()
            for pending_id in await open_bundles.open_in_session(tx, session_id):
                if await withdrawals.withdraw(tx, pending_id, by, now):
                    await drafts.delete(tx, pending_id)
                    changed.append(pending_id)
        await self._tell(changed)
        return tuple(changed)

    async def _open_turn(self, session_id: SessionId, task_id: TaskId) -> TurnId:
        deadline = Deadline(self._parts.clock, LIFECYCLE_BUDGET)
        async with self._changing(deadline, Priority.NORMAL) as (tx, changed):
            await lock_sessions(tx, [session_id])
            superseded = await open_bundles.open_in_session(tx, session_id)
            changed.extend(superseded)
            turn_id = await turns.open_turn(tx, session_id, task_id, self._parts.clock.now())
        await self._tell(superseded)
        return turn_id

    @asynccontextmanager
    async def _changing(
        self, deadline: Deadline, priority: Priority = Priority.CLAIM
    ) -> AsyncIterator[tuple[Transaction, list[PendingId]]]:
        """A transaction, and the bundles it changes: told later should its COMMIT be unknown."""
        changed: list[PendingId] = []
        try:
            async with self._parts.database.writing(deadline, priority=priority) as tx:
                yield tx, changed
        except (TemporarilyUnavailable, StorageFailed):
            for pending_id in changed:
                self._parts.announcer.later(pending_id)
            raise

    async def _tell(self, changed: Sequence[PendingId]) -> None:
        for pending_id in changed:
            self._parts.waiters.look_again(pending_id)
        for pending_id in changed:
            await self._parts.announcer.changed(pending_id)

    async def _run(self, work: Coroutine[Any, Any, T], name: str) -> T:
        return await self._parts.supervisor.run_to_end(work, name=name)

    def _bounded(self, deadline: Deadline | None) -> Deadline:
        """The caller's deadline where it is shorter than ours."""
        if deadline is not None and deadline.remaining() < LIFECYCLE_BUDGET:
            return deadline
        return Deadline(self._parts.clock, LIFECYCLE_BUDGET)
