"""Opens connections; the SDK's client is loaded at the first, beside everything else."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from backend.clock import Clock
from backend.domain.agents import AgentCommand
from backend.domain.gateway import ServerSettings, Transport
from backend.errors import AgentFailed
from backend.review.gateway.ports import Elicit, OpenConnection, StartProcess
from backend.review.gateway.results import ServerGone

if TYPE_CHECKING:
    from mcp.client._transport import TransportStreams


class Connector:
    """Implements `Connect`."""

    def __init__(self, clock: Clock, start: StartProcess, elicit: Elicit) -> None:
        self._clock = clock
        self._start = start
        self._elicit = elicit

    async def __call__(
        self,
        settings: ServerSettings,
        secrets: Mapping[str, str],
        *,
        on_tools_changed: Callable[[], None],
        on_closed: Callable[[str], None],
    ) -> OpenConnection:
        await asyncio.to_thread(import_module, "backend.review.gateway.connection")
        from backend.review.gateway.connection import Connection
        from backend.review.gateway.http_streams import Overflow, http_streams

        overflow, gone = Overflow(), asyncio.Event()
        if settings.transport is Transport.HTTP:
            streams = http_streams(settings.url, {**settings.headers, **secrets}, overflow)
        else:
            streams = self._started(settings, secrets, gone)
        connection = Connection(
            self._clock,
            streams,
            self._elicit,
            on_tools_changed=on_tools_changed,
            on_closed=on_closed,
            overflow=overflow,
            gone=gone,
        )
        try:
            await connection.opened()
        except BaseException:
            # Also when whoever opens it is cancelled: nothing may go on running.
            await connection.close()
            raise
        return connection

    @contextlib.asynccontextmanager
    async def _started(
        self, settings: ServerSettings, secrets: Mapping[str, str], gone: asyncio.Event
    ) -> "AsyncIterator[TransportStreams]":
        from backend.review.gateway.stdio import stdio_streams

        command = AgentCommand(settings.command, {**settings.environment, **secrets})
        try:
            process = await self._start(command, settings.folder or str(Path.home()))
        except AgentFailed as error:
            raise ServerGone(error.detail) from error
        async with stdio_streams(process, gone) as streams:
            yield streams
