"""How long a call of a tool may take. The time its server waits for a human does not count."""

import asyncio
from typing import Any

from backend.clock import Clock
from backend.ids import SessionId


class CallPatience:
    """The clock of one call."""

    def __init__(self, clock: Clock, session_id: SessionId, seconds: float) -> None:
        self.session_id = session_id
        self._clock = clock
        self._left = seconds
        self._asked = 0
        self._waiting: asyncio.Future[None] | None = None

    def pause(self) -> None:
        self._asked += 1
        self._wake()

    def go_on(self) -> None:
        self._asked -= 1
        self._wake()

    async def over(self, calling: asyncio.Future[Any], life: asyncio.Future[Any]) -> bool:
        """Until the call has an end or its server has; False when its time is over before."""
        while not calling.done():
            begun = self._clock.monotonic()
            paused = self._asked > 0
            await self._something(calling, life, None if paused else self._left)
            if life.done() and not calling.done():
                # The SDK ends every call of a server that is gone; it is given one turn to.
                await asyncio.wait({calling}, timeout=1.0)
                return True
            if not paused:
                self._left -= self._clock.monotonic() - begun
                if self._left <= 0 and not calling.done():
                    return False
        return True

    async def _something(
        self, calling: asyncio.Future[Any], life: asyncio.Future[Any], seconds: float | None
    ) -> None:
        """Until one of them ends, the time is over or the human is asked; no task of its own."""
        self._waiting = asyncio.get_running_loop().create_future()
        timer = None if seconds is None else self._clock.call_later(seconds, self._wake)
        for ending in (calling, life):
            ending.add_done_callback(self._wake)
        try:
            await self._waiting
        finally:
            for ending in (calling, life):
                ending.remove_done_callback(self._wake)
            if timer is not None:
                timer.cancel()

    def _wake(self, *_: object) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)
