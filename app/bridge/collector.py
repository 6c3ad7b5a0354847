"""Garbage is collected on the window's thread only.

A Qt object that Python frees must be destroyed on its own thread, but the interpreter collects
cycles on whichever thread happens to allocate; with a second thread at work that ends in a crash.
"""

import asyncio
import gc
from collections.abc import Coroutine
from typing import Any, Final

from PySide6.QtCore import QObject, Qt, Signal

from app.timers import WindowTimer

YOUNG_OBJECTS: Final = 2_000
"""New container objects after which a collection is worth its time."""
_YOUNG_PER_FULL: Final = 20
_MOST_YOUNG: Final = 400
_QUIET_MILLISECONDS: Final = 500
"""A full collection looks at everything alive, a tenth of a second's work while thousands of rows
come: it waits for a pause as long as this, until `_MOST_YOUNG` have gone by without one."""


class GarbageCollector(QObject):
    """Takes collecting over from the interpreter; create it on the window's thread.

    Nothing ticks: it is asked by work that has just been done, on either thread.
    """

    _wanted = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._asked = False
        self._collections = 0
        self._pause = WindowTimer(self, self._collect_all, milliseconds=_QUIET_MILLISECONDS)
        self._wanted.connect(self._collect, Qt.ConnectionType.QueuedConnection)

    def take_over(self) -> None:
        """Spare what is alive now from every later collection, and take over."""
        gc.freeze()
        gc.disable()

    def give_back(self) -> None:
        """Leave collecting to the interpreter again."""
        self._pause.stop()
        gc.enable()
        gc.unfreeze()

    def note_work(self) -> None:
        """Have garbage collected soon if there may be enough of it; callable on any thread."""
        if not self._asked and not gc.isenabled() and gc.get_count()[0] >= YOUNG_OBJECTS:
            self._asked = True
            self._wanted.emit()

    def watch(self, loop: asyncio.AbstractEventLoop) -> None:
        """Note every task `loop` starts; a loop without tasks makes no garbage."""

        def start(
            loop: asyncio.AbstractEventLoop, work: Coroutine[Any, Any, Any], **more: Any
        ) -> asyncio.Task[Any]:
            self.note_work()
            return asyncio.Task(work, loop=loop, **more)

        loop.set_task_factory(start)  # type: ignore[arg-type]  # the stub's protocol is private

    def _collect(self) -> None:
        self._asked = False
        self._collections += 1
        if self._collections >= _MOST_YOUNG:
            self._collect_all()
            return
        gc.collect(1)
        if self._collections >= _YOUNG_PER_FULL:
            self._pause.start()

    def _collect_all(self) -> None:
        self._collections = 0
        self._pause.stop()
        gc.collect()
