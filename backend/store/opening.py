"""Telling a store of ours from anything else, and making it ready, before a connection serves it.

Blocking; runs beside the loop. A file that is refused is never written to.
"""

import os
import sqlite3
import stat
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from backend.clock import Nanoseconds
from backend.errors import ErrorCode, StorageFailed
from backend.store.backup import back_up
from backend.store.connection import connect
from backend.store.converge import apply_steps, pending_steps
from backend.store.file_failures import failure_code
from backend.store.index_build import watch
from backend.store.schema import APPLICATION_ID, MAJOR, MESSAGES, SESSIONS
from backend.store.sqlite_errors import translate
from backend.store.step_progress import StepProgress, Tell

_MAGIC: Final = b"SQLite format 3\x00"
_HEADER: Final = 100
_WITHOUT_LOG: Final = b"\x01\x01"
"""How the header of a copy says that nothing of it is in a log; SQLite would not look."""


def prepare(
    path: Path,
    now: Nanoseconds,
    stop: threading.Event,
    tell: Tell,
    monotonic: Callable[[], float] = time.monotonic,
) -> None:
    """Make the store at `path` complete, creating it when there is none.

    Raises:
        StorageFailed: see `SqliteDatabase.open`.
        TemporarilyUnavailable: it is locked, or `stop` was set.
    """
    with _translated(path):
        existed = _is_ours(path)
        if existed:
            _check_writable(path)
            _check_log(path)
        else:
            _create_empty(path)
        connection = connect(path, read_only=False)
        try:
            _bring_up_to_date(connection, path, now, StepProgress(tell, stop, monotonic))
        finally:
            connection.close()


def check_readable(path: Path) -> None:
    """Raises `StorageFailed` unless `path` is a complete store of this version."""
    with existing_store(path, read_only=True) as connection:
        if pending_steps(connection):
            raise StorageFailed(
                ErrorCode.STORE_UNREACHABLE,
                f"the store at {path} must be brought up to date by starting Kandesk",
                store=str(path),
            )


@contextmanager
def existing_store(path: Path, *, read_only: bool) -> Iterator[sqlite3.Connection]:
    """A connection to a store as it is, complete or not; SQLite's failures are translated.

    Raises:
        StorageFailed: there is none, or it is not a store this version can read.
        TemporarilyUnavailable: it is locked.
    """
    with _translated(path):
        if not _is_ours(path):
            raise StorageFailed(
                ErrorCode.STORE_UNREACHABLE, f"there is no store at {path}", store=str(path)
            )
        if not read_only:
            _check_writable(path)
        connection = connect(path, read_only=read_only)
        try:
            _check_version(connection, path)
            yield connection
        finally:
            connection.close()


def _bring_up_to_date(
    connection: sqlite3.Connection, path: Path, now: Nanoseconds, progress: StepProgress
) -> None:
    watch(connection, progress)
    _check_version(connection, path)
    steps = pending_steps(connection)
    if steps and _has_tables(connection):
        back_up(connection, path, now, progress)
    apply_steps(connection, steps, progress)
    # Only now: a new store is marked as ours in its first page, never in a log beside it.
    mode = connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
    if mode != "wal":
        raise StorageFailed(
            ErrorCode.STORE_UNREACHABLE,
            f"the disk of {path} does not support a write-ahead log",
            store=str(path),
        )


def _is_ours(path: Path) -> bool:
    """False when there is nothing yet; anything that is not a store of ours is refused."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise _foreign(path, "it is not a file")
        with path.open("rb") as file:
            header = file.read(_HEADER)
    except FileNotFoundError:
        return False
    except OSError as error:
        detail = f"the store at {path} cannot be read: {error.strerror}"
        raise StorageFailed(ErrorCode.STORE_UNREACHABLE, detail, store=str(path)) from error
    if not header:
        return False
    if len(header) < _HEADER or not header.startswith(_MAGIC):
        raise _corrupt(path, "it is not a database")
    if int.from_bytes(header[68:72]) != APPLICATION_ID:
        raise _foreign_database(path)
    _check_major(int.from_bytes(header[60:64]), path)
    if header[18:20] == _WITHOUT_LOG and _has_log(path):
        raise _corrupt(
            path,
            "the log beside it (its name and -wal) is that of the store it was put in the place"
            " of; remove the log and the file that ends in -shm, and start again",
        )
    _check_length(header, path)
    return True


def _foreign_database(path: Path) -> StorageFailed:
    """Looks at the tables without a lock and without a file beside it: it may be in use."""
    uri = f"{path.resolve().as_uri()}?mode=ro&immutable=1"
    connection = sqlite3.connect(uri, uri=True)
    try:
        rows = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
        names = {row[0] for row in rows}
    except sqlite3.DatabaseError as error:
        return _corrupt(path, str(error))
    finally:
        connection.close()
    if {SESSIONS.name, MESSAGES.name} <= names:
        return StorageFailed(
            ErrorCode.STORE_FOREIGN,
            f"{path} is a Kandev database; bring it in with: kandesk import-kandev {path}",
            store=str(path),
            hint="import-kandev",
        )
    return _foreign(path, "it belongs to another program")


def _check_length(header: bytes, path: Path) -> None:
    """A copy that was cut short is refused at once, not at the first row that is missing."""
    if _has_log(path):
        return
    if header[24:28] != header[92:96]:
        # Written by a program that does not keep the count of pages.
        return
    page_size = int.from_bytes(header[16:18])
    pages = int.from_bytes(header[28:32])
    if path.stat().st_size < pages * (65536 if page_size == 1 else page_size):
        raise _corrupt(path, "its end is missing")


def _check_log(path: Path) -> None:
    """A log that was left beside a file put in the place of its own would overwrite the store.

    Without the right to write: closing a connection that has it moves the log into the file.
    """
    if not _has_log(path):
        return
    connection = connect(path, read_only=True)
    try:
        _check_version(connection, path)
    finally:
        connection.close()


def _has_log(path: Path) -> bool:
    log = Path(f"{path.resolve()}-wal")
    return log.exists() and log.stat().st_size > 0


def _check_version(connection: sqlite3.Connection, path: Path) -> None:
    found = connection.execute("PRAGMA application_id").fetchone()[0]
    if found != APPLICATION_ID and _has_tables(connection):
        raise _corrupt(path, "the log beside it (its name and -wal) is of another database")
    _check_major(connection.execute("PRAGMA user_version").fetchone()[0], path)


def _check_major(found: int, path: Path) -> None:
    if found > MAJOR:
        raise StorageFailed(
            ErrorCode.STORE_TOO_NEW,
            f"the store at {path} was written by a newer Kandesk (format {found}, this one"
            f" reads {MAJOR}); update Kandesk to open it",
            store=str(path),
            found=found,
            supported=MAJOR,
        )


def _check_writable(path: Path) -> None:
    marked = not path.stat().st_mode & stat.S_IWUSR
    if marked or not os.access(path, os.W_OK):
        raise StorageFailed(
            ErrorCode.STORE_READ_ONLY, f"the store at {path} is read-only", store=str(path)
        )
    if path.stat().st_nlink > 1:
        # Each name has a lock and a write-ahead log of its own.
        raise StorageFailed(
            ErrorCode.STORE_UNREACHABLE,
            f"the store at {path} has another name in the file system (a hard link), under which"
            " another desk could damage it; replace this one by a copy (cp, then mv)",
            store=str(path),
        )


def _create_empty(path: Path) -> None:
    """Owner-only from the first moment; SQLite gives its companion files the same mode."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    except OSError as error:
        detail = f"the store cannot be made at {path}: {error.strerror}"
        raise StorageFailed(failure_code(error), detail, store=str(path)) from error


def _has_tables(connection: sqlite3.Connection) -> bool:
    found = connection.execute("SELECT 1 FROM sqlite_schema WHERE type = 'table' LIMIT 1")
    return found.fetchone() is not None


@contextmanager
def _translated(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        failure = translate(error, str(path))
        if failure is None:
            raise
        raise failure from error


def _foreign(path: Path, reason: str) -> StorageFailed:
    return StorageFailed(
        ErrorCode.STORE_FOREIGN, f"{path} is not a Kandesk store: {reason}", store=str(path)
    )


def _corrupt(path: Path, reason: str) -> StorageFailed:
    return StorageFailed(
        ErrorCode.STORE_CORRUPT,
        f"the store at {path} is damaged and was left as it is: {reason}",
        store=str(path),
    )
