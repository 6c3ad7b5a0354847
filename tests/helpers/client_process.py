"""Drives `asking_client` from a test."""

import asyncio
import json
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.helpers.program import ROOT, environment


@dataclass(frozen=True)
class Reply:
    result: dict[str, Any]
    asked_at: float
    returned_at: float


class ClientProcess:
    """One client that asks one thing after the other."""

    def __init__(self, process: Process) -> None:
        self._process = process

    def ask(self, arguments: dict[str, Any]) -> None:
        """Send a question; `reply` gives what came back."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(arguments).encode() + b"\n")

    async def reply(self, patience: float = 30.0) -> Reply:
        assert self._process.stdout is not None
        line = await asyncio.wait_for(self._process.stdout.readline(), patience)
        return Reply(**json.loads(line))


@asynccontextmanager
async def client_process(*arguments: str, home: Path) -> AsyncIterator[ClientProcess]:
    """A connected client; ended at the end."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.helpers.asking_client",
        *arguments,
        stdin=PIPE,
        stdout=PIPE,
        env=environment(home),
        cwd=ROOT,
    )
    assert process.stdout is not None
    try:
        ready = await asyncio.wait_for(process.stdout.readline(), 30)
        assert ready.strip() == b"ready"
        yield ClientProcess(process)
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
