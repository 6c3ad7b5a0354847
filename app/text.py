"""Every text that belongs to a value rather than to one widget: errors, states, words, ages."""

from typing import Literal, assert_never

from PySide6.QtCore import QCoreApplication, QDateTime, QLocale, QObject

from backend.domain.clarification import BundleStatus, Delivery, Withdrawn
from backend.errors import AppError, ErrorCode

_NANOS_PER_SECOND = 1_000_000_000
_MINUTE = 60
_HOUR = 60 * _MINUTE
_DAY = 24 * _HOUR

_RequestCode = Literal[
    ErrorCode.INVALID,
    ErrorCode.TOO_LONG,
    ErrorCode.TOO_MANY,
    ErrorCode.UNKNOWN_FIELD,
    ErrorCode.NOT_FOUND,
    ErrorCode.NOT_ACTIVE,
    ErrorCode.TICKET_COLLECTED,
    ErrorCode.KEY_REUSED,
    ErrorCode.QUEUE_FULL,
]
_PassingCode = Literal[
    ErrorCode.TEMPORARILY_UNAVAILABLE,
    ErrorCode.TOO_MANY_WAITING,
    ErrorCode.DRAINING,
    ErrorCode.STORE_BUSY,
    ErrorCode.DELIVERY_FAILED,
    ErrorCode.AGENT_FAILED,
]
_PlaceCode = Literal[
    ErrorCode.STORE_OWNED,
    ErrorCode.STORE_FULL,
    ErrorCode.STORE_READ_ONLY,
    ErrorCode.STORE_UNREACHABLE,
    ErrorCode.STORE_ON_NETWORK,
    ErrorCode.PORT_TAKEN,
    ErrorCode.FILE_UNSAFE,
    ErrorCode.SETTING_INVALID,
    ErrorCode.SECRETS_UNAVAILABLE,
]
_ContentCode = Literal[
    ErrorCode.STORE_CORRUPT,
    ErrorCode.STORE_TOO_NEW,
    ErrorCode.STORE_FOREIGN,
    ErrorCode.STORE_INVALID_ROW,
    ErrorCode.STORE_MIGRATION_UNCONFIRMED,
    ErrorCode.INDEX_MISMATCH,
]


def error_text(error: AppError) -> str:
    """What happened, what is safe and what to do, in one or two sentences."""
    template = _error_template(error.code)
    for name, value in error.params.items():
        template = template.replace(f"%{{{name}}}", str(value))
    return template


def _error_template(code: ErrorCode) -> str:
    match code:
        case (
            ErrorCode.INVALID
            | ErrorCode.TOO_LONG
            | ErrorCode.TOO_MANY
            | ErrorCode.UNKNOWN_FIELD
            | ErrorCode.NOT_FOUND
            | ErrorCode.NOT_ACTIVE
            | ErrorCode.TICKET_COLLECTED
            | ErrorCode.KEY_REUSED
            | ErrorCode.QUEUE_FULL
        ):
            return _request_error(code)
        case (
            ErrorCode.TEMPORARILY_UNAVAILABLE
            | ErrorCode.TOO_MANY_WAITING
            | ErrorCode.DRAINING
            | ErrorCode.STORE_BUSY
            | ErrorCode.DELIVERY_FAILED
            | ErrorCode.AGENT_FAILED
        ):
            return _passing_error(code)
        case (
            ErrorCode.STORE_OWNED
            | ErrorCode.STORE_FULL
            | ErrorCode.STORE_READ_ONLY
            | ErrorCode.STORE_UNREACHABLE
            | ErrorCode.STORE_ON_NETWORK
            | ErrorCode.PORT_TAKEN
            | ErrorCode.FILE_UNSAFE
            | ErrorCode.SETTING_INVALID
            | ErrorCode.SECRETS_UNAVAILABLE
        ):
            return _place_error(code)
        case (
            ErrorCode.STORE_CORRUPT
            | ErrorCode.STORE_TOO_NEW
            | ErrorCode.STORE_FOREIGN
            | ErrorCode.STORE_INVALID_ROW
            | ErrorCode.STORE_MIGRATION_UNCONFIRMED
            | ErrorCode.INDEX_MISMATCH
        ):
            return _content_error(code)
    assert_never(code)


def _request_error(code: _RequestCode) -> str:
    match code:
        case ErrorCode.INVALID:
            return QCoreApplication.translate(
                "Errors", "This does not fit the question. Nothing was sent; please correct it."
            )
        case ErrorCode.TOO_LONG:
            return QCoreApplication.translate(
                "Errors", "This text is too long. Nothing was sent; please shorten it."
            )
        case ErrorCode.TOO_MANY:
            return QCoreApplication.translate(
                "Errors", "There are too many entries. Nothing was sent; please remove some."
            )
        case ErrorCode.UNKNOWN_FIELD:
            return QCoreApplication.translate(
                "Errors", "The request had a part nobody knows. Nothing was sent."
            )
        case ErrorCode.NOT_FOUND:
            return QCoreApplication.translate("Errors", "This is no longer here.")
        case ErrorCode.NOT_ACTIVE:
            return QCoreApplication.translate(
                "Errors", "This question can no longer be answered. The agent has moved on."
            )
        case ErrorCode.TICKET_COLLECTED:
            return QCoreApplication.translate(
                "Errors", "The agent has collected this answer in the meantime."
            )
        case ErrorCode.KEY_REUSED:
            return QCoreApplication.translate(
                "Errors", "The same request came twice with different content. Nothing was changed."
            )
        case ErrorCode.QUEUE_FULL:
            return QCoreApplication.translate(
                "Errors",
                "%{limit} messages wait in this conversation already. Send or remove one first; "
                "what you typed is kept.",
            )
    assert_never(code)


def _passing_error(code: _PassingCode) -> str:
    match code:
        case ErrorCode.TEMPORARILY_UNAVAILABLE:
            return QCoreApplication.translate(
                "Errors", "This did not work just now. Trying again is safe."
            )
        case ErrorCode.TOO_MANY_WAITING:
            return QCoreApplication.translate(
                "Errors", "Too many calls wait at the same time. Answer some and try again."
            )
        case ErrorCode.DRAINING:
            return QCoreApplication.translate(
                "Errors", "Kandesk is about to stop. Try again after it has started."
            )
        case ErrorCode.STORE_BUSY:
            return QCoreApplication.translate(
                "Errors", "The store is busy. Nothing was changed; trying again is safe."
            )
        case ErrorCode.DELIVERY_FAILED:
            return QCoreApplication.translate(
                "Errors", "The answer could not be handed over. It is kept; trying again is safe."
            )
        case ErrorCode.AGENT_FAILED:
            return QCoreApplication.translate(
                "Errors", "The agent does not run or did not answer. Your text is kept."
            )
    assert_never(code)


def _place_error(code: _PlaceCode) -> str:
    match code:
        case ErrorCode.STORE_OWNED:
            return QCoreApplication.translate(
                "Errors",
                "Another Kandesk uses this store: process %{pid} on %{host}, since %{since}. "
                "Close it, then try again.",
            )
        case ErrorCode.STORE_FULL:
            return QCoreApplication.translate(
                "Errors", "The disk is full. Nothing more can be saved until there is room."
            )
        case ErrorCode.STORE_READ_ONLY:
            return QCoreApplication.translate(
                "Errors", "The store cannot be written. Nothing was changed. Check its permissions."
            )
        case ErrorCode.STORE_UNREACHABLE:
            return QCoreApplication.translate(
                "Errors", "The store cannot be reached. Trying again is safe."
            )
        case ErrorCode.STORE_ON_NETWORK:
            return QCoreApplication.translate(
                "Errors", "The store lies on a network drive, where it is not safe. Move it."
            )
        case ErrorCode.PORT_TAKEN:
            return QCoreApplication.translate(
                "Errors", "Another program listens on port %{port}. Choose another one."
            )
        case ErrorCode.FILE_UNSAFE:
            return QCoreApplication.translate(
                "Errors",
                "The file %{path} is not safe from others. Make it yours alone, then try again.",
            )
        case ErrorCode.SETTING_INVALID:
            return QCoreApplication.translate(
                "Errors",
                "A setting cannot be used: %{setting}. Nothing was changed. "
                "Correct it, then try again.",
            )
        case ErrorCode.SECRETS_UNAVAILABLE:
            return QCoreApplication.translate(
                "Errors", "The system's keyring cannot be used, so no secret can be kept or read."
            )
    assert_never(code)


def _content_error(code: _ContentCode) -> str:
    match code:
        case ErrorCode.STORE_CORRUPT:
            return QCoreApplication.translate(
                "Errors", "The store is damaged. Nothing was overwritten."
            )
        case ErrorCode.STORE_TOO_NEW:
            return QCoreApplication.translate(
                "Errors", "A newer Kandesk wrote this store. Update Kandesk to open it."
            )
        case ErrorCode.STORE_FOREIGN:
            return QCoreApplication.translate(
                "Errors", "This file belongs to another program. Nothing was changed."
            )
        case ErrorCode.STORE_INVALID_ROW:
            return QCoreApplication.translate(
                "Errors", "The store holds rows that cannot be read. Nothing was overwritten."
            )
        case ErrorCode.STORE_MIGRATION_UNCONFIRMED:
            return QCoreApplication.translate(
                "Errors",
                "An older Kandesk wrote this store. Nothing is changed before you agree to it.",
            )
        case ErrorCode.INDEX_MISMATCH:
            return QCoreApplication.translate(
                "Errors", "An index of the store is not the one expected. Nothing was changed."
            )
    assert_never(code)


def status_text(status: BundleStatus, withdrawn: Withdrawn | None = None) -> str:
    """The word of clarification.md for what became of a question."""
    match status:
        case BundleStatus.PENDING:
            return QCoreApplication.translate("Words", "Waiting for you")
        case BundleStatus.ANSWERED:
            return QCoreApplication.translate("Words", "Answered")
        case BundleStatus.REJECTED:
            return QCoreApplication.translate("Words", "Skipped")
        case BundleStatus.EXPIRED:
            return QCoreApplication.translate("Words", "Not answered in time")
        case BundleStatus.CANCELLED:
            return withdrawn_text(withdrawn)
    assert_never(status)


def superseded_text() -> str:
    """A question whose rows still say pending while a newer turn owns the session."""
    return QCoreApplication.translate("Words", "The agent moved on")


def withdrawn_text(reason: Withdrawn | None) -> str:
    match reason:
        case None:
            return QCoreApplication.translate("Words", "Withdrawn")
        case Withdrawn.BY_HUMAN:
            return QCoreApplication.translate("Words", "Withdrawn by you")
        case Withdrawn.BY_AGENT:
            return QCoreApplication.translate("Words", "Withdrawn by the agent")
        case Withdrawn.SUPERSEDED:
            return superseded_text()
        case Withdrawn.REPLACED:
            return QCoreApplication.translate("Words", "Withdrawn: asked again")
        case Withdrawn.SESSION_ENDED:
            return QCoreApplication.translate("Words", "Withdrawn: the session ended")
    assert_never(reason)


def delivery_text(delivery: Delivery) -> str:
    """Where an answer is on its way; a word of its own, never a status."""
    match delivery:
        case Delivery.PENDING:
            return QCoreApplication.translate("Words", "being handed over")
        case Delivery.DELIVERED:
            return QCoreApplication.translate("Words", "delivered")
        case Delivery.WAITING_FOR_AGENT:
            return QCoreApplication.translate("Words", "saved, waiting for the agent")
        case Delivery.DISCARDED:
            return QCoreApplication.translate("Words", "discarded")
        case Delivery.REPLACED:
            return QCoreApplication.translate("Words", "replaced by a newer answer")
        case Delivery.UNKNOWN:
            return QCoreApplication.translate("Words", "saved, delivery not confirmed")
    assert_never(delivery)


class Ages(QObject):
    """How long ago something was, in the largest whole unit."""

    def text(self, then: int, now: int) -> str:
        """Both moments in nanoseconds since the epoch."""
        seconds = max(0, (now - then) // _NANOS_PER_SECOND)
        if seconds < _MINUTE:
            return self.tr("just now")
        if seconds < _HOUR:
            return self.tr("%n minute(s) ago", "", seconds // _MINUTE)
        if seconds < _DAY:
            return self.tr("%n hour(s) ago", "", seconds // _HOUR)
        return self.tr("%n day(s) ago", "", seconds // _DAY)


def age_text(then: int, now: int) -> str:
    return Ages().text(then, now)


def clock_text(moment: int, now: int, locale: QLocale | None = None) -> str:
    """The local time of day, with the date when it was another day."""
    words = locale or QLocale()
    then = QDateTime.fromMSecsSinceEpoch(moment // 1_000_000)
    today = QDateTime.fromMSecsSinceEpoch(now // 1_000_000).date()
    form = QLocale.FormatType.ShortFormat
    time = words.toString(then.time(), form)
    return time if then.date() == today else f"{words.toString(then.date(), form)} {time}"


def workspace_text(folder: str) -> str:
    """The name of a project's folder, for people."""
    name = folder.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]
    return name or folder or QCoreApplication.translate("Words", "No project")


def session_title(title: str, agent: str) -> str:
    """What a session is called: its title, else its agent."""
    return title or agent or QCoreApplication.translate("Words", "Unnamed agent")
