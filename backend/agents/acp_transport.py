"""Frames over an agent's pipes, under the library's connection.

Updates are handed over here, in order and before the frame behind them is read: when the answer
to a prompt is seen, every update before it was heard.
"""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable
from typing import Any, Final

from backend.agents.frames import (
    MAX_FRAME,
    FrameBuffer,
    FrameTooLong,
    JsonMap,
    NoFrame,
    parse_frame,
    storable,
)
from backend.agents.process import AgentProcess

_log = logging.getLogger(__name__)

_CHUNK: Final = 64 * 1024
_TURN_SECONDS: Final = 0.004
"""How long one agent's frames are worked on before everybody else gets a turn."""
_SHOWN: Final = 200


class AskedParams(dict[str, object]):
    """Parameters of an agent's request, which carry its id past the library."""

    def __init__(self, request_id: object, params: object) -> None:
        super().__init__(params if isinstance(params, dict) else {})
        self.request_id = request_id


class AcpTransport:
    """Implements the library's `Transport`; ends at the end of output and at a refused frame."""

    def __init__(
        self,
        process: AgentProcess,
        on_notice: Callable[[str, JsonMap], None],
        room: Callable[[], Awaitable[None]],
        on_noise: Callable[[str], None],
    ) -> None:
        """`on_notice` gets each notification: its method and its parameters; `on_noise` the
        beginning of each line that is no message.

        `room` is awaited before more is read, so that an agent's pipe fills instead of the desk.
        """
        self._process = process
        self._room = room
        self._on_notice = on_notice
        self._on_noise = on_noise
        self._buffer = FrameBuffer()
        self._watched: dict[int, asyncio.Future[None]] = {}
        self._turn_began = 0.0
        self._ended = False
        self.ended = asyncio.Event()
        self.frames = 0
        self.noise = ""
        """The first line that was no frame."""
        self.refused = ""
        """Why the agent is listened to no more; empty while it is."""

    def watch(self, params: object) -> "asyncio.Future[None]":
        """Done once the pipe has taken the whole request with these very parameters."""
        taken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._watched[id(params)] = taken
        taken.add_done_callback(lambda _: self._watched.pop(id(params), None))
        return taken

    async def send(self, message: dict[str, Any]) -> None:
        """Write one frame, whole.

        Raises:
            ConnectionError: the pipe did not take all of it; an answer nobody waits for is let go.
        """
        data = json.dumps(message, separators=(",", ":")).encode() + b"\n"
        try:
            if self._process.gone or self._process.input.is_closing():
                raise ConnectionResetError
            self._process.input.write(data)
            await self._process.input.drain()
        except ConnectionError:
            if "method" in message:
                raise
            return
        taken = self._watched.get(id(message.get("params")))
        if taken is not None and not taken.done():
            taken.set_result(None)

    async def receive(self) -> dict[str, Any] | None:
        """The next request or response; None when nothing more comes.

        A defect in reading ends it too: an agent nobody listens to is not one that works.
        """
        try:
            return await self._next()
        except BaseException:
            self._ended = True
            self.ended.set()
            raise

    async def _next(self) -> dict[str, Any] | None:
        while not self._ended:
            line = self._buffer.next_line()
            if line is None:
                await self._read_more()
                continue
            await self._let_others()
            frame = self._frame(line)
            if frame is not None:
                return frame
        self.ended.set()
        return None

    async def close(self) -> None:
        self._ended = True

    async def _read_more(self) -> None:
        await self._room()
        data = await self._process.output.read(_CHUNK)
        self._turn_began = asyncio.get_running_loop().time()
        if not data:
            # An end without a line end may still be a whole frame.
            data = self._buffer.rest() + b"\n"
            self._ended = data == b"\n"
        try:
            self._buffer.feed(data)
        except FrameTooLong:
            self.refused = f"it sent a frame of more than {MAX_FRAME // 1024 // 1024} MiB"
            self._ended = True

    async def _let_others(self) -> None:
        loop = asyncio.get_running_loop()
        if loop.time() - self._turn_began > _TURN_SECONDS:
            # The window's thread is among the others: it is to have as much of the interpreter.
            await asyncio.sleep(_TURN_SECONDS)
            self._turn_began = loop.time()

    def _frame(self, line: bytes) -> JsonMap | None:
        """A frame for the library, which takes only well-formed ones."""
        try:
            frame = parse_frame(line)
        except NoFrame:
            self._count_noise(line)
            return None
        method, has_id = frame.get("method"), "id" in frame
        if has_id and not _is_id(frame["id"]):
            self._count_noise(line)
            return None
        if not isinstance(method, str):
            if not has_id or not ("result" in frame or "error" in frame):
                self._count_noise(line)
                return None
            self.frames += 1
            return _response(frame)
        self.frames += 1
        params = frame.get("params")
        if has_id:
            return {**frame, "params": AskedParams(frame["id"], params)}
        self._on_notice(method, params if isinstance(params, dict) else {})
        return None

    def _count_noise(self, line: bytes) -> None:
        shown = storable(line[:_SHOWN].decode("utf-8", "replace"))
        if not self.noise:
            self.noise = shown
            pid = self._process.mark.pid
            _log.warning("agent %s wrote a line that is no message: %r", pid, self.noise)
        self._on_noise(shown)


def _is_id(value: object) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool)


def _response(frame: JsonMap) -> JsonMap:
    error = frame.get("error")
    if error is None:
        return {"id": frame["id"], "result": frame.get("result")}
    told = error if isinstance(error, dict) else {"message": str(error)}
    code, message = told.get("code"), told.get("message")
    return {
        "id": frame["id"],
        "error": {
            "code": code if isinstance(code, int) else -32603,
            "message": message if isinstance(message, str) else "an error without words",
            "data": told.get("data"),
        },
    }
