"""Other open requests that a rule would have decided; nothing is done with them unasked (T5.4)."""

from collections.abc import Callable

from backend.clock import Nanoseconds
from backend.domain.permission_answer import once
from backend.domain.policy import PolicyDecision, Rule, rule_on
from backend.domain.review import Review
from backend.store import reviews
from backend.store.database import Transaction


async def covered_by(
    tx: Transaction, rule: Rule, now: Nanoseconds, is_open: Callable[[Review], bool]
) -> tuple[Review, ...]:
    """Those that wait, oldest first; none for a rule that holds no more."""
    if not rule.holds(now):
        return ()
    waiting = await reviews.list_pending(tx)
    return tuple(
        each.review
        for each in waiting
        if is_open(each.review)
        and each.review.review_id != rule.made_by
        and _decides(rule, each, now)
    )


def _decides(rule: Rule, stored: reviews.Stored, now: Nanoseconds) -> bool:
    """As it would have, by the same rules; what an agent cannot be told in this once is not."""
    ruling = rule_on(stored.facts, (rule,), now, default=PolicyDecision.ASK)
    if ruling.rule_id != rule.rule_id:
        return False
    allows = ruling.decision is PolicyDecision.ALLOW
    return not allows or once(stored.review.options) is not None
