"""What is done with a call before a human is asked: one look at the rules that hold (T5.4)."""

from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import Any, NamedTuple

from backend.clock import Nanoseconds
from backend.domain.policy import CallFacts, PolicyDecision, Rule, Ruling, rule_on
from backend.store import policies
from backend.store.database import Transaction

DefaultPolicy = Callable[[Transaction, CallFacts], Coroutine[Any, Any, PolicyDecision]]
"""What is done with a call no rule is about, by what its human has set for its tool."""


async def ask_always(tx: Transaction, facts: CallFacts) -> PolicyDecision:
    """The policy of an agent's own tools, of which none is set."""
    del tx, facts
    return PolicyDecision.ASK


class Ruled(NamedTuple):
    ruling: Ruling
    rule: Rule | None
    """The rule that decides it."""


async def rule_call(
    tx: Transaction, facts: CallFacts, default: DefaultPolicy, now: Nanoseconds
) -> Ruled:
    """Decide a call by what holds in this transaction; counts nothing."""
    rules = await policies.matching(tx, facts)
    ruling = rule_on(facts, rules, now, default=await default(tx, facts))
    rule = next((rule for rule in rules if rule.rule_id == ruling.rule_id), None)
    return Ruled(ruling, rule)


async def count_hit(tx: Transaction, rule: Rule | None, now: Nanoseconds) -> Rule | None:
    """The rule has decided a call; returns it as it is then."""
    if rule is None:
        return None
    await policies.count_hit(tx, rule.rule_id, now)
    return replace(rule, hits=rule.hits + 1, last_hit_at=now)
