"""Where a desk keeps its rows: the file in its home, or a database on a PostgreSQL server.

An address never carries a password: it is shown in the window, kept in logs and passed in argv.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import parse_qsl, unquote, urlsplit

from backend.errors import ErrorCode, InvalidInput
from backend.paths import Home

SCHEMES: Final = ("postgresql://", "postgres://")
MAX_ADDRESS: Final = 2_000
"""Code points of an address."""
WHERE_SECRETS_GO: Final = (
    "put it into ~/.pgpass (or the file PGPASSFILE names), or into the keyring with:"
    " keyring set kandesk ADDRESS-WITHOUT-PASSWORD"
)
_SECRET_PARAMETERS: Final = (
    "password",
    "sslpassword",
    "oauth_client_secret",
    "scram_client_key",
    "scram_server_key",
)
_HOST: Final = re.compile(r"(\[[^\]]*\]|[^:\[\]]*)(:[0-9]*)?")
_QUOTED: Final = re.compile(r'"[^"]*"?')


@dataclass(frozen=True, slots=True)
class EmbeddedFile:
    """The SQLite store of a home."""

    path: Path

    @property
    def text(self) -> str:
        return str(self.path)

    @property
    def is_made(self) -> bool:
        """A link that leads nowhere counts: its store is elsewhere, and away."""
        return self.path.exists() or self.path.is_symlink()


@dataclass(frozen=True, slots=True)
class DatabaseServer:
    """A database on a PostgreSQL server, by a libpq address without a password."""

    url: str

    @property
    def text(self) -> str:
        """The address without its options, for people."""
        return self.url.partition("?")[0]


StoreLocation = EmbeddedFile | DatabaseServer


def store_location(home: Home, database: str) -> StoreLocation:
    """The store that `database` names; empty means the file in the home."""
    return DatabaseServer(database) if database else EmbeddedFile(home.database)


def check_address(address: str, *, source: str) -> str:
    """Give `address` back if it names a database on a PostgreSQL server.

    `source` says where it was written and begins every message. No message repeats the address:
    it may hold a password.

    Raises:
        InvalidInput: `setting_invalid`, in one line.
    """
    if not address.startswith(SCHEMES):
        raise _invalid(source, "must begin with postgresql://")
    if len(address) > MAX_ADDRESS:
        raise _invalid(source, f"may have at most {MAX_ADDRESS} characters")
    if any(not letter.isprintable() or letter.isspace() for letter in address):
        raise _invalid(source, "has spaces or control characters; write them as %20 and so on")
    try:
        parts = urlsplit(address)
    except ValueError as error:
        raise _invalid(source, "is not an address") from error
    names = [name for name, _ in parse_qsl(parts.query, keep_blank_values=True)]
    if parts.password is not None or any(name in _SECRET_PARAMETERS for name in names):
        raise _invalid(source, f"must not contain a password; {WHERE_SECRETS_GO}")
    if "@" in parts.path or not _is_list_of_hosts(parts.netloc.rpartition("@")[2]):
        # A / in a password ends the part in which one would be looked for.
        raise _invalid(source, "has more than HOST:PORT before its first /; write / as %2F")
    if not unquote(parts.path).strip("/") and "dbname" not in names and "service" not in names:
        raise _invalid(source, "names no database: postgresql://USER@HOST:PORT/NAME")
    if (reason := _refusal_of_driver(address, may_tell="@" not in parts.query)) is not None:
        raise _invalid(source, reason)
    return address


def _is_list_of_hosts(text: str) -> bool:
    return all(_HOST.fullmatch(host) for host in text.split(","))


def _refusal_of_driver(address: str, *, may_tell: bool) -> str | None:
    """What libpq does not accept; nothing is known while the driver is not installed.

    It repeats parts of the address. Only the name of an option is told, and where it `may_tell`.
    """
    try:
        from psycopg import Error, conninfo
    except ImportError:
        return None
    try:
        found = conninfo.conninfo_to_dict(address)
    except Error as error:
        words = " ".join(str(error).split())
        if not may_tell or "query parameter" not in words:
            words = _QUOTED.sub("...", words)
        return f"is not an address: {words}"
    if any(found.get(name) for name in _SECRET_PARAMETERS):
        return f"must not contain a password; {WHERE_SECRETS_GO}"
    return None


def _invalid(source: str, reason: str) -> InvalidInput:
    return InvalidInput(
        ErrorCode.SETTING_INVALID, f"{source} {reason}", setting=source, reason=reason
    )
