"""One PostgreSQL connection on its own thread, whose running statement can be stopped at any time.

The driver's blocking mode on a thread: its asynchronous one refuses the loop of Windows, and a
statement that is left behind must never hold up the loop.
"""

import asyncio
import math
import socket
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import Any, Final, TypeVar
from urllib.parse import quote

import psycopg
from psycopg import conninfo as addresses
from psycopg.rows import DictRow, dict_row

from backend.clock import Deadline
from backend.errors import AppError
from backend.store.database import Params, Row, SqlValue, Statement
from backend.store.dialect import Dialect
from backend.store.named_parameters import numbered
from backend.store.postgres_errors import translate
from backend.store.statements import Statements, too_late

T = TypeVar("T")
_Raw = psycopg.Connection[DictRow]

CANCEL_PATIENCE: Final = 0.5
"""Seconds a statement may take to end after its cancel, before its socket is shut down."""
COMMIT_PATIENCE: Final = 2.0
"""Seconds an abandoned COMMIT may still take: it is never cancelled."""
LOCK_PATIENCE: Final = 5_000
"""Milliseconds a transaction without a deadline waits for a lock of another session."""
_CONNECT_SECONDS: Final = 10.0
_SHORTEST_CONNECT: Final = 2
"""Seconds; the driver takes a shorter time for this one."""
_PREPARED: Final = 256
_DEFAULTS: Final[Mapping[str, str]] = {
    "application_name": "kandesk",
    "keepalives": "1",
    "keepalives_idle": "30",
    "keepalives_interval": "10",
    "keepalives_count": "3",
    "tcp_user_timeout": "30000",
    "gssencmode": "disable",
}
_FIXED: Final[Mapping[str, str]] = {"client_encoding": "UTF8"}
"""Whatever the address says: in another encoding not every text could be sent."""


_SETTINGS: Final = ("enable_seqscan = off", "jit = off")
"""Every statement has its index. A plan is kept as it was when the tables were small and without
statistics, and must not read them whole when they have grown.
"""


class _NumberedCursor(psycopg.RawCursor[DictRow]):
    """Takes `$1`, as `numbered` writes it; rows are read by column name."""


def location_of(conninfo: str) -> str:
    """Where the database is, without secrets and options."""
    found = addresses.conninfo_to_dict(conninfo)
    user = f"{quote(str(found['user']))}@" if found.get("user") else ""
    hosts = str(found.get("host") or found.get("hostaddr") or "").split(",")
    ports = str(found.get("port") or "").split(",")
    if len(ports) == 1:
        ports *= len(hosts)
    where = ",".join(map(_place, hosts, ports))
    service = f"?service={quote(str(found['service']))}" if found.get("service") else ""
    return f"postgresql://{user}{where}/{quote(str(found.get('dbname') or ''))}{service}"


def _place(host: str, port: str) -> str:
    name = f"[{host}]" if ":" in host else quote(host, safe="")
    return f"{name}:{port}" if port else name


class _PostgresStatements:
    """Implements `Statements`."""

    def __init__(self, raw: _Raw, check: Callable[[], None]) -> None:
        self._raw = raw
        self._check = check

    def fetch_all(self, sql: str, params: Params) -> Sequence[Row]:
        return self._execute(sql, params).fetchall()

    def execute(self, sql: str, params: Params) -> int:
        return self._execute(sql, params).rowcount

    def execute_each(self, statements: Sequence[Statement]) -> Sequence[int]:
        with self._raw.pipeline():
            cursors = [self._execute(sql, params) for sql, params in statements]
        return [cursor.rowcount for cursor in cursors]

    def _execute(self, sql: str, params: Params) -> psycopg.Cursor[DictRow]:
        self._check()
        statement = numbered(sql)
        values: list[SqlValue] = [params[name] for name in statement.names]
        return self._raw.cursor().execute(statement.sql.encode(), values)


class PostgresConnection:
    """Implements `StoreConnection`; connects again by itself when the connection broke."""

    def __init__(self, conninfo: str) -> None:
        self._options = {**_DEFAULTS, **addresses.conninfo_to_dict(conninfo), **_FIXED}
        self._location = location_of(conninfo)
        self._thread = ThreadPoolExecutor(1, "store connection")
        self._canceller = ThreadPoolExecutor(1, "store cancel")
        self._raw: _Raw | None = None
        self._job: Future[Any] | None = None
        self._cancelling: asyncio.Future[None] | None = None
        self._stopping = False
        self._stopped = asyncio.Event()

    @property
    def dialect(self) -> Dialect:
        return Dialect.POSTGRESQL

    @property
    def errors(self) -> type[Exception]:
        return psycopg.Error

    def translate(self, error: Exception) -> AppError | None:
        return translate(error, self._location) if isinstance(error, psycopg.Error) else None

    async def open(self) -> None:
        await self._run(lambda: self._connected(_CONNECT_SECONDS))

    async def begin(self, sql: str, deadline: Deadline | None) -> None:
        """Start a transaction, on a new connection if the old one has broken.

        Raises:
            TemporarilyUnavailable: there was no connection before the deadline.
        """
        remaining = None if deadline is None else deadline.remaining()
        seconds = _CONNECT_SECONDS if remaining is None else min(remaining, _CONNECT_SECONDS)
        if self._raw is None or self._raw.closed:
            await self._unless_stopped(lambda: self._connected(seconds))
        await self._run(lambda: self._begin(f"{sql}; {_limits(remaining)}", seconds))

    async def run(
        self, work: Callable[[Statements], T], *, then_commit: Callable[[], None] | None = None
    ) -> T:
        def on_thread() -> T:
            done = work(_PostgresStatements(self._opened(), self._unstopped))
            if then_commit is not None:
                then_commit()
                self._commit()
            return done

        return await self._run(on_thread)

    async def commit(self) -> None:
        await self._run(self._commit)

    def stop_statement(self) -> None:
        self._stopping = True
        self._stopped.set()
        raw, job = self._raw, self._job
        if raw is None or job is None or job.done() or self._cancelling is not None:
            return
        loop = asyncio.get_running_loop()
        self._cancelling = loop.run_in_executor(self._canceller, _cancel, raw)
        loop.call_later(CANCEL_PATIENCE, self._shut_down_unless_done, job)

    def break_off(self) -> None:
        """Cut the connection: whatever runs on it fails as retryable. Never blocks."""
        if self._raw is not None:
            _shut_down(self._raw)

    async def reset(self) -> None:
        loop = asyncio.get_running_loop()
        abandoned = self._job
        if abandoned is not None and not abandoned.done():
            patience = CANCEL_PATIENCE if self._stopping else COMMIT_PATIENCE
            loop.call_later(patience, self._shut_down_unless_done, abandoned)
        if self._cancelling is not None:
            # A cancel still on its way would meet the next transaction.
            await asyncio.wait({self._cancelling})
            self._cancelling = None
        await asyncio.wrap_future(self._thread.submit(_wait_for, abandoned))
        leaving = self._thread.submit(self._leave)
        loop.call_later(CANCEL_PATIENCE, self._shut_down_unless_done, leaving)
        await asyncio.wrap_future(leaving)
        self._stopping = False
        self._stopped.clear()

    async def close(self) -> None:
        closing = self._thread.submit(self._close)
        timer = asyncio.get_running_loop().call_later(COMMIT_PATIENCE, self.break_off)
        try:
            await asyncio.wrap_future(closing)
        finally:
            timer.cancel()
            self._thread.shutdown(wait=False)
            self._canceller.shutdown(wait=False)

    async def _run(self, work: Callable[[], T]) -> T:
        job = self._thread.submit(self._work, work)
        self._job = job
        return await asyncio.wrap_future(job)

    async def _unless_stopped(self, connect: Callable[[], object]) -> None:
        """A connection that is being made cannot be cancelled; the caller leaves it behind."""
        connecting = asyncio.ensure_future(self._run(connect))
        connecting.add_done_callback(_forget)
        stopped = asyncio.ensure_future(self._stopped.wait())
        try:
            await asyncio.wait({connecting, stopped}, return_when=asyncio.FIRST_COMPLETED)
            if not connecting.done():
                raise too_late()
            await connecting
        finally:
            stopped.cancel()
            connecting.cancel()

    def _shut_down_unless_done(self, job: Future[Any]) -> None:
        if not job.done() and self._raw is not None:
            _shut_down(self._raw)

    # What follows runs on the connection's thread.

    def _work(self, work: Callable[[], T]) -> T:
        self._unstopped()
        return work()

    def _unstopped(self) -> None:
        if self._stopping:
            raise too_late()

    def _connected(self, seconds: float) -> _Raw:
        if self._raw is not None and not self._raw.closed:
            return self._raw
        patience = max(_SHORTEST_CONNECT, math.ceil(seconds))
        options = {**self._options, "connect_timeout": patience}
        raw = _Raw.connect(
            addresses.make_conninfo("", **options),
            autocommit=True,
            row_factory=dict_row,
        )
        raw.cursor_factory = _NumberedCursor
        raw.prepared_max = _PREPARED
        for setting in _SETTINGS:
            raw.execute(f"SET {setting}".encode(), prepare=False)
        _let_go_when_gone(raw)
        self._raw = raw
        return raw

    def _begin(self, sql: str, seconds: float) -> None:
        try:
            self._connected(seconds).execute(sql.encode(), prepare=False)
        except psycopg.OperationalError:
            if self._stopping or self._raw is None or not self._raw.closed:
                raise
            # It broke while nobody used it; nothing of this transaction has happened.
            self._connected(seconds).execute(sql.encode(), prepare=False)

    def _opened(self) -> _Raw:
        if self._raw is None:
            message = "the connection is closed"
            raise psycopg.OperationalError(message)
        return self._raw

    def _commit(self) -> None:
        """The server's limit for statements does not hold for COMMIT; of a failed transaction it
        says nothing and rolls back.
        """
        cursor = self._opened().cursor().execute("COMMIT", prepare=False)
        if cursor.statusmessage != "COMMIT":
            message = f"COMMIT ended as {cursor.statusmessage}"
            raise RuntimeError(message)

    def _leave(self) -> None:
        raw = self._raw
        if raw is None or raw.closed:
            return
        try:
            if raw.info.transaction_status is not psycopg.pq.TransactionStatus.IDLE:
                # Not as a statement: of those that a failed trip did not reach the driver believes
                # that the server knows them, and only this makes it forget.
                raw.rollback()
        except psycopg.Error:
            raw.close()

    def _close(self) -> None:
        if self._raw is not None:
            self._raw.close()


def _limits(remaining: float | None) -> str:
    """What the server holds the rest of the transaction to, should this program be gone."""
    if remaining is None:
        return f"SET LOCAL lock_timeout = {LOCK_PATIENCE}; SET LOCAL statement_timeout = 0"
    return f"SET LOCAL statement_timeout = {max(1, math.ceil(remaining * 1000))}"


def _let_go_when_gone(raw: _Raw) -> None:
    """A server at work does not look whether its client is still there, unless it is told to: a
    statement left behind would keep its locks to its end. Not every system's server can.
    """
    with suppress(psycopg.errors.UndefinedObject, psycopg.DataError):
        raw.execute("SET client_connection_check_interval = 1000", prepare=False)


def _cancel(raw: _Raw) -> None:
    with suppress(psycopg.Error, OSError):
        raw.cancel_safe(timeout=CANCEL_PATIENCE)


def _shut_down(raw: _Raw) -> None:
    """End both directions at once; the thread that waits for the server sees it."""
    with suppress(psycopg.Error, OSError):
        sock = socket.socket(fileno=raw.fileno())
        try:
            sock.shutdown(socket.SHUT_RDWR)
        finally:
            sock.detach()


def _forget(task: asyncio.Future[object]) -> None:
    """The outcome of what was left behind matters to nobody; asyncio wants it read."""
    if not task.cancelled():
        task.exception()


def _wait_for(_job: object) -> None:
    """Runs when everything before it on the thread is done."""
