"""The processes one run of the desk has started, on disk before any store knows of them.

A store may take seconds to keep a mark. A desk that is killed meanwhile would leave an agent that
nobody finds again; a line in a file is there at once.
"""

import json
import logging
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path

from backend.agents.process_marks import stop_survivors
from backend.domain.agents import ProcessMark

_log = logging.getLogger(__name__)


class StartedProcesses:
    """Implements `Survivors`: what an earlier run has started, and the store's marks beside."""

    def __init__(self, path: Path) -> None:
        """`path` is the file of one desk at a time, whoever has its home."""
        self._path = path
        self._read = False

    def note(self, mark: ProcessMark) -> None:
        """It runs. A disk that takes no line leaves the mark to the store."""
        try:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(asdict(mark)) + "\n")
        except OSError as error:
            _log.warning("process %s is not noted: %s", mark.pid, error)

    async def stop(self, marks: Iterable[ProcessMark]) -> tuple[ProcessMark, ...]:
        """As the port says; the first time with all that an earlier run has noted."""
        if self._read:
            return await stop_survivors(marks)
        stopped = await stop_survivors(dict.fromkeys((*marks, *self._noted())))
        self._read = True
        try:
            self._path.unlink(missing_ok=True)
        except OSError as error:
            # They are looked for again, and not found.
            _log.warning("%s stays: %s", self._path, error)
        return stopped

    def _noted(self) -> Iterator[ProcessMark]:
        try:
            lines = self._path.read_text("utf-8", "replace").splitlines()
        except OSError:
            return
        for line in lines:
            try:
                told = json.loads(line)
                yield ProcessMark(int(told["pid"]), int(told["group"]), str(told["started_at"]))
            except (ValueError, KeyError, TypeError):
                # The desk was killed while it wrote.
                continue
