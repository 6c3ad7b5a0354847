"""A copy of the store before its schema changes; the last two are kept."""

import logging
import os
import shutil
import sqlite3
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from backend.clock import Nanoseconds
from backend.events import StoreStep
from backend.store.schema import MESSAGES, SEQUENCES
from backend.store.step_progress import StepProgress

KEPT: Final = 2
_PAGES_AT_ONCE: Final = 2_000
_SPARE_ROOM: Final = 64 * 1024 * 1024
_WRITTEN: Final = (
    f"SELECT name, value FROM {SEQUENCES.name} ORDER BY name",
    f"SELECT id FROM {MESSAGES.name} ORDER BY rowid DESC LIMIT 1",
)
"""Counts every change of a message and every start that wrote, and tells stores apart."""

_log = logging.getLogger(__name__)


def back_up(
    connection: sqlite3.Connection, path: Path, now: Nanoseconds, progress: StepProgress
) -> Path | None:
    """Copy the store beside itself, its write-ahead log included, for its owner only.

    None, and said, when the disk has no room for it. A copy gets its name once it is complete.
    Where the last copy holds the same rows it stays the last: an upgrade that is broken off again
    and again must not push out what the store was before it.

    Raises:
        TemporarilyUnavailable: the start was cancelled.
    """
    copies = sorted(path.parent.glob(f"{path.name}.*.backup"))
    if copies and _holds_rows_of(connection, copies[-1]):
        return copies[-1]
    needed = _size(connection) + _SPARE_ROOM
    if shutil.disk_usage(path.parent).free < needed:
        _log.warning("no room for a backup of %s: %d bytes are needed", path, needed)
        progress.say(StoreStep.BACKUP_SKIPPED)
        return None
    stamp = datetime.fromtimestamp(now // 1_000_000_000, UTC).strftime("%Y%m%dT%H%M%SZ")
    target = path.with_name(f"{path.name}.{stamp}.backup")
    unfinished = path.with_name(f"{path.name}.backup-unfinished")
    try:
        _copy(connection, unfinished, progress)
        unfinished.replace(target)
    finally:
        _remove(unfinished)
    for old in sorted(path.parent.glob(f"{path.name}.*.backup"))[:-KEPT]:
        old.unlink()
    return target


def _holds_rows_of(connection: sqlite3.Connection, copy: Path) -> bool:
    """Whether nobody has written since; no step of an upgrade changes what is compared."""
    try:
        kept = sqlite3.connect(f"{copy.resolve().as_uri()}?mode=ro&immutable=1", uri=True)
        try:
            then = [kept.execute(sql).fetchall() for sql in _WRITTEN]
        finally:
            kept.close()
        now = [[tuple(row) for row in connection.execute(sql)] for sql in _WRITTEN]
    except sqlite3.Error:
        return False
    return all(then) and then == now


def _size(connection: sqlite3.Connection) -> int:
    """Bytes, of what is in the write-ahead log too."""
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    return int(pages * connection.execute("PRAGMA page_size").fetchone()[0])


def _copy(connection: sqlite3.Connection, target: Path, progress: StepProgress) -> None:
    def advance(_status: int, remaining: int, total: int) -> None:
        progress.check()
        progress.advance(total - remaining)

    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    progress.begin(StoreStep.BACK_UP, pages)
    _remove(target)
    os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    copy = sqlite3.connect(target)
    try:
        connection.backup(copy, pages=_PAGES_AT_ONCE, progress=advance)
        # A copy has no log: put in the place of a store, it must not be taken to go on in its log.
        copy.execute("PRAGMA journal_mode = DELETE")
    finally:
        copy.close()
    progress.end()


def _remove(unfinished: Path) -> None:
    """Also what SQLite keeps beside it: a journal must not meet the next copy."""
    for suffix in ("", "-journal", "-wal", "-shm"):
        Path(f"{unfinished}{suffix}").unlink(missing_ok=True)
