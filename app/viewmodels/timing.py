"""What a view model needs of time and of background work; tests pass a clock they move by hand."""

from collections.abc import Callable, Coroutine
from contextlib import AbstractAsyncContextManager
from typing import Protocol


class Timer(Protocol):
    """Something scheduled that can still be called off."""

    def cancel(self) -> None: ...


class WindowClock(Protocol):
    """Wall time for ages, a monotonic clock for guards, and one-shot timers of the window."""

    def now(self) -> int:
        """Nanoseconds since the Unix epoch."""
        ...

    def monotonic(self) -> float:
        """Seconds that never run backwards."""
        ...

    def call_later(self, seconds: float, callback: Callable[[], None]) -> Timer: ...


class Background(Protocol):
    """Runs work that nobody waits for."""

    def start(self, work: Coroutine[object, object, None], *, name: str) -> None: ...


Deadline = Callable[[float], AbstractAsyncContextManager[object]]
"""`async with deadline(seconds)` raises `TimeoutError` when its body takes longer."""
