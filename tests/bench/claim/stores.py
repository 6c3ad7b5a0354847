"""The stores of the bench: generated once, kept beside the platform's other temporary files."""

import hashlib
import os
import shutil
import sqlite3
import tempfile
import threading
from pathlib import Path
from typing import Final

from backend.store.connection import connect
from backend.store.converge import apply_steps, pending_steps
from backend.store.dialect import Dialect
from backend.store.schema import APPLICATION_ID, MAJOR, TABLES, indexes
from backend.store.step_progress import StepProgress
from tests.bench.claim.big_store import GENERATOR, Size, write_rows

SESSION_FIRST: Final = "idx_messages_metadata_pending_id"
ORDERED: Final = "idx_messages_metadata_pending_id_lookup_ordered"
_BYTES_PER_MESSAGE: Final = 1_900
"""With all indexes, measured."""


def complete_store(size: Size) -> Path:
    """A store with every index; it is shared, so copy it before you write.

    Raises:
        OSError: there is no room for it and a copy.
    """
    folder = Path(tempfile.gettempdir()) / f"kandesk-bench-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    path = folder / f"{size.messages}-{size.seed}-{_fingerprint()}.db"
    if not path.exists():
        for stale in folder.glob(f"{size.messages}-{size.seed}-*"):
            stale.unlink()
        check_room(folder, size)
        unfinished = path.with_suffix(".unfinished")
        unfinished.unlink(missing_ok=True)
        write_rows(unfinished, size)
        _complete(unfinished)
        unfinished.replace(path)
    return path


def check_room(folder: Path, size: Size) -> None:
    """Room for the store, a copy of it and what its indexes take while they are sorted."""
    needed = 3 * size.messages * _BYTES_PER_MESSAGE
    free = shutil.disk_usage(folder).free
    if free < needed:
        message = f"{folder}: {needed >> 20} MiB are needed, {free >> 20} MiB are free"
        raise OSError(message)


def keep_session_first_only(path: Path) -> None:
    """The access paths of an answer before this change: only the index by session is left."""
    connection = sqlite3.connect(path, isolation_level=None)
    for index in indexes(Dialect.SQLITE):
        on_messages = index.table == "task_session_messages" and "json_extract" in index.ddl()
        if on_messages and index.name not in {SESSION_FIRST, "idx_messages_metadata_tool_call_id"}:
            connection.execute(f"DROP INDEX {index.name}")
    connection.close()


def evict(path: Path) -> bool:
    """Put the file out of the system's page cache, as far as the platform can for one file."""
    if not hasattr(os, "posix_fadvise"):
        return False
    for each in (path, Path(f"{path}-wal")):
        if each.exists():
            descriptor = os.open(each, os.O_RDONLY)
            os.fsync(descriptor)
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
            os.close(descriptor)
    return True


def _complete(path: Path) -> None:
    connection = connect(path, read_only=False)
    connection.execute("PRAGMA synchronous = OFF")
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {MAJOR}")
    progress = StepProgress(lambda _: None, threading.Event())
    apply_steps(connection, pending_steps(connection), progress)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.close()


def _fingerprint() -> str:
    schema = [table.ddl() for table in TABLES] + [i.ddl() for i in indexes(Dialect.SQLITE)]
    return hashlib.sha256("\n".join([str(GENERATOR), *schema]).encode()).hexdigest()[:12]
