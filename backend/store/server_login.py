"""Getting into a database server: the password comes from libpq's own places, else the keyring."""

import logging
from concurrent.futures import ThreadPoolExecutor
from typing import Final

import psycopg
from psycopg import conninfo

from backend.errors import ErrorCode, StorageFailed
from backend.store.store_location import WHERE_SECRETS_GO, DatabaseServer

SERVICE: Final = "kandesk"
"""The keyring's service; the account is the address."""
CONNECT_SECONDS: Final = 10

Connection = psycopg.Connection[tuple[object, ...]]

_log = logging.getLogger(__name__)


def log_in(server: DatabaseServer, *, name: str) -> tuple[Connection, str]:
    """A connection that commits each statement, and the address that lets others in as well.

    `name` is what the server's own views call it. Blocks, and waits for a human who is asked to
    unlock the keyring.

    Raises:
        StorageFailed: `store_unreachable`, in one line without a password.
    """
    try:
        return _connect(server.url, name), server.url
    except psycopg.OperationalError as error:
        if error.pgconn is None or not error.pgconn.needs_password:
            raise unreachable(server, error) from error
        password = _password_from_keyring(server.url)
        if password is None:
            detail = f"the store {server.text} wants a password; {WHERE_SECRETS_GO}"
            raise StorageFailed(ErrorCode.STORE_UNREACHABLE, detail, store=server.text) from error
    address = conninfo.make_conninfo(server.url, password=password)
    try:
        return _connect(address, name), address
    except psycopg.OperationalError as error:
        raise unreachable(server, error) from error


def unreachable(server: DatabaseServer, error: object) -> StorageFailed:
    """What a person reads when the server of a store cannot be used."""
    return StorageFailed(
        ErrorCode.STORE_UNREACHABLE,
        f"the store {server.text} cannot be reached: {one_line(error)}",
        store=server.text,
    )


def one_line(words: object) -> str:
    """What a server or its driver says over several lines, in one."""
    return "; ".join(" ".join(line.split()) for line in str(words).splitlines() if line.strip())


def _connect(address: str, name: str) -> Connection:
    return psycopg.connect(
        address,
        autocommit=True,
        connect_timeout=CONNECT_SECONDS,
        application_name=name,
        keepalives=1,
        keepalives_idle=30,
        keepalives_interval=10,
        keepalives_count=3,
    )


def _password_from_keyring(address: str) -> str | None:
    """None also where there is no keyring, it stays locked, or it fails in a way of its own."""
    try:
        import keyring
    except ImportError:
        return None
    # What answers is a plugin of the system or of the user: whatever it raises ends in its thread.
    with ThreadPoolExecutor(1, "keyring") as plugin:
        answer = plugin.submit(keyring.get_password, SERVICE, address)
        failure = answer.exception()
    if failure is None:
        return answer.result()
    _log.info("the keyring has no password for the store: %s", one_line(failure))
    return None
