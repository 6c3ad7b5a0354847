"""PostgreSQL's error codes as expected failures: the one seam where they are translated."""

from typing import Final

import psycopg

from backend.errors import AppError, ErrorCode, StorageFailed, TemporarilyUnavailable

_TOO_LATE: Final = (ErrorCode.TEMPORARILY_UNAVAILABLE, "the store did not answer in time")
_BUSY: Final = (ErrorCode.STORE_BUSY, "the store is busy")
_AWAY: Final = (ErrorCode.STORE_UNREACHABLE, "the database server is not there")
_NO_MEMORY: Final = (ErrorCode.TEMPORARILY_UNAVAILABLE, "the database server has no memory left")
_CROWDED: Final = (
    ErrorCode.STORE_UNREACHABLE,
    "the database server takes no more connections, and a desk needs six",
)
_FULL: Final = (ErrorCode.STORE_FULL, "there is no room left for the store")
_READ_ONLY: Final = (ErrorCode.STORE_READ_ONLY, "the store cannot be written")
_DAMAGED: Final = (ErrorCode.STORE_CORRUPT, "the store is damaged")
_DISK: Final = (ErrorCode.STORE_UNREACHABLE, "the disk of the store failed")
_TOO_LONG: Final = (ErrorCode.STORE_INVALID_ROW, "a text is too long for the server")
_REFUSED: Final = (ErrorCode.STORE_UNREACHABLE, "the database server refuses this login")

_RETRY: Final = {
    "08": _AWAY,
    "25P03": _AWAY,  # idle_in_transaction_session_timeout
    "25P04": _AWAY,  # transaction_timeout
    "40001": _BUSY,  # serialization_failure
    "40P01": _BUSY,  # deadlock_detected
    "53200": _NO_MEMORY,
    "53300": _BUSY,  # too_many_connections
    "55P03": _BUSY,  # lock_not_available
    "57014": _TOO_LATE,  # query_canceled
    "57P": _AWAY,  # shut down, crashed, starting
}
_BROKEN: Final = {
    "25006": _READ_ONLY,  # read_only_sql_transaction
    "28": _REFUSED,
    "3D000": _REFUSED,  # invalid_catalog_name
    "42501": _READ_ONLY,  # insufficient_privilege
    "53100": _FULL,
    "53400": _FULL,  # configuration_limit_exceeded: temp_file_limit
    "54000": _TOO_LONG,  # program_limit_exceeded: above all a key no index can hold
    "58": _DISK,
    "XX001": _DAMAGED,
    "XX002": _DAMAGED,
}
_REFUSALS: Final = (
    "authentication failed",
    "no password supplied",
    "no pg_hba.conf entry",
    "is not permitted to log in",
    "does not exist",
    "permission denied for database",
)
"""A refused login has no code, only the server's words; in other languages it reads as away."""
_CROWDS: Final = ("too many connections", "too many clients", "remaining connection slots")


def translate(error: psycopg.Error, location: str) -> AppError | None:
    """The expected failure behind `error`; None when it is a bug of ours."""
    code = error.sqlstate
    detail = " ".join(str(error).split())
    if code is None:
        return _connection_failure(error, location, detail)
    retry = _find(_RETRY, code)
    if retry is not None:
        return TemporarilyUnavailable(retry[0], f"{retry[1]} ({detail})")
    broken = _find(_BROKEN, code)
    if broken is not None:
        return StorageFailed(broken[0], f"{broken[1]}: {location} ({detail})", store=location)
    return None


def _connection_failure(error: psycopg.Error, location: str, detail: str) -> AppError | None:
    """The driver's own errors: without a server nobody gives a code."""
    if not isinstance(error, psycopg.OperationalError):
        return None
    if any(words in detail for words in _REFUSALS):
        return StorageFailed(_REFUSED[0], f"{_REFUSED[1]}: {location} ({detail})", store=location)
    code, text = _CROWDED if any(words in detail for words in _CROWDS) else _AWAY
    return TemporarilyUnavailable(code, f"{text}: {location} ({detail})")


def _find(known: dict[str, tuple[ErrorCode, str]], code: str) -> tuple[ErrorCode, str] | None:
    for length in (5, 3, 2):
        found = known.get(code[:length])
        if found is not None:
            return found
    return None
