"""What the features know of a database: short transactions with deadlines, on either dialect."""

from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from enum import IntEnum
from typing import Any, NamedTuple, Protocol, TypeVar

from backend.clock import Deadline
from backend.store.dialect import Dialect
from backend.work.tx_hints import Hints

T = TypeVar("T")

SqlValue = str | int | float | bytes | None
Params = Mapping[str, SqlValue]


class Row(Protocol):
    """A result row read by column name."""

    def __getitem__(self, column: str, /) -> SqlValue: ...


class Statement(NamedTuple):
    """One statement with its parameters, run together with others."""

    sql: str
    params: Params


class Priority(IntEnum):
    """Who goes first when several wait for the writer.

    What is claimed is settled before more is claimed: however many answer at once, the delivery
    of an answer does not wait for those that came after it.
    """

    SETTLE = 0
    CLAIM = 1
    NORMAL = 2
    BULK = 3


class Transaction(Protocol):
    """One open transaction; SQL uses `:name` parameters.

    Every method raises `TemporarilyUnavailable` when the transaction's deadline has passed or the
    store is busy, and `StorageFailed` when the store is full, read-only or corrupt.
    """

    @property
    def dialect(self) -> Dialect: ...

    async def fetch_all(self, sql: str, params: Params | None = None) -> Sequence[Row]: ...

    async def fetch_one(self, sql: str, params: Params | None = None) -> Row | None: ...

    async def execute(self, sql: str, params: Params | None = None) -> int:
        """Run one statement and return how many rows it changed."""
        ...

    async def execute_each(self, statements: Sequence[Statement]) -> Sequence[int]:
        """Run these in order, in one trip to the store, and return how many rows each changed."""
        ...

    async def in_place(
        self, work: "Callable[[Transaction], Coroutine[Any, Any, T]]", *, last: bool = False
    ) -> T:
        """Run `work` on the connection's own thread, with no hand-over for each of its statements.

        It must await nothing but the transaction it is given, and touch nothing of the loop's.
        With `last` the same trip commits, and nothing more can be done with the transaction.
        """
        ...

    def before_commit(self, check: "Callable[[], None]") -> None:
        """Call `check` right before COMMIT; if it raises, nothing is committed.

        It may run on the connection's thread.
        """
        ...

    def hint(self, workspace_id: str) -> None:
        """Say, before the write, that it may change what a card of the workspace must show.

        `Database.hints` tells it once this is committed, or may be; a rollback drops it.
        """
        ...


class Database(Protocol):
    """A store that is open, converged and owned by this process."""

    @property
    def dialect(self) -> Dialect: ...

    @property
    def location(self) -> str:
        """Where the data is, without secrets."""
        ...

    @property
    def hints(self) -> Hints:
        """Which workspaces write transactions have changed, for whoever follows them."""
        ...

    def reading(self, deadline: Deadline | None = None) -> AbstractAsyncContextManager[Transaction]:
        """A consistent snapshot from the reader pool."""
        ...

    def writing(
        self, deadline: Deadline | None = None, *, priority: Priority = Priority.NORMAL
    ) -> AbstractAsyncContextManager[Transaction]:
        """The one write transaction: committed on a normal exit, rolled back on any other.

        A deadline that passes before COMMIT starts interrupts the running statement and rolls
        back. COMMIT itself is never interrupted: if its result is known within 2 s after the
        deadline, that result decides.

        Raises:
            TemporarilyUnavailable: not known to be committed.
        """
        ...

    async def close(self) -> None: ...
