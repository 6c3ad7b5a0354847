"""Files only their owner may read and write. Standard library only."""

import logging
import os
import secrets
import stat
import sys
from pathlib import Path

from backend.errors import ErrorCode, StorageFailed

_OWNER_ONLY = 0o600
_BITS_OF_OTHERS = 0o077


def read_private(path: Path) -> str:
    """The text of an owner-only file; mends its mode, never follows a link.

    Raises:
        FileNotFoundError: there is none.
        StorageFailed: it is a link, no file, no text, or belongs to another user.
    """
    found = path.lstat()
    if stat.S_ISLNK(found.st_mode):
        raise unsafe_file(path, "is a symbolic link")
    if not stat.S_ISREG(found.st_mode):
        raise unsafe_file(path, "is not a file")
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
    with os.fdopen(descriptor, "rb") as file:
        _mend(path, descriptor)
        try:
            return file.read().decode("utf-8")
        except UnicodeDecodeError as error:
            raise unsafe_file(path, "is not UTF-8 text") from error


def write_private(path: Path, text: str) -> None:
    """Replace `path` by an owner-only file in one step, durable when it returns.

    Raises:
        OSError: the folder is missing, full or read-only.
    """
    temporary = _write_beside(path, text)
    try:
        temporary.replace(path)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise


def create_private(path: Path, text: str) -> bool:
    """Make `path` in one step; False when there is one already, which then stays as it is.

    Raises:
        OSError: as `write_private`.
    """
    temporary = _write_beside(path, text)
    try:
        if sys.platform == "win32":
            temporary.rename(path)
        else:
            path.hardlink_to(temporary)
    except FileExistsError:
        return False
    except OSError:
        # A file system without hard links: nearly as good, there is no better way.
        if path.exists():
            return False
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    return True


def _write_beside(path: Path, text: str) -> Path:
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _OWNER_ONLY)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        restrict_to_owner(temporary)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise
    return temporary


def _mend(path: Path, descriptor: int) -> None:
    if sys.platform == "win32":
        return
    found = os.fstat(descriptor)
    if found.st_uid != os.getuid():
        raise unsafe_file(path, "belongs to another user")
    if found.st_mode & _BITS_OF_OTHERS:
        logging.getLogger(__name__).warning("%s could be read by others; now it cannot", path)
        os.fchmod(descriptor, _OWNER_ONLY)


def restrict_to_owner(path: Path) -> None:
    """Take every other user's access away: a mode on POSIX, a DACL on Windows."""
    if sys.platform == "win32":
        import subprocess

        user = f"{os.environ.get('USERDOMAIN', '.')}\\{os.environ['USERNAME']}"
        command = ["icacls", str(path), "/inheritance:r", "/grant:r", f"{user}:F"]
        subprocess.run(command, check=True, capture_output=True)  # noqa: S603
    else:
        path.chmod(_OWNER_ONLY)


def unsafe_file(path: Path, why: str) -> StorageFailed:
    """The refusal of a file that cannot be trusted."""
    return StorageFailed(ErrorCode.FILE_UNSAFE, f"{path} {why}", path=str(path))
