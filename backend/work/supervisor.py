"""Background tasks that are named, watched and ended together."""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from backend.errors import AppError

T = TypeVar("T")

_log = logging.getLogger(__name__)


class TaskSupervisor:
    """Keeps every task it started until the task ends; a failure is logged, never lost."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()
        self._repeating: set[asyncio.Task[Any]] = set()
        self._at_stop: list[Callable[[], None]] = []

    def start(
        self, work: Coroutine[Any, Any, T], *, name: str, repeats: bool = False
    ) -> asyncio.Task[T]:
        """Run `work` beside the caller and log its failure.

        Work that `repeats` tries something again and again; a stop does not wait for it.
        """
        task = self._spawn(work, name)
        if repeats:
            self._repeating.add(task)
            task.add_done_callback(self._repeating.discard)
        task.add_done_callback(self._report)
        return task

    async def run_to_end(self, work: Coroutine[Any, Any, T], *, name: str) -> T:
        """Await `work`, which goes on when the caller is cancelled.

        Doors run under cancellation that repeats at every await, so nothing durable may run in
        their own task.
        """
        task = self._spawn(work, name)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            if not task.done():
                task.add_done_callback(self._report)
            raise

    def at_stop(self, callback: Callable[[], None]) -> None:
        """Call `callback` when a stop begins."""
        self._at_stop.append(callback)

    async def stop(self, patience: float = 5.0) -> None:
        """Let running work end for `patience` seconds, then cancel what is left."""
        for callback in self._at_stop:
            callback()
        current = asyncio.current_task()
        for task in self._repeating:
            task.cancel()
        running = {task for task in self._tasks if task is not current}
        if running:
            await asyncio.wait(running, timeout=patience)
        left = {task for task in self._tasks if task is not current and not task.done()}
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)

    def _spawn(self, work: Coroutine[Any, Any, T], name: str) -> asyncio.Task[T]:
        task = asyncio.create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    @staticmethod
    def _report(task: asyncio.Task[Any]) -> None:
        if task.cancelled():
            return
        error = task.exception()
        if isinstance(error, AppError):
            _log.warning("%s failed: %s", task.get_name(), error.detail)
        elif error is not None:
            _log.error("%s failed", task.get_name(), exc_info=error)
