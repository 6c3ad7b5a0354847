"""Starts and stops the demo agent's child process."""

import asyncio
import os
import sys
from asyncio.subprocess import Process
from typing import Final

from backend.work.supervisor import TaskSupervisor

URL_VARIABLE: Final = "KANDESK_DEMO_URL"
TOKEN_VARIABLE: Final = "KANDESK_DEMO_TOKEN"  # noqa: S105 - the name of a variable
_STOP_PATIENCE: Final = 3.0


class DemoProcess:
    """The demo agent while it runs."""

    def __init__(self, process: Process) -> None:
        self._process = process

    @classmethod
    async def start(cls, mcp_url: str, token: str, supervisor: TaskSupervisor) -> "DemoProcess":
        """Start the agent; the token travels in its environment, never in its arguments."""
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            # Never a package called `backend` in the folder the window was started from.
            "-P",
            "-m",
            "backend.agents.demo_agent",
            env={**os.environ, URL_VARIABLE: mcp_url, TOKEN_VARIABLE: token},
            stdin=asyncio.subprocess.DEVNULL,
            start_new_session=sys.platform != "win32",
        )
        supervisor.start(_reap(process), name="demo agent")
        return cls(process)

    async def stop(self) -> None:
        """End the agent; returns when it is gone."""
        if self._process.returncode is not None:
            return
        self._process.terminate()
        try:
            await asyncio.wait_for(self._process.wait(), _STOP_PATIENCE)
        except TimeoutError:
            self._process.kill()
            await self._process.wait()


async def _reap(process: Process) -> None:
    await process.wait()
