"""The real `kandesk serve` as a child process."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from backend.cli.desk_client import RunningDesk, find_desk
from backend.paths import Home
from tests.helpers.shim_process import shim_environment
from tests.helpers.waiting import wait_until


def run_kandesk(
    home: Home, *words: str, text: str = "", **env: str
) -> "subprocess.CompletedProcess[str]":
    """One command to its end."""
    command = [sys.executable, "-m", "app.launch", *words, "--home", str(home.root)]
    return subprocess.run(
        command,
        input=text,
        capture_output=True,
        encoding="utf-8",
        env=shim_environment(**env),
        timeout=60,
        check=False,
    )


class DeskProcess:
    """Starts on construction and is ready once the line on stdout is there."""

    def __init__(self, home: Home, *options: str) -> None:
        self.home = home
        command = [sys.executable, "-m", "app.launch", "serve", "--home", str(home.root), *options]
        home.create()
        self._log = (home.root / "stderr.txt").open("wb")
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=self._log, env=shim_environment()
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, self.stderr()
        self.told: dict[str, Any] = json.loads(line)

    def stderr(self) -> str:
        return Path(self._log.name).read_text("utf-8")

    def desk(self) -> RunningDesk:
        found = find_desk(self.home)
        assert found is not None
        return found

    def wait_for_questions(self, count: int, seconds: float = 15.0) -> None:
        """Return once `count` questions are open: a shim shows progress before the desk has one."""
        desk = self.desk()

        def listed() -> bool:
            found = desk.request("GET", "/api/v1/clarification-inbox", seconds=seconds).body
            return found["total"] == count

        wait_until(listed, seconds=seconds)

    def rest_of_stdout(self) -> bytes:
        assert self.process.stdout is not None
        return self.process.stdout.read()

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()
        self._log.close()
