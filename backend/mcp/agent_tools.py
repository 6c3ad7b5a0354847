"""What the agents' tools do when they are called."""

import asyncio
import json
from typing import Any, Final

from mcp.server.context import ServerRequestContext
from mcp_types import CallToolRequestParams, CallToolResult, TextContent
from starlette.requests import Request

from backend.clarification.ask_result import AskResult, AskStatus
from backend.clarification.asking import AskCaller, OpenAsk
from backend.clock import Clock
from backend.domain.clarification import QuestionBundleDraft
from backend.domain.conversation import Connection, GuestIdentity
from backend.domain.validation import shortened
from backend.errors import AppError, Conflict, ErrorCode
from backend.ids import Ticket
from backend.mcp import tools, wire
from backend.mcp.asking_door import AskingDoor
from backend.mcp.exchange import SCOPE_KEY, Exchange
from backend.mcp.holding import CallEnded, HeldCall, LiveCalls, Progress
from backend.mcp.patience import Transport, waiting_limit

Context = ServerRequestContext[Any, Request]

MAX_PER_CONNECTION: Final = 64
MAX_STATELESS: Final = 512
"""Live waiting calls of one token without a session (agents.md, Security)."""
_MAX_NAME: Final = 200


class AgentTools:
    """Answers `tools/call` at the agents' endpoint."""

    def __init__(self, asking: AskingDoor, clock: Clock) -> None:
        self._asking = asking
        self._clock = clock
        self.live = LiveCalls()
        self._opening: set[asyncio.Future[OpenAsk]] = set()

    async def call(self, ctx: Context, params: CallToolRequestParams) -> CallToolResult:
        """Expected failures are tool errors, which a model can read and correct.

        Raises:
            CallEnded: nothing may be written for this call any more.
        """
        exchange = exchange_of(ctx)
        try:
            if params.name in tools.ASK_TOOLS:
                return await self._ask(ctx, exchange, params)
            if params.name == tools.GET_ANSWER:
                return await self._get_answer(ctx, exchange, params.arguments or {})
            if params.name == tools.SEND_NOTE:
                return await self._send_note(ctx, exchange, params.arguments or {})
        except AppError as error:
            return error_result(error.detail)
        return error_result(tools.UNKNOWN_TOOL.format(name=shortened(params.name)))

    async def _ask(
        self, ctx: Context, exchange: Exchange, params: CallToolRequestParams
    ) -> CallToolResult:
        kandev = params.name == tools.ASK_KANDEV
        reserved = tools.KANDEV_RESERVED_IDS if kandev else frozenset[str]()
        draft = wire.draft_from_wire(params.arguments or {}, reserved_ids=reserved)
        caller = caller_of(ctx, exchange)
        held = self._held(ctx, exchange, caller.identity)
        with self.live.enter(*_places(exchange)):
            await self._begin(held)
            opened = await self._open(caller, draft)
            result = await self._hold(held, opened)
        if result is None:
            return structured(wire.waiting_to_wire(opened.ticket))
        return _kandev_result(result) if kandev else structured(wire.result_to_wire(result))

    async def _get_answer(
        self, ctx: Context, exchange: Exchange, arguments: dict[str, Any]
    ) -> CallToolResult:
        ticket = wire.parse(wire.TicketIn, arguments).ticket
        held = self._held(ctx, exchange, caller_of(ctx, exchange).identity)
        with self.live.enter(*_places(exchange)):
            await self._begin(held)
            opened = await self._asking.redeem(Ticket(ticket))
            result = await self._hold(held, opened)
        if result is None:
            return structured(wire.waiting_to_wire(opened.ticket))
        return structured(wire.result_to_wire(result))

    async def _send_note(
        self, ctx: Context, exchange: Exchange, arguments: dict[str, Any]
    ) -> CallToolResult:
        note = wire.parse(wire.NoteIn, arguments)
        await self._asking.note(caller_of(ctx, exchange), note.text)
        return CallToolResult(content=[TextContent(text=tools.SENT)])

    def _held(self, ctx: Context, exchange: Exchange, identity: GuestIdentity) -> HeldCall:
        token = (ctx.meta or {}).get("progress_token")
        if token is None and exchange.shim is not None:
            token = ctx.request_id
        limit = caller_limit = None
        if exchange.shim is None:
            name = identity.client_name
            limit = waiting_limit(name, Transport.HTTP, has_token=token is not None)
        else:
            caller_limit = exchange.shim.patience
        return HeldCall(
            asking=self._asking,
            clock=self._clock,
            exchange=exchange,
            progress=Progress(ctx.session, exchange, ctx.request_id, token),
            started_at=self._clock.monotonic(),
            limit=limit,
            caller_limit=caller_limit,
        )

    async def _begin(self, held: HeldCall) -> None:
        """Headers and a sign of life before the store is asked, however slow it is.

        A shim's first event carries the ticket, so it must wait for it.
        """
        if self._asking.draining.is_set():
            if held.exchange.shim is not None:
                raise CallEnded
            raise Conflict(ErrorCode.DRAINING, tools.DRAINING)
        await held.exchange.flush()
        if held.exchange.shim is None:
            await held.progress.beat()

    async def _open(self, caller: AskCaller, draft: QuestionBundleDraft) -> OpenAsk:
        """Opening goes on when the caller is cancelled; its bundle is then detached at once."""
        opening = asyncio.ensure_future(self._asking.open(caller, draft))
        self._opening.add(opening)
        opening.add_done_callback(self._opening.discard)
        try:
            return await asyncio.shield(opening)
        except asyncio.CancelledError:
            opening.add_done_callback(self._cut_late)
            raise

    def _cut_late(self, opening: asyncio.Future[OpenAsk]) -> None:
        if not opening.cancelled() and opening.exception() is None:
            self._asking.cut(opening.result().pending_id)

    async def _hold(self, held: HeldCall, opened: OpenAsk) -> AskResult | None:
        if held.exchange.shim is not None:
            await held.progress.beat(opened.ticket)
        return await held.hold(opened)


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


def _places(exchange: Exchange) -> tuple[tuple[str, int], ...]:
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


def _kandev_result(result: AskResult) -> CallToolResult:
    payload = wire.kandev_result_to_wire(result)
    if result.status in {AskStatus.UNANSWERED, AskStatus.WITHDRAWN}:
        return CallToolResult(
            content=[TextContent(text=tools.KANDEV_CLOSED)],
            structured_content=payload,
            is_error=True,
        )
    return structured(payload, indent=2)
