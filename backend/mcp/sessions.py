"""A session of the handshake era (2025-06-18, 2025-11-25) and the streams of its requests.

The SDK's dispatcher runs each session; the streams are ours, because the SDK's own transport
answers cancelled calls, keeps a call whose connection broke, and polls while nothing is open.
"""

import itertools
from collections import OrderedDict
from types import TracebackType
from typing import Any, Final, Self

import anyio
from anyio.streams.memory import MemoryObjectSendStream
from mcp.server.lowlevel.server import NotificationOptions, Server
from mcp.server.runner import serve_loop
from mcp.shared.message import ServerMessageMetadata, SessionMessage
from mcp_types import JSONRPCError, JSONRPCResponse

from backend.ids import new_id
from backend.mcp.exchange import Exchange
from backend.mcp.frames import FrameStream
from backend.mcp.patience import patience_of

_KEPT_STREAMS: Final = 16
"""Ended streams a session keeps for clients that resume them."""
_QUEUE: Final = 64


class HandshakeSession:
    """One client's session; also the write stream of its dispatcher."""

    def __init__(self, exchange: Exchange, client: str) -> None:
        self.id = new_id()
        self.role = exchange.role
        self.hosted = exchange.hosted
        self.closed = False
        self.scope = anyio.CancelScope()
        self._resumes = patience_of(client).resumes
        self._streams: OrderedDict[str, FrameStream] = OrderedDict()
        self._serial = itertools.count(1)
        self._ready = anyio.Event()
        self._feed: MemoryObjectSendStream[SessionMessage | Exception] | None = None

    def belongs_to(self, exchange: Exchange) -> bool:
        """Whether a request of this caller may go on with the session."""
        return self.role is exchange.role and self.hosted == exchange.hosted

    @property
    def busy(self) -> bool:
        """Whether a request of this session is still open."""
        return any(not stream.ended for stream in self._streams.values())

    async def run(self, server: Server[Any], *, tools_change: bool = False) -> None:
        """Serve until the session is closed."""
        send, receive = anyio.create_memory_object_stream[SessionMessage | Exception](_QUEUE)
        self._feed = send
        self._ready.set()
        with self.scope:
            await serve_loop(
                server,
                receive,
                self,
                lifespan_state={},
                session_id=self.id,
                init_options=server.create_initialization_options(
                    NotificationOptions(tools_changed=tools_change)
                ),
            )
        self.close()

    def close(self) -> None:
        """End every call of the session without a frame."""
        self.closed = True
        for stream in self._streams.values():
            stream.end()
        if self._feed is not None:
            self._feed.close()
        self.scope.cancel()

    def answers(self, request_id: str) -> bool:
        """Whether a request of this id is open: a second one would get the other's result."""
        stream = self._streams.get(request_id)
        return stream is not None and not stream.ended

    def open_stream(self, request_id: str, exchange: Exchange) -> FrameStream:
        """The response stream of a new request."""
        prefix = f"{next(self._serial)}-" if self._resumes else ""
        stream = FrameStream(exchange, prefix)
        exchange.can_resume = self._resumes
        exchange.comment = stream.comment
        self._streams[request_id] = stream
        if self.closed:
            stream.end()
        return stream

    def settle_stream(self, request_id: str, stream: FrameStream) -> None:
        """Forget a stream nobody can ask for any more."""
        if self._streams.get(request_id) is stream and not self._resumes:
            del self._streams[request_id]
        ended = [key for key, kept in self._streams.items() if kept.ended]
        for key in ended[: max(0, len(ended) - _KEPT_STREAMS)]:
            del self._streams[key]

    def find_stream(self, event_id: str) -> tuple[FrameStream, int] | None:
        """The stream an event id belongs to, and the number of that event."""
        head, dash, number = event_id.partition("-")
        for stream in self._streams.values():
            if dash and number.isdecimal() and stream.prefix == f"{head}-":
                return stream, int(number)
        return None

    async def feed(self, message: SessionMessage) -> None:
        """Hand one message of the client to the dispatcher."""
        await self._ready.wait()
        if self._feed is not None and not self.closed:
            await self._feed.send(message)

    async def send(self, item: SessionMessage, /) -> None:
        """Route what the dispatcher writes to the request it belongs to."""
        message = item.message
        request_id = None
        if isinstance(message, JSONRPCResponse | JSONRPCError):
            request_id = message.id
        elif isinstance(item.metadata, ServerMessageMetadata):
            request_id = item.metadata.related_request_id
        stream = self._streams.get(str(request_id))
        if stream is not None:
            stream.put(message)

    async def aclose(self) -> None:
        """The dispatcher has ended."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc_val: BaseException | None,
        exc_tb: TracebackType | None,
    ) -> bool | None:
        return None
