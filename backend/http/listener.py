"""The HTTP listener inside the backend's loop: loopback, quiet, nothing ticking while idle."""

import asyncio
import contextlib
import errno
import logging
import socket
import sys
from collections.abc import Generator
from typing import Final

import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from backend.http.open_files import FewComplaints, connections_that_fit
from backend.mcp.exchange import MAX_BODY

HOST: Final = "127.0.0.1"
_BACKLOG: Final = 128
_KEEP_ALIVE_SECONDS: Final = 30
_HEADER_SECONDS: Final = 10.0
_MAX_HEADERS: Final = 64 * 1024
_MAX_EARLY: Final = MAX_BODY + _MAX_HEADERS
"""Bytes of the next request that are kept while a reply is under way."""
_CHATTY: Final = ("mcp", "uvicorn.access")
"""Libraries that tell every start, session and request."""
_TAKEN: Final = frozenset({errno.EADDRINUSE, errno.EACCES})


class PatientProtocol(H11Protocol):
    """Closes a connection that does not bring a whole request head in time, or is one too many.

    The base class waits for ever before the first request and once a byte of the next has come,
    answers any number of connections that it has no room for, and does not notice that a client
    is gone that has sent its next request while it waits for a reply.
    """

    _head_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        limit = self.config.limit_concurrency
        if limit is not None and len(self.connections) >= limit:
            transport.abort()
            return
        self._await_head()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._stop_timer()
        elif self._head_timer is None and not self.transport.is_closing():
            self._await_head()
        self._listen_on()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
        super().connection_lost(exc)

    def _await_head(self) -> None:
        self._head_timer = self.loop.call_later(_HEADER_SECONDS, self.transport.close)

    def _listen_on(self) -> None:
        """Keep reading, and so notice the end, while the request that came early is small."""
        replying = self.conn.their_state is h11.DONE and self.flow.read_paused
        if replying and len(self.conn.trailing_data[0]) <= _MAX_EARLY:
            self.flow.resume_reading()

    def _stop_timer(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None


class Listener(uvicorn.Server):
    """uvicorn without its signals, its clock tick and its logs."""

    def __init__(self, app: ASGIApp, *, stop_seconds: int) -> None:
        logging.getLogger("asyncio").addFilter(FewComplaints())
        super().__init__(
            uvicorn.Config(
                app,
                http=PatientProtocol,
                ws="none",
                lifespan="off",
                loop="none",
                log_config=None,
                log_level=logging.WARNING,
                access_log=False,
                server_header=False,
                date_header=False,
                proxy_headers=False,
                backlog=_BACKLOG,
                limit_concurrency=connections_that_fit(),
                timeout_keep_alive=_KEEP_ALIVE_SECONDS,
                timeout_graceful_shutdown=stop_seconds,
                h11_max_incomplete_event_size=_MAX_HEADERS,
            )
        )
        self.listening = asyncio.Event()
        self._stopping = asyncio.Event()
        for name in _CHATTY:
            logging.getLogger(name).setLevel(logging.WARNING)

    def stop(self) -> None:
        """Take no new connections and end when the open ones have ended."""
        self._stopping.set()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.listening.set()

    async def main_loop(self) -> None:
        await self._stopping.wait()

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        yield


def bind(port: int) -> socket.socket:
    """A socket on loopback: `port`, or any free one when it is taken.

    Raises:
        OSError: not even a free port can be bound.
    """
    try:
        return _bind(port)
    except OSError as error:
        if port == 0 or error.errno not in _TAKEN:
            raise
        return _bind(0)


def _bind(port: int) -> socket.socket:
    # Named, because the loop sends small pieces at once only on sockets that say they are TCP.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if sys.platform == "win32":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
        else:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((HOST, port))
        listener.setblocking(False)  # noqa: FBT003 - the socket module knows no keyword here
    except OSError:
        listener.close()
        raise
    return listener
