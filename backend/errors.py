"""Expected failures: the class says what the reader can do, the code says what happened.

Anything that is not an `AppError` is a bug.
"""

from enum import StrEnum


class ErrorCode(StrEnum):
    """What happened. Every code has a text in `app/text.py`."""

    INVALID = "invalid"
    TOO_LONG = "too_long"
    TOO_MANY = "too_many"
    UNKNOWN_FIELD = "unknown_field"
    NOT_FOUND = "not_found"
    NOT_ACTIVE = "not_active"
    TICKET_COLLECTED = "ticket_collected"
    KEY_REUSED = "key_reused"
    QUEUE_FULL = "queue_full"
    TEMPORARILY_UNAVAILABLE = "temporarily_unavailable"
    TOO_MANY_WAITING = "too_many_waiting"
    DRAINING = "draining"
    STORE_BUSY = "store_busy"
    STORE_OWNED = "store_owned"
    STORE_FULL = "store_full"
    STORE_READ_ONLY = "store_read_only"
    STORE_CORRUPT = "store_corrupt"
    STORE_TOO_NEW = "store_too_new"
    STORE_FOREIGN = "store_foreign"
    PORT_TAKEN = "port_taken"
    STORE_UNREACHABLE = "store_unreachable"
    STORE_ON_NETWORK = "store_on_network"
    STORE_INVALID_ROW = "store_invalid_row"
    STORE_MIGRATION_UNCONFIRMED = "store_migration_unconfirmed"
    SETTING_INVALID = "setting_invalid"
    FILE_UNSAFE = "file_unsafe"
    INDEX_MISMATCH = "index_mismatch"
    DELIVERY_FAILED = "delivery_failed"
    AGENT_FAILED = "agent_failed"
    SECRETS_UNAVAILABLE = "secrets_unavailable"


class AppError(Exception):
    """An expected failure. `detail` is one English line for logs, agents and the command line."""

    code: ErrorCode

    def __init__(self, code: ErrorCode, detail: str, **params: str | int) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.params = params


class InvalidInput(AppError):
    """Correct it and send again; `params["field"]` names the field, `params["limit"]` the limit."""


class NotFound(AppError):
    """There is no such thing, or it is not yours: the two are never told apart."""


class Conflict(AppError):
    """It has moved on."""


class TemporarilyUnavailable(AppError):
    """Not known to have happened; the same call may be made again."""


class AgentFailed(AppError):
    """An agent is missing, has crashed or spoke nonsense."""


class StorageFailed(AppError):
    """The store cannot be used; nothing else can work."""
