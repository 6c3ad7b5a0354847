"""A desk in memory on the real backend thread: what it tells crosses as the program's events do."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from app.bridge.backend_thread import BackendThread
from app.bridge.client import BackendClient
from backend.events import BackendReady
from backend.paths import Home
from tests.helpers.fake_backend import INFO, FakeDesk
from tests.helpers.waiting import until


class ThreadedFakeDesk(BackendThread):
    """The bridge of the program with a `FakeDesk` instead of the runtime behind it."""

    def __init__(self, home: Path, client: BackendClient) -> None:
        super().__init__(Home(home), client)
        self.desk = FakeDesk()
        self.desk.bus.subscribe(self._publish)

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._collector.watch(self._loop)
        self._stop = asyncio.Event()
        self._desk = self.desk
        self._publish(BackendReady(INFO.api_url, INFO.mcp_url))
        await self._stop.wait()


@asynccontextmanager
async def threaded_desk(home: Path) -> AsyncIterator[tuple[BackendClient, ThreadedFakeDesk]]:
    """A client of the window and the desk it talks to, on a thread of its own."""
    client = BackendClient()
    ready: list[object] = []
    client.event_received.connect(ready.append)
    thread = ThreadedFakeDesk(home, client)
    thread.start()
    try:
        await until(lambda: ready)
        yield client, thread
    finally:
        await thread.stop()
