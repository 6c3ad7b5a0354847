"""The lock that makes one desk the owner of a PostgreSQL store, and the word when it is lost.

A session-level advisory lock of the database, on a connection and a thread of its own. The thread
sleeps until the server says something: nothing polls, and a connection that ends is noticed as
soon as this machine hears of it (the kernel's keepalive tells of a server that went silent).
"""

import asyncio
import contextlib
import logging
import os
import selectors
import socket
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final

import psycopg

from backend.errors import AppError, ErrorCode, StorageFailed
from backend.store.owner_lock import LockHolder
from backend.store.server_login import Connection, log_in, one_line, unreachable
from backend.store.store_location import DatabaseServer

LOCK_KEY: Final = 0x4B64736B
"""The letters "Kdsk"; advisory locks are per database."""
RELEASE_SECONDS: Final = 1.0
_SETTLE_SECONDS: Final = 1.5
"""How long a lock is waited for: a server needs a moment to see that its last owner was killed."""
_SETTLE_PAUSE: Final = 0.05
_TAKE_SECONDS: Final = 30.0
"""For everything until the lock is taken; a human may be asked to unlock the keyring."""
_NAME_BYTES: Final = 63
"""What a server keeps of an application name."""

# Settings that not every version has; the server is told of a dead desk by its own keepalive.
_PREPARE: Final = """
    SELECT set_config(wanted.name, wanted.value, false)
    FROM (VALUES ('idle_session_timeout', '0'), ('tcp_keepalives_idle', '30'),
                 ('tcp_keepalives_interval', '10'), ('tcp_keepalives_count', '3'),
                 ('statement_timeout', '5000')) AS wanted(name, value)
    WHERE wanted.name IN (SELECT name FROM pg_settings)
"""
_TAKE: Final = "SELECT pg_is_in_recovery(), pg_try_advisory_lock(%(key)s)"
_HOLDER: Final = """
    SELECT a.application_name
    FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
    WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1
      AND l.classid = 0::oid AND l.objid = %(key)s::oid
      AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""

_UNKNOWN: Final = LockHolder(0, "", "", "")

_log = logging.getLogger(__name__)


class PostgresOwner:
    """Holds the lock until `release`, or until its connection ends."""

    def __init__(self, server: DatabaseServer, kind: str, on_lost: Callable[[str], None]) -> None:
        self._server = server
        self._kind = kind
        self._on_lost = on_lost
        self._loop = asyncio.get_running_loop()
        self._taken: asyncio.Future[None] = self._loop.create_future()
        self._ended = asyncio.Event()
        self._leaving = threading.Event()
        self._wake, self._woken = socket.socketpair()
        self._reason = ""
        self.conninfo = server.url
        """How the server lets this desk in; with the password where one came from the keyring."""

    @classmethod
    async def acquire(
        cls, server: DatabaseServer, *, kind: str, on_lost: Callable[[str], None]
    ) -> "PostgresOwner":
        """Become the owner. `on_lost` is called once, with the reason, on this loop.

        Raises:
            StorageFailed: `store_owned` names the owner; `store_unreachable`; `store_read_only`,
                the server is a standby.
        """
        owner = cls(server, kind, on_lost)
        threading.Thread(target=owner._run, name="store owner", daemon=True).start()
        try:
            await asyncio.wait_for(owner._taken, _TAKE_SECONDS)
        except TimeoutError as error:
            owner._leave()
            detail = f"the store {server.text} cannot be reached: its server does not answer"
            raise StorageFailed(ErrorCode.STORE_UNREACHABLE, detail, store=server.text) from error
        except BaseException:
            owner._leave()
            raise
        return owner

    async def release(self) -> None:
        """Give the lock back; a server that does not answer is left behind. Harmless twice."""
        self._leave()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._ended.wait(), RELEASE_SECONDS)

    def _leave(self) -> None:
        self._leaving.set()
        with contextlib.suppress(OSError):
            self._wake.send(b"x")

    def _run(self) -> None:
        """The thread: take the lock, tell, and sleep until something happens."""
        try:
            connection = self._take()
        except AppError as error:
            self._tell(self._refuse, error)
        else:
            with contextlib.closing(connection):
                self._tell(self._accept)
                lost = self._watch(connection)
            if lost:
                self._tell(self._on_lost, lost)
        finally:
            # Nobody must wait for a thread that is gone, whatever ended it.
            self._tell(self._refuse, unreachable(self._server, "the login failed"))
            self._tell(self._ended.set)
            self._wake.close()
            self._woken.close()

    def _take(self) -> Connection:
        connection, self.conninfo = log_in(self._server, name=_application_name(self._kind))
        try:
            connection.add_notice_handler(self._note)
            connection.execute(_PREPARE)
            self._lock(connection)
        except psycopg.Error as error:
            connection.close()
            raise unreachable(self._server, error) from error
        except BaseException:
            connection.close()
            raise
        return connection

    def _lock(self, connection: Connection) -> None:
        ends_at = time.monotonic() + _SETTLE_SECONDS
        while True:
            row = connection.execute(_TAKE, {"key": LOCK_KEY}).fetchone()
            standby, taken = row or (False, False)
            if standby:
                raise StorageFailed(
                    ErrorCode.STORE_READ_ONLY,
                    f"the server of {self._server.text} is a standby and cannot be written",
                    store=self._server.text,
                )
            if taken:
                return
            if time.monotonic() >= ends_at:
                raise (find_holder(connection) or _UNKNOWN).refusal(self._server.text)
            if self._leaving.wait(_SETTLE_PAUSE):
                raise StorageFailed(ErrorCode.STORE_UNREACHABLE, "the desk is stopping")

    def _watch(self, connection: Connection) -> str:
        """Sleep until the connection ends, and say why; empty when it was given back."""
        with selectors.DefaultSelector() as selector:
            selector.register(connection.fileno(), selectors.EVENT_READ)
            selector.register(self._woken, selectors.EVENT_READ)
            while not self._leaving.is_set():
                selector.select()
                try:
                    connection.pgconn.consume_input()
                    while connection.pgconn.notifies() is not None:
                        pass
                except psycopg.Error as error:
                    return self._reason or one_line(error)
                if connection.pgconn.status != psycopg.pq.ConnStatus.OK:
                    return self._reason or "the connection has ended"
        return ""

    def _note(self, diagnostic: psycopg.errors.Diagnostic) -> None:
        self._reason = one_line(diagnostic.message_primary or "")

    def _tell(self, call: Callable[..., None], *arguments: object) -> None:
        # A loop that has ended meanwhile has nobody left to tell.
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(call, *arguments)

    def _accept(self) -> None:
        if not self._taken.done():
            self._taken.set_result(None)

    def _refuse(self, error: AppError) -> None:
        if not self._taken.done():
            self._taken.set_exception(error)


def _application_name(kind: str) -> str:
    """Who holds the lock, readable by every role of the database in `pg_stat_activity`."""
    name = f"kandesk {kind} {os.getpid()} {int(time.time())} "
    host = socket.gethostname().encode("ascii", "replace").decode()
    return (name + host)[:_NAME_BYTES]


def find_holder(connection: Connection) -> LockHolder | None:
    """The owner, as far as its connection tells; None when nobody holds the lock."""
    row = connection.execute(_HOLDER, {"key": LOCK_KEY}).fetchone()
    if row is None:
        return None
    words = str(row[0]).split(" ", 4)
    if len(words) != 5 or not (words[2].isdecimal() and words[3].isdecimal()):
        return _UNKNOWN
    since = datetime.fromtimestamp(min(int(words[3]), 2**40), UTC).isoformat()
    return LockHolder(pid=int(words[2]), host=words[4], since=since, kind=words[1])
