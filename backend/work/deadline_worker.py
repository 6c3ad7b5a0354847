"""Everything that must be done at some later moment, behind one timer."""

import asyncio
import heapq
import itertools
from collections.abc import Callable, Coroutine
from typing import Any, Final, NamedTuple

from backend.clock import Clock, TimerHandle
from backend.work.supervisor import TaskSupervisor

Work = Callable[[], Coroutine[Any, Any, None]]

RETRY_DELAYS: Final = (1.0, 5.0, 30.0, 300.0)
"""Seconds between tries of what must succeed in the end; the last repeats."""


def retry_delay(failures: int) -> float:
    """Seconds to wait after so many tries that failed before this one."""
    return RETRY_DELAYS[min(failures, len(RETRY_DELAYS) - 1)]


class _Planned(NamedTuple):
    number: int
    work: Work
    is_retry: bool


class DeadlineWorker:
    """Starts each piece of work when it is due. Sleeps until the next one; idle, it has no timer.
    It ends with its supervisor.

    `look` is called each time it wakes, before what is due.

    Work is known by its key: putting the same key again replaces what was planned.
    """

    def __init__(
        self, clock: Clock, supervisor: TaskSupervisor, look: Callable[[], None] | None = None
    ) -> None:
        self._clock = clock
        self._look = look
        self._supervisor = supervisor
        self._planned: dict[str, _Planned] = {}
        self._order: list[tuple[float, int, str]] = []
        self._pauses: set[asyncio.Event] = set()
        self._numbers = itertools.count()
        self._timer: TimerHandle | None = None
        self._wakes_at = 0.0
        self._closed = False
        supervisor.at_stop(self.close)

    def put(self, key: str, seconds: float, work: Work) -> None:
        """Plan `work` for `seconds` from now."""
        self._plan(key, seconds, work, is_retry=False)

    def try_again(self, key: str, failures: int, work: Work) -> None:
        """Plan another try of `work`, which failed `failures` times before this once."""
        self._plan(key, retry_delay(failures), work, is_retry=True)

    async def pause(self, failures: int) -> None:
        """Wait until it is time for another try; for those who keep their work to themselves."""
        over = asyncio.Event()
        timer = self._clock.call_later(retry_delay(failures), over.set)
        self._pauses.add(over)
        try:
            await over.wait()
        finally:
            self._pauses.discard(over)
            timer.cancel()

    def hurry(self) -> None:
        """What made tries fail is over: whatever waits for the next is tried now."""
        for key, planned in list(self._planned.items()):
            if planned.is_retry:
                self._plan(key, 0.0, planned.work, is_retry=True)
        for over in self._pauses:
            over.set()

    def drop(self, key: str) -> None:
        """Forget what was planned; silently nothing when it runs already or never was."""
        if self._planned.pop(key, None) is not None:
            self._arm()

    def __contains__(self, key: str) -> bool:
        return key in self._planned

    def close(self) -> None:
        """Plan nothing more and forget everything."""
        self._closed = True
        self._planned.clear()
        self._arm()

    def _plan(self, key: str, seconds: float, work: Work, *, is_retry: bool) -> None:
        if self._closed:
            return
        number = next(self._numbers)
        self._planned[key] = _Planned(number, work, is_retry)
        heapq.heappush(self._order, (self._clock.monotonic() + max(0.0, seconds), number, key))
        self._arm()

    def _arm(self) -> None:
        while self._order and not self._is_planned(self._order[0]):
            heapq.heappop(self._order)
        due = self._order[0][0] if self._order else None
        if self._timer is not None and due == self._wakes_at:
            return
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if due is not None:
            self._wakes_at = due
            self._timer = self._clock.call_later(
                max(0.0, due - self._clock.monotonic()), self._wake
            )

    def _is_planned(self, entry: tuple[float, int, str]) -> bool:
        _, number, key = entry
        return key in self._planned and self._planned[key].number == number

    def _wake(self) -> None:
        self._timer = None
        if self._look is not None:
            self._look()
        now = self._clock.monotonic()
        while self._order and self._order[0][0] <= now:
            entry = heapq.heappop(self._order)
            if self._is_planned(entry):
                planned = self._planned.pop(entry[2])
                self._supervisor.start(planned.work(), name=entry[2])
        self._arm()
