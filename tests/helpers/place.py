"""Where a test keeps its store: a file, or a database on the PostgreSQL server of the tests."""

import sqlite3
import tempfile
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, Protocol, overload

import psycopg

from backend.clock import Clock
from backend.store.database import Database
from backend.store.dialect import Dialect
from backend.store.opening import prepare
from backend.store.postgres import PostgresDatabase
from backend.store.sqlite import SqliteDatabase
from tests.helpers.clock import FakeClock
from tests.helpers.watched_database import WatchedDatabase

Place = Path | str
"""A path of a SQLite file, or a URL of a PostgreSQL database."""


class Found(Protocol):
    """What a plain statement has found; rows are read by name or by number."""

    @property
    def rowcount(self) -> int: ...

    def fetchone(self) -> Any: ...

    def fetchall(self) -> Sequence[Any]: ...

    def __iter__(self) -> Iterator[Any]: ...


class Plain(Protocol):
    """A plain connection beside the store; parameters are question marks."""

    def execute(self, sql: str, params: Sequence[Any] = (), /) -> Found: ...

    def executemany(self, sql: str, params: Iterable[Sequence[Any]], /) -> Found: ...

    def commit(self) -> None: ...

    def rollback(self) -> None: ...


def dialect_of(place: Place) -> Dialect:
    return Dialect.SQLITE if isinstance(place, Path) else Dialect.POSTGRESQL


@cache
def _empty_store() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kandesk.db"
        prepare(path, FakeClock().now(), threading.Event(), lambda _: None)
        return path.read_bytes()


def lay_store(path: Path) -> None:
    """Put an empty store there unless there is a file: quicker than to have it made each time."""
    if not path.exists():
        path.touch(mode=0o600)
        path.write_bytes(_empty_store())


async def open_store(place: Place, clock: Clock, *, allow_migration: bool = True) -> Database:
    database: Database
    if isinstance(place, Path):
        lay_store(place)
        database = await SqliteDatabase.open(place, clock)
    else:
        database = await PostgresDatabase.open(place, clock, allow_migration=allow_migration)
    return WatchedDatabase(database, clock) if isinstance(clock, FakeClock) else database


@overload
@contextmanager
def raw(place: Path) -> Iterator[sqlite3.Connection]: ...
@overload
@contextmanager
def raw(place: Place) -> Iterator[Plain]: ...
@contextmanager
def raw(place: Place) -> Iterator[Any]:
    """A plain connection beside the store, committed at the end."""
    connection = _sqlite(place) if isinstance(place, Path) else PlainPostgres(place)
    try:
        yield connection
        connection.commit()
    finally:
        connection.close()


def _sqlite(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path)
    connection.row_factory = sqlite3.Row
    return connection


class PlainRow(tuple[Any, ...]):
    """A row that is read by name or by number, as SQLite's are."""

    __slots__ = ()
    names: Sequence[str]

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            return super().__getitem__(self.names.index(key))
        return super().__getitem__(key)


def _plain_rows(cursor: psycopg.Cursor[Any]) -> Any:
    names = [column.name for column in cursor.description or ()]
    return type("PlainRow", (PlainRow,), {"names": names})


class PlainPostgres:
    """Implements `Plain`; the SQL of a test may be SQLite's as far as both know it."""

    def __init__(self, url: str) -> None:
        self.raw = psycopg.connect(url, row_factory=_plain_rows)

    def execute(self, sql: str, params: Sequence[Any] = ()) -> psycopg.Cursor[Any]:
        if sql.startswith("BEGIN"):
            # The connection begins one by itself.
            sql = "SELECT 1"
        return self.raw.execute(_with_percent(sql), params)

    def executemany(self, sql: str, params: Iterable[Sequence[Any]]) -> psycopg.Cursor[Any]:
        cursor = self.raw.cursor()
        cursor.executemany(_with_percent(sql), params)
        return cursor

    def commit(self) -> None:
        self.raw.commit()

    def rollback(self) -> None:
        self.raw.rollback()

    def close(self) -> None:
        self.raw.close()


def _with_percent(sql: str) -> bytes:
    return sql.replace("%", "%%").replace("?", "%s").encode()
