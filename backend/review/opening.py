"""A call of an agent that needs a permission: decided by rule, or put before its human."""

import logging
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from backend.clock import Nanoseconds
from backend.domain.agents import ToolCallChange
from backend.domain.digest import canonical_json, signed_digest
from backend.domain.permission_answer import declining, once
from backend.domain.policy import (
    CallFacts,
    PolicyDecision,
    Ruling,
    decline_scopes_offered,
    scopes_offered,
)
from backend.domain.review import Review, ReviewStatus
from backend.events import RuleChanged
from backend.ids import MessageId
from backend.review.expiry import expire_if_over
from backend.review.new_request import NewRequest, Opened
from backend.review.parts import ReviewParts
from backend.review.ruling import Ruled, count_hit, rule_call
from backend.store import messages, reviews
from backend.store.database import Transaction
from backend.store.locks import lock_sessions
from backend.store.review_rows import PERMISSION, canonical_call, card_metadata, preview

NO_OPTIONS: Final = "permission_option_unavailable"
NO_KEY: Final = "signing_secret_unconfigured"
UNREADABLE: Final = "arguments_unreadable"
OWN_TOOL: Final = "own_tool"

_log = logging.getLogger(__name__)


class Opening:
    """Nothing here ever chooses for a human; what cannot be shown is not allowed."""

    def __init__(self, parts: ReviewParts) -> None:
        self._parts = parts

    async def open(self, new: NewRequest) -> Opened | None:
        """Rule on the call, or make a request of it with its card; durable when it returns.

        Waits as long as it takes for the store. None when its session or turn is not there, or
        nobody wants it any more.
        """

        async def work(tx: Transaction) -> Opened | None:
            await lock_sessions(tx, [new.session_id])
            done = await self._before(tx, new)
            if done is not None:
                return done
            asker = await reviews.find_asker(tx, new.session_id, new.turn_id)
            if asker is None:
                _log.warning("a permission was asked for session %s, not there", new.session_id)
                return None
            return await self.open_in(tx, new, asker)

        opened = await self._parts.write_at_last(work)
        if opened is not None:
            self.announce(opened)
        return opened

    def announce(self, opened: Opened) -> None:
        """Tell of the rule that was used; for those who call `open_in`, after the commit."""
        if opened.rule is not None:
            self._parts.bus.publish(RuleChanged(opened.rule))

    async def open_in(
        self, tx: Transaction, new: NewRequest, asker: reviews.Asker
    ) -> Opened | None:
        """As `open`, as a part of a transaction that holds the session; once for each `new`."""
        if not new.wanted():
            return None
        facts = new.action.facts(asker.place.workspace_id, asker.agent, asker.folder)
        now = self._parts.clock.now()
        signed = self._signed(new.call)
        ruled = await self._rule(tx, new, facts, signed, now)
        if ruled.ruling.decision is PolicyDecision.ASK and signed is not None:
            equal = await self._equal(tx, new, asker.place.workspace_id, ruled.ruling)
            if equal is not None:
                return equal
        call = reviews.NewCall(
            invocation_id=new.invocation_id,
            session_id=new.session_id,
            turn_id=new.turn_id,
            owner=new.owner,
            call_id=new.call.call_id,
            place=asker.place,
            facts=facts,
            arguments_hash=self._arguments_hash(new.call),
            now=now,
            ruling=ruled.ruling,
            idempotency_key=new.idempotency_key,
            end_is_told=new.end_is_told,
        )
        if ruled.ruling.decision is not PolicyDecision.ASK or signed is None:
            allowed = ruled.ruling.decision is PolicyDecision.ALLOW
            own = new.key_of_call if allowed else None
            await reviews.record_ruled(tx, replace(call, idempotency_key=own))
            rule = await count_hit(tx, ruled.rule, now)
            return Opened(ruled.ruling, new.invocation_id, rule=rule)
        review = await self._insert(tx, new, asker, call, signed)
        return Opened(ruled.ruling, new.invocation_id, review)

    async def _before(self, tx: Transaction, new: NewRequest) -> Opened | None:
        """What an earlier run has made durable whose COMMIT had no result."""
        stored = await reviews.find(tx, new.review_id)
        if stored is not None:
            ruling = Ruling(PolicyDecision.ASK, "")
            return Opened(ruling, stored.invocation_id, stored.review)
        ruled = await reviews.find_ruling(tx, new.invocation_id)
        return None if ruled is None else Opened(ruled, new.invocation_id)

    async def _rule(
        self,
        tx: Transaction,
        new: NewRequest,
        facts: CallFacts,
        signed: str | None,
        now: Nanoseconds,
    ) -> Ruled:
        if new.ruling is not None:
            return Ruled(new.ruling, None)
        if not new.options:
            return _refused(new, NO_OPTIONS)
        if not self._parts.signing_key:
            return _refused(new, NO_KEY)
        if signed is None:
            return _refused(new, UNREADABLE)
        ruling, rule = await rule_call(tx, facts, self._parts.default_policy, now)
        if ruling.decision is PolicyDecision.ALLOW and once(new.options) is None:
            return Ruled(Ruling(PolicyDecision.ASK, NO_OPTIONS), None)
        if ruling.decision is PolicyDecision.DENY and declining(new.options) is None:
            return Ruled(replace(ruling, reason=NO_OPTIONS), rule)
        return Ruled(ruling, rule)

    async def _equal(
        self, tx: Transaction, new: NewRequest, workspace_id: str, ruling: Ruling
    ) -> Opened | None:
        """The request of an equal call that still stands for this one (T5.5)."""
        if new.idempotency_key is None:
            return None
        stored = await reviews.find_by_key(tx, workspace_id, new.idempotency_key)
        if stored is None or await expire_if_over(tx, self._parts, stored.review.review_id):
            return None
        return Opened(ruling, stored.invocation_id, stored.review, equal=True)

    async def _insert(
        self,
        tx: Transaction,
        new: NewRequest,
        asker: reviews.Asker,
        call: reviews.NewCall,
        signed: str,
    ) -> Review:
        review = _requested(new, asker, call)
        if new.lifetime is not None:
            begins = await self._parts.store_now(tx)
            review = replace(review, expires_at=Nanoseconds(begins + int(new.lifetime * 1e9)))
        card = await messages.insert_message(
            tx,
            session_id=new.session_id,
            task_id=asker.place.task_id,
            turn_id=new.turn_id,
            kind=PERMISSION,
            author="agent",
            content=preview(new.call),
            metadata=card_metadata(review),
            now=review.asked_at,
        )
        stored = reviews.Stored(
            review=replace(review, message_id=card.message_id),
            place=asker.place,
            facts=call.facts,
            invocation_id=new.invocation_id,
            status="pending",
            signed=signed,
            digest=signed_digest(self._parts.signing_key, signed),
            claim_id=None,
        )
        await reviews.open_request(tx, call, stored)
        return stored.review

    def _signed(self, call: ToolCallChange) -> str | None:
        return _or_none(lambda: canonical_call(call))

    def _arguments_hash(self, call: ToolCallChange) -> str:
        key = self._parts.signing_key
        text = _or_none(lambda: canonical_json(call.raw_input))
        return signed_digest(key, text) if key and text is not None else ""


def _refused(new: NewRequest, reason: str) -> Ruled:
    _log.warning("a permission of session %s is refused: %s", new.session_id, reason)
    return Ruled(Ruling(PolicyDecision.DENY, reason), None)


def _or_none(write: Callable[[], str]) -> str | None:
    try:
        return write()
    except ValueError:
        return None


def _requested(new: NewRequest, asker: reviews.Asker, call: reviews.NewCall) -> Review:
    """The request before it has its row in the transcript."""
    return Review(
        review_id=new.review_id,
        session_id=new.session_id,
        turn_id=new.turn_id,
        message_id=MessageId(""),
        agent_name=asker.agent_name,
        folder=asker.folder,
        call=new.call,
        options=new.options,
        status=ReviewStatus.PENDING,
        asked_at=call.now,
        owner=new.owner,
        risk=new.action.risk,
        scopes=scopes_offered(call.facts),
        decline_scopes=decline_scopes_offered(call.facts),
        server_id=new.action.server_id,
        server_name=new.action.server_name,
    )
