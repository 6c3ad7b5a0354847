"""Rows that arrive, in portions a frame of the window has room for."""

import time
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Final

from PySide6.QtCore import QObject

from app.timers import WindowTimer
from app.viewmodels.row_order import is_newer
from backend.domain.conversation import Message
from backend.ids import MessageId, PendingId

PORTION: Final = 100
"""Rows taken in at once; what comes beyond waits for the next frame."""
_FRAME: Final = 0.016


class RowIntake:
    """Calls `merge` with what arrived: at once while it is little, else frame by frame.

    Of a row that waits only its newest state is kept.
    """

    def __init__(self, owner: QObject, merge: Callable[[Sequence[Message]], None]) -> None:
        self._merge = merge
        self._waiting: dict[MessageId, Message] = {}
        self._timer = WindowTimer(owner, self._next)
        self._began = 0.0
        self._taken = 0

    @property
    def waits(self) -> bool:
        """Whether rows have arrived that are not taken in yet."""
        return bool(self._waiting)

    def take(self, messages: Sequence[Message]) -> None:
        now = time.monotonic()
        if now - self._began >= _FRAME:
            self._began, self._taken = now, 0
        if not self._waiting and self._taken + len(messages) <= PORTION:
            self._taken += len(messages)
            self._merge(messages)
            return
        self._wait(messages)
        if not self._timer.running:
            self._timer.start(round(_FRAME * 1000))

    def withdraw(self, pending_id: PendingId) -> None:
        """The rows of a question leave before they were taken in."""
        for message in tuple(self._waiting.values()):
            if message.pending_id == pending_id:
                del self._waiting[message.message_id]

    def clear(self) -> None:
        self._waiting.clear()
        self._timer.stop()

    def _wait(self, messages: Iterable[Message]) -> None:
        for message in messages:
            known = self._waiting.get(message.message_id)
            if known is None or is_newer(message, known):
                self._waiting[message.message_id] = message

    def _next(self) -> None:
        self._began = time.monotonic()
        portion = tuple(islice(self._waiting.values(), PORTION))
        self._taken = len(portion)
        for message in portion:
            del self._waiting[message.message_id]
        if self._waiting:
            self._timer.start(round(_FRAME * 1000))
        self._merge(portion)
