"""Statements on a connection's own thread, one by one or as a whole piece of work."""

from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Protocol, TypeVar

from backend.errors import ErrorCode, TemporarilyUnavailable
from backend.store.database import Params, Row, Statement, Transaction
from backend.store.dialect import Dialect
from backend.store.parameters import storable
from backend.work.tx_hints import TxHints

T = TypeVar("T")


class Statements(Protocol):
    """Runs statements at once and blocks; used on the connection's thread only.

    Raises what the driver raises, and `TemporarilyUnavailable` once the connection is stopped.
    """

    def fetch_all(self, sql: str, params: Params) -> Sequence[Row]: ...

    def execute(self, sql: str, params: Params) -> int: ...

    def execute_each(self, statements: Sequence[Statement]) -> Sequence[int]: ...


class InPlaceTransaction:
    """Implements `Transaction`; no call of it ever waits for the loop."""

    def __init__(self, statements: Statements, dialect: Dialect, hints: TxHints) -> None:
        self._statements = statements
        self._dialect = dialect
        self._hints = hints

    @property
    def dialect(self) -> Dialect:
        return self._dialect

    async def fetch_all(self, sql: str, params: Params | None = None) -> Sequence[Row]:
        return self._statements.fetch_all(sql, storable(params))

    async def fetch_one(self, sql: str, params: Params | None = None) -> Row | None:
        rows = await self.fetch_all(sql, params)
        return rows[0] if rows else None

    async def execute(self, sql: str, params: Params | None = None) -> int:
        return self._statements.execute(sql, storable(params))

    async def execute_each(self, statements: Sequence[Statement]) -> Sequence[int]:
        stored = [Statement(sql, storable(params)) for sql, params in statements]
        return self._statements.execute_each(stored)

    async def in_place(
        self, work: Callable[[Transaction], Coroutine[Any, Any, T]], *, last: bool = False
    ) -> T:
        if last:
            raise _only_a_part()
        return await work(self)

    def before_commit(self, check: Callable[[], None]) -> None:  # noqa: ARG002
        raise _only_a_part()

    def hint(self, workspace_id: str) -> None:
        self._hints.add(workspace_id)

    def run(self, work: Callable[[Transaction], Coroutine[Any, Any, T]]) -> T:
        """The result of `work`, which may await nothing but this transaction."""
        running = work(self)
        try:
            running.send(None)
        except StopIteration as ended:
            result: T = ended.value
            return result
        finally:
            running.close()
        message = "work in place awaits something else than its transaction"
        raise RuntimeError(message)


def _only_a_part() -> RuntimeError:
    return RuntimeError("a part of a transaction cannot say how it ends")


def too_late() -> TemporarilyUnavailable:
    """The deadline of a transaction has passed, or it was stopped."""
    return TemporarilyUnavailable(
        ErrorCode.TEMPORARILY_UNAVAILABLE, "the store did not answer in time"
    )
