"""The thread named `backend`: runs the runtime's loop beside the window and crosses both ways."""

import asyncio
import logging
import sys
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Final, TypeVar

from PySide6.QtCore import QObject, Signal

from app.bridge.client import BackendClient
from app.bridge.collector import GarbageCollector
from backend.api import DeskApi
from backend.clock import SystemClock
from backend.errors import AppError, ErrorCode, StorageFailed
from backend.events import BackendReady, Event
from backend.paths import Home

if TYPE_CHECKING:
    from backend.runtime import Runtime

T = TypeVar("T")

SWITCH_SECONDS: Final = 0.001
"""How long one thread may keep the interpreter while another waits for it."""

_log = logging.getLogger(__name__)


class BackendThread(QObject):
    """Owns the backend's thread. Create, call and delete it on the window's thread.

    `started_up` carries the `DeskInfo`; `failed` an `AppError` when the backend cannot start;
    `crashed` any other exception, which is a bug.
    """

    started_up = Signal(object)
    failed = Signal(object)
    crashed = Signal(object)
    _event_crossed = Signal(object)

    def __init__(
        self,
        home: Home,
        client: BackendClient,
        *,
        port: int = 0,
        demo: bool = False,
        allow_migration: bool = False,
    ) -> None:
        super().__init__()
        self.client = client
        self._home = home
        self._port = port
        self._demo = demo
        self._allow_migration = allow_migration
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._desk: DeskApi | None = None
        self._look: Callable[[], None] = _nothing
        self._stop: asyncio.Event | None = None
        self._stop_wanted = threading.Event()
        self._stopped = threading.Event()
        self._event_crossed.connect(self._deliver)
        self._collector = GarbageCollector(self)

    def start(self) -> None:
        """Start the thread; the outcome arrives as `started_up` or `failed`."""
        # A window that paints must not make each step of an answer wait 5 ms for its turn.
        sys.setswitchinterval(SWITCH_SECONDS)
        self._collector.take_over()
        self._stopped.clear()
        self._thread = threading.Thread(target=self._run, name="backend", daemon=True)
        self._thread.start()

    async def call(self, work: Callable[[DeskApi], Awaitable[T]]) -> T:
        """Run `work` on the backend's loop. Raises `AppError` for expected failures."""
        desk, loop = self._desk, self._loop
        if desk is None or loop is None or self._stopped.is_set():
            raise StorageFailed(ErrorCode.STORE_UNREACHABLE, "the backend is not running")

        async def run() -> T:
            self._look()
            return await work(desk)

        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(run(), loop))

    async def stop(self) -> None:
        """Drain and stop; returns when the store is closed and its lock released."""
        # The thread may still import what it needs to have a loop that can be told.
        self._stop_wanted.set()
        if self._loop is not None and self._stop is not None and not self._stopped.is_set():
            # A backend that failed to start may close its loop between the look and the call.
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._stop.set)
        if self._thread is not None:
            await asyncio.get_running_loop().run_in_executor(None, self._thread.join)
            self._collector.give_back()

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        except AppError as error:
            self.failed.emit(error)
        except Exception as error:  # noqa: BLE001 - the seam where a bug becomes a crash page
            _log.critical("the backend has crashed", exc_info=error)
            self.crashed.emit(error)
        finally:
            self._desk = None
            self._stopped.set()

    async def _serve(self) -> None:
        # Imported here, on this thread, so that the window paints before these modules load.
        from backend.runtime import Runtime

        # The demo's store is thrown away with its home; nobody's database is meant.
        database = "" if self._demo else None
        self._loop = asyncio.get_running_loop()
        self._collector.watch(self._loop)
        self._stop = asyncio.Event()
        if self._stop_wanted.is_set():
            return
        opening = asyncio.create_task(
            Runtime.open(
                self._home,
                SystemClock(),
                kind="window",
                port=self._port,
                database=database,
                allow_migration=self._allow_migration,
                listener=self._publish,
            )
        )
        if not await _finished_before(self._stop, opening):
            return
        runtime = await opening
        try:
            self._look = runtime.look
            self._desk = runtime.desk
            self.started_up.emit(await runtime.desk.desk_info())
            if self._demo:
                await runtime.start_demo()
            await self._stop.wait()
        finally:
            await runtime.close(deliberate=True)

    def _publish(self, event: Event) -> None:
        self._event_crossed.emit(event)

    def _deliver(self, event: Event) -> None:
        if isinstance(event, BackendReady):
            self.client.attach(self)
        self.client.event_received.emit(event)
        self._collector.note_work()


def _nothing() -> None:
    return


async def _finished_before(stop: asyncio.Event, opening: "asyncio.Task[Runtime]") -> bool:
    """False when the human quit first: a store that does not answer must not keep anybody."""
    stopping = asyncio.create_task(stop.wait())
    await asyncio.wait((opening, stopping), return_when=asyncio.FIRST_COMPLETED)
    stopping.cancel()
    if opening.done():
        return True
    opening.cancel()
    await asyncio.wait((opening,))
    return not opening.cancelled()
