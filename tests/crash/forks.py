"""Starts children of the fork server, kills them and learns how they ended."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from tests.helpers.program import ROOT, RunningDesk, environment
from tests.helpers.waiting import until

KILLED = -signal.SIGKILL


class ForkServer:
    """Used from one thread at a time."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process
        self._lock = threading.Lock()

    def start(self, function: str, *arguments: str, folder: Path, **env: str) -> "Fork":
        """Run `module:function` with these arguments in a child of its own."""
        folder.mkdir(parents=True, exist_ok=True)
        out, err = folder / "out", folder / "err"
        out.write_text("")
        answer = self._ask(run=function, arguments=arguments, out=str(out), err=str(err), env=env)
        return Fork(self, answer["pid"], out, err)

    def run(self, function: str, *arguments: str, folder: Path) -> "Fork":
        """As `start`, to its end."""
        fork = self.start(function, *arguments, folder=folder)
        fork.wait_blocking()
        return fork

    def ended(self, pid: int) -> int:
        return self._ask(wait=pid)["ended"]

    def _ask(self, **command: object) -> dict[str, int]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with self._lock:
            self._process.stdin.write(json.dumps(command) + "\n")
            self._process.stdin.flush()
            return cast("dict[str, int]", json.loads(self._process.stdout.readline()))


@dataclass
class Fork:
    """One child; has what `RunningDesk` uses of a process."""

    server: ForkServer
    pid: int
    out: Path
    err: Path
    returncode: int | None = None

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)

    def send_signal(self, number: int) -> None:
        os.kill(self.pid, number)

    def wait_blocking(self) -> int:
        if self.returncode is None:
            self.returncode = self.server.ended(self.pid)
        return self.returncode

    async def wait(self) -> int:
        return await asyncio.to_thread(self.wait_blocking)

    def told(self) -> list[str]:
        """The whole lines it has printed."""
        return [line for line in self.out.read_text().splitlines(keepends=True) if line[-1] == "\n"]


@contextmanager
def fork_server() -> Iterator[ForkServer]:
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.crash.fork_server"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env=environment(Path(os.devnull)),
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        assert "ready" in json.loads(process.stdout.readline())
        yield ForkServer(process)
    finally:
        process.stdin.close()
        process.wait(20)
        process.stdout.close()


@asynccontextmanager
async def forked_desk(
    server: ForkServer, home: Path, function: str, *arguments: str
) -> AsyncIterator[RunningDesk]:
    """A desk with doors as a child of the fork server; killed at the end if it still runs."""
    fork = server.start(function, *arguments, folder=home / "process", KANDESK_HOME=str(home))
    try:
        await until(lambda: fork.told() or not _lives(fork), seconds=30)
        lines: Sequence[str] = fork.told()
        assert lines, fork.err.read_text()
        hello: dict[str, Any] = json.loads(lines[0])
        yield RunningDesk(cast("asyncio.subprocess.Process", fork), hello)
    finally:
        if fork.returncode is None:
            fork.kill()
            await fork.wait()


def _lives(fork: Fork) -> bool:
    """A child that nobody has waited for still has an id; its state tells it has ended."""
    state = Path(f"/proc/{fork.pid}/stat")
    return not state.exists() or state.read_text().rsplit(")", 1)[1].split()[0] != "Z"
