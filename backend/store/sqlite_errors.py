"""SQLite's result codes as expected failures: the one seam where they are translated."""

import sqlite3
from typing import Final

from backend.errors import AppError, ErrorCode, StorageFailed, TemporarilyUnavailable

_RETRY: Final = {
    sqlite3.SQLITE_BUSY: (ErrorCode.STORE_BUSY, "the store is busy"),
    sqlite3.SQLITE_LOCKED: (ErrorCode.STORE_BUSY, "the store is busy"),
    sqlite3.SQLITE_INTERRUPT: (
        ErrorCode.TEMPORARILY_UNAVAILABLE,
        "the store did not answer in time",
    ),
}
_BROKEN: Final = {
    sqlite3.SQLITE_FULL: (ErrorCode.STORE_FULL, "there is no room left for the store"),
    sqlite3.SQLITE_READONLY: (ErrorCode.STORE_READ_ONLY, "the store cannot be written"),
    sqlite3.SQLITE_PERM: (ErrorCode.STORE_READ_ONLY, "the store cannot be written"),
    sqlite3.SQLITE_CORRUPT: (ErrorCode.STORE_CORRUPT, "the store is damaged"),
    sqlite3.SQLITE_NOTADB: (ErrorCode.STORE_CORRUPT, "the store is damaged"),
    sqlite3.SQLITE_IOERR: (ErrorCode.STORE_UNREACHABLE, "the disk of the store failed"),
    sqlite3.SQLITE_CANTOPEN: (ErrorCode.STORE_UNREACHABLE, "the store cannot be opened"),
}

_NO_ROOM_FOR_INDEX: Final = sqlite3.SQLITE_IOERR_SHMSIZE
"""The log's index could not grow: nothing else than a full disk makes that fail."""


def translate(error: sqlite3.Error, location: str) -> AppError | None:
    """The expected failure behind `error`; None when it is a bug of ours."""
    code = getattr(error, "sqlite_errorcode", None)
    if not isinstance(code, int):
        return None
    primary = sqlite3.SQLITE_FULL if code == _NO_ROOM_FOR_INDEX else code & 0xFF
    if primary in _RETRY:
        kind, text = _RETRY[primary]
        return TemporarilyUnavailable(kind, text)
    if primary in _BROKEN:
        kind, text = _BROKEN[primary]
        return StorageFailed(kind, f"{text}: {location} ({error})", store=location)
    return None
