"""A database another desk might own at any moment: every write is admitted and fenced."""

from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from backend.clock import Deadline
from backend.errors import ErrorCode, TemporarilyUnavailable
from backend.store.database import Database, Params, Priority, Row, Statement, Transaction
from backend.store.dialect import Dialect
from backend.store.epoch import is_current
from backend.store.wrapped_database import WrappedDatabase
from backend.store.write_gate import Term, WriteGate

T = TypeVar("T")


class OwnedDatabase(WrappedDatabase):
    """Implements `Database`; writes only while the gate's term lasts.

    A write begins with a look, inside its own transaction, at whether the epoch is still ours: the
    row stays locked against the next owner until the transaction ends, so that what a desk writes
    is in the store before another one recovers, or never. Reading is always allowed.

    With `recovering` it admits writes before recovery has run, for recovery itself.
    """

    def __init__(self, database: Database, gate: WriteGate, *, recovering: bool = False) -> None:
        super().__init__(database)
        self._gate = gate
        self._recovering = recovering

    @asynccontextmanager
    async def writing(
        self, deadline: Deadline | None = None, *, priority: Priority = Priority.NORMAL
    ) -> AsyncIterator[Transaction]:
        term = self._gate.admit(recovering=self._recovering)
        async with self._database.writing(deadline, priority=priority) as tx:
            guarded = _GuardedTransaction(tx, term, recovering=self._recovering)
            if not await is_current(guarded, term.epoch):
                term.end("another desk has taken over the store")
                raise TemporarilyUnavailable(
                    ErrorCode.TEMPORARILY_UNAVAILABLE, f"the store is away: {term.reason}"
                )
            tx.before_commit(lambda: term.check(recovering=self._recovering))
            yield guarded


class _GuardedTransaction:
    """Implements `Transaction`; a statement runs only while its term lasts."""

    def __init__(self, tx: Transaction, term: Term, *, recovering: bool) -> None:
        self._tx = tx
        self._term = term
        self._recovering = recovering

    @property
    def dialect(self) -> Dialect:
        return self._tx.dialect

    async def fetch_all(self, sql: str, params: Params | None = None) -> Sequence[Row]:
        self._check()
        return await self._tx.fetch_all(sql, params)

    async def fetch_one(self, sql: str, params: Params | None = None) -> Row | None:
        self._check()
        return await self._tx.fetch_one(sql, params)

    async def execute(self, sql: str, params: Params | None = None) -> int:
        self._check()
        return await self._tx.execute(sql, params)

    async def execute_each(self, statements: Sequence[Statement]) -> Sequence[int]:
        self._check()
        return await self._tx.execute_each(statements)

    async def in_place(
        self, work: Callable[[Transaction], Coroutine[Any, Any, T]], *, last: bool = False
    ) -> T:
        self._check()
        return await self._tx.in_place(
            lambda tx: work(_GuardedTransaction(tx, self._term, recovering=self._recovering)),
            last=last,
        )

    def before_commit(self, check: Callable[[], None]) -> None:
        self._tx.before_commit(check)

    def hint(self, workspace_id: str) -> None:
        self._tx.hint(workspace_id)

    def _check(self) -> None:
        self._term.check(recovering=self._recovering)
