"""The processes one run of the desk has started, on disk before any store knows of them.

A store may take seconds to keep a mark. A desk that is killed meanwhile would leave an agent that
nobody finds again; a line in a file is there at once. A first line comes before the process and
gives it a name: a desk may be killed when it runs and before its mark can be told. Lines need not
reach the disk: what ends the system ends the agents.
"""

import asyncio
import json
import logging
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path

from backend.agents.process_marks import find_started, stop_survivors
from backend.domain.agents import ProcessMark

_log = logging.getLogger(__name__)


class StartedProcesses:
    """Implements `StartNotes`, and `Survivors`: what an earlier run has started, and the store's
    marks beside.
    """

    def __init__(self, path: Path) -> None:
        """`path` is the file of one desk at a time, whoever has its home."""
        self._path = path
        self._read = False

    def begin(self) -> str:
        """As the port says. A disk that takes no line keeps no agent from being started."""
        start = secrets.token_hex(16)
        self._write({"start": start})
        return start

    def note(self, start: str, mark: ProcessMark) -> None:
        """It runs. A disk that takes no line leaves the mark to the store."""
        self._write({"start": start, **asdict(mark)})

    def drop(self, start: str) -> None:
        """It does not, and nothing need be looked for."""
        self._write({"start": start, "failed": True})

    async def stop(self, marks: Iterable[ProcessMark]) -> tuple[ProcessMark, ...]:
        """As the port says; the first time with all that an earlier run has noted."""
        if self._read:
            return await stop_survivors(marks)
        noted, unmarked = self._read_lines()
        unknown = await asyncio.to_thread(find_started, unmarked)
        stopped = await stop_survivors(dict.fromkeys((*marks, *noted, *unknown)))
        self._read = True
        try:
            self._path.unlink(missing_ok=True)
        except OSError as error:
            # They are looked for again, and not found.
            _log.warning("%s stays: %s", self._path, error)
        return stopped

    def _write(self, line: Mapping[str, object]) -> None:
        try:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")
        except OSError as error:
            _log.warning("the start of an agent is not noted: %s", error)

    def _read_lines(self) -> tuple[list[ProcessMark], set[str]]:
        """The marks, and the starts that neither have one nor failed."""
        try:
            lines = self._path.read_text("utf-8", "replace").splitlines()
        except OSError:
            return [], set()
        marks: list[ProcessMark] = []
        begun: set[str] = set()
        for line in lines:
            try:
                told = json.loads(line)
                start = str(told["start"])
                if "pid" in told:
                    group, started_at = int(told["group"]), str(told["started_at"])
                    marks.append(ProcessMark(int(told["pid"]), group, started_at))
            except (ValueError, KeyError, TypeError):
                # The desk was killed while it wrote.
                continue
            if "pid" in told or "failed" in told:
                begun.discard(start)
            else:
                begun.add(start)
        return marks, begun
