"""What the operating system says about the files of a home, as expected failures."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from backend.errors import ErrorCode, StorageFailed

_FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_READ_ONLY: Final = frozenset({errno.EROFS, errno.EACCES, errno.EPERM})


def failure_code(error: OSError) -> ErrorCode:
    """Whether there is no room, no permission, or something else."""
    if error.errno in _FULL:
        return ErrorCode.STORE_FULL
    if error.errno in _READ_ONLY:
        return ErrorCode.STORE_READ_ONLY
    return ErrorCode.STORE_UNREACHABLE


def file_failure(error: OSError, folder: Path) -> StorageFailed:
    """The failure behind `error`; its detail names the file, or else the folder it is in."""
    where = str(error.filename or folder)
    code = failure_code(error)
    texts = {
        ErrorCode.STORE_FULL: f"there is no room left for {where}",
        ErrorCode.STORE_READ_ONLY: f"{where} cannot be written",
    }
    text = texts.get(code, f"{where} cannot be used")
    return StorageFailed(code, f"{text}: {error.strerror or error}", store=str(folder))


@contextmanager
def file_failures(folder: Path) -> Iterator[None]:
    """Raises `StorageFailed` for every `OSError` inside."""
    try:
        yield
    except OSError as error:
        raise file_failure(error, folder) from error
