"""How often growing text is painted: at once after a pause, and never so often that it is all."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from PySide6.QtCore import QObject

from app.timers import WindowTimer

_FRAME: Final = 0.016
"""Seconds from one painting of growing rows to the next, at least."""
_SHARE: Final = 3
"""The window's time a frame leaves for other things, in times of its own."""


class FramePace:
    """Calls `frame` when it is wanted and due. What a frame does is timed by `laying_out`,
    then by `painting`."""

    def __init__(self, owner: QObject, frame: Callable[[], None]) -> None:
        self._timer = WindowTimer(owner, frame)
        self._ended = 0.0
        self._took = 0.0

    @property
    def waits(self) -> bool:
        """Whether a frame is wanted and did not begin yet."""
        return self._timer.running

    def want(self) -> None:
        if not self._timer.running:
            due = self._ended + max(_FRAME, _SHARE * self._took)
            self._timer.start(max(0, round((due - time.monotonic()) * 1000)))

    @contextmanager
    def laying_out(self) -> Iterator[None]:
        """A frame begins here, wanted or not."""
        self._timer.stop()
        began = time.monotonic()
        yield
        self._ended = time.monotonic()
        self._took = self._ended - began

    @contextmanager
    def painting(self) -> Iterator[None]:
        began = time.monotonic()
        yield
        self._took += time.monotonic() - began
