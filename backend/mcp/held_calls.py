"""How a tool call begins, asks and is held open; one for all tools of an endpoint."""

import asyncio

from backend.clarification.ask_result import AskResult
from backend.clarification.asking import AskCaller, OpenAsk
from backend.clock import Clock
from backend.domain.clarification import QuestionBundleDraft
from backend.domain.conversation import GuestIdentity
from backend.errors import Conflict, ErrorCode
from backend.mcp import tools
from backend.mcp.asking_door import AskingDoor
from backend.mcp.callers import Context
from backend.mcp.exchange import Exchange
from backend.mcp.holding import CallEnded, HeldCall, LiveCalls, Progress
from backend.mcp.patience import Transport, waiting_limit


class HeldCalls:
    """Counts what waits, and knows how long each client does."""

    def __init__(self, asking: AskingDoor, clock: Clock) -> None:
        self._asking = asking
        self._clock = clock
        self.live = LiveCalls()
        self._opening: set[asyncio.Future[OpenAsk]] = set()

    def held(self, ctx: Context, exchange: Exchange, identity: GuestIdentity) -> HeldCall:
        """The call with the limits of its client."""
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

    async def begin(self, held: HeldCall) -> None:
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

    async def open(self, caller: AskCaller, draft: QuestionBundleDraft) -> OpenAsk:
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

    async def hold(self, held: HeldCall, opened: OpenAsk) -> AskResult | None:
        """As `HeldCall.hold`."""
        if held.exchange.shim is not None:
            await held.progress.beat(opened.ticket)
        return await held.hold(opened)
