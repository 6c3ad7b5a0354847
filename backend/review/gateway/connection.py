"""One live connection to a downstream server, over the SDK's client.

Loading this module takes a second: `loading` does it beside everything else.
"""

import asyncio
import json
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any

from mcp import Client
from mcp.client._transport import TransportStreams
from mcp.client.session import ClientRequestContext, IncomingMessage
from mcp.shared.exceptions import MCPError
from mcp_types import (
    CONNECTION_CLOSED,
    INVALID_REQUEST,
    CallToolResult,
    ElicitRequestFormParams,
    ElicitRequestParams,
    ElicitResult,
    ErrorData,
    Implementation,
    PaginatedRequestParams,
    ToolListChangedNotification,
)
from pydantic import BaseModel, ValidationError

from backend.clock import Clock
from backend.domain.agents import Elicited
from backend.domain.gateway_tools import MAX_TOOLS
from backend.ids import SessionId
from backend.installation import version
from backend.review.gateway.http_streams import Overflow
from backend.review.gateway.patience import CallPatience
from backend.review.gateway.ports import Elicit
from backend.review.gateway.results import (
    CONNECT_TIMEOUT,
    OUTCOME_UNKNOWN,
    RESULT_INVALID,
    RESULT_LIMIT,
    RESULT_TOO_LARGE,
    SERVER_UNAVAILABLE,
    TOOL_FAILED,
    CallEnd,
    ServerGone,
    ToolResult,
)
from backend.review.gateway.stdio import TOO_LARGE

ELICITATION_UNSUPPORTED = "elicitation_not_supported"


class Connection:
    """Implements `OpenConnection`. Its streams live in one task, which is what ends it."""

    def __init__(
        self,
        clock: Clock,
        streams: AbstractAsyncContextManager[TransportStreams],
        elicit: Elicit,
        *,
        on_tools_changed: Callable[[], None],
        on_closed: Callable[[str], None],
        overflow: Overflow,
        gone: asyncio.Event,
    ) -> None:
        """`gone` is set by `streams` when the other end is."""
        self._clock = clock
        self._elicit = elicit
        self._on_tools_changed = on_tools_changed
        self._overflow = overflow
        self._gone = gone
        self._calls: list[CallPatience] = []
        self._closing = asyncio.Event()
        self._ready = asyncio.Event()
        self._tools: tuple[Mapping[str, object], ...] = ()
        self._client: Client = Client(
            streams,
            client_info=Implementation(name="kandesk", version=version()),
            elicitation_callback=self._elicited,
            message_handler=self._heard,
            cache=None,
        )
        self._life: asyncio.Task[None] = asyncio.create_task(self._live(), name="MCP server")
        self._life.add_done_callback(lambda life: on_closed(_why(life)))

    @property
    def tools(self) -> tuple[Mapping[str, object], ...]:
        return self._tools

    @property
    def closed(self) -> bool:
        return self._life.done() or self._closing.is_set() or self._gone.is_set()

    async def opened(self) -> None:
        """Until its tools are read.

        Raises:
            ServerGone: it cannot be reached, or does not speak MCP.
        """
        ready = asyncio.ensure_future(self._ready.wait())
        try:
            await asyncio.wait(
                {ready, self._life},
                timeout=CONNECT_TIMEOUT,
                return_when=asyncio.FIRST_COMPLETED,
            )
        finally:
            ready.cancel()
        if self._ready.is_set() and not self._life.done():
            return
        timed_out = not self._life.done()
        await self.close()
        if timed_out:
            raise ServerGone(f"it did not answer within {CONNECT_TIMEOUT:.0f} s")
        raise ServerGone(_why(self._life))

    async def read_tools(self) -> tuple[Mapping[str, object], ...]:
        """Read them again. Raises `ServerGone`."""
        reading = asyncio.ensure_future(self._read_tools(self._client))
        try:
            await asyncio.wait(
                {reading, self._life},
                timeout=CONNECT_TIMEOUT,
                return_when=asyncio.FIRST_COMPLETED,
            )
        finally:
            in_time = reading.done()
            reading.cancel()
            await asyncio.wait({reading})
        failure = None if not in_time or reading.cancelled() else reading.exception()
        if not in_time or failure is not None:
            raise ServerGone(_line(str(_cause(failure))) if failure else "it does not answer")
        return self._tools

    async def call(
        self, session_id: SessionId, tool: str, arguments: Mapping[str, object], seconds: float
    ) -> CallEnd:
        """Exactly one `tools/call`; it always has one end."""
        if self.closed:
            return CallEnd(code=SERVER_UNAVAILABLE, detail="the server has ended")
        calling = asyncio.ensure_future(self._client.call_tool(tool, dict(arguments)))
        patience = CallPatience(self._clock, session_id, seconds)
        self._calls.append(patience)
        try:
            in_time = await patience.over(calling, self._life)
        finally:
            self._calls.remove(patience)
            calling.cancel()
            await asyncio.wait({calling})
        if not in_time:
            detail = f"it gave no result within {seconds:.0f} s"
            return CallEnd(code=OUTCOME_UNKNOWN, detail=detail)
        return self._end_of(calling)

    async def close(self) -> None:
        """End it and whatever process it has; every open call then has an end."""
        self._closing.set()
        if self._ready.is_set():
            await asyncio.wait({self._life}, timeout=10.0)
        self._life.cancel()
        await asyncio.wait({self._life})

    async def _live(self) -> None:
        async with self._client as client:
            await self._read_tools(client)
            self._ready.set()
            await self._until_over()

    async def _until_over(self) -> None:
        """Whoever ends it: we, or the server, which the SDK tells at the next request only."""
        waits = [asyncio.ensure_future(over.wait()) for over in (self._closing, self._gone)]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()

    async def _read_tools(self, client: Client) -> None:
        found: list[Mapping[str, object]] = []
        cursor: str | None = None
        while True:
            page = await client.session.list_tools(params=PaginatedRequestParams(cursor=cursor))
            found += [_wire(tool) for tool in page.tools]
            cursor = page.next_cursor
            if not cursor or len(found) >= MAX_TOOLS:
                break
        self._tools = tuple(found[:MAX_TOOLS])

    def _end_of(self, calling: "asyncio.Future[CallToolResult]") -> CallEnd:
        failure = asyncio.CancelledError() if calling.cancelled() else calling.exception()
        if failure is None:
            return _read_result(calling.result())
        if isinstance(failure, MCPError) and failure.code != CONNECTION_CLOSED:
            if failure.code == TOO_LARGE or self._overflow.happened:
                self._overflow.happened = False
                return _too_large()
            return CallEnd(code=TOOL_FAILED, detail=_line(failure.message))
        if isinstance(failure, ValidationError):
            detail = "its answer is not a tool's result; the tool may have run"
            return CallEnd(code=RESULT_INVALID, detail=detail)
        if self._overflow.happened:
            self._overflow.happened = False
            return _too_large()
        return CallEnd(code=OUTCOME_UNKNOWN, detail="the server ended before it gave a result")

    async def _heard(self, message: IncomingMessage) -> None:
        if isinstance(message, ToolListChangedNotification):
            self._on_tools_changed()

    async def _elicited(
        self, context: ClientRequestContext, params: ElicitRequestParams
    ) -> ElicitResult | ErrorData:
        """Asked of the human of the one session whose call runs; never of a session guessed."""
        del context
        sessions = {call.session_id for call in self._calls}
        if len(sessions) != 1 or not isinstance(params, ElicitRequestFormParams):
            return ErrorData(code=INVALID_REQUEST, message=ELICITATION_UNSUPPORTED)
        asked = tuple(self._calls)
        for call in asked:
            call.pause()
        try:
            schema: Any = params.requested_schema
            reply = await self._elicit(sessions.pop(), Elicited(params.message, dict(schema)))
        finally:
            for call in asked:
                call.go_on()
        content: dict[str, Any] = dict(reply.content)
        return ElicitResult(action=reply.action.value, content=content or None)


def _wire(model: BaseModel) -> dict[str, Any]:
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


def _read_result(result: CallToolResult) -> CallEnd:
    wire = _wire(result)
    size = len(json.dumps(wire))
    if size > RESULT_LIMIT:
        return _too_large()
    structured = wire.get("structuredContent")
    told = ToolResult(
        content=tuple(wire.get("content", ())),
        structured=structured if isinstance(structured, dict) else None,
        is_error=bool(result.is_error),
    )
    code = TOOL_FAILED if told.is_error else ""
    return CallEnd(told, code, told.summary if told.is_error else "", size)


def _too_large() -> CallEnd:
    limit = RESULT_LIMIT // (1024 * 1024)
    detail = f"the tool has run, but its result is larger than {limit} MB and was not read"
    return CallEnd(code=RESULT_TOO_LARGE, detail=detail)


def _why(life: asyncio.Task[None]) -> str:
    if life.cancelled():
        return "it was stopped"
    return "" if (failure := life.exception()) is None else _line(str(_cause(failure)))


def _cause(failure: BaseException) -> BaseException:
    """What is inside groups of one: the SDK runs in groups of tasks."""
    while isinstance(failure, BaseExceptionGroup) and failure.exceptions:
        failure = failure.exceptions[0]
    return failure


def _line(words: str) -> str:
    return " ".join(words.split())[:500]
