"""Whether what is written still ends up in the store that the next start will open."""

from pathlib import Path

from backend.errors import ErrorCode, StorageFailed

_Identity = tuple[int, int]


class FilesInPlace:
    """Knows the open files of a store by device and inode.

    A file that is deleted or replaced stays writable for whoever has it open, and everything
    written to it is gone with the process.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._log = Path(f"{path.resolve()}-wal")
        self._known = {path: _identity(path)}

    def check(self) -> None:
        """Call inside a write transaction: then both files exist.

        Raises:
            StorageFailed: `store_unreachable`; nothing may be committed.
        """
        for path in (self._path, self._log):
            found = _identity(path)
            if found is None or self._known.setdefault(path, found) != found:
                raise StorageFailed(
                    ErrorCode.STORE_UNREACHABLE,
                    f"{path} was moved or replaced while Kandesk had it open; nothing more is"
                    " saved until it is back or Kandesk is started again",
                    store=str(self._path),
                )


def _identity(path: Path) -> _Identity | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
