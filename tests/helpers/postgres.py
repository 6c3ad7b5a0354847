"""A PostgreSQL server for the tests: the one that is named, else one of our own."""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import psycopg
from psycopg import conninfo, sql

from backend.ids import new_id
from tests.helpers.ports import free_port

ENVIRONMENT: Final = "KANDESK_TEST_POSTGRES"
"""A URL whose role may create databases; set where a server already runs."""
_ACCOUNT: Final = "postgres"
_START_SECONDS: Final = 60
_MEMORY_BYTES: Final = 4 * 2**30
_SETTINGS: Final = (
    "listen_addresses=127.0.0.1",
    "max_connections=200",
    "fsync=off",
    "full_page_writes=off",
    "wal_level=minimal",
    "max_wal_senders=0",
    "autovacuum=off",
    "jit=off",
    "shared_buffers=16MB",
)
"""Nothing here outlives its test, and no test is to wait for the housekeeping of another; with much
shared memory the first connection to each of a thousand small databases takes four times as long.
"""


@dataclass(frozen=True)
class PostgresServer:
    """`url` names its maintenance database; `process` is None where it is not ours to stop."""

    url: str
    process: subprocess.Popen[bytes] | None = None

    @contextmanager
    def database(self, template: str = "template1") -> Iterator[str]:
        """A fresh copy of the database `template`, dropped afterwards; gives its URL."""
        name = f"kandesk_{new_id().replace('-', '')}"
        create = "CREATE DATABASE {} TEMPLATE {} STRATEGY FILE_COPY"
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(
                sql.SQL(create).format(sql.Identifier(name), sql.Identifier(template))
            )
            try:
                yield self._url_of(name)
            finally:
                drop = "DROP DATABASE IF EXISTS {} WITH (FORCE)"
                connection.execute(sql.SQL(drop).format(sql.Identifier(name)))

    def _url_of(self, name: str) -> str:
        parts = conninfo.conninfo_to_dict(self.url)
        user = parts.get("user") or _ACCOUNT
        secret = f":{parts['password']}" if parts.get("password") else ""
        return f"postgresql://{user}{secret}@{parts['host']}:{parts.get('port', 5432)}/{name}"


@contextmanager
def postgres_server() -> Iterator[PostgresServer]:
    """The named server, else one that is made now in a temporary folder and removed again.

    Raises:
        FileNotFoundError: neither is there; a test that needs one must fail, not pass unseen.
    """
    named = os.environ.get(ENVIRONMENT)
    if named:
        yield PostgresServer(named)
        return
    programs = _programs()
    with tempfile.TemporaryDirectory(prefix="kandesk-postgres-", dir=memory_folder()) as folder:
        root = Path(folder)
        account = _account(root)
        data = root / "data"
        _make(account, programs, data)
        port = free_port()
        process = _start(account, programs, data, root, port)
        try:
            url = f"postgresql://{_ACCOUNT}@127.0.0.1:{port}/postgres"
            _wait_until_ready(programs, port, process)
            yield PostgresServer(url, process)
        finally:
            process.send_signal(signal.SIGQUIT)
            process.wait(_START_SECONDS)


def memory_folder() -> Path | None:
    """Where files are quickest to make and to remove; None where there is too little of it."""
    memory = Path("/dev/shm")  # noqa: S108
    if memory.is_dir() and shutil.disk_usage(memory).free >= _MEMORY_BYTES:
        return memory
    return None


def _programs() -> Path:
    """Debian keeps the server's programs out of PATH; the newest version is taken."""
    found = shutil.which("initdb")
    if found:
        return Path(found).resolve().parent
    versions = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: path.parent.name)
    if not versions:
        message = f"no PostgreSQL server: install one, or name one in {ENVIRONMENT}"
        raise FileNotFoundError(message)
    return versions[-1]


def _account(root: Path) -> str | None:
    """The server refuses to run as root; the account of the Debian package owns it then."""
    if os.geteuid() != 0:
        return None
    entry = pwd.getpwnam(_ACCOUNT)
    os.chown(root, entry.pw_uid, entry.pw_gid)
    return _ACCOUNT


def _make(account: str | None, programs: Path, data: Path) -> None:
    initdb = programs / "initdb"
    _run(account, initdb, "-D", data, "-A", "trust", "-U", _ACCOUNT, "-E", "UTF8", "--no-sync")


def _start(
    account: str | None, programs: Path, data: Path, root: Path, port: int, *extra: str
) -> subprocess.Popen[bytes]:
    """`extra` settings win over those of every test."""
    settings = [item for setting in (*_SETTINGS, *extra) for item in ("-c", setting)]
    command = [str(programs / "postgres"), "-D", str(data), "-p", str(port), "-k", str(root)]
    return subprocess.Popen(
        [*command, *settings],
        user=account,
        group=account,
        extra_groups=[] if account else None,
        cwd=root,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def _run(account: str | None, *command: object) -> None:
    subprocess.run(
        [str(part) for part in command],
        user=account,
        group=account,
        extra_groups=[] if account else None,
        cwd="/",
        check=True,
        capture_output=True,
    )


def _wait_until_ready(programs: Path, port: int, process: subprocess.Popen[bytes]) -> None:
    ready = [str(programs / "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(port), "-t", "1"]
    for _ in range(_START_SECONDS * 10):
        if process.poll() is not None:
            message = f"the PostgreSQL server ended with {process.returncode}"
            raise RuntimeError(message)
        if subprocess.run(ready, check=False).returncode == 0:
            return
    message = "the PostgreSQL server does not answer"
    raise RuntimeError(message)
