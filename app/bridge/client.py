"""The window's only way to the backend: one awaitable down, one signal up."""

from collections.abc import Awaitable, Callable
from typing import Protocol, TypeVar

from PySide6.QtCore import QObject, Signal

from backend.api import DeskApi
from backend.errors import AppError, ErrorCode, TemporarilyUnavailable

T = TypeVar("T")
Work = Callable[[DeskApi], Awaitable[T]]


class Caller(Protocol):
    """Something that runs work on the backend and brings the result back."""

    async def call(self, work: Work[T]) -> T: ...


class BackendClient(QObject):
    """Lives in the window's thread.

    `event_received` carries one `backend.events.Event` at a time, in the order of publication.
    """

    event_received = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._caller: Caller | None = None

    def attach(self, caller: Caller) -> None:
        """Connect to a backend that has started."""
        self._caller = caller

    async def call(self, work: Work[T]) -> T:
        """Run `work` on the backend's loop and return its result here.

        Raises:
            AppError: an expected failure, to be told to the human.
        """
        if self._caller is None:
            raise TemporarilyUnavailable(
                ErrorCode.TEMPORARILY_UNAVAILABLE, "the backend has not started yet"
            )
        return await self._caller.call(work)


__all__ = ["AppError", "BackendClient", "Caller", "Work"]
