"""What every fake front door lets a test do to its calls: see, fail and hold them."""

import asyncio
from collections import defaultdict, deque

from backend.errors import AppError


class FakeCalls:
    """Each method of a fake calls `_enter` with its own name first."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self._failures: defaultdict[str, deque[AppError]] = defaultdict(deque)
        self._losses: defaultdict[str, deque[AppError]] = defaultdict(deque)
        self._gates: dict[str, asyncio.Event] = {}

    def fail(self, method: str, error: AppError) -> None:
        """Make the next call of `method` raise `error`; repeated, the ones after it too."""
        self._failures[method].append(error)

    def lose_reply(self, method: str, error: AppError) -> None:
        """Make the next call of `method` do its work and raise `error` all the same."""
        self._losses[method].append(error)

    def hold(self, method: str) -> asyncio.Event:
        """Make calls of `method` wait until the returned event is set."""
        gate = self._gates[method] = asyncio.Event()
        return gate

    async def _enter(self, method: str) -> None:
        self.calls.append(method)
        gate = self._gates.get(method)
        if gate is not None:
            await gate.wait()
        await asyncio.sleep(0)
        if self._failures[method]:
            raise self._failures[method].popleft()

    def _leave(self, method: str) -> None:
        if self._losses[method]:
            raise self._losses[method].popleft()
