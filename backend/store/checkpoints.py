"""Moving SQLite's log into the store's file beside the writes, none of which waits for it."""

import asyncio
import logging
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

from backend.errors import StorageFailed
from backend.store.connection import connect
from backend.store.files_in_place import FilesInPlace

WORTH_IT: Final = 32
"""Commits that make it worth moving the log once nobody writes."""
QUIET: Final = 0.25
"""Seconds without a commit, after which nobody is likely to be in the way."""
LATEST: Final = 1_024
"""Commits after which it is moved however busy the store is."""

_log = logging.getLogger(__name__)


class Checkpoints:
    """One at a time, each on a connection and a thread of its own; must be used on one loop.

    A commit meanwhile has to wait for the disk longer than usual, so they are made when it is
    quiet.
    """

    def __init__(self, path: Path, files: FilesInPlace) -> None:
        self._path = path
        self._files = files
        self._commits = 0
        self._planned: asyncio.TimerHandle | None = None
        self._running: asyncio.Task[None] | None = None

    def committed(self) -> None:
        """Call after each commit. Never blocks and never fails."""
        self._commits += 1
        self._forget_plan()
        if self._commits >= LATEST:
            self._start()
        elif self._commits >= WORTH_IT:
            self._planned = asyncio.get_running_loop().call_later(QUIET, self._start)

    async def close(self) -> None:
        """Wait for the one that runs; nobody may commit any more."""
        self._forget_plan()
        if self._running is not None:
            await asyncio.wait({self._running})

    def _start(self) -> None:
        if self._running is None or self._running.done():
            self._commits = 0
            moving = asyncio.to_thread(_checkpoint, self._path, self._files)
            self._running = asyncio.get_running_loop().create_task(moving, name="move store log")

    def _forget_plan(self) -> None:
        if self._planned is not None:
            self._planned.cancel()
            self._planned = None


def _checkpoint(path: Path, files: FilesInPlace) -> None:
    """As far as readers let it; what is left is for the next one, or for the writer.

    Whatever is in the place of the store would be opened with its log, and be mixed with it.
    """
    try:
        files.check()
        with closing(connect(path, read_only=False)) as connection:
            connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
    except (sqlite3.Error, StorageFailed) as error:
        _log.debug("the log of %s was not moved: %s", path, error)
