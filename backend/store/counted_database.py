"""The embedded store with its starts counted, by the first write of each."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from backend.clock import Deadline
from backend.store.database import Database, Priority, Transaction
from backend.store.epoch import begin_epoch
from backend.store.wrapped_database import WrappedDatabase


class CountedDatabase(WrappedDatabase):
    """Implements `Database`; its first write makes the epoch of this start durable.

    A start that only reads must not wait for another program that holds the store locked, and a
    start that has written nothing needs no number of its own.

    `still_owned` is called before each commit and raises where another program is the owner.
    """

    def __init__(self, database: Database, still_owned: Callable[[], None]) -> None:
        super().__init__(database)
        self._still_owned = still_owned
        self._begun = False

    @asynccontextmanager
    async def writing(
        self, deadline: Deadline | None = None, *, priority: Priority = Priority.NORMAL
    ) -> AsyncIterator[Transaction]:
        begins = not self._begun
        async with self._database.writing(deadline, priority=priority) as tx:
            # Looked at again: writes that queued for the writer together begin only once.
            begins = begins and not self._begun
            if begins:
                await begin_epoch(tx)
            tx.before_commit(self._still_owned)
            yield tx
        self._begun = self._begun or begins
