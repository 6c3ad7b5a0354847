"""A database that tells a test's clock when it is at work."""

from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, TypeVar

from backend.clock import Deadline
from backend.store.database import Database, Params, Priority, Row, Statement, Transaction
from backend.store.dialect import Dialect
from backend.store.wrapped_database import WrappedDatabase
from tests.helpers.clock import FakeClock

T = TypeVar("T")


class _WatchedTransaction:
    """Implements `Transaction`."""

    def __init__(self, tx: Transaction, clock: FakeClock) -> None:
        self._tx = tx
        self._clock = clock

    @property
    def dialect(self) -> Dialect:
        return self._tx.dialect

    async def fetch_all(self, sql: str, params: Params | None = None) -> Sequence[Row]:
        with self._clock.at_work():
            return await self._tx.fetch_all(sql, params)

    async def fetch_one(self, sql: str, params: Params | None = None) -> Row | None:
        with self._clock.at_work():
            return await self._tx.fetch_one(sql, params)

    async def execute(self, sql: str, params: Params | None = None) -> int:
        with self._clock.at_work():
            return await self._tx.execute(sql, params)

    async def execute_each(self, statements: Sequence[Statement]) -> Sequence[int]:
        with self._clock.at_work():
            return await self._tx.execute_each(statements)

    async def in_place(
        self, work: Callable[[Transaction], Coroutine[Any, Any, T]], *, last: bool = False
    ) -> T:
        with self._clock.at_work():
            return await self._tx.in_place(work, last=last)

    def before_commit(self, check: Callable[[], None]) -> None:
        self._tx.before_commit(check)

    def hint(self, workspace_id: str) -> None:
        self._tx.hint(workspace_id)


class WatchedDatabase(WrappedDatabase):
    """Implements `Database`: no hour of the clock passes while a real statement is under way."""

    def __init__(self, database: Database, clock: FakeClock) -> None:
        super().__init__(database)
        self._clock = clock

    def reading(self, deadline: Deadline | None = None) -> AbstractAsyncContextManager[Transaction]:
        return self._watched(super().reading(deadline))

    def writing(
        self, deadline: Deadline | None = None, *, priority: Priority = Priority.NORMAL
    ) -> AbstractAsyncContextManager[Transaction]:
        return self._watched(self._database.writing(deadline, priority=priority))

    @asynccontextmanager
    async def _watched(
        self, transaction: AbstractAsyncContextManager[Transaction]
    ) -> AsyncIterator[Transaction]:
        with self._clock.at_work() as work:
            async with transaction as tx:
                with work.paused():
                    yield _WatchedTransaction(tx, self._clock)
