"""Rules that decide without asking, and the record of every decision."""

from collections.abc import Collection
from typing import Final

from backend.clock import Deadline
from backend.domain.ledger import LedgerPage
from backend.domain.policy import Rule
from backend.domain.review import Review
from backend.errors import ErrorCode, NotFound
from backend.ids import ClientId, EventId, ReviewId, RuleId, SessionId
from backend.review.parts import ReviewParts
from backend.store import ledger

READ_BUDGET: Final = 5.0


class Rules:
    """Implements `backend.review_api.RuleApi`."""

    def __init__(self, parts: ReviewParts) -> None:
        self._parts = parts

    async def list_rules(self) -> tuple[Rule, ...]:
        return ()

    async def revoke_rule(self, rule_id: RuleId, *, reason: str = "") -> Rule:
        del rule_id, reason
        raise _no_rule()

    async def list_covered(self, rule_id: RuleId) -> tuple[Review, ...]:
        del rule_id
        raise _no_rule()

    async def settle_covered(
        self, rule_id: RuleId, review_ids: Collection[ReviewId], *, client_id: ClientId
    ) -> tuple[Review, ...]:
        del rule_id, review_ids, client_id
        raise _no_rule()

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

    def _deadline(self) -> Deadline:
        return Deadline(self._parts.clock, READ_BUDGET)


def _no_rule() -> NotFound:
    return NotFound(ErrorCode.NOT_FOUND, "no such rule")
