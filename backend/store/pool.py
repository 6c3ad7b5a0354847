"""Transactions on a few connections: who gets one next goes by priority, then by arrival."""

import asyncio
import heapq
import itertools
import logging
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager

from backend.clock import Deadline
from backend.errors import ErrorCode, TemporarilyUnavailable
from backend.store.database import Priority
from backend.store.transaction import StoreConnection, StoreTransaction
from backend.work.tx_hints import Hints, TxHints

_log = logging.getLogger(__name__)

_Waiting = tuple[Priority, int, "asyncio.Future[StoreConnection]"]


class ConnectionPool:
    """Hands each connection to one holder at a time; must be used on one loop."""

    def __init__(self, connections: Iterable[StoreConnection], hints: Hints | None = None) -> None:
        self._hints = hints or Hints()
        self._idle = list(connections)
        self._all = tuple(self._idle)
        self._waiting: list[_Waiting] = []
        self._arrival = itertools.count()
        self._closed = False
        self._all_idle = asyncio.Event()
        self._all_idle.set()
        self._resets: set[asyncio.Task[None]] = set()

    @asynccontextmanager
    async def transaction(
        self, begin: str, priority: Priority, deadline: Deadline | None
    ) -> AsyncIterator[StoreTransaction]:
        """One transaction, started with `begin`: committed on a normal exit, else rolled back."""
        connection = await self.acquire(priority, deadline)
        hints = TxHints(self._hints)
        tx = StoreTransaction(connection, deadline, hints)
        try:
            await tx.begin(begin)
            yield tx
            await tx.commit()
        finally:
            # Nothing is awaited here: the caller may be cancelled again at any await.
            unsure = tx.is_unsure
            if tx.end():
                self.release(connection)
                hints.fire()
            else:
                # A COMMIT under way has ended once the connection is reset.
                self._start_reset(connection, hints.fire if unsure else None)

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

    def _start_reset(
        self, connection: StoreConnection, afterwards: Callable[[], None] | None
    ) -> None:
        task = asyncio.get_running_loop().create_task(
            self._reset(connection, afterwards), name="reset store connection"
        )
        self._resets.add(task)
        task.add_done_callback(self._resets.discard)

    async def _reset(
        self, connection: StoreConnection, afterwards: Callable[[], None] | None
    ) -> None:
        try:
            await connection.reset()
        except connection.errors as error:
            _log.warning("a transaction could not be rolled back: %s", error)
        finally:
            self.release(connection)
            if afterwards is not None:
                afterwards()


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
