"""Approved calls: claimed, checked again, run exactly once, settled under the claim (T5.2)."""

from dataclasses import replace

from backend.domain.conversation import TERMINAL_STATES
from backend.domain.digest import same_digest, signed_digest
from backend.domain.policy import PolicyDecision
from backend.ids import ReviewId, new_id
from backend.review.gateway.ports import Tell
from backend.review.gateway.results import (
    APPROVED_TIMEOUT,
    OUTCOME_UNKNOWN,
    SERVER_UNAVAILABLE,
    CallEnd,
    ServerGone,
)
from backend.review.gateway.reviewed_call import arguments_of, is_of
from backend.review.gateway.running import ReviewNews, RunningCalls
from backend.review.gateway.servers import Servers
from backend.review.parts import ReviewParts
from backend.review.ruling import rule_call
from backend.store import gateway_calls, reviews, sessions
from backend.store.database import Transaction
from backend.store.gateway_calls import EXPIRED, SESSION_ENDED, Call, End
from backend.store.locks import lock_sessions
from backend.store.reviews import Stored

TARGET_CHANGED = "approved_tool_target_changed"
INVALIDATED = "signed_arguments_invalid"
DENIED_SINCE = "denied_by_policy"
DESK_ENDED = "the desk ended before it gave a result"


class Executing:
    """Whoever gets the claim makes the call; nobody else ever does."""

    def __init__(
        self,
        parts: ReviewParts,
        servers: Servers,
        running: RunningCalls,
        tell: Tell,
        news: ReviewNews,
    ) -> None:
        self._parts = parts
        self._servers = servers
        self._running = running
        self._tell = tell
        self._news = news
        self._under_way: set[ReviewId] = set()

    def __contains__(self, review_id: object) -> bool:
        return review_id in self._under_way

    def start(self, review_id: ReviewId) -> None:
        """Carry out what was approved, in the background; once, however often it is told."""
        if review_id not in self._under_way:
            self._under_way.add(review_id)
            self._parts.supervisor.start(self._run(review_id), name="run approved call")

    async def _run(self, review_id: ReviewId) -> None:
        try:
            await self._carry_out(review_id)
        finally:
            self._under_way.discard(review_id)
            self._news.tell(review_id)

    async def _carry_out(self, review_id: ReviewId) -> None:
        async def find(tx: Transaction) -> Call | None:
            return await gateway_calls.find_by_request(tx, review_id)

        call = await self._parts.write_at_last(find)
        if call is None:
            return
        gone = ""
        try:
            # Before the claim: what cannot be reached was never begun.
            await self._servers.connection(call.server_id)
        except ServerGone as error:
            gone = error.detail
        token = new_id()

        async def claim(tx: Transaction) -> tuple[Stored, Call] | None:
            return await self._claim(tx, review_id, token, gone)

        claimed = await self._parts.write_at_last(claim)
        if claimed is None:
            await self._tell(review_id)
            return
        stored, call = claimed
        await self._tell(review_id)
        end = await self._call_once(stored, call)
        self._running.keep(call.invocation_id, end)
        await self._settle(stored, call, end, token)
        await self._tell(review_id)

    async def _claim(
        self, tx: Transaction, review_id: ReviewId, token: str, gone: str
    ) -> tuple[Stored, Call] | None:
        """The claim, unless something it was approved for is no longer so."""
        seen = await reviews.find(tx, review_id)
        if seen is None:
            return None
        await lock_sessions(tx, [seen.review.session_id])
        stored = await reviews.find(tx, review_id)
        call = await gateway_calls.find_by_request(tx, review_id)
        if stored is None or call is None or stored.status != "approved":
            return None
        now = self._parts.clock.now()
        refusal = await self._refusal(tx, stored, call, gone)
        if refusal is not None:
            await gateway_calls.fail_approved(tx, stored, call, refusal, now)
            return None
        if not await gateway_calls.claim(tx, stored, token, now):
            return None
        return stored, replace(call, status="executing")

    async def _refusal(self, tx: Transaction, stored: Stored, call: Call, gone: str) -> End | None:
        """Why it may not run any more; the session and the deadline come first (T5.2)."""
        summary = await sessions.get_summary(tx, call.session_id)
        if summary is None or summary.state in TERMINAL_STATES:
            return End(SESSION_ENDED, "the session has ended")
        if call.expires_at is None or call.expires_at <= await self._parts.store_now(tx):
            return End(EXPIRED, "the approval has expired")
        digest = signed_digest(self._parts.signing_key, stored.signed)
        if not self._parts.signing_key or not same_digest(digest, stored.digest):
            return End(INVALIDATED, "the reviewed call is not what was signed")
        if not is_of(stored.signed, call.server_id, call.definition_digest):
            return End(INVALIDATED, "the reviewed call is of another tool")
        found = self._servers.find_reviewed(call.server_id, call.tool_name.partition("__")[2])
        if found is None or found.tool.definition_digest != call.definition_digest:
            return End(TARGET_CHANGED, "the tool is gone, or is defined otherwise by now")
        ruled = await rule_call(
            tx, stored.facts, self._parts.default_policy, self._parts.clock.now()
        )
        if ruled.ruling.decision is PolicyDecision.DENY:
            return End(DENIED_SINCE, "it was denied since")
        return End(SERVER_UNAVAILABLE, gone) if gone else None

    async def _call_once(self, stored: Stored, call: Call) -> CallEnd:
        """The one call, with the arguments that were reviewed."""
        tool = call.tool_name.partition("__")[2]
        arguments = arguments_of(stored.signed)
        try:
            connection = await self._servers.connection(call.server_id)
        except ServerGone as error:
            return CallEnd(code=SERVER_UNAVAILABLE, detail=error.detail)
        return await connection.call(call.session_id, tool, arguments, APPROVED_TIMEOUT)

    async def _settle(self, stored: Stored, call: Call, end: CallEnd, token: str) -> None:
        async def settle(tx: Transaction) -> None:
            await lock_sessions(tx, [call.session_id])
            await gateway_calls.settle(
                tx, stored, call, end_of(end), token, self._parts.clock.now()
            )

        await self._parts.write_at_last(settle)


def end_of(end: CallEnd) -> End:
    """What is stored of it."""
    summary = "" if end.result is None else end.result.summary
    return End(end.code, end.detail, summary, end.size)


UNKNOWN_END = End(OUTCOME_UNKNOWN, DESK_ENDED)
EXPIRED_END = End(EXPIRED, "the approval has expired")
