"""Who calls a tool, what its connection allows, and results in the shape every tool returns."""

import json
from typing import Any, Final

from mcp.server.context import ServerRequestContext
from mcp_types import CallToolResult, TextContent
from starlette.requests import Request

from backend.clarification.asking import AskCaller
from backend.domain.conversation import Connection, GuestIdentity
from backend.mcp import wire
from backend.mcp.exchange import SCOPE_KEY, Exchange

Context = ServerRequestContext[Any, Request]

MAX_PER_CONNECTION: Final = 64
MAX_STATELESS: Final = 512
"""Live waiting calls of one token without a session (agents.md, Security)."""
_MAX_NAME: Final = 200


def exchange_of(ctx: Context) -> Exchange:
    """The request behind a tool call; every transport of ours puts it there."""
    if ctx.request is None:
        message = "a tool call without a request"
        raise RuntimeError(message)
    exchange = ctx.request.scope[SCOPE_KEY]
    if not isinstance(exchange, Exchange):
        message = "a request without an exchange"
        raise TypeError(message)
    return exchange


def caller_of(ctx: Context, exchange: Exchange) -> AskCaller:
    """Who calls, from what the connection proves; names are the client's own claim."""
    shim = exchange.shim
    if shim is not None:
        # What the shim of a hosted agent proves of itself adds nothing to the session's secret.
        identity = GuestIdentity(
            connection=Connection.SHIM,
            key=f"{shim.instance}|{shim.folder}",
            client_name=_name(shim.client_name),
            client_version=_name(shim.client_version),
            folder=shim.folder,
            git_root=shim.git_root,
        )
        # One shim serves one client's session, whatever it is on the way to the desk.
        return AskCaller(identity, shim.instance, shim.idempotency_key, exchange.hosted)
    params = ctx.session.client_params
    name = _name(params.client_info.name) if params is not None else ""
    version = _name(params.client_info.version) if params is not None else ""
    if exchange.session_id:
        identity = GuestIdentity(Connection.HTTP_SESSION, exchange.session_id, name, version)
        return AskCaller(identity, exchange.session_id, hosted=exchange.hosted)
    key = f"{exchange.role.value}|{name}"
    identity = GuestIdentity(Connection.STATELESS, key, name, version)
    return AskCaller(identity, hosted=exchange.hosted)


def _name(text: str) -> str:
    """A client's name as it can be stored and shown."""
    clean = text.encode("utf-8", "replace").decode().replace("\0", "\ufffd")
    return clean.strip()[:_MAX_NAME]


def places(exchange: Exchange) -> tuple[tuple[str, int], ...]:
    if exchange.session_id:
        return ((f"session|{exchange.session_id}", MAX_PER_CONNECTION),)
    token = exchange.hosted or exchange.role.value
    stateless = (f"stateless|{token}", MAX_STATELESS)
    if exchange.shim is None:
        return (stateless,)
    return ((f"shim|{exchange.shim.instance}", MAX_PER_CONNECTION), stateless)


def structured(payload: wire.Wire, *, indent: int | None = None) -> CallToolResult:
    """The payload as structured content and as the same JSON in text."""
    text = json.dumps(payload, ensure_ascii=False, indent=indent)
    return CallToolResult(content=[TextContent(text=text)], structured_content=payload)


def error_result(text: str) -> CallToolResult:
    """A tool error in words, with nothing in it that cannot be sent."""
    clean = text.encode("utf-8", "replace").decode()
    return CallToolResult(content=[TextContent(text=clean)], is_error=True)
