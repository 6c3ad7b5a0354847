"""The window's time: deadlines for what it awaits, and the one home of `QTimer`."""

import asyncio
import time
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

from PySide6.QtCore import QObject, Qt, QTimer


def deadline(seconds: float) -> AbstractAsyncContextManager[object]:
    """`async with deadline(40): ...` raises `TimeoutError` when the body takes longer.

    What the body awaited on the backend may still happen: the caller only stops waiting for it.
    """
    return asyncio.timeout(seconds)


class WindowTimer(QObject):
    """Calls back once or again and again on the window's thread; stops with its owner."""

    def __init__(
        self,
        owner: QObject,
        callback: Callable[[], None],
        *,
        milliseconds: int = 0,
        repeat: bool = False,
    ) -> None:
        super().__init__(owner)
        self._timer = QTimer(self)
        self._timer.setInterval(milliseconds)
        self._timer.setSingleShot(not repeat)
        if repeat and milliseconds >= 1000:
            self._timer.setTimerType(Qt.TimerType.VeryCoarseTimer)
        self._timer.timeout.connect(callback)

    @property
    def running(self) -> bool:
        return self._timer.isActive()

    def start(self, milliseconds: int | None = None) -> None:
        """Start, or start anew; a running timer begins again from now."""
        if milliseconds is not None:
            self._timer.setInterval(milliseconds)
        self._timer.start()

    def stop(self) -> None:
        self._timer.stop()


class _Later:
    def __init__(self, timer: WindowTimer) -> None:
        self._timer: WindowTimer | None = timer

    def cancel(self) -> None:
        if self._timer is not None:
            self._timer.stop()
            self.forget()

    def forget(self) -> None:
        if self._timer is not None:
            self._timer.deleteLater()
            self._timer = None


class SystemWindowClock:
    """The machine's clock for the window's view models, with timers that end with `owner`."""

    def __init__(self, owner: QObject) -> None:
        self._owner = owner

    def now(self) -> int:
        return time.time_ns()

    def monotonic(self) -> float:
        return time.monotonic()

    def call_later(self, seconds: float, callback: Callable[[], None]) -> _Later:
        def fire() -> None:
            handle.forget()
            callback()

        timer = WindowTimer(self._owner, fire)
        handle = _Later(timer)
        timer.start(round(seconds * 1000))
        return handle
