"""A copy of the store before its schema changes; the last two are kept."""

import logging
import os
import shutil
import sqlite3
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from backend.clock import Nanoseconds
from backend.errors import ErrorCode, TemporarilyUnavailable
from backend.events import StoreProgress

KEPT: Final = 2
_PAGES_AT_ONCE: Final = 2_000
_SPARE_ROOM: Final = 64 * 1024 * 1024

_log = logging.getLogger(__name__)


def back_up(
    connection: sqlite3.Connection,
    path: Path,
    now: Nanoseconds,
    stop: threading.Event,
    tell: Callable[[StoreProgress], None],
) -> Path | None:
    """Copy the store beside itself; None, and said, when the disk has no room for it.

    Raises:
        TemporarilyUnavailable: `stop` was set.
    """
    needed = path.stat().st_size + _SPARE_ROOM
    if shutil.disk_usage(path.parent).free < needed:
        _log.warning("no room for a backup of %s: %d bytes are needed", path, needed)
        tell(StoreProgress("backup skipped: no room on the disk", 0, 0))
        return None
    stamp = datetime.fromtimestamp(now // 1_000_000_000, UTC).strftime("%Y%m%dT%H%M%SZ")
    target = path.with_name(f"{path.name}.{stamp}.backup")
    unfinished = path.with_name(f"{path.name}.backup-unfinished")
    try:
        _copy(connection, unfinished, stop, tell)
        unfinished.replace(target)
    finally:
        unfinished.unlink(missing_ok=True)
    for old in sorted(path.parent.glob(f"{path.name}.*.backup"))[:-KEPT]:
        old.unlink()
    return target


def _copy(
    connection: sqlite3.Connection,
    target: Path,
    stop: threading.Event,
    tell: Callable[[StoreProgress], None],
) -> None:
    def advance(_status: int, remaining: int, total: int) -> None:
        if stop.is_set():
            raise TemporarilyUnavailable(ErrorCode.DRAINING, "the start was cancelled")
        tell(StoreProgress("backup", total - remaining, total))

    target.unlink(missing_ok=True)
    os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    copy = sqlite3.connect(target)
    try:
        connection.backup(copy, pages=_PAGES_AT_ONCE, progress=advance)
    finally:
        copy.close()
