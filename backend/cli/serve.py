"""`kandesk serve`: the desk without a window."""

import argparse
import asyncio
import json
import os
import signal
import sys
from collections.abc import Sequence
from functools import partial

import structlog

from backend.cli.database_option import add_database_option
from backend.cli.desk_client import find_desk
from backend.clock import Clock, SystemClock
from backend.errors import AppError, ErrorCode
from backend.events import Event, StoreProgress, StoreStep
from backend.log import configure_logging
from backend.paths import Home, resolve_home
from backend.runtime import Runtime
from backend.store.file_failures import file_failure

_log = structlog.stdlib.get_logger("serve")


def main(arguments: Sequence[str]) -> int:
    """Run until SIGTERM, SIGINT or a window that wants to take over."""
    parsed = _parser().parse_args(arguments)
    home = resolve_home(parsed.home)
    try:
        home.create()
        configure_logging(home, name="serve", stderr=True)
        running = find_desk(home)
        if running is not None:
            # Also when somebody has deleted the lock it holds.
            return _fail(
                f"a desk runs here already, with the home {home.root}: process {running.pid}"
            )
        return asyncio.run(_serve(home, parsed))
    except AppError as error:
        if error.code is ErrorCode.STORE_MIGRATION_UNCONFIRMED:
            return _fail(f"{error.detail}; then run: kandesk serve --migrate")
        return _fail(error.detail)
    except OSError as error:
        return _fail(file_failure(error, home.root).detail)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="kandesk serve", allow_abbrev=False)
    parser.add_argument("--home", metavar="DIR", help="the data folder")
    parser.add_argument(
        "--port", type=_port, default=0, help="where to listen; 0 takes the port of the last run"
    )
    add_database_option(
        parser, text="the store of this run: postgresql://USER@HOST:PORT/NAME, without a password"
    )
    parser.add_argument(
        "--migrate",
        action="store_true",
        help="bring an older store on a server up to date; back it up first",
    )
    parser.add_argument(
        "--no-maintenance",
        action="store_true",
        help="repair cards of permissions once, at the start, and not while it runs",
    )
    return parser


def _port(text: str) -> int:
    port = int(text)
    if not 0 <= port <= 65535:
        raise ValueError(text)
    return port


async def _serve(home: Home, parsed: argparse.Namespace) -> int:
    stop = Stop()
    stop.listen_to_signals()
    clock = SystemClock()
    opening = asyncio.create_task(
        Runtime.open(
            home,
            clock,
            kind="serve",
            port=parsed.port,
            database=parsed.database,
            allow_migration=parsed.migrate,
            listener=ProgressLog(clock),
            on_hand_over=stop.hand_over,
            maintenance=not parsed.no_maintenance,
        )
    )
    waiting = asyncio.create_task(stop.requested.wait())
    await asyncio.wait({opening, waiting}, return_when=asyncio.FIRST_COMPLETED)
    if not opening.done():
        opening.cancel()
        await asyncio.wait({opening})
        return 0
    runtime = await opening
    try:
        _announce(home, runtime)
        await waiting
    finally:
        _log.info("draining")
        await runtime.close(deliberate=stop.deliberate)
    _log.info("stopped")
    return 0


class Stop:
    """The wish to stop, and whose it was."""

    def __init__(self) -> None:
        self.requested = asyncio.Event()
        self.deliberate = False

    def hand_over(self) -> None:
        """A window wants this store: make room, without telling shims that anyone has quit."""
        self.requested.set()

    def listen_to_signals(self) -> None:
        """SIGTERM and SIGINT ask once; a second one ends the process at once."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            if sys.platform == "win32":
                ask = partial(loop.call_soon_threadsafe, self._signalled, loop)
                signal.signal(number, lambda *_, ask=ask: ask())
            else:
                loop.add_signal_handler(number, self._signalled, loop)

    def _signalled(self, loop: asyncio.AbstractEventLoop) -> None:
        self.deliberate = True
        self.requested.set()
        for number in (signal.SIGTERM, signal.SIGINT):
            if sys.platform == "win32":
                signal.signal(number, signal.SIG_DFL)
            else:
                loop.remove_signal_handler(number)


def _announce(home: Home, runtime: Runtime) -> None:
    line = {
        "api": runtime.api_url,
        "mcp": runtime.mcp_url,
        "token_file": str(home.desk_token),
        "agent_token_file": str(home.agent_token),
        "pid": os.getpid(),
    }
    print(json.dumps(line), flush=True)
    _log.info("listening", api=runtime.api_url, pid=os.getpid())


class ProgressLog:
    """Long steps of the store as log lines: none in the first second, then one a second.

    A backup that was left out is told at once.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._next = clock.monotonic() + 1.0

    def __call__(self, event: Event) -> None:
        if not isinstance(event, StoreProgress):
            return
        if event.step == StoreStep.BACKUP_SKIPPED:
            _log.warning("store", step=event.step)
        elif self._clock.monotonic() >= self._next:
            self._next = self._clock.monotonic() + 1.0
            _log.info("store", **_progress_fields(event))


def _progress_fields(progress: StoreProgress) -> dict[str, str]:
    """Only what is known."""
    fields = {"step": f"{progress.step} {progress.subject}".strip()}
    if progress.number:
        fields["number"] = f"{progress.number} of {progress.count}"
    if progress.total:
        fields["done"] = f"{100 * progress.done // progress.total}%"
    return fields


def _fail(text: str) -> int:
    sys.stderr.write(f"kandesk: {text}\n")
    return 1
