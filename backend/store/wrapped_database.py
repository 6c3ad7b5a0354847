"""What every database around another one passes on."""

from contextlib import AbstractAsyncContextManager

from backend.clock import Deadline
from backend.store.database import Database, Transaction
from backend.store.dialect import Dialect
from backend.work.tx_hints import Hints


class WrappedDatabase:
    """All of `Database` but `writing`, which whoever wraps has something to say about."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @property
    def dialect(self) -> Dialect:
        return self._database.dialect

    @property
    def location(self) -> str:
        return self._database.location

    @property
    def hints(self) -> Hints:
        return self._database.hints

    def reading(self, deadline: Deadline | None = None) -> AbstractAsyncContextManager[Transaction]:
        return self._database.reading(deadline)

    async def close(self) -> None:
        await self._database.close()
