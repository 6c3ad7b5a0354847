"""The window's background work: kept, named, and never silently lost."""

import asyncio
from collections.abc import Callable, Coroutine

from backend.errors import AppError


class WindowTasks:
    """Runs coroutines on the window's loop until the window closes.

    An `AppError` goes to `tell`, which shows it to the human; anything else is a bug and goes to
    the loop's exception handler.
    """

    def __init__(self, tell: Callable[[AppError], None]) -> None:
        self._tell = tell
        self._running: set[asyncio.Task[None]] = set()

    def start(self, work: Coroutine[object, object, None], *, name: str) -> None:
        task = asyncio.get_running_loop().create_task(work, name=name)
        self._running.add(task)
        task.add_done_callback(self._finished)

    async def stop(self) -> None:
        """Cancel what still runs and wait until it has ended."""
        tasks = tuple(self._running)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _finished(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        if task.cancelled():
            return
        error = task.exception()
        if isinstance(error, AppError):
            self._tell(error)
        elif error is not None:
            task.get_loop().call_exception_handler(
                {"message": f"{task.get_name()} failed", "exception": error, "task": task}
            )
