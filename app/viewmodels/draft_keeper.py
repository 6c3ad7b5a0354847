"""Keeps what is typed: saved at most 300 ms after a keystroke, and at once when asked."""

from collections.abc import Awaitable, Callable
from typing import Final, Generic, TypeVar

from app.viewmodels.timing import Background, Deadline, Timer, WindowClock
from backend.errors import AppError, StorageFailed, TemporarilyUnavailable

DRAFT_SECONDS: Final = 0.25
RETRY_SECONDS: Final = (1.0, 2.0, 5.0, 15.0, 30.0)
SAVE_SECONDS: Final = 5.0

K = TypeVar("K")
D = TypeVar("D")


class DraftKeeper(Generic[K, D]):
    """Saves the latest draft of each key, one save at a time per key, until it is kept."""

    def __init__(
        self,
        save: Callable[[D], Awaitable[None]],
        clock: WindowClock,
        deadline: Deadline,
        background: Background,
    ) -> None:
        self._save_one = save
        self._clock = clock
        self._deadline = deadline
        self._background = background
        self._waiting: dict[K, D] = {}
        self._saving: set[K] = set()
        self._in_flight: dict[K, D] = {}
        self._failures = 0
        self._timer: Timer | None = None

    def put(self, key: K, draft: D) -> None:
        """Something was put in; later input before the save is saved with it."""
        self._waiting[key] = draft
        if self._timer is None:
            self._schedule(DRAFT_SECONDS)

    def flush(self) -> None:
        """Start saving everything that waits now: collapse, navigation, the window closes."""
        self._stop_timer()
        for key in tuple(self._waiting):
            if key not in self._saving:
                self._saving.add(key)
                self._background.start(self._save(key), name="save draft")

    async def save_now(self, key: K, draft: D) -> None:
        """Save this before anything else; if it cannot be, it is kept and saved later."""
        self.forget(key)
        self._in_flight[key] = draft
        try:
            kept = await self._saved(draft)
        finally:
            self._in_flight.pop(key, None)
        if not kept:
            self._waiting.setdefault(key, draft)
            self._try_later()

    async def save_all(self) -> bool:
        """Try once to save what waits now; whether all of it is kept. The rest is tried again."""
        self._stop_timer()
        for key, draft in tuple(self._in_flight.items()):
            # Whoever waits for this save may be cancelled, and the save with it.
            self._waiting.setdefault(key, draft)
        try:
            for key, draft in tuple(self._waiting.items()):
                if await self._saved(draft) and self._waiting.get(key) is draft:
                    del self._waiting[key]
        finally:
            self._try_later()
        return not self._waiting

    async def finish(self) -> None:
        """Save what waits now, once, and return when that was tried: the window closes."""
        await self.save_all()
        self._stop_timer()
        self._waiting.clear()

    def forget(self, key: K) -> None:
        """There is nothing left to keep."""
        self._waiting.pop(key, None)
        if not self._waiting:
            self._stop_timer()

    async def _save(self, key: K) -> None:
        try:
            while (draft := self._waiting.pop(key, None)) is not None:
                self._in_flight[key] = draft
                if not await self._saved(draft):
                    self._waiting.setdefault(key, draft)
                    break
        finally:
            self._saving.discard(key)
            self._in_flight.pop(key, None)
        self._try_later()

    def _try_later(self) -> None:
        if not self._waiting:
            self._stop_timer()
        elif self._timer is None:
            self._schedule(RETRY_SECONDS[min(self._failures, len(RETRY_SECONDS) - 1)])

    async def _saved(self, draft: D) -> bool:
        """Whether there is nothing to repeat: a draft that is refused will be refused again."""
        try:
            async with self._deadline(SAVE_SECONDS):
                await self._save_one(draft)
        except (TemporarilyUnavailable, StorageFailed, TimeoutError):
            self._failures += 1
            return False
        except AppError:
            return True
        self._failures = 0
        return True

    def _schedule(self, seconds: float) -> None:
        self._timer = self._clock.call_later(seconds, self.flush)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
