"""A downstream server on the pipes of a process of its own, one JSON-RPC message a line."""

import asyncio
import contextlib
import json
import logging
import re
from collections.abc import AsyncIterator
from typing import Final

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.client._transport import TransportStreams
from mcp.shared.message import SessionMessage
from mcp_types import ErrorData, JSONRPCError, JSONRPCMessage, jsonrpc_message_adapter

from backend.review.gateway.ports import ChildProcess
from backend.review.gateway.results import RESULT_LIMIT

TOO_LARGE: Final = -32_099
"""Our own code for a message that was thrown away unread."""

_CHUNK: Final = 256 * 1024
_EDGE: Final = 512
"""Bytes at either end of a long message in which its id is looked for."""
_ID: Final = re.compile(rb'"id"\s*:\s*(\d{1,18})\s*[,}]')

_log = logging.getLogger(__name__)

Incoming = SessionMessage | Exception


@contextlib.asynccontextmanager
async def stdio_streams(
    process: ChildProcess, gone: asyncio.Event
) -> AsyncIterator[TransportStreams]:
    """The streams of a running server; ends its process. `gone` is set when it speaks no more."""
    to_client, incoming = anyio.create_memory_object_stream[Incoming](0)
    outgoing, to_server = anyio.create_memory_object_stream[SessionMessage](0)
    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_read, process, to_client, gone)
            tasks.start_soon(_write, process, to_server, to_client)
            try:
                yield incoming, outgoing
            finally:
                tasks.cancel_scope.cancel()
    finally:
        for stream in (to_client, incoming, outgoing, to_server):
            stream.close()
        await process.stop()


async def _read(
    process: ChildProcess, to_client: MemoryObjectSendStream[Incoming], gone: asyncio.Event
) -> None:
    lines = _Lines()
    with to_client, contextlib.suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
        while chunk := await _chunk(process.output):
            for line in lines.feed(chunk):
                message = _message(line)
                if message is not None:
                    await to_client.send(SessionMessage(message))
    gone.set()


async def _write(
    process: ChildProcess,
    to_server: MemoryObjectReceiveStream[SessionMessage],
    to_client: MemoryObjectSendStream[Incoming],
) -> None:
    try:
        async for item in to_server:
            text = item.message.model_dump_json(by_alias=True, exclude_unset=True)
            process.input.write(text.encode() + b"\n")
            await process.input.drain()
    except (OSError, RuntimeError):
        # Nobody reads any more: every open call is told that its server is gone.
        to_client.close()


async def _chunk(output: asyncio.StreamReader) -> bytes:
    try:
        return await output.read(_CHUNK)
    except OSError:
        return b""


class _LongLine:
    """The two ends of a line that was thrown away."""

    def __init__(self, head: bytes) -> None:
        self.head = head[:_EDGE]
        self.tail = b""


class _Lines:
    """Whole lines, and of those that are too long the ends."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._long: _LongLine | None = None

    def feed(self, chunk: bytes) -> list[bytes | _LongLine]:
        found: list[bytes | _LongLine] = []
        start = 0
        while (end := chunk.find(b"\n", start)) >= 0:
            self._take(chunk[start:end])
            found.append(self._long or bytes(self._buffer))
            self._buffer.clear()
            self._long = None
            start = end + 1
        self._take(chunk[start:])
        return found

    def _take(self, part: bytes) -> None:
        if self._long is not None:
            self._long.tail = (self._long.tail + part)[-_EDGE:]
            return
        self._buffer += part
        if len(self._buffer) > RESULT_LIMIT:
            self._long = _LongLine(bytes(self._buffer[:_EDGE]))
            self._long.tail = bytes(self._buffer[-_EDGE:])
            self._buffer.clear()


def _message(line: bytes | _LongLine) -> JSONRPCMessage | None:
    """What the line says; None for what is no message, such as a log some servers print."""
    if isinstance(line, _LongLine):
        return _refusal(line)
    if not line.strip():
        return None
    try:
        return jsonrpc_message_adapter.validate_python(json.loads(line), by_name=False)
    except (ValueError, RecursionError):
        _log.info("a server printed what is no message: %r", line[:200])
        return None


def _refusal(line: _LongLine) -> JSONRPCError | None:
    result = line.head.find(b'"result"')
    first = _ID.search(line.head, 0, result if result >= 0 else len(line.head))
    found = first or next(reversed(list(_ID.finditer(line.tail))), None)
    if found is None:
        _log.warning("a server sent a message of more than %d bytes without an id", RESULT_LIMIT)
        return None
    error = ErrorData(code=TOO_LARGE, message="the message is too large")
    return JSONRPCError(jsonrpc="2.0", id=int(found[1]), error=error)
