"""The stateless era over HTTP (2026-07-28): the SDK's entry behind a response of our own.

The SDK sends no headers before the first message or 15 s, and always ends with a frame. Gemini
drops a response without headers at 60 s, and a stopping desk must end a shim's call without one.
"""

import asyncio
import json
from typing import Final

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.types import Message, Receive, Scope, Send

from backend.mcp.exchange import Exchange
from backend.mcp.frames import COMMENT, SSE_HEADERS, event

_EVENT_STREAM: Final = b"text/event-stream"


class EarlyResponse:
    """Passes the SDK's response on; once `flush` was called it is an event stream."""

    def __init__(self, exchange: Exchange, send: Send) -> None:
        self._exchange = exchange
        self._send = send
        self._lock = asyncio.Lock()
        self._started = False
        self._ended = False
        self._wrapping = False
        self._document = b""

    async def flush(self) -> None:
        """Send the headers of an event stream now, with a comment behind them."""
        async with self._lock:
            if not self._started:
                self._started = True
                await self._send(
                    {"type": "http.response.start", "status": 200, "headers": [*SSE_HEADERS]}
                )
                await self._body(COMMENT, more=True)

    async def comment(self) -> None:
        async with self._lock:
            if self._started and not self._ended:
                await self._body(COMMENT, more=True)

    async def send(self, message: Message) -> None:
        """What the SDK sends, changed where the stream has been started already."""
        async with self._lock:
            if message["type"] == "http.response.start":
                await self._start(message)
            else:
                await self._content(message.get("body", b""), more=message.get("more_body", False))

    async def _start(self, message: Message) -> None:
        if self._started:
            content_type = dict(message["headers"]).get(b"content-type", b"")
            self._wrapping = not content_type.startswith(_EVENT_STREAM)
            return
        self._started = True
        if self._exchange.silent:
            message = {"type": "http.response.start", "status": 200, "headers": [*SSE_HEADERS]}
        await self._send(message)

    async def _content(self, body: bytes, *, more: bool) -> None:
        if self._exchange.silent:
            body = b""
        elif self._wrapping:
            self._document += body
            body = b"" if more else event(json.loads(self._document))
        await self._body(body, more=more)

    async def _body(self, body: bytes, *, more: bool) -> None:
        self._ended = self._ended or not more
        if body or not more:
            await self._send({"type": "http.response.body", "body": body, "more_body": more})


class StatelessEra:
    """Serves each POST by itself; the caller's cancel is the end of its connection."""

    def __init__(self, manager: StreamableHTTPSessionManager) -> None:
        self._manager = manager

    async def handle(self, exchange: Exchange, scope: Scope, receive: Receive, send: Send) -> None:
        response = EarlyResponse(exchange, send)
        exchange.flush = response.flush
        exchange.comment = response.comment
        await self._manager.handle_request(scope, receive, response.send)
