"""One downstream call under way in this process, and results nobody has collected yet."""

import asyncio
from collections import OrderedDict
from typing import Final

from backend.ids import ReviewId
from backend.review.gateway.results import CallEnd

_KEPT: Final = 64
_KEPT_BYTES: Final = 32 * 1024 * 1024


class RunningCalls:
    """By the attempt's own id: each runs once, whoever waits for its end."""

    def __init__(self) -> None:
        self._running: dict[str, asyncio.Task[CallEnd]] = {}
        self._ends: OrderedDict[str, CallEnd] = OrderedDict()

    def __contains__(self, invocation_id: object) -> bool:
        return invocation_id in self._running

    def begin(self, invocation_id: str, task: "asyncio.Task[CallEnd]") -> None:
        self._running[invocation_id] = task
        task.add_done_callback(lambda _: self._running.pop(invocation_id, None))

    def find(self, invocation_id: str) -> "asyncio.Task[CallEnd] | None":
        return self._running.get(invocation_id)

    def keep(self, invocation_id: str, end: CallEnd) -> None:
        """The whole end of it, for whoever comes back for it; the oldest give way."""
        self._ends[invocation_id] = end
        while len(self._ends) > _KEPT or self._bytes() > _KEPT_BYTES:
            self._ends.popitem(last=False)

    def end(self, invocation_id: str) -> CallEnd | None:
        """How it has ended, where this process still knows it whole."""
        return self._ends.get(invocation_id)

    def _bytes(self) -> int:
        return sum(end.size for end in self._ends.values())


class ReviewNews:
    """Wakes whoever waits for something to become true of a request."""

    def __init__(self) -> None:
        self._waiting: dict[ReviewId, set[asyncio.Event]] = {}

    def tell(self, review_id: ReviewId) -> None:
        for event in self._waiting.get(review_id, ()):
            event.set()

    def watch(self, review_id: ReviewId) -> asyncio.Event:
        """Set at the next news; give it back with `leave`."""
        event = asyncio.Event()
        self._waiting.setdefault(review_id, set()).add(event)
        return event

    def is_watched(self, review_id: ReviewId) -> bool:
        """Whether a call waits to hear what becomes of it."""
        return review_id in self._waiting

    def leave(self, review_id: ReviewId, event: asyncio.Event) -> None:
        events = self._waiting.get(review_id)
        if events is not None:
            events.discard(event)
            if not events:
                del self._waiting[review_id]
