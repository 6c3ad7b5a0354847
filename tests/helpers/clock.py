"""A clock that tests move by hand."""

import asyncio
import heapq
import itertools
from collections.abc import Callable

from backend.clock import Nanoseconds

START = Nanoseconds(1_790_000_000_000_000_000)


class _Timer:
    def __init__(self, due: float, callback: Callable[[], None]) -> None:
        self.due = due
        self.callback = callback
        self.cancelled = False

    def cancel(self) -> None:
        self.cancelled = True


class FakeClock:
    """Implements `backend.clock.Clock`; time passes only in `advance`."""

    def __init__(self, start: Nanoseconds = START) -> None:
        self._now = int(start)
        self._monotonic = 1000.0
        self._order = itertools.count()
        self._timers: list[tuple[float, int, _Timer]] = []

    def now(self) -> Nanoseconds:
        self._now += 1_000
        return Nanoseconds(self._now)

    def monotonic(self) -> float:
        return self._monotonic

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

    async def advance(self, seconds: float) -> None:
        """Let time pass, firing timers in order and letting the loop settle after each."""
        end = self._monotonic + seconds
        while self._timers and self._timers[0][0] <= end:
            due, _, timer = heapq.heappop(self._timers)
            self._step_to(due)
            if not timer.cancelled:
                timer.callback()
                await settle()
        self._step_to(end)
        await settle()

    def _step_to(self, moment: float) -> None:
        self._now += round(max(0.0, moment - self._monotonic) * 1e9)
        self._monotonic = max(self._monotonic, moment)


async def settle(turns: int = 20) -> None:
    """Let everything that is ready run."""
    for _ in range(turns):
        await asyncio.sleep(0)
