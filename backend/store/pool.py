"""Who gets a connection next: by priority, then in the order of arrival."""

import asyncio
import heapq
import itertools
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from backend.clock import Deadline
from backend.errors import ErrorCode, TemporarilyUnavailable
from backend.store.connection import StoreConnection
from backend.store.database import Priority

_Waiting = tuple[Priority, int, "asyncio.Future[StoreConnection]"]


class ConnectionPool:
    """Hands each connection to one holder at a time; must be used on one loop."""

    def __init__(self, connections: Iterable[StoreConnection]) -> None:
        self._idle = list(connections)
        self._all = tuple(self._idle)
        self._waiting: list[_Waiting] = []
        self._arrival = itertools.count()
        self._closed = False
        self._all_idle = asyncio.Event()
        self._all_idle.set()

    async def acquire(self, priority: Priority, deadline: Deadline | None) -> StoreConnection:
        """Take a connection; `release` must follow.

        Raises:
            TemporarilyUnavailable: none was free before the deadline, or the store is closing.
        """
        if self._closed:
            raise _closing()
        if self._idle and not self._waiting:
            self._all_idle.clear()
            return self._idle.pop()
        turn: asyncio.Future[StoreConnection] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._waiting, (priority, next(self._arrival), turn))
        try:
            with _refused_at(deadline, turn):
                return await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled() and turn.exception() is None:
                self.release(turn.result())
            raise

    def release(self, connection: StoreConnection) -> None:
        """Give a connection back, free of any transaction."""
        while self._waiting:
            _, _, turn = heapq.heappop(self._waiting)
            if not turn.done():
                turn.set_result(connection)
                return
        self._idle.append(connection)
        if len(self._idle) == len(self._all):
            self._all_idle.set()

    def refuse(self) -> None:
        """Turn away everyone who waits, and everyone who comes from now on."""
        self._closed = True
        while self._waiting:
            _, _, turn = heapq.heappop(self._waiting)
            if not turn.done():
                turn.set_exception(_closing())

    async def close(self) -> None:
        """Let every holder finish, then close the connections; `refuse` comes first."""
        await self._all_idle.wait()
        for connection in self._all:
            await connection.close()


@contextmanager
def _refused_at(
    deadline: Deadline | None, turn: "asyncio.Future[StoreConnection]"
) -> Iterator[None]:
    if deadline is None:
        yield
        return

    def refuse() -> None:
        if not turn.done():
            turn.set_exception(
                TemporarilyUnavailable(ErrorCode.STORE_BUSY, "the store is busy with other work")
            )

    timer = deadline.on_expiry(refuse)
    try:
        yield
    finally:
        timer.cancel()


def _closing() -> TemporarilyUnavailable:
    return TemporarilyUnavailable(ErrorCode.DRAINING, "the store is closing")
