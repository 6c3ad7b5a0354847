"""Whether the machine has slept, found out when something happens anyway; nothing ticks."""

from collections.abc import Callable
from typing import Final

from backend.clock import Clock

LEAST_SLEEP: Final = 10.0
"""Seconds; where the machine does not tell its sleep, a corrected clock looks like one."""


class WakeWatch:
    """`look` is called wherever something happens: a deadline, a call, a window that is used."""

    def __init__(self, clock: Clock, woke: Callable[[float], None]) -> None:
        self._clock = clock
        self._woke = woke
        self._asleep = clock.asleep()

    def look(self) -> None:
        """Tell the seconds slept since the last look, if it was a sleep."""
        before, self._asleep = self._asleep, self._clock.asleep()
        slept = self._asleep - before
        if slept >= LEAST_SLEEP:
            self._woke(slept)
