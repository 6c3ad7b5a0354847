"""What an agent waits for: permissions and forms, each answered exactly once."""

import asyncio
import logging
from collections.abc import Coroutine
from typing import Final, TypeVar

T = TypeVar("T")

_log = logging.getLogger(__name__)

MOST_OPEN: Final = 64
"""An agent that asks more at once is told `cancelled`."""


class OpenRequests:
    """Everything one agent waits for now."""

    def __init__(self) -> None:
        self._open: dict[asyncio.Task[object], object] = {}
        self._closed = False

    def close(self) -> None:
        """Withdraw what is open and whatever comes."""
        self._closed = True
        self.withdraw()

    def reopen(self) -> None:
        self._closed = False

    def withdraw(self) -> None:
        """Nobody decides any more: each one is answered as such."""
        for task in list(self._open):
            task.cancel()

    def take_back(self, request_id: object) -> None:
        """The agent wants no decision any more; of two with one id, on both."""
        for task, asked in list(self._open.items()):
            if asked == request_id:
                task.cancel()

    async def decided(
        self, request_id: object, work: Coroutine[object, object, T], *, name: str
    ) -> T | None:
        """What `work` decides; None when it is withdrawn, is one too many or fails."""
        if self._closed or len(self._open) >= MOST_OPEN:
            work.close()
            return None
        task = asyncio.ensure_future(work)
        self._open[task] = request_id
        task.add_done_callback(lambda done: self._open.pop(done, None))
        try:
            await asyncio.wait({task})
        finally:
            task.cancel()
        if task.cancelled():
            return None
        error = task.exception()
        if error is not None:
            _log.error("%s failed", name, exc_info=error)
            return None
        return task.result()
