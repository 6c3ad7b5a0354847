"""The handshake era at the endpoint: which session a request belongs to, and its answer."""

import contextlib
import json
from collections import OrderedDict
from collections.abc import AsyncIterator
from typing import Any, Final

import anyio
from anyio.abc import TaskGroup
from mcp.server.lowlevel.server import Server
from mcp.shared.message import ServerMessageMetadata, SessionMessage
from mcp_types import (
    INTERNAL_ERROR,
    INVALID_REQUEST,
    PARSE_ERROR,
    JSONRPCMessage,
    JSONRPCRequest,
    JSONRPCResponse,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from backend.mcp.exchange import Exchange
from backend.mcp.frames import SSE_HEADERS
from backend.mcp.replies import Headers, accepts, reply_error, reply_json
from backend.mcp.sessions import HandshakeSession

SESSION_HEADER: Final = "mcp-session-id"
LAST_EVENT_HEADER: Final = "last-event-id"
MAX_SESSIONS: Final = 1_000


class HandshakeEra:
    """Opens, finds and ends sessions. A standalone GET stream is not offered: nothing is ever
    sent outside a request, and an open stream would wake a quiet desk.
    """

    def __init__(self, server: Server[Any], *, tools_change: bool = False) -> None:
        self._server = server
        self._tools_change = tools_change
        self._sessions: OrderedDict[str, HandshakeSession] = OrderedDict()
        self._tasks: TaskGroup | None = None

    @contextlib.asynccontextmanager
    async def run(self) -> AsyncIterator[None]:
        """Serve for the time of the block; its end ends every session."""
        async with anyio.create_task_group() as tasks:
            self._tasks = tasks
            try:
                yield
            finally:
                for session in tuple(self._sessions.values()):
                    session.close()
                self._tasks = None
                tasks.cancel_scope.cancel()

    async def handle(self, exchange: Exchange, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        session_id = request.headers.get(SESSION_HEADER)
        session = None
        if session_id is not None:
            session = self._sessions.get(session_id)
            if session is None or session.closed or not session.belongs_to(exchange):
                await reply_error(send, 404, INVALID_REQUEST, "Session not found")
                return
            self._sessions.move_to_end(session.id)
            exchange.session_id = session.id
        match request.method:
            case "POST":
                await self._post(request, exchange, session, send)
            case "GET" if session is not None and LAST_EVENT_HEADER in request.headers:
                await _resume(request, session, send)
            case "DELETE" if session is not None:
                self._sessions.pop(session.id, None)
                session.close()
                await reply_json(send, 200, None)
            case "DELETE":
                await reply_error(send, 400, INVALID_REQUEST, "Missing session ID")
            case _:
                allow = ((b"allow", b"POST, DELETE"),)
                await reply_error(send, 405, INVALID_REQUEST, "Method not allowed", headers=allow)

    async def _post(
        self, request: Request, exchange: Exchange, session: HandshakeSession | None, send: Send
    ) -> None:
        if not accepts(request.headers.get("accept", ""), "application/json", "text/event-stream"):
            text = "Client must accept both application/json and text/event-stream"
            await reply_error(send, 406, INVALID_REQUEST, text)
            return
        message = await read_message(request, send)
        if message is None:
            return
        if session is None:
            if isinstance(message, JSONRPCRequest) and message.method == "initialize":
                await self._initialize(request, exchange, message, send)
            else:
                await reply_error(send, 400, INVALID_REQUEST, "Missing session ID")
            return
        metadata = ServerMessageMetadata(request_context=request, can_send_request=False)
        if not isinstance(message, JSONRPCRequest):
            await session.feed(SessionMessage(message, metadata))
            await reply_json(send, 202, None)
            return
        if session.answers(str(message.id)):
            # Without the id: the reply must not pass for the one the open request waits for.
            await reply_error(send, 400, INVALID_REQUEST, "A request with this id is open")
            return
        stream = session.open_stream(str(message.id), exchange)
        metadata.on_request_unanswered = stream.end_unanswered
        try:
            await session.feed(SessionMessage(message, metadata))
            await stream.serve(request.receive, send, _stream_headers(session))
        finally:
            session.settle_stream(str(message.id), stream)

    async def _initialize(
        self, request: Request, exchange: Exchange, message: JSONRPCRequest, send: Send
    ) -> None:
        """A session exists only after its handshake succeeded."""
        if self._tasks is None or not self._make_room():
            await reply_error(
                send, 503, INTERNAL_ERROR, "Too many open sessions", request_id=message.id
            )
            return
        session = HandshakeSession(exchange, _client_name(message))
        exchange.session_id = session.id
        self._sessions[session.id] = session
        self._tasks.start_soon(self._run, session)
        stream = session.open_stream(str(message.id), exchange)
        metadata = ServerMessageMetadata(request_context=request, can_send_request=False)
        await session.feed(SessionMessage(message, metadata))
        while not stream.ended:
            await stream.news.wait()
        if not isinstance(stream.result, JSONRPCResponse):
            self._sessions.pop(session.id, None)
            session.close()
            refused = stream.result
            body = refused.model_dump(by_alias=True, exclude_unset=True) if refused else None
            await reply_json(send, 400, body)
            return
        await stream.serve(request.receive, send, _stream_headers(session))
        session.settle_stream(str(message.id), stream)

    async def _run(self, session: HandshakeSession) -> None:
        try:
            await session.run(self._server, tools_change=self._tools_change)
        finally:
            session.close()
            self._sessions.pop(session.id, None)

    def _make_room(self) -> bool:
        """Whether one more session fits, after the longest unused idle one is dropped."""
        if len(self._sessions) < MAX_SESSIONS:
            return True
        idle = next((found for found in self._sessions.values() if not found.busy), None)
        if idle is None:
            return False
        self._sessions.pop(idle.id)
        idle.close()
        return True


async def read_message(request: Request, send: Send) -> JSONRPCMessage | None:
    """The JSON-RPC message of a POST; None when an error has been sent instead."""
    if not request.headers.get("content-type", "").lower().startswith("application/json"):
        await reply_error(send, 415, INVALID_REQUEST, "Content-Type must be application/json")
        return None
    try:
        decoded = json.loads((await request.body()).decode("utf-8"))
    except (ValueError, RecursionError):
        await reply_error(send, 400, PARSE_ERROR, "Parse error")
        return None
    try:
        return jsonrpc_message_adapter.validate_python(decoded, by_name=False)
    except ValidationError:
        found = decoded.get("id") if isinstance(decoded, dict) else None
        text = "The body must be one JSON-RPC message"
        await reply_error(send, 400, INVALID_REQUEST, text, request_id=found)
        return None


async def _resume(request: Request, session: HandshakeSession, send: Send) -> None:
    found = session.find_stream(request.headers[LAST_EVENT_HEADER])
    if found is None:
        await reply_error(send, 400, INVALID_REQUEST, "No stream has this event")
        return
    stream, after = found
    await stream.serve(request.receive, send, _stream_headers(session), after)


def _stream_headers(session: HandshakeSession) -> Headers:
    return (*SSE_HEADERS, (SESSION_HEADER.encode(), session.id.encode()))


def _client_name(message: JSONRPCRequest) -> str:
    info = (message.params or {}).get("clientInfo")
    name = info.get("name") if isinstance(info, dict) else None
    return name if isinstance(name, str) else ""
