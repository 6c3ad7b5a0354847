"""How far a start is: told at most ten times a second, never backwards, and stopped when asked."""

import threading
import time
from collections.abc import Callable
from typing import Final

from backend.errors import ErrorCode, TemporarilyUnavailable
from backend.events import StoreProgress, StoreStep

Tell = Callable[[StoreProgress], None]

_SECONDS_BETWEEN: Final = 0.1
_LONG: Final = 10_000
"""Rows or pages from which the beginning of a step is always told."""


class StepProgress:
    """Follows one step after another on the thread that does the work.

    `stop` is set by whoever wants the start to end; `check` notices it.
    """

    def __init__(
        self,
        tell: Tell,
        stop: threading.Event,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._tell = tell
        self._stop = stop
        self._monotonic = monotonic
        self._next = 0.0
        self._step = StoreProgress(StoreStep.DONE, 0, 0)

    @property
    def stopped(self) -> bool:
        return self._stop.is_set()

    def check(self) -> None:
        """Raises `TemporarilyUnavailable` when the start was cancelled."""
        if self._stop.is_set():
            raise TemporarilyUnavailable(ErrorCode.DRAINING, "the start was cancelled")

    def begin(
        self, step: StoreStep, total: int, *, subject: str = "", number: int = 0, count: int = 0
    ) -> None:
        """Start a step of `total` rows or pages; `number` of `count`, from 1."""
        self.check()
        self._step = StoreProgress(step, 0, total, subject, number, count)
        self._say(always=total >= _LONG)

    def advance(self, done: int) -> None:
        """Move on; what goes back or beyond the total is left out."""
        known = self._step
        if known.done < done < known.total:
            self._step = StoreProgress(
                known.step, done, known.total, known.subject, known.number, known.count
            )
            self._say(always=False)

    def end(self) -> None:
        """The step is done: it stands at its total."""
        known = self._step
        self._step = StoreProgress(
            known.step, known.total, known.total, known.subject, known.number, known.count
        )
        self._say(always=known.total >= _LONG)

    def say(self, step: StoreStep, number: int = 0, count: int = 0) -> None:
        """Something that has no duration and must be heard."""
        self._step = StoreProgress(step, count, count, number=number, count=count)
        self._say(always=True)

    def _say(self, *, always: bool) -> None:
        now = self._monotonic()
        if always or now >= self._next:
            self._next = now + _SECONDS_BETWEEN
            self._tell(self._step)
