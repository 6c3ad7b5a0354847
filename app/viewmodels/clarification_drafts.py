"""Keeps what is typed: saved at most 300 ms after a keystroke, and at once when asked."""

from typing import Final

from app.bridge.client import BackendClient
from app.viewmodels.timing import Background, Deadline, Timer, WindowClock
from backend.domain.clarification import AnswerDraft
from backend.errors import AppError, StorageFailed, TemporarilyUnavailable
from backend.ids import PendingId

DRAFT_SECONDS: Final = 0.25
RETRY_SECONDS: Final = (1.0, 2.0, 5.0, 15.0, 30.0)
SAVE_SECONDS: Final = 5.0


class DraftKeeper:
    """Saves the latest draft of each bundle, one save at a time per bundle, until it is kept."""

    def __init__(
        self,
        client: BackendClient,
        clock: WindowClock,
        deadline: Deadline,
        background: Background,
    ) -> None:
        self._client = client
        self._clock = clock
        self._deadline = deadline
        self._background = background
        self._waiting: dict[PendingId, AnswerDraft] = {}
        self._saving: set[PendingId] = set()
        self._in_flight: dict[PendingId, AnswerDraft] = {}
        self._failures = 0
        self._timer: Timer | None = None

    def note(self, draft: AnswerDraft) -> None:
        """Something was put in; later input before the save is saved with it."""
        self._waiting[draft.pending_id] = draft
        if self._timer is None:
            self._schedule(DRAFT_SECONDS)

    def flush(self) -> None:
        """Start saving everything that waits now: collapse, navigation, the window closes."""
        self._stop_timer()
        for pending_id in tuple(self._waiting):
            if pending_id not in self._saving:
                self._saving.add(pending_id)
                self._background.start(self._save(pending_id), name="save draft")

    async def finish(self) -> None:
        """Save what waits now, once, and return when that was tried: the window closes."""
        self._stop_timer()
        under_way = tuple(self._in_flight.values())
        for draft in under_way:
            # Whoever waits for this save is about to be cancelled, and the save with it.
            self._waiting.setdefault(draft.pending_id, draft)
        for draft in tuple(self._waiting.values()):
            await self._saved(draft)
        self._waiting.clear()

    def forget(self, pending_id: PendingId) -> None:
        """The bundle is closed: there is nothing left to keep."""
        self._waiting.pop(pending_id, None)
        if not self._waiting:
            self._stop_timer()

    async def _save(self, pending_id: PendingId) -> None:
        try:
            while (draft := self._waiting.pop(pending_id, None)) is not None:
                self._in_flight[pending_id] = draft
                if not await self._saved(draft):
                    self._waiting.setdefault(pending_id, draft)
                    break
        finally:
            self._saving.discard(pending_id)
            self._in_flight.pop(pending_id, None)
        if not self._waiting:
            self._stop_timer()
        elif self._timer is None:
            self._schedule(RETRY_SECONDS[min(self._failures, len(RETRY_SECONDS) - 1)])

    async def _saved(self, draft: AnswerDraft) -> bool:
        """Whether there is nothing to repeat: a draft that is refused will be refused again."""
        try:
            async with self._deadline(SAVE_SECONDS):
                await self._client.call(lambda api: api.save_draft(draft))
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
