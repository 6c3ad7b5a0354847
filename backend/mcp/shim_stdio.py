"""JSON-RPC lines on the shim's own standard input and output: bytes in, bytes out, UTF-8 always."""

import json
import os
import sys
import threading
from collections.abc import Callable, Iterator

MAX_LINE = 64 * 1024 * 1024
"""Bytes; a longer line is thrown away unread, so its request id is never known."""

_CHUNK = 1 << 16

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
UNSUPPORTED_VERSION = -32022

Json = dict[str, object]
RequestId = str | int


class Malformed(Exception):
    """A line that is no JSON-RPC message; `request_id` where it could still be read."""

    def __init__(self, code: int, detail: str, request_id: RequestId | None = None) -> None:
        super().__init__(detail)
        self.code = code
        self.request_id = request_id


class Output:
    """One JSON-RPC message per line, whole, from any thread."""

    def __init__(self, descriptor: int, on_gone: Callable[[], None]) -> None:
        """`on_gone` is called, perhaps more than once, when nobody reads any more."""
        self._descriptor = descriptor
        self._on_gone = on_gone
        self._lock = threading.Lock()

    def send(self, message: Json) -> None:
        line = _encode(message) + b"\n"
        with self._lock:
            view = memoryview(line)
            try:
                while view:
                    view = view[os.write(self._descriptor, view) :]
            except OSError:
                self._on_gone()

    def result(self, request_id: RequestId, result: Json) -> None:
        self.send({"jsonrpc": "2.0", "id": request_id, "result": result})

    def error(
        self, request_id: RequestId | None, code: int, message: str, data: Json | None = None
    ) -> None:
        error: Json = {"code": code, "message": message}
        if data is not None:
            error["data"] = data
        self.send({"jsonrpc": "2.0", "id": request_id, "error": error})


def claim_stdio() -> tuple[int, int]:
    """Take input and output for JSON-RPC alone; whatever else prints goes to stderr."""
    source = os.dup(sys.stdin.fileno() if sys.stdin else 0)
    target = os.dup(sys.stdout.fileno() if sys.stdout else 1)
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(sys.stderr.fileno() if sys.stderr else nowhere, 1)
    os.close(nowhere)
    return source, target


def read_lines(descriptor: int) -> Iterator[bytes | None]:
    """Each line without its end; None for one that is too long. Ends with the input."""
    buffer = bytearray()
    overlong = False
    while chunk := _read(descriptor):
        start = 0
        while (end := chunk.find(b"\n", start)) >= 0:
            buffer += chunk[start:end]
            yield None if overlong else bytes(buffer)
            buffer.clear()
            overlong = False
            start = end + 1
        buffer += chunk[start:]
        if len(buffer) > MAX_LINE:
            overlong = True
            buffer.clear()
    if buffer and not overlong:
        yield bytes(buffer)


def parse_line(line: bytes) -> Json:
    """One JSON-RPC 2.0 object with a usable `id`, if it has one.

    Raises:
        Malformed: what to tell the client, and for which request.
    """
    try:
        found = json.loads(line.decode("utf-8"), parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise Malformed(PARSE_ERROR, f"not JSON: {error}"[:300]) from error
    if not isinstance(found, dict):
        raise Malformed(INVALID_REQUEST, "a message is one JSON object; batches are not accepted")
    request_id = found.get("id")
    if "id" in found and (isinstance(request_id, bool) or not isinstance(request_id, str | int)):
        raise Malformed(INVALID_REQUEST, "id must be a string or an integer")
    if found.get("jsonrpc") != "2.0":
        raise Malformed(INVALID_REQUEST, 'jsonrpc must be "2.0"', request_id)
    return found


def lone_surrogate(value: object) -> bool:
    """Whether some text in `value` cannot be written as UTF-8."""
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        return True
    return False


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, _CHUNK)
    except OSError:
        return b""


def _encode(message: Json) -> bytes:
    try:
        return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
    except UnicodeEncodeError:
        return json.dumps(message, separators=(",", ":")).encode("ascii")


def _refuse_constant(name: str) -> object:
    message = f"{name} is not JSON"
    raise ValueError(message)
