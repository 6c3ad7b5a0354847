"""A clock that tests move by hand."""

import asyncio
import heapq
import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from backend.clock import Nanoseconds

START = Nanoseconds(1_790_000_000_000_000_000)
_BLOCKED_AFTER: Final = 0.3
"""Real seconds without progress after which work under way waits for something of the test."""


class _Work:
    """Something real under way, which may stop for a while to let others go on."""

    def __init__(self, clock: "FakeClock") -> None:
        self._clock = clock

    @contextmanager
    def paused(self) -> Iterator[None]:
        self._clock.work_changed(-1)
        try:
            yield
        finally:
            self._clock.work_changed(+1)


class _Timer:
    def __init__(self, due: float, callback: Callable[[], None]) -> None:
        self.due = due
        self.callback = callback
        self.cancelled = False

    def cancel(self) -> None:
        self.cancelled = True


class FakeClock:
    """Implements `backend.clock.Clock`; time passes only in `advance`.

    Real work that was announced with `at_work` takes no time of this clock.
    """

    def __init__(self, start: Nanoseconds = START) -> None:
        self._now = int(start)
        self._monotonic = 1000.0
        self._asleep = 0.0
        self._order = itertools.count()
        self._timers: list[tuple[float, int, _Timer]] = []
        self._at_work = 0
        self._changes = 0

    def now(self) -> Nanoseconds:
        self._now += 1_000
        return Nanoseconds(self._now)

    def monotonic(self) -> float:
        return self._monotonic

    def asleep(self) -> float:
        return self._asleep

    def sleep_machine(self, seconds: float) -> None:
        """The machine sleeps: only the wall goes on."""
        self._asleep += seconds
        self.set_wall(seconds)

    def call_later(self, seconds: float, callback: Callable[[], None]) -> _Timer:
        timer = _Timer(self._monotonic + seconds, callback)
        heapq.heappush(self._timers, (timer.due, next(self._order), timer))
        return timer

    def set_wall(self, seconds: float) -> None:
        """Somebody sets the clock forward or back; nothing that waits is touched by it."""
        self._now += round(seconds * 1e9)

    @property
    def pending_timers(self) -> int:
        return sum(not timer.cancelled for _, _, timer in self._timers)

    @contextmanager
    def at_work(self) -> Iterator[_Work]:
        """Real work is under way; `advance` waits for its end, unless it is blocked."""
        self.work_changed(+1)
        try:
            yield _Work(self)
        finally:
            self.work_changed(-1)

    def work_changed(self, by: int) -> None:
        self._at_work += by
        self._changes += 1

    async def advance(self, seconds: float) -> None:
        """Let time pass, firing timers in order and letting everything settle after each."""
        await self._settle()
        end = self._monotonic + seconds
        while self._timers and self._timers[0][0] <= end:
            due, _, timer = heapq.heappop(self._timers)
            self._step_to(due)
            if not timer.cancelled:
                timer.callback()
                await self._settle()
        self._step_to(end)
        await self._settle()

    async def _settle(self) -> None:
        """Let everything run that is ready or really at work."""
        loop = asyncio.get_running_loop()
        await settle()
        changes, since = self._changes, loop.time()
        while self._at_work and loop.time() - since < _BLOCKED_AFTER:
            await asyncio.sleep(0.001)
            await settle()
            if self._changes != changes:
                changes, since = self._changes, loop.time()

    def _step_to(self, moment: float) -> None:
        self._now += round(max(0.0, moment - self._monotonic) * 1e9)
        self._monotonic = max(self._monotonic, moment)


async def settle(turns: int = 20) -> None:
    """Let everything that is ready run."""
    for _ in range(turns):
        await asyncio.sleep(0)
