"""Rules that decide without asking, and the record of every decision."""

from collections.abc import Collection
from typing import Final

from backend.clock import Deadline, Nanoseconds
from backend.domain.ledger import LedgerPage
from backend.domain.policy import LONGEST_RULE, Rule
from backend.domain.review import Review
from backend.domain.validation import check_text
from backend.errors import Conflict, ErrorCode, InvalidInput, NotFound
from backend.events import RuleChanged
from backend.ids import ClaimId, ClientId, EventId, ReviewId, RuleId, SessionId, new_id
from backend.review.choosing import MAX_REASON
from backend.review.deciding import Deciding
from backend.review.parts import ReviewParts
from backend.review.siblings import covered_by
from backend.store import ledger, policies, reviews, rule_events
from backend.store.database import Priority, Transaction
from backend.store.locks import lock_sessions

BUDGET: Final = 5.0
_HUMAN: Final = ClientId("human")


class Rules:
    """Implements `backend.review_api.RuleApi`."""

    def __init__(self, parts: ReviewParts, deciding: Deciding) -> None:
        self._parts = parts
        self._deciding = deciding

    async def list_rules(self) -> tuple[Rule, ...]:
        async with self._parts.database.reading(self._deadline()) as tx:
            found = await tx.in_place(policies.newest)
        now = self._parts.clock.now()
        return tuple(sorted(found, key=lambda rule: not rule.holds(now)))

    async def revoke_rule(self, rule_id: RuleId, *, reason: str = "") -> Rule:
        check_text("reason", reason, MAX_REASON)
        revoking = self._revoke(rule_id, reason.strip())
        return await self._parts.supervisor.run_to_end(revoking, name="revoke rule")

    async def set_rule_expiry(self, rule_id: RuleId, expires_at: Nanoseconds | None) -> Rule:
        now = self._parts.clock.now()
        if expires_at is not None and not now < expires_at <= now + int(LONGEST_RULE * 1e9):
            detail = "the end of a rule is ahead, and not for ever"
            raise InvalidInput(ErrorCode.INVALID, detail, field="expires_at")
        setting = self._set_expiry(rule_id, expires_at)
        return await self._parts.supervisor.run_to_end(setting, name="set expiry of rule")

    async def list_covered(self, rule_id: RuleId) -> tuple[Review, ...]:
        now = self._parts.clock.now()
        async with self._parts.database.reading(self._deadline()) as tx:
            rule = await _required(tx, rule_id)
            return await covered_by(tx, rule, now, self._deciding.is_open)

    async def settle_covered(
        self, rule_id: RuleId, review_ids: Collection[ReviewId], *, client_id: ClientId
    ) -> tuple[Review, ...]:
        wanted = tuple(dict.fromkeys(review_ids))
        covered = {review.review_id for review in await self.list_covered(rule_id)}
        async with self._parts.database.reading(self._deadline()) as tx:
            rule = await _required(tx, rule_id)
        for review_id in wanted:
            if review_id in covered:
                await self._follow(review_id, rule, client_id)
        async with self._parts.database.reading(self._deadline()) as tx:
            stored = [await reviews.find(tx, review_id) for review_id in wanted]
        return tuple(each.review for each in stored if each is not None)

    async def ledger(
        self,
        *,
        session_id: SessionId | None = None,
        review_id: ReviewId | None = None,
        after: EventId | None = None,
        limit: int = 200,
    ) -> LedgerPage:
        wanted = ledger.Wanted(session_id, review_id)
        async with self._parts.database.reading(self._deadline()) as tx:
            return await tx.in_place(lambda tx: ledger.page(tx, wanted, after, limit))

    async def _follow(self, review_id: ReviewId, rule: Rule, client_id: ClientId) -> None:
        try:
            await self._deciding.follow(review_id, rule, client_id, ClaimId(new_id()))
        except Conflict:
            # Decided meanwhile, or its agent waits no more: it stays as it is.
            return

    async def _set_expiry(self, rule_id: RuleId, expires_at: Nanoseconds | None) -> Rule:
        async with self._parts.database.writing(self._deadline(), priority=Priority.CLAIM) as tx:
            rule = await _held(tx, rule_id)
            now = self._parts.clock.now()
            if not rule.holds(now):
                raise Conflict(ErrorCode.NOT_ACTIVE, "the rule holds no more")
            changed = await policies.set_expiry(tx, rule, expires_at, now)
            if changed.expires_at != rule.expires_at:
                await rule_events.record_expiry(tx, changed, _HUMAN, now)
        self._parts.bus.publish(RuleChanged(changed))
        return changed

    async def _revoke(self, rule_id: RuleId, reason: str) -> Rule:
        async with self._parts.database.writing(self._deadline(), priority=Priority.CLAIM) as tx:
            rule = await _held(tx, rule_id)
            now = self._parts.clock.now()
            revoked = await policies.revoke(tx, rule, reason, now)
            if rule.revoked_at is None and revoked.revoked_at == now:
                await rule_events.record_revoked(tx, rule, reason, _HUMAN, now)
        self._parts.bus.publish(RuleChanged(revoked))
        return revoked

    def _deadline(self) -> Deadline:
        return Deadline(self._parts.clock, BUDGET)


async def _held(tx: Transaction, rule_id: RuleId) -> Rule:
    """The rule, with the session of the request it was made with."""
    rule = await _required(tx, rule_id)
    made_by = None if rule.made_by is None else await reviews.find(tx, rule.made_by)
    if made_by is not None:
        await lock_sessions(tx, [made_by.review.session_id])
    return await _required(tx, rule_id)


async def _required(tx: Transaction, rule_id: RuleId) -> Rule:
    rule = await policies.find(tx, rule_id)
    if rule is None:
        raise NotFound(ErrorCode.NOT_FOUND, "no such rule")
    return rule
