"""The PostgreSQL store of a desk: owned by a lock that can be lost, and got back."""

import asyncio
import logging
from collections.abc import Callable
from typing import Final

from backend.clock import Clock, Deadline, sleep
from backend.errors import AppError, ErrorCode, TemporarilyUnavailable
from backend.events import StoreAvailability, StoreProgress
from backend.store.database import Database
from backend.store.epoch import begin_epoch
from backend.store.owned import Publish, Recover
from backend.store.owned_database import OwnedDatabase
from backend.store.owner_lock import OwnerLock
from backend.store.postgres import PostgresDatabase
from backend.store.postgres_owner import PostgresOwner
from backend.store.server_login import log_in
from backend.store.store_location import DatabaseServer
from backend.store.write_gate import Term, WriteGate

REGAIN_SECONDS: Final = (1.0, 5.0, 30.0)
"""Between tries to own the store again; the last repeats."""
BEGIN_SECONDS: Final = 15.0
"""How long a new owner waits for the last write of the one before."""
CLOSE_SECONDS: Final = 3.0

_log = logging.getLogger(__name__)


class PostgresStore:
    """Implements `OwnedStore`."""

    def __init__(
        self,
        server: DatabaseServer,
        clock: Clock,
        database: PostgresDatabase,
        owner: PostgresOwner,
        *,
        home_lock: OwnerLock,
        kind: str,
    ) -> None:
        self._server = server
        self._clock = clock
        self._opened = database
        self._owner = owner
        self._home_lock = home_lock
        self._kind = kind
        self._gate = WriteGate()
        self._database = OwnedDatabase(database, self._gate)
        self._recovery_database = OwnedDatabase(database, self._gate, recovering=True)
        self._recover: Recover | None = None

    @classmethod
    async def open(
        cls,
        server: DatabaseServer,
        clock: Clock,
        *,
        home_lock: OwnerLock,
        kind: str,
        progress: Callable[[StoreProgress], None] | None,
        allow_migration: bool,
    ) -> "PostgresStore":
        """See `backend.store.owned.open_store`."""
        term = Term()
        owner = await PostgresOwner.acquire(server, kind=kind, on_lost=term.end)
        try:
            database = await PostgresDatabase.open(
                owner.conninfo, clock, progress=progress, allow_migration=allow_migration
            )
        except BaseException:
            await owner.release()
            raise
        store = cls(server, clock, database, owner, home_lock=home_lock, kind=kind)
        try:
            await store._begin(term)
        except BaseException:
            await store._let_go()
            raise
        return store

    @property
    def database(self) -> Database:
        return self._database

    @property
    def epoch(self) -> int:
        return self._gate.term.epoch

    async def start(self, recover: Recover) -> None:
        self._recover = recover
        await self._run_recovery(self._gate.term)

    async def keep(self, publish: Publish) -> None:
        while True:
            term = self._gate.term
            await term.over.wait()
            _log.warning("the store is away: %s", term.reason)
            publish(StoreAvailability(available=False, detail=term.reason))
            await self._owner.release()
            await self._regain(term.reason, publish)
            _log.info("the store is back")
            publish(StoreAvailability(available=True, detail=""))

    async def close(self) -> None:
        self._gate.term.end("the desk is stopping")
        try:
            await self._let_go()
        finally:
            self._home_lock.release()

    async def _let_go(self) -> None:
        try:
            await asyncio.wait_for(self._opened.close(), CLOSE_SECONDS)
        except TimeoutError:
            # Threads that wait for a server which does not answer would outlive the program.
            self._opened.break_off()
        finally:
            await self._owner.release()

    async def _regain(self, told: str, publish: Publish) -> None:
        attempt = 0
        while True:
            await sleep(self._clock, REGAIN_SECONDS[min(attempt, len(REGAIN_SECONDS) - 1)])
            attempt += 1
            try:
                await self._own_again()
            except AppError as error:
                _log.warning("the store is still away: %s", error.detail)
                if error.detail != told:
                    told = error.detail
                    publish(StoreAvailability(available=False, detail=told))
            else:
                return

    async def _own_again(self) -> None:
        term = Term()
        self._owner = await PostgresOwner.acquire(self._server, kind=self._kind, on_lost=term.end)
        try:
            await self._check_still_ours()
            await self._begin(term)
            await self._run_recovery(term)
        except BaseException:
            term.end("the store could not be taken over")
            await self._owner.release()
            raise

    async def _check_still_ours(self) -> None:
        """Another desk, perhaps a newer one, or an administrator may have changed it meanwhile."""
        seen = await PostgresDatabase.open_read_only(self._owner.conninfo, self._clock)
        await seen.close()

    async def _begin(self, term: Term) -> None:
        """Number this term, once everything written under the one before is settled."""
        async with self._opened.writing(Deadline(self._clock, BEGIN_SECONDS)) as tx:
            term.epoch = await begin_epoch(tx)
        self._gate.enter(term)

    async def _run_recovery(self, term: Term) -> None:
        if self._recover is not None:
            await self._recover(self._recovery_database)
        if term.over.is_set():
            raise TemporarilyUnavailable(
                ErrorCode.STORE_UNREACHABLE, f"the store went away again: {term.reason}"
            )
        term.recovered = True


async def open_to_read(server: DatabaseServer, clock: Clock) -> Database:
    """See `backend.store.owned.open_for_reading`."""
    return await PostgresDatabase.open_read_only(
        await asyncio.to_thread(_address_that_works, server), clock
    )


def _address_that_works(server: DatabaseServer) -> str:
    connection, address = log_in(server, name="kandesk command")
    connection.close()
    return address
