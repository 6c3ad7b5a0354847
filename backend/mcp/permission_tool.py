"""The tool that Claude Code asks for permission (`--permission-prompt-tool`, T8.1).

Whatever happens it is answered with an allow or a deny its program can read; a failure is never
an allow, and a denial nobody has decided says so.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from mcp_types import CallToolResult, TextContent

from backend.domain.prompted_call import ASKS_QUESTIONS
from backend.errors import AppError, Conflict, ErrorCode, InvalidInput
from backend.mcp import permission_texts as texts
from backend.mcp import tools, wire
from backend.mcp.callers import Context, caller_of, places
from backend.mcp.exchange import Exchange
from backend.mcp.held_calls import HeldCalls
from backend.mcp.holding import CallEnded, HeldCall
from backend.mcp.permission_wire import prompted_from_wire, reply_to_prompt, reply_to_question
from backend.review.callers import ToolCaller
from backend.review.prompt_answer import PromptAnswer, Prompted
from backend.review.prompt_door import OpenPrompt, PermissionDoor

BEFORE_THE_SHIM: Final = 2.0
"""Seconds before a shim ends the call by itself: what it is answered must be true here as well."""


class PermissionTool:
    """One for all callers: guests, and the agents this desk runs."""

    def __init__(self, calls: HeldCalls, permissions: PermissionDoor) -> None:
        self._calls = calls
        self._permissions = permissions

    async def call(
        self, ctx: Context, exchange: Exchange, arguments: Mapping[str, object]
    ) -> CallToolResult:
        """Raises `CallEnded`: nothing may be written for this call any more."""
        try:
            prompted = prompted_from_wire(arguments)
        except InvalidInput as error:
            return _said(texts.not_decided(texts.NOT_A_PERMISSION.format(reason=error.detail)))
        try:
            if prompted.tool_name == ASKS_QUESTIONS:
                return _said(await self._question(ctx, exchange, prompted))
            return _said(reply_to_prompt(await self._permission(ctx, exchange, prompted)))
        except AppError as error:
            why = texts.NOT_PUT_BEFORE_THEM.format(reason=error.detail)
            return _said(texts.not_decided(why))

    async def _permission(
        self, ctx: Context, exchange: Exchange, prompted: Prompted
    ) -> PromptAnswer:
        asking = caller_of(ctx, exchange)
        caller = ToolCaller(asking.identity, asking.hosted, asking.idempotency_key)
        held = self._held(ctx, exchange, caller)
        with self._calls.live.enter(*places(exchange)):
            await self._calls.begin(held)
            if exchange.shim is not None:
                # Its first event, which says that the call has arrived; there is no ticket.
                await held.progress.beat()
            opened = await self._open(caller, prompted)
            if isinstance(opened, PromptAnswer):
                return opened
            return await _until_decided(held, opened)

    async def _open(self, caller: ToolCaller, prompted: Prompted) -> OpenPrompt | PromptAnswer:
        """Opening goes on when the caller is cancelled; nobody waits for its prompt then."""
        opening = asyncio.ensure_future(self._permissions.open(caller, prompted))
        try:
            return await asyncio.shield(opening)
        except asyncio.CancelledError:
            opening.add_done_callback(_left)
            raise

    async def _question(self, ctx: Context, exchange: Exchange, prompted: Prompted) -> str:
        draft = wire.draft_from_wire(prompted.arguments)
        caller = caller_of(ctx, exchange)
        held = self._held(ctx, exchange, ToolCaller(caller.identity))
        with self._calls.live.enter(*places(exchange)):
            await self._calls.begin(held)
            opened = await self._calls.open(caller, draft)
            result = await self._calls.hold(held, opened)
        if result is None:
            # Unlike a permission it stays open, and its answer can be had by the ticket.
            return texts.denial(tools.waiting_text(opened.ticket))
        return reply_to_question(prompted, result)

    def _held(self, ctx: Context, exchange: Exchange, caller: ToolCaller) -> HeldCall:
        held = self._calls.held(ctx, exchange, caller.identity)
        held.progress.message = texts.PROGRESS_TEXT
        if held.caller_limit is None:
            return held
        return replace(held, limit=max(0.0, held.caller_limit - BEFORE_THE_SHIM))


async def _until_decided(held: HeldCall, opened: OpenPrompt) -> PromptAnswer:
    try:
        answer = await held.hold_on(opened)
    except CallEnded:
        opened.leave()
        raise
    if answer is None and held.asking.draining.is_set():
        opened.leave()
        raise Conflict(ErrorCode.DRAINING, texts.CLOSING)
    if answer is None:
        return opened.expire()
    opened.told(answer)
    return answer


def _left(opening: "asyncio.Future[OpenPrompt | PromptAnswer]") -> None:
    if opening.cancelled() or opening.exception() is not None:
        return
    opened = opening.result()
    if not isinstance(opened, PromptAnswer):
        opened.leave()


def _said(text: str) -> CallToolResult:
    """One text and nothing beside it: Claude Code takes no other form of result here."""
    return CallToolResult(content=[TextContent(text=text)])
