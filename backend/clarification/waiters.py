"""The calls that wait for an answer in this process. Only a delivery channel: truth is stored."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable

from backend.clock import Nanoseconds
from backend.domain.clarification import Outcome
from backend.errors import AppError
from backend.ids import PendingId, SessionId
from backend.work.supervisor import TaskSupervisor


class Offer:
    """A claimed answer held out to the waiting calls; the first to take it confirms it durably.

    `settled` becomes True once the confirmation is stored, False when nobody took the offer or
    the confirmation failed.
    """

    def __init__(
        self,
        outcome: Outcome,
        confirm: Callable[[], Awaitable[bool]],
        supervisor: TaskSupervisor,
    ) -> None:
        self.outcome = outcome
        self._confirm = confirm
        self._supervisor = supervisor
        self._confirmation: asyncio.Task[bool] | None = None
        self.failure: AppError | None = None
        """Why the confirmation failed, if it did."""
        self.settled: asyncio.Future[bool] = asyncio.get_running_loop().create_future()

    @property
    def taken(self) -> bool:
        """Whether a confirmation has started; from then on it runs to its end."""
        return self._confirmation is not None

    async def take(self) -> bool:
        """Confirm the delivery once for all callers; False when the answer must not be used."""
        if self._confirmation is None:
            if self.settled.done():
                return False
            self._confirmation = self._supervisor.start(self._run(), name="confirm delivery")
        return await asyncio.shield(self._confirmation)

    def withdraw(self) -> None:
        """Take the offer back unless a confirmation has started."""
        if not self.taken and not self.settled.done():
            self.settled.set_result(False)

    async def _run(self) -> bool:
        confirmed = False
        try:
            confirmed = await self._confirm()
        except AppError as error:
            self.failure = error
        finally:
            if not self.settled.done():
                self.settled.set_result(confirmed)
        return confirmed


class Waiter:
    """One call that waits. `wake` completes with an offer, or with None for "look again"."""

    def __init__(
        self, pending_id: PendingId, session_id: SessionId, ends_at: Nanoseconds | None
    ) -> None:
        self.pending_id = pending_id
        self.session_id = session_id
        self.ends_at = ends_at
        self.wake: asyncio.Future[Offer | None] = asyncio.get_running_loop().create_future()


class Waiters:
    """Who waits for which bundle."""

    def __init__(self, supervisor: TaskSupervisor) -> None:
        self._supervisor = supervisor
        self._waiters: dict[PendingId, list[Waiter]] = {}
        self._offers: dict[PendingId, Offer] = {}
        self._sessions: Counter[SessionId] = Counter()

    def add(
        self, pending_id: PendingId, session_id: SessionId, ends_at: Nanoseconds | None = None
    ) -> Waiter:
        """Register a call; it joins an offer that is already held out."""
        waiter = Waiter(pending_id, session_id, ends_at)
        self._waiters.setdefault(pending_id, []).append(waiter)
        self._sessions[session_id] += 1
        offer = self._offers.get(pending_id)
        if offer is not None and not offer.settled.done():
            waiter.wake.set_result(offer)
        return waiter

    def remove(self, waiter: Waiter) -> None:
        """Forget a call; an offer that nobody is left to take is withdrawn."""
        waiting = self._waiters.get(waiter.pending_id, [])
        if waiter not in waiting:
            return
        waiting.remove(waiter)
        self._sessions -= Counter([waiter.session_id])
        if not waiting:
            del self._waiters[waiter.pending_id]
            offer = self._offers.get(waiter.pending_id)
            if offer is not None:
                offer.withdraw()

    def forget(self, pending_id: PendingId) -> None:
        """Count on none of the calls that wait now; one that comes to looks at the store again."""
        for waiter in tuple(self._waiters.get(pending_id, ())):
            self.remove(waiter)

    def count(self, pending_id: PendingId) -> int:
        return len(self._waiters.get(pending_id, ()))

    def end_at(self, pending_id: PendingId) -> Nanoseconds | None:
        """When the last waiting call gives up; None when one never does, or none waits."""
        ends = [waiter.ends_at for waiter in self._waiters.get(pending_id, ())]
        limited = [end for end in ends if end is not None]
        return max(limited) if limited and len(limited) == len(ends) else None

    def sessions(self) -> frozenset[SessionId]:
        """Sessions with at least one waiting call."""
        return frozenset(self._sessions)

    def offer(
        self, pending_id: PendingId, outcome: Outcome, confirm: Callable[[], Awaitable[bool]]
    ) -> Offer | None:
        """Hold an answer out to every waiting call; None when nobody waits."""
        waiting = self._waiters.get(pending_id)
        if not waiting:
            return None
        offer = Offer(outcome, confirm, self._supervisor)
        self._offers[pending_id] = offer
        offer.settled.add_done_callback(lambda _: self._offers.pop(pending_id, None))
        for waiter in waiting:
            if not waiter.wake.done():
                waiter.wake.set_result(offer)
        return offer

    def look_again(self, pending_id: PendingId) -> None:
        """Tell every waiting call that the stored state has changed."""
        for waiter in self._waiters.get(pending_id, ()):
            if not waiter.wake.done():
                waiter.wake.set_result(None)
