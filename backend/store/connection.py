"""One SQLite connection on its own thread, whose running statement can be stopped at any time."""

import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, TypeVar

import aiosqlite

from backend.clock import Deadline
from backend.errors import AppError, ErrorCode
from backend.store.database import Params, Row, Statement
from backend.store.dialect import Dialect
from backend.store.sqlite_errors import translate
from backend.store.statements import Statements, too_late

T = TypeVar("T")

BUSY_TIMEOUT: Final = 1.0
"""Seconds a statement waits for a lock of another program."""
_STEPS_BETWEEN_CHECKS: Final = 20_000
_CACHED_STATEMENTS: Final = 256
_LONGEST_LOG: Final = 8_000
"""Pages of the log at which a commit moves it into the store itself, should nobody else have."""


def _text(stored: bytes) -> str:
    """Half a character in a row of others is shown as U+FFFD and fails no read."""
    return stored.decode("utf-8", "replace")


def connect(path: Path, *, read_only: bool, cache: int = _CACHED_STATEMENTS) -> sqlite3.Connection:
    """Open with the settings every connection of the store has; changes nothing on disk.

    One that cannot be set up is closed: while it is held, no file of it is given back.
    """
    mode = "ro" if read_only else "rw"
    connection = sqlite3.connect(
        f"{path.resolve().as_uri()}?mode={mode}",
        uri=True,
        timeout=BUSY_TIMEOUT,
        isolation_level=None,
        cached_statements=cache,
    )
    connection.row_factory = sqlite3.Row
    connection.text_factory = _text
    try:
        connection.execute("PRAGMA foreign_keys = ON")
        if read_only:
            connection.execute("PRAGMA query_only = ON")
        else:
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute(f"PRAGMA wal_autocheckpoint = {_LONGEST_LOG}")
    except BaseException:
        connection.close()
        raise
    return connection


class _Proxy(aiosqlite.Connection):
    """Does a whole piece of work with one trip to the connection's thread."""

    async def run(
        self,
        begin: Callable[[sqlite3.Connection], None],
        work: Callable[[Statements], T],
        stopping: Callable[[], bool],
        then_commit: Callable[[], None] | None,
    ) -> T:
        def on_thread() -> T:
            begin(self._conn)
            done = work(_SqliteStatements(self._conn, stopping))
            if then_commit is not None:
                then_commit()
                self._conn.commit()
            return done

        done: T = await self._execute(on_thread)  # type: ignore[no-untyped-call]
        return done


class _SqliteStatements:
    """Implements `Statements`."""

    def __init__(self, raw: sqlite3.Connection, stopping: Callable[[], bool]) -> None:
        self._raw = raw
        self._stopping = stopping

    def fetch_all(self, sql: str, params: Params) -> Sequence[Row]:
        return self._execute(sql, params).fetchall()

    def execute(self, sql: str, params: Params) -> int:
        return self._execute(sql, params).rowcount

    def execute_each(self, statements: Sequence[Statement]) -> Sequence[int]:
        return [self.execute(sql, params) for sql, params in statements]

    def _execute(self, sql: str, params: Params) -> sqlite3.Cursor:
        if self._stopping():
            raise too_late()
        return self._raw.execute(sql, params)


class SqliteConnection:
    """Implements `StoreConnection` with aiosqlite."""

    def __init__(self, path: Path, *, read_only: bool) -> None:
        self._path = path
        self._read_only = read_only
        self._raw: sqlite3.Connection | None = None
        self._proxy = _Proxy(self._connect, iter_chunk_size=64)
        self._stopping = False
        self._begin = ""
        """What is to begin the transaction; empty once it has."""
        self._patient = False

    @property
    def dialect(self) -> Dialect:
        return Dialect.SQLITE

    @property
    def errors(self) -> type[Exception]:
        return sqlite3.Error

    def translate(self, error: Exception) -> AppError | None:
        return translate(error, str(self._path)) if isinstance(error, sqlite3.Error) else None

    async def open(self) -> None:
        await self._proxy

    def stop_statement(self) -> None:
        """End the running statement, also one that is still on its way to the thread.

        Interrupting reaches a statement that runs; the progress handler one that has not begun.
        """
        self._stopping = True
        if self._raw is not None:
            self._raw.interrupt()

    async def run(
        self, work: Callable[[Statements], T], *, then_commit: Callable[[], None] | None = None
    ) -> T:
        return await self._proxy.run(self._begun, work, lambda: self._stopping, then_commit)

    async def begin(self, sql: str, deadline: Deadline | None) -> None:
        """It begins with the first trip to the thread, which is then not made twice."""
        self._begin, self._patient = sql, deadline is not None

    async def commit(self) -> None:
        await self._proxy.commit()

    async def reset(self) -> None:
        self._begin = ""
        await self._proxy.rollback()
        self._stopping = False

    async def close(self) -> None:
        await self._proxy.close()

    def _begun(self, raw: sqlite3.Connection) -> None:
        """A lock of another program is waited for until the transaction is stopped."""
        while self._begin:
            if self._stopping:
                raise too_late()
            try:
                raw.execute(self._begin)
            except sqlite3.OperationalError as error:
                failure = self.translate(error)
                busy = failure is not None and failure.code is ErrorCode.STORE_BUSY
                if not (busy and self._patient):
                    raise
                continue
            self._begin = ""

    def _connect(self) -> sqlite3.Connection:
        raw = connect(self._path, read_only=self._read_only)
        raw.set_progress_handler(lambda: self._stopping, _STEPS_BETWEEN_CHECKS)
        self._raw = raw
        return raw
