"""A PostgreSQL server of one test, to be frozen, killed and started again."""

import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import psycopg

from tests.helpers.ports import free_port
from tests.helpers.postgres import (
    _account,
    _make,
    _programs,
    _start,
    _wait_until_ready,
    memory_folder,
)

DATABASE = "desk"
ROLE = "postgres"


class PrivateServer:
    """Runs after construction; everything on it belongs to one test."""

    def __init__(self, root: Path, access: Sequence[str] = (), *settings: str) -> None:
        self._settings = settings
        self._programs = _programs()
        self._account = _account(root)
        self.folder = root
        """Where its Unix socket is."""
        self._data = root / "data"
        self.port = free_port()
        _make(self._account, self._programs, self._data)
        if access:
            rules = self._data / "pg_hba.conf"
            rules.write_text("\n".join([*access, rules.read_text()]))
        self._process: subprocess.Popen[bytes] | None = None
        self.start()
        with psycopg.connect(self.address("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {DATABASE}")

    @property
    def url(self) -> str:
        return self.address(DATABASE)

    def address(self, database: str, *, role: str = ROLE) -> str:
        return f"postgresql://{role}@127.0.0.1:{self.port}/{database}"

    def socket_address(self) -> str:
        folder = str(self.folder).replace("/", "%2F")
        return f"postgresql://{ROLE}@{folder}:{self.port}/{DATABASE}"

    def start(self) -> None:
        self._process = _start(
            self._account, self._programs, self._data, self.folder, self.port, *self._settings
        )
        _wait_until_ready(self._programs, self.port, self._process)

    def kill(self) -> None:
        """SIGKILL to every process of it, as when its machine loses power."""
        processes = self._all()
        for process in processes:
            with suppress(psutil.NoSuchProcess):
                process.kill()
        psutil.wait_procs(processes, 10)
        if self._process is not None:
            self._process.wait()

    def freeze(self) -> None:
        """SIGSTOP: connections stay open and nothing answers."""
        for process in self._all():
            with suppress(psutil.NoSuchProcess):
                process.suspend()

    def thaw(self) -> None:
        for process in reversed(self._all()):
            with suppress(psutil.NoSuchProcess):
                process.resume()

    def stop(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self.thaw()
            self._process.send_signal(signal.SIGQUIT)
            self._process.wait(60)

    def _all(self) -> list[psutil.Process]:
        if self._process is None or self._process.poll() is not None:
            return []
        parent = psutil.Process(self._process.pid)
        # The parent first: it starts no more children then.
        return [parent, *parent.children(recursive=True)]


@contextmanager
def private_server(access: Sequence[str] = (), *settings: str) -> Iterator[PrivateServer]:
    """Start one with these lines before the others in `pg_hba.conf`, and with these settings;
    gone afterwards.
    """
    folder = tempfile.mkdtemp(prefix="kandesk-postgres-", dir=memory_folder())
    server = None
    try:
        server = PrivateServer(Path(folder), access, *settings)
        yield server
    finally:
        if server is not None:
            server.stop()
        shutil.rmtree(folder, ignore_errors=True)


def kill_lock(url: str) -> None:
    """End the connection that holds a desk's owner lock, as an administrator would."""
    with psycopg.connect(url, autocommit=True) as connection:
        killed = connection.execute(
            "SELECT pg_terminate_backend(l.pid) FROM pg_locks l JOIN pg_database d"
            " ON d.oid = l.database WHERE l.locktype = 'advisory' AND l.granted"
            " AND l.objsubid = 1 AND l.objid = 1264874347::oid AND d.datname = current_database()"
        ).fetchall()
    assert killed == [(True,)]
