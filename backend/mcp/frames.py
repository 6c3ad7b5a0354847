"""One response stream of the handshake era: JSON-RPC frames as server-sent events."""

import asyncio
import json
from collections import deque
from typing import Final

from mcp_types import JSONRPCError, JSONRPCMessage, JSONRPCResponse
from starlette.types import Message, Receive, Send

from backend.mcp.exchange import Exchange
from backend.mcp.replies import Headers

SSE_HEADERS: Final[Headers] = (
    (b"content-type", b"text/event-stream"),
    (b"cache-control", b"no-cache, no-transform"),
    (b"x-accel-buffering", b"no"),
)
COMMENT: Final = b": waiting\r\n\r\n"
_MAX_UNSENT: Final = 64
"""Signs of life a caller that does not read may have queued; more are dropped."""


def event(message: object, event_id: str = "") -> bytes:
    """One SSE event. ASCII only, so that nothing a client sent can break the encoding."""
    head = f"id: {event_id}\r\n" if event_id else ""
    data = json.dumps(message, separators=(",", ":"))
    return f"{head}event: message\r\ndata: {data}\r\n\r\n".encode()


class FrameStream:
    """The frames of one request in order.

    With a `prefix` the frames are numbered on the wire and kept, so that a reader that comes back
    gets what it missed; without one they are dropped as they are sent.
    """

    def __init__(self, exchange: Exchange, prefix: str = "") -> None:
        self.exchange = exchange
        self.prefix = prefix
        self.ended = False
        self.result: JSONRPCResponse | JSONRPCError | None = None
        self.news = asyncio.Event()
        self._frames: deque[tuple[int, bytes]] = deque()
        self._last = 0
        self._sent = 0
        self._comment = False
        self._readers = 0

    def put(self, message: JSONRPCMessage) -> None:
        """Queue a message; a response or an error is the last one."""
        if self.ended:
            return
        last = message if isinstance(message, JSONRPCResponse | JSONRPCError) else None
        if not self.exchange.silent and (last is not None or self._last - self._sent < _MAX_UNSENT):
            self._last += 1
            event_id = f"{self.prefix}{self._last}" if self.prefix else ""
            dumped = message.model_dump(by_alias=True, exclude_unset=True)
            self._frames.append((self._last, event(dumped, event_id)))
        if last is not None:
            self.result = last
            self.ended = True
        self.news.set()

    def end(self) -> None:
        """No more frames: the response ends as it is."""
        self.ended = True
        self.news.set()

    async def end_unanswered(self) -> None:
        """The request was cancelled: nothing is written for its id."""
        self.end()

    async def comment(self) -> None:
        """Keep the connection of a caller without a progress token alive."""
        self._comment = True
        self.news.set()

    async def serve(self, receive: Receive, send: Send, headers: Headers, after: int = 0) -> None:
        """Answer one HTTP request with everything behind frame `after`, to the end."""
        self._readers += 1
        self.exchange.note_resumed()
        gone = asyncio.ensure_future(_disconnected(receive))
        try:
            await send({"type": "http.response.start", "status": 200, "headers": [*headers]})
            while not gone.done():
                self.news.clear()
                after = await self._send_fresh(send, after)
                if self.ended and after >= self._last:
                    break
                await _either(gone, self.news)
            await send(_body(b"", more=False))
        finally:
            gone.cancel()
            self._readers -= 1
            if not self._readers and not self.ended:
                self.exchange.note_lost()

    async def _send_fresh(self, send: Send, after: int) -> int:
        if self._comment:
            self._comment = False
            await send(_body(COMMENT, more=True))
        for number, frame in [item for item in self._frames if item[0] > after]:
            await send(_body(frame, more=True))
            after = number
        self._sent = max(self._sent, after)
        while not self.prefix and self._frames and self._frames[0][0] <= after:
            self._frames.popleft()
        return after


def _body(body: bytes, *, more: bool) -> Message:
    return {"type": "http.response.body", "body": body, "more_body": more}


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _either(gone: asyncio.Future[None], news: asyncio.Event) -> None:
    waiting = asyncio.ensure_future(news.wait())
    try:
        await asyncio.wait((gone, waiting), return_when=asyncio.FIRST_COMPLETED)
    finally:
        waiting.cancel()
