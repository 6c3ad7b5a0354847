"""What the ledger says of rules: made, used as their human has confirmed, revoked (T5.6)."""

from dataclasses import replace

from backend.clock import Nanoseconds, format_timestamp
from backend.domain.policy import Rule
from backend.domain.review import Door
from backend.ids import ClientId, RuleId
from backend.store import reviews
from backend.store.database import Transaction
from backend.store.metadata import JsonDict
from backend.store.review_outcomes import Decision
from backend.store.reviews import Stored
from backend.store.tool_events import ToolEvent, recording


async def record_made(tx: Transaction, rule: Rule, stored: Stored, decision: Decision) -> None:
    event = _of_decision("trust_rule_created", stored, decision)
    await _record(tx, replace(event, metadata={"scope": rule.scope.value, "sample": rule.sample}))


async def record_used(tx: Transaction, stored: Stored, decision: Decision) -> None:
    await _record(tx, _of_decision("trust_rule_used", stored, decision))


async def record_revoked(
    tx: Transaction, rule: Rule, reason: str, client_id: ClientId, now: Nanoseconds
) -> None:
    """Beside the request it was made with; nothing where that is gone with its session."""
    said: JsonDict = {"reason": reason} if reason else {}
    await _record_by_human(tx, "trust_rule_revoked", rule, said, client_id, now)


async def record_expiry(tx: Transaction, rule: Rule, client_id: ClientId, now: Nanoseconds) -> None:
    """As `record_revoked`; `rule` as it is now."""
    ends = "" if rule.expires_at is None else format_timestamp(rule.expires_at)
    said: JsonDict = {"expires_at": ends}
    await _record_by_human(tx, "trust_rule_changed", rule, said, client_id, now)


async def _record_by_human(
    tx: Transaction,
    event_type: str,
    rule: Rule,
    said: JsonDict,
    client_id: ClientId,
    now: Nanoseconds,
) -> None:
    made_by = None if rule.made_by is None else await reviews.find(tx, rule.made_by)
    if made_by is None:
        return
    event = replace(
        reviews.event_of(made_by, event_type, now),
        actor_type="user",
        actor_id=client_id,
        decision=rule.decision.value,
        rule_ids=(rule.rule_id,),
        outcome="success",
        door=Door.WINDOW,
        metadata=said,
    )
    await _record(tx, event)


def _of_decision(event_type: str, stored: Stored, decision: Decision) -> ToolEvent:
    rule_id = decision.rule_id or RuleId("")
    return replace(
        reviews.event_of(stored, event_type, decision.now),
        actor_type="user",
        actor_id=decision.client_id,
        decision="allow" if decision.status == "approved" else "deny",
        rule_ids=(rule_id,),
        outcome="success",
        door=decision.door,
    )


async def _record(tx: Transaction, event: ToolEvent) -> None:
    await tx.execute_each([recording(event)])
