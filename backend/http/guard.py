"""The one gate in front of everything: Host, Origin, token, role, size, in this order.

Nothing is parsed, routed or read before the checks that come first (product.md, P12).
"""

import asyncio
import contextlib
import re
from collections.abc import Callable
from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from backend.http.auth import Tokens, may_call
from backend.http.replies import send_json
from backend.mcp.exchange import MAX_BODY, SCOPE_KEY, Exchange, read_shim

_HOST: Final = re.compile(rb"(?:127\.0\.0\.1|localhost)(?::\d{1,5})?", re.IGNORECASE)
_BODY_SECONDS: Final = 30.0
_LINGER_SECONDS: Final = 1.0
_LINGER_BYTES: Final = 4 * MAX_BODY


class Guard:
    """Admits a request with the role of its token, or refuses it with the first reason."""

    def __init__(
        self,
        app: ASGIApp,
        tokens: Tokens,
        port: Callable[[], int],
        on_request: Callable[[], None] | None = None,
    ) -> None:
        self._app = app
        self._tokens = tokens
        self._port = port
        self._on_request = on_request

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        refusal = self._refusal(scope)
        if refusal is None and _declared_size(scope) > MAX_BODY:
            refusal = (413, "request body too large")
        if refusal is not None:
            await _refuse(receive, send, *refusal)
            return
        try:
            async with asyncio.timeout(_BODY_SECONDS):
                body = await _read_body(receive)
        except TimeoutError:
            await _refuse(receive, send, 408, "request body too slow")
            return
        if body is None:
            await _refuse(receive, send, 413, "request body too large")
            return
        if self._on_request is not None:
            self._on_request()
        await self._app(scope, _replay(body, receive), send)

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        headers: list[tuple[bytes, bytes]] = scope["headers"]
        hosts = [value for name, value in headers if name == b"host"]
        if len(hosts) != 1 or not _HOST.fullmatch(hosts[0]):
            return 421, "wrong host"
        if any(name == b"origin" and not self._is_own(value) for name, value in headers):
            return 403, "foreign origin"
        caller = self._tokens.caller_of(
            value for name, value in headers if name == b"authorization"
        )
        if caller is None:
            return 401, "a valid token is needed"
        if not may_call(caller.role, scope["path"]):
            return 403, "this token may not do that"
        named = {name.decode("latin-1"): value.decode("latin-1") for name, value in headers}
        scope[SCOPE_KEY] = Exchange(caller.role, shim=read_shim(named), hosted=caller.hosted)
        return None

    def _is_own(self, origin: bytes) -> bool:
        port = self._port()
        return origin in {f"http://{host}:{port}".encode() for host in ("127.0.0.1", "localhost")}


def _declared_size(scope: Scope) -> int:
    sizes = [value for name, value in scope["headers"] if name == b"content-length"]
    return max((int(size) for size in sizes if size.isdigit()), default=0)


async def _read_body(receive: Receive) -> bytes | None:
    """The whole body, or None as soon as it is larger than allowed."""
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return bytes(body)
        body += message.get("body", b"")
        if len(body) > MAX_BODY:
            return None
        if not message.get("more_body", False):
            return bytes(body)


def _replay(body: bytes, receive: Receive) -> Receive:
    """Hand the body out once, then whatever the connection says."""
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replayed() -> Message:
        return waiting.pop() if waiting else await receive()

    return replayed


async def _refuse(receive: Receive, send: Send, status: int, error: str) -> None:
    """Refuse and close; what the caller still sends is read for a moment, unlooked at, so that
    the refusal is not lost in a connection reset.
    """
    headers = [(b"connection", b"close")]
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await send_json(send, status, {"error": error}, headers, more_body=True)
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_LINGER_SECONDS):
            await _discard(receive)
    await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _discard(receive: Receive) -> None:
    read = 0
    while read < _LINGER_BYTES:
        message = await receive()
        read += len(message.get("body", b""))
        if message["type"] == "http.disconnect" or not message.get("more_body", False):
            return
