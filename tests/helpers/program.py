"""The program as a user runs it: `kandesk` commands in child processes on a home of the test."""

import asyncio
import json
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

ROOT = Path(__file__).resolve().parents[2]
KANDESK = (sys.executable, "-m", "app.launch")
START_PATIENCE = 30.0


def environment(home: Path, **more: str) -> dict[str, str]:
    """A clean environment: this home, no display, nothing of the developer's own agents."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("KANDESK_", "DISPLAY", "WAYLAND_"))
    }
    return {
        **kept,
        "KANDESK_HOME": str(home),
        "QT_QPA_PLATFORM": "offscreen",
        "PYTHONPATH": str(ROOT),
        **more,
    }


class RunningDesk:
    """A `kandesk serve`, or any child that prints the same line."""

    def __init__(self, process: Process, hello: Mapping[str, Any]) -> None:
        self.process = process
        self.api = str(hello["api"])
        self.mcp = str(hello["mcp"])
        self.pid = int(hello["pid"])
        self.token = Path(hello["token_file"]).read_text().strip()
        self.agent_token = (Path(hello["token_file"]).parent / "agent-token").read_text().strip()

    async def kill(self) -> None:
        """SIGKILL: nothing gets a chance to tidy up."""
        self.process.kill()
        await self.process.wait()

    async def terminate(self) -> int:
        """SIGTERM, as a service manager would; the exit code."""
        if self.process.returncode is None:
            self.process.send_signal(signal.SIGTERM)
        return await asyncio.wait_for(self.process.wait(), 15)


@asynccontextmanager
async def running_desk(home: Path, *command: str) -> AsyncIterator[RunningDesk]:
    """Start a desk and read its line; killed at the end if it still runs."""
    process = await asyncio.create_subprocess_exec(
        *(command or (*KANDESK, "serve")),
        env=environment(home),
        stdin=DEVNULL,
        stdout=PIPE,
        stderr=None,
    )
    assert process.stdout is not None
    try:
        line = await asyncio.wait_for(process.stdout.readline(), START_PATIENCE)
        yield RunningDesk(process, cast("dict[str, Any]", json.loads(line)))
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def run_command(
    home: Path, *arguments: str, patience: float = 60.0, **env: str
) -> tuple[int, str, str]:
    """Run `kandesk ARGUMENTS`; exit code, stdout, stderr."""
    process = await asyncio.create_subprocess_exec(
        *KANDESK, *arguments, env=environment(home, **env), stdin=DEVNULL, stdout=PIPE, stderr=PIPE
    )
    try:
        out, err = await asyncio.wait_for(process.communicate(), patience)
    except TimeoutError:
        process.kill()
        await process.wait()
        raise
    assert process.returncode is not None
    return process.returncode, out.decode(), err.decode()
