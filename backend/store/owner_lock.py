"""The lock that makes one program the owner of a store, released by the system when it dies."""

import errno
import json
import os
import socket
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from backend.errors import ErrorCode, StorageFailed
from backend.store.file_failures import failure_code

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_NETWORK: Final = frozenset(
    {
        "9p",
        "afs",
        "ceph",
        "cifs",
        "davfs",
        "fuse.davfs2",
        "fuse.glusterfs",
        "fuse.rclone",
        "fuse.sshfs",
        "glusterfs",
        "lustre",
        "ncpfs",
        "nfs",
        "nfs4",
        "smb3",
        "smbfs",
    }
)
_TAKEN: Final = frozenset({errno.EACCES, errno.EAGAIN, errno.EWOULDBLOCK, errno.EDEADLK})
_MOUNTS: Final = Path("/proc/mounts")
_LOCKED_BYTE: Final = 1 << 30
"""Windows locks a range, and nobody can read it: one far behind the text."""


@dataclass(frozen=True, slots=True)
class LockHolder:
    """Who owns a store; `kind` is "window", "serve" or "command"."""

    pid: int
    host: str
    since: str
    kind: str

    def refusal(self, store: str) -> StorageFailed:
        """Why somebody else cannot own the store, with all that is known of who does."""
        where = f" on {self.host}" if self.host else ""
        when = f" since {self.since}" if self.since else ""
        return StorageFailed(
            ErrorCode.STORE_OWNED,
            f"the store {store} is in use by process {self.pid} ({self.kind or 'unknown'})"
            f"{where}{when}",
            pid=self.pid,
            host=self.host,
            since=self.since,
            kind=self.kind,
        )


class OwnerLock:
    """An OS lock on `<real path>.lock`; the file says who holds it and stays when it is free."""

    def __init__(self, descriptor: int, path: Path, kind: str) -> None:
        self._descriptor = descriptor
        self._path = path
        self._kind = kind

    @classmethod
    def acquire(cls, database: Path, *, kind: str, anywhere: bool = False) -> "OwnerLock":
        """Become the owner, without waiting.

        `anywhere` takes a network file system too: the rows are elsewhere, under another lock.

        Raises:
            StorageFailed: `store_owned` names the owner; `store_on_network`, the folder is on a
                network file system, where locks cannot be trusted; `store_unreachable`.
        """
        path = _lock_path(database)
        network = network_file_system(path)
        if network and not anywhere:
            raise StorageFailed(
                ErrorCode.STORE_ON_NETWORK,
                f"the store cannot be on a network file system ({network}): {database}",
                store=str(database),
                file_system=network,
            )
        descriptor = _taken(path, database, kind)
        return cls(descriptor, path, kind)

    def check(self) -> None:
        """Whether it still keeps others out: a file that was deleted does not. Made again if so.

        Raises:
            StorageFailed: `store_owned`, another program is the owner by now; `store_unreachable`.
        """
        own = os.fstat(self._descriptor)
        try:
            found = self._path.lstat()
        except FileNotFoundError:
            found = None
        except OSError as error:
            raise _unusable(self._path, error) from error
        if found is None or (found.st_dev, found.st_ino) != (own.st_dev, own.st_ino):
            new = _taken(self._path, self._path.with_suffix(""), self._kind)
            os.close(self._descriptor)
            self._descriptor = new

    def release(self) -> None:
        """Stop being the owner; harmless when done twice."""
        if self._descriptor >= 0:
            # A name that a broken disk keeps must not keep the lock too.
            with suppress(OSError):
                os.ftruncate(self._descriptor, 0)
            _unlock(self._descriptor)
            os.close(self._descriptor)
            self._descriptor = -1

    @staticmethod
    def holder(database: Path) -> LockHolder | None:
        """The program that owns the store now; None when nobody does."""
        path = _lock_path(database)
        if not path.exists():
            return None
        descriptor = _open(path)
        try:
            if _try_lock(descriptor):
                _unlock(descriptor)
                return None
            return _read(descriptor)
        finally:
            os.close(descriptor)


def network_file_system(path: Path, mounts: Path = _MOUNTS) -> str:
    """The type of the network file system that holds `path`; empty when it is local or unknown."""
    try:
        lines = mounts.read_text("utf-8", "replace").splitlines()
    except OSError:
        return ""
    best, found = -1, ""
    for line in lines:
        fields = line.split()
        if len(fields) < 3:
            continue
        point = Path(fields[1].encode().decode("unicode_escape"))
        if path.is_relative_to(point) and len(point.parts) >= best:
            best, found = len(point.parts), fields[2]
    if found == "9p" and best == 1:
        # The whole system is on it: the local disk of a sandbox, not a share.
        return ""
    return found if found in _NETWORK else ""


def _lock_path(database: Path) -> Path:
    try:
        return Path(f"{database.resolve()}.lock")
    except (OSError, RuntimeError) as error:
        detail = f"the store {database} is a link that leads nowhere"
        raise StorageFailed(ErrorCode.STORE_UNREACHABLE, detail, store=str(database)) from error


def _taken(path: Path, database: Path, kind: str) -> int:
    descriptor = _open(path)
    try:
        other = _take(descriptor, kind)
    except BaseException:
        os.close(descriptor)
        raise
    if other is not None:
        os.close(descriptor)
        raise other.refusal(str(database))
    return descriptor


def _open(path: Path) -> int:
    """Never through a link: the owner writes its name over what is there."""
    flags = os.O_CREAT | os.O_RDWR | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)
    try:
        return os.open(path, flags, 0o600)
    except OSError as error:
        raise _unusable(path, error) from error


def _take(descriptor: int, kind: str) -> LockHolder | None:
    """None when the lock is ours now, else who has it."""
    if not _try_lock(descriptor):
        return _read(descriptor)
    _write(descriptor, kind)
    return None


def _try_lock(descriptor: int) -> bool:
    try:
        if sys.platform == "win32":
            os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in _TAKEN:
            return False
        raise StorageFailed(
            ErrorCode.STORE_UNREACHABLE, f"the store cannot be locked: {error.strerror}"
        ) from error
    return True


def _unlock(descriptor: int) -> None:
    if sys.platform == "win32":
        os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)
    else:
        fcntl.flock(descriptor, fcntl.LOCK_UN)


def _write(descriptor: int, kind: str) -> None:
    text = json.dumps(
        {
            "pid": os.getpid(),
            "host": socket.gethostname(),
            "since": datetime.now(UTC).isoformat(timespec="seconds"),
            "kind": kind,
        }
    )
    os.lseek(descriptor, 0, os.SEEK_SET)
    os.ftruncate(descriptor, 0)
    os.write(descriptor, text.encode())


def _read(descriptor: int) -> LockHolder:
    """The owner; process 0 while it has not written its name yet."""
    os.lseek(descriptor, 0, os.SEEK_SET)
    try:
        found = json.loads(os.read(descriptor, 4096))
    except ValueError:
        found = None
    if not isinstance(found, Mapping):
        return LockHolder(0, "", "", "")
    pid = found.get("pid")
    return LockHolder(
        pid=pid if isinstance(pid, int) else 0,
        host=str(found.get("host", "")),
        since=str(found.get("since", "")),
        kind=str(found.get("kind", "")),
    )


def _unusable(path: Path, error: OSError) -> StorageFailed:
    detail = f"the lock {path} cannot be opened: {error.strerror}"
    return StorageFailed(failure_code(error), detail, store=str(path))
