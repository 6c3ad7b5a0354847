"""One open transaction on one connection, ended by its deadline or by cancellation at any point."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from enum import Enum, auto
from typing import Any, Final, Protocol, TypeVar

from backend.clock import Deadline, TimerHandle
from backend.errors import AppError, ErrorCode, TemporarilyUnavailable
from backend.store.database import Params, Row, Statement, Transaction
from backend.store.dialect import Dialect
from backend.store.statements import InPlaceTransaction, Statements, too_late
from backend.work.tx_hints import TxHints

T = TypeVar("T")

GRACE: Final = 2.0
"""Seconds after the deadline in which a result that arrives still counts."""


class StoreConnection(Protocol):
    """A connection on a thread of its own; used by one transaction at a time.

    A method that is cancelled leaves its work to the thread; `reset` waits for it.
    """

    @property
    def dialect(self) -> Dialect: ...

    @property
    def errors(self) -> type[Exception]:
        """What the driver raises; `translate` tells what is expected of it."""
        ...

    def translate(self, error: Exception) -> AppError | None:
        """The expected failure behind an error of the driver; None when it is a bug of ours."""
        ...

    async def open(self) -> None: ...

    async def begin(self, sql: str, deadline: Deadline | None) -> None: ...

    async def run(
        self, work: Callable[[Statements], T], *, then_commit: Callable[[], None] | None = None
    ) -> T:
        """Do `work` on the connection's thread.

        With `then_commit` the same trip calls it there and commits; if it raises, it does not.
        """
        ...

    async def commit(self) -> None: ...

    def stop_statement(self) -> None:
        """End what runs, or has not begun; `reset` must follow. Never blocks."""
        ...

    async def reset(self) -> None:
        """Wait for what still runs, leave any transaction and be ready for the next."""
        ...

    async def close(self) -> None: ...


class _Phase(Enum):
    OPEN = auto()
    COMMITTING = auto()
    COMMITTED = auto()
    BROKEN = auto()
    OVER = auto()


class StoreTransaction:
    """Implements `Transaction` for both drivers; its statements run one after another."""

    def __init__(
        self, connection: StoreConnection, deadline: Deadline | None, hints: TxHints
    ) -> None:
        self._connection = connection
        self._deadline = deadline
        self._hints = hints
        self._phase = _Phase.OPEN
        self._timers: list[TimerHandle] = []
        self._waiting: asyncio.Task[object] | None = None
        self._gave_up = False
        self._used = False
        self._checks: list[Callable[[], None]] = []
        self._ending = threading.Lock()
        """Whoever holds it decides whether a COMMIT on the connection's thread may start."""

    @property
    def dialect(self) -> Dialect:
        return self._connection.dialect

    async def fetch_all(self, sql: str, params: Params | None = None) -> Sequence[Row]:
        return await self.in_place(lambda tx: tx.fetch_all(sql, params))

    async def fetch_one(self, sql: str, params: Params | None = None) -> Row | None:
        return await self.in_place(lambda tx: tx.fetch_one(sql, params))

    async def execute(self, sql: str, params: Params | None = None) -> int:
        return await self.in_place(lambda tx: tx.execute(sql, params))

    async def execute_each(self, statements: Sequence[Statement]) -> Sequence[int]:
        return await self.in_place(lambda tx: tx.execute_each(statements))

    async def in_place(
        self, work: Callable[[Transaction], Coroutine[Any, Any, T]], *, last: bool = False
    ) -> T:
        def run(statements: Statements) -> T:
            return InPlaceTransaction(statements, self.dialect, self._hints).run(work)

        self._used = True
        if not last:
            return await self._unless_broken(lambda: self._connection.run(run))
        result = await self._unless_broken(
            lambda: self._connection.run(run, then_commit=self._start_commit)
        )
        self._phase = _Phase.COMMITTED
        return result

    def before_commit(self, check: Callable[[], None]) -> None:
        self._checks.append(check)

    def hint(self, workspace_id: str) -> None:
        self._hints.add(workspace_id)

    async def begin(self, sql: str) -> None:
        """Start; a lock of another program is waited for until the deadline."""
        if self._deadline is not None:
            self._timers.append(self._deadline.on_expiry(self._expire))
        while True:
            try:
                await self._unless_broken(lambda: self._connection.begin(sql, self._deadline))
            except TemporarilyUnavailable as error:
                if self._deadline is None or error.code is not ErrorCode.STORE_BUSY:
                    raise
                self._phase = _Phase.OPEN
                continue
            return

    async def commit(self) -> None:
        """Make it durable; from here on neither the deadline nor a caller can stop it."""
        if self._phase is _Phase.COMMITTED:
            return
        if not self._used:
            # Only now is it known to have begun.
            await self.in_place(_nothing)
        self._check_usable()
        self._check_all()
        self._phase = _Phase.COMMITTING
        await self._wait_for(self._connection.commit)
        self._phase = _Phase.COMMITTED

    @property
    def is_unsure(self) -> bool:
        """COMMIT was sent, and nobody knows what became of it; asked before `end`."""
        return self._phase is _Phase.COMMITTING

    def end(self) -> bool:
        """Stop what still runs and refuse further use.

        True when the connection is free at once; else it needs a reset first.
        """
        for timer in self._timers:
            timer.cancel()
        phase, self._phase = self._phase, _Phase.OVER
        if phase is _Phase.BROKEN:
            self._connection.stop_statement()
        return phase is _Phase.COMMITTED

    async def _unless_broken(self, operation: Callable[[], Awaitable[T]]) -> T:
        self._check_usable()
        try:
            return await self._wait_for(operation)
        except BaseException:
            # A statement that failed or was left behind: nothing of this may be committed.
            with self._ending:
                if self._phase is not _Phase.COMMITTING:
                    self._phase = _Phase.BROKEN
            raise

    async def _wait_for(self, operation: Callable[[], Awaitable[T]]) -> T:
        task = asyncio.current_task()
        cancels = task.cancelling() if task is not None else 0
        self._waiting = task
        try:
            return await operation()
        except self._connection.errors as error:
            failure = self._connection.translate(error)
            if failure is None:
                raise
            raise failure from error
        except asyncio.CancelledError:
            if self._gave_up and task is not None and task.uncancel() <= cancels:
                raise too_late() from None
            raise
        finally:
            self._waiting = None

    def _check_usable(self) -> None:
        if self._phase in {_Phase.OVER, _Phase.COMMITTED} or self._waiting is not None:
            message = "a transaction is used after its end or by two tasks at once"
            raise RuntimeError(message)
        if self._deadline is not None and self._deadline.expired:
            self._phase = _Phase.BROKEN
            raise too_late()
        if self._phase is _Phase.BROKEN:
            raise TemporarilyUnavailable(
                ErrorCode.TEMPORARILY_UNAVAILABLE, "an earlier statement did not complete"
            )

    def _start_commit(self) -> None:
        """On the connection's thread: from here on nothing can stop it, or nothing is committed."""
        self._check_all()
        with self._ending:
            if self._phase is not _Phase.OPEN:
                raise too_late()
            self._phase = _Phase.COMMITTING

    def _check_all(self) -> None:
        for check in self._checks:
            check()

    def _expire(self) -> None:
        with self._ending:
            if self._phase in {_Phase.OPEN, _Phase.BROKEN}:
                self._phase = _Phase.BROKEN
                self._connection.stop_statement()
        if self._deadline is not None:
            self._timers.append(self._deadline.clock.call_later(GRACE, self._give_up))

    def _give_up(self) -> None:
        if self._waiting is not None:
            self._gave_up = True
            self._waiting.cancel()


async def _nothing(_tx: Transaction) -> None:
    """Ends at once."""
