"""Calls of agents for tools of other servers: ruled, asked about, run, replayed (T5.4, T5.5)."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from backend.clock import Deadline, sleep
from backend.domain.digest import canonical_json, signed_digest
from backend.domain.policy import PolicyDecision, Risk
from backend.domain.review import Owner
from backend.domain.reviewed_action import ReviewedAction, arguments_digest
from backend.domain.validation import shortened
from backend.errors import Conflict, ErrorCode, InvalidInput, NotFound, TemporarilyUnavailable
from backend.ids import ReviewId, SessionId, TurnId
from backend.review.callers import Locate, ToolCaller
from backend.review.gateway.executing import end_of
from backend.review.gateway.handing import HandOvers
from backend.review.gateway.ports import Tell
from backend.review.gateway.replies import answers, reply_of, reply_to
from backend.review.gateway.results import (
    APPROVED_TIMEOUT,
    SERVER_UNAVAILABLE,
    CallEnd,
    Reply,
    ReplyKind,
    ServerGone,
)
from backend.review.gateway.reviewed_call import OPTIONS, canonical_arguments, reviewed_call
from backend.review.gateway.running import ReviewNews, RunningCalls
from backend.review.gateway.servers import FoundTool, Servers
from backend.review.new_request import NewRequest, Opened
from backend.review.opening import NO_KEY, UNREADABLE, Opening
from backend.review.parts import WRITE_BUDGET, ReviewParts
from backend.store import gateway_calls, reviews
from backend.store.database import Priority, Transaction
from backend.store.gateway_calls import Call

LIFETIME: Final = 3_600.0
"""Seconds a request of this owner lives (tool-review.md)."""
SETTLE_TOGETHER: Final = 0.02
"""Seconds in which calls that end are written down by one commit (architecture.md, The store)."""
TICKET_PREFIX: Final = "call-"
NO_SESSION: Final = "approval_path_missing"
UNASKABLE: Final = frozenset({NO_KEY, UNREADABLE})


@dataclass(frozen=True, slots=True)
class OpenedCall:
    """A call that is written down; its ticket finds it again."""

    invocation_id: str
    tool_name: str
    session_id: SessionId
    review_id: ReviewId | None = None
    refused: Reply | None = None
    """It ended before it began."""
    replayed: bool = False
    """An earlier equal call stands for it."""

    @property
    def ticket(self) -> str:
        return f"{TICKET_PREFIX}{self.invocation_id}"

    @property
    def asks(self) -> bool:
        """Whether it waits for a human, or did."""
        return self.review_id is not None


@dataclass(frozen=True, slots=True)
class _Wanted:
    caller: ToolCaller
    found: FoundTool
    arguments: Mapping[str, object]
    canonical: str

    @property
    def only_reads(self) -> bool:
        """So its server says of the tool; it does no harm twice."""
        return self.found.tool.risk is Risk.READ


@dataclass(frozen=True, slots=True)
class _Ruled:
    new: NewRequest
    opened: Opened | None = None
    earlier: Call | None = None
    """The call that stands for it."""

    @property
    def allowed(self) -> bool:
        return self.opened is not None and self.opened.ruling.decision is PolicyDecision.ALLOW


class GatewayCalls:
    """What the doors offer to agents. Whatever they do, an approved call runs once at most."""

    def __init__(
        self,
        parts: ReviewParts,
        *,
        servers: Servers,
        running: RunningCalls,
        tell: Tell,
        news: ReviewNews,
        locate: Locate,
    ) -> None:
        self._parts = parts
        self._servers = servers
        self._running = running
        self._tell = tell
        self._news = news
        self._locate = locate
        self._opening = Opening(parts)
        self._handing = HandOvers(parts, news)
        self._unsettled: dict[str, CallEnd] = {}
        self._settling: asyncio.Task[None] | None = None

    def knows(self, name: str) -> bool:
        return self._servers.find_tool(name) is not None

    async def open(
        self, caller: ToolCaller, name: str, arguments: Mapping[str, object]
    ) -> OpenedCall:
        """Decide what becomes of it; one that is allowed then runs. It goes on without its caller.

        Raises:
            NotFound: no such tool, or `NO_SESSION`: there is nowhere its human could be asked.
            InvalidInput: the arguments cannot be sent.
            TemporarilyUnavailable: nothing has run; the call may be made again.
        """
        found = self._servers.find_tool(name)
        if found is None:
            raise NotFound(ErrorCode.NOT_FOUND, f"there is no tool {shortened(name)}")
        try:
            canonical = canonical_arguments(arguments)
        except ValueError as error:
            detail = "the arguments cannot be sent: " + str(error)
            raise InvalidInput(ErrorCode.INVALID, detail, field="arguments") from error
        wanted = _Wanted(caller, found, arguments, canonical)
        return await self._parts.supervisor.run_to_end(self._open(wanted), name="open tool call")

    async def redeem(self, caller: ToolCaller, ticket: str) -> OpenedCall:
        """The call of a ticket, for the session that got it and for nobody else.

        Raises:
            NotFound: no such ticket.
        """
        invocation_id = ticket.removeprefix(TICKET_PREFIX)
        async with self._parts.database.writing(self._deadline()) as tx:
            session_id, _ = await self._locate(tx, caller, self._parts.clock.now())
            call = await gateway_calls.find(tx, invocation_id)
        if call is None or call.session_id != session_id:
            raise NotFound(ErrorCode.NOT_FOUND, "no call belongs to this ticket")
        return _of_earlier(call)

    async def reply(self, opened: OpenedCall) -> Reply:
        """How it ended, once it has; cancelling this ends nothing."""
        if opened.refused is not None:
            return opened.refused
        failures = 0
        while True:
            running = self._running.find(opened.invocation_id)
            if running is not None:
                return reply_to(opened.tool_name, await asyncio.shield(running))
            ended = self._running.end(opened.invocation_id)
            if ended is not None and not opened.asks:
                return reply_to(opened.tool_name, ended)
            watched = ReviewId(opened.review_id or opened.invocation_id)
            news = self._news.watch(watched)
            try:
                reply = await self._read(opened)
                if reply is not None:
                    await self._collected(opened)
                    return reply
                await news.wait()
            except TemporarilyUnavailable:
                await self._parts.worker.pause(failures)
                failures += 1
            finally:
                self._news.leave(watched, news)

    async def _read(self, opened: OpenedCall) -> Reply | None:
        async with self._parts.database.reading(self._deadline()) as tx:
            call = await gateway_calls.find(tx, opened.invocation_id)
            asked = None if call is None else call.review_id
            stored = None if asked is None else await reviews.find(tx, asked)
        if call is None:
            server, _, tool = opened.tool_name.partition("__")
            return Reply(ReplyKind.CANCELLED, server, tool, detail="its session was removed")
        kept = self._running.end(opened.invocation_id)
        if stored is None and kept is not None:
            return reply_to(opened.tool_name, kept)
        return reply_of(call, stored, kept)

    async def _collected(self, opened: OpenedCall) -> None:
        invocation_id = opened.invocation_id
        if opened.review_id is not None:
            await self._handing.hand_over(invocation_id, opened.review_id)
            return

        async def mark(tx: Transaction) -> None:
            await gateway_calls.mark_collected(tx, invocation_id, self._parts.clock.now())

        self._parts.supervisor.start(self._parts.write_at_last(mark), name="collect tool call")

    async def _open(self, wanted: _Wanted) -> OpenedCall:
        ruled = await self._write(wanted)
        if ruled.earlier is not None:
            if ruled.earlier.review_id is not None:
                # Its COMMIT may have had no result, and nobody was told of it.
                self._announce(ruled.earlier.review_id)
            return _of_earlier(ruled.earlier)
        if ruled.opened is None:
            raise NotFound(ErrorCode.NOT_FOUND, NO_SESSION)
        self._opening.announce(ruled.opened)
        if ruled.allowed and not wanted.only_reads:
            self._start(wanted, ruled.new)
        return self._opened(wanted, ruled.new, ruled.opened)

    async def _write(self, wanted: _Wanted) -> _Ruled:
        """Rule on it and make that durable; in one trip, for which alone an allowed call waits.

        What nobody heard of may be read again: what only reads runs beside the commit, and its
        result is handed over once there is a row of it. Anything else is durable before it is sent.
        """
        loop = asyncio.get_running_loop()
        written: list[_Ruled] = []

        async def work(tx: Transaction) -> _Ruled:
            written[:] = [await self._rule(tx, wanted)]
            return written[0]

        def begin_reading() -> None:
            if written[0].allowed:
                loop.call_soon_threadsafe(self._start, wanted, written[0].new)

        deadline = self._deadline()
        async with self._parts.database.writing(deadline, priority=Priority.CLAIM) as tx:
            if wanted.only_reads:
                tx.before_commit(begin_reading)
            return await tx.in_place(work, last=True)

    async def _rule(self, tx: Transaction, wanted: _Wanted) -> _Ruled:
        now = self._parts.clock.now()
        try:
            session_id, turn_id = await self._locate(tx, wanted.caller, now)
        except (Conflict, NotFound) as error:
            raise NotFound(ErrorCode.NOT_FOUND, NO_SESSION) from error
        asker = await reviews.find_asker(tx, session_id, turn_id)
        if asker is None:
            raise NotFound(ErrorCode.NOT_FOUND, NO_SESSION)
        new = self._request(wanted, session_id, turn_id)
        workspace = asker.place.workspace_id
        earlier = await self._earlier(tx, workspace, wanted, new.idempotency_key)
        if earlier is not None:
            return _Ruled(new, earlier=earlier)
        return _Ruled(new, await self._opening.open_in(tx, new, asker))

    def _opened(self, wanted: _Wanted, new: NewRequest, opened: Opened) -> OpenedCall:
        name = wanted.found.name
        if opened.review is not None:
            review_id = opened.review.review_id
            self._announce(review_id)
            return OpenedCall(opened.invocation_id, name, new.session_id, review_id)
        if opened.ruling.decision is PolicyDecision.ALLOW:
            return OpenedCall(opened.invocation_id, name, new.session_id)
        server, tool = wanted.found.server.settings.name, wanted.found.tool.name
        by_human = opened.ruling.decision is PolicyDecision.DENY and not _unaskable(opened)
        kind = ReplyKind.DENIED if by_human else ReplyKind.NOT_ASKED
        refused = Reply(kind, server, tool, detail=opened.ruling.reason)
        return OpenedCall(opened.invocation_id, name, new.session_id, refused=refused)

    def _start(self, wanted: _Wanted, new: NewRequest) -> None:
        running = self._parts.supervisor.start(
            self._run(wanted, new.session_id, new.invocation_id), name="run tool call"
        )
        self._running.begin(new.invocation_id, running)

    def _announce(self, review_id: ReviewId) -> None:
        self._parts.supervisor.start(self._tell(review_id), name="announce permission")

    def _request(self, wanted: _Wanted, session_id: SessionId, turn_id: TurnId) -> NewRequest:
        found = wanted.found
        server, tool = found.server.settings, found.tool
        key = self._parts.signing_key
        equal = canonical_json(
            [session_id, server.server_id, tool.name, tool.definition_digest, wanted.canonical]
        )
        return NewRequest(
            session_id=session_id,
            turn_id=turn_id,
            owner=Owner.GATEWAY,
            call=reviewed_call(found, wanted.arguments),
            options=OPTIONS,
            action=ReviewedAction(
                tool_name=found.name,
                risk=tool.risk,
                action_digest=arguments_digest(key, found.name, wanted.arguments),
                server_id=server.server_id,
                server_name=server.name,
                definition_digest=tool.definition_digest,
            ),
            lifetime=LIFETIME,
            idempotency_key=signed_digest(key, equal) if key else None,
            key_of_call=wanted.caller.idempotency_key,
            end_is_told=True,
        )

    async def _earlier(
        self, tx: Transaction, workspace: str, wanted: _Wanted, key: str | None
    ) -> Call | None:
        """The call whose end this one is told: itself, come again, or an equal one (T5.5)."""
        own = wanted.caller.idempotency_key
        for each in (own, key):
            earlier = await gateway_calls.find_by_key(tx, workspace, each) if each else None
            if earlier is None:
                continue
            asked = earlier.review_id
            stored = None if asked is None else await reviews.find(tx, asked)
            if answers(earlier, stored, await self._parts.store_now(tx)):
                return earlier
            await gateway_calls.free_key(tx, earlier.invocation_id)
        return None

    async def _run(self, wanted: _Wanted, session_id: SessionId, invocation_id: str) -> CallEnd:
        """The one call of an attempt nobody is asked about; its end is written down behind it."""
        end = await self._call_once(wanted, session_id)
        self._running.keep(invocation_id, end)
        self._settle(invocation_id, end)
        return end

    async def _call_once(self, wanted: _Wanted, session_id: SessionId) -> CallEnd:
        try:
            connection = await self._servers.connection(wanted.found.server.settings.server_id)
        except ServerGone as error:
            return CallEnd(code=SERVER_UNAVAILABLE, detail=error.detail)
        return await connection.call(
            session_id, wanted.found.tool.name, wanted.arguments, APPROVED_TIMEOUT
        )

    def _settle(self, invocation_id: str, end: CallEnd) -> None:
        """Written behind the call, and together with what ends at the same time."""
        self._unsettled[invocation_id] = end
        if self._settling is None or self._settling.done():
            self._settling = self._parts.supervisor.start(
                self._settle_all(), name="settle tool calls"
            )

    async def _settle_all(self) -> None:
        while self._unsettled:
            await sleep(self._parts.clock, SETTLE_TOGETHER)
            ended = dict(self._unsettled)

            async def settle(tx: Transaction, ended: Mapping[str, CallEnd] = ended) -> None:
                for invocation_id, end in ended.items():
                    call = await gateway_calls.find(tx, invocation_id)
                    if call is not None:
                        now = self._parts.clock.now()
                        await gateway_calls.settle_allowed(tx, call, end_of(end), now)

            await self._parts.write_at_last(settle)
            for invocation_id in ended:
                del self._unsettled[invocation_id]

    def _deadline(self) -> Deadline:
        return Deadline(self._parts.clock, WRITE_BUDGET)


def _of_earlier(call: Call) -> OpenedCall:
    return OpenedCall(
        call.invocation_id, call.tool_name, call.session_id, call.review_id, replayed=True
    )


def _unaskable(opened: Opened) -> bool:
    """Whether it is refused because it cannot be put before anybody."""
    return opened.ruling.reason in UNASKABLE
