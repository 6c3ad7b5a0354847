"""Rules as they are kept: found for a call by one look at an index, revoked and never deleted."""

import hashlib
from collections.abc import Collection
from dataclasses import replace
from typing import Final

from backend.clock import Nanoseconds, format_timestamp
from backend.domain.policy import CallFacts, PolicyDecision, Rule, RuleScope
from backend.ids import AgentKey, ClientId, ReviewId, RuleId, ServerId
from backend.store.database import Row, Transaction
from backend.store.dialect import json_members, row_lock
from backend.store.metadata import as_kind, as_text, as_time, encode
from backend.store.policy_schema import LIVE

MOST: Final = 2_000
"""Rules of one list."""
REPLACED: Final = "expired"
"""Why a rule is revoked in whose place the same one is made again."""
_SELECT: Final = (
    "SELECT p.id, p.workspace_id, p.decision, p.scope, p.agent_key, p.agent_name, p.folder,"
    " p.server_id, p.tool_name, p.action_digest, p.definition_digest, p.sample, p.made_by,"
    " p.expires_at, p.revoked_at, p.revoked_reason, p.hits, p.last_hit_at, p.created_at"
    " FROM tool_policies p"
)


async def matching(tx: Transaction, facts: CallFacts) -> tuple[Rule, ...]:
    """Every rule of the call's tool that nobody has revoked, whatever its arguments, oldest first.

    What is read stays as it is until the transaction ends.
    """
    rows = await tx.fetch_all(
        f"{_SELECT} WHERE p.workspace_id = :workspace AND p.call_key = :key AND p.{LIVE}"
        f" ORDER BY p.created_at, p.id{row_lock(tx.dialect)}",
        {"workspace": facts.workspace_id, "key": _call_key(facts)},
    )
    return tuple(_rule(row) for row in rows)


async def find(tx: Transaction, rule_id: RuleId) -> Rule | None:
    row = await tx.fetch_one(f"{_SELECT} WHERE p.id = :id", {"id": rule_id})
    return None if row is None else _rule(row)


async def find_each(tx: Transaction, rule_ids: Collection[RuleId]) -> tuple[Rule, ...]:
    rows = await tx.fetch_all(
        f"{_SELECT} WHERE {json_members(tx.dialect, 'p.id', ':ids')}",
        {"ids": encode(sorted(set(rule_ids)))},
    )
    return tuple(_rule(row) for row in rows)


async def newest(tx: Transaction) -> tuple[Rule, ...]:
    """Newest first, in whatever state."""
    rows = await tx.fetch_all(
        f"{_SELECT} ORDER BY p.created_at DESC, p.id DESC LIMIT :most", {"most": MOST}
    )
    return tuple(_rule(row) for row in rows)


async def keep(tx: Transaction, rule: Rule, client_id: ClientId) -> Rule:
    """Make the rule, or return the equal one that holds already, to the later end of both."""
    now = format_timestamp(rule.created_at)
    key = _rule_key(rule)
    await tx.execute(
        "UPDATE tool_policies SET revoked_at = :now, revoked_reason = :reason, updated_at = :now"
        f" WHERE workspace_id = :workspace AND rule_key = :key AND {LIVE}"
        " AND expires_at IS NOT NULL AND expires_at <= :now",
        {"workspace": rule.workspace_id, "key": key, "now": now, "reason": REPLACED},
    )
    await tx.execute(
        "INSERT INTO tool_policies (id, workspace_id, decision, scope, agent_key, agent_name,"
        " folder, server_id, tool_name, call_key, rule_key, action_digest, definition_digest,"
        " sample, made_by, created_by_user, expires_at, created_at, updated_at)"
        " VALUES (:id, :workspace, :decision, :scope, :agent, :agent_name, :folder, :server, :tool,"
        " :call_key, :key, :digest, :definition, :sample, :made_by, :client, :expires, :now, :now)"
        " ON CONFLICT DO NOTHING",
        {
            "id": rule.rule_id,
            "workspace": rule.workspace_id,
            "decision": rule.decision.value,
            "scope": rule.scope.value,
            "agent": rule.agent,
            "agent_name": rule.agent_name,
            "folder": rule.folder,
            "server": rule.server_id or "",
            "tool": rule.tool_name,
            "call_key": _call_key(rule),
            "key": key,
            "digest": rule.action_digest,
            "definition": rule.definition_digest,
            "sample": rule.sample,
            "made_by": rule.made_by,
            "client": client_id,
            "expires": None if rule.expires_at is None else format_timestamp(rule.expires_at),
            "now": now,
        },
    )
    row = await tx.fetch_one(
        f"{_SELECT} WHERE p.workspace_id = :workspace AND p.rule_key = :key AND p.{LIVE}",
        {"workspace": rule.workspace_id, "key": key},
    )
    kept = rule if row is None else _rule(row)
    if _ends_before(kept, rule):
        return await set_expiry(tx, kept, rule.expires_at, rule.created_at)
    return kept


def _ends_before(rule: Rule, other: Rule) -> bool:
    if rule.expires_at is None:
        return False
    return other.expires_at is None or rule.expires_at < other.expires_at


async def set_expiry(
    tx: Transaction, rule: Rule, expires_at: Nanoseconds | None, now: Nanoseconds
) -> Rule:
    """Let it end then, unless somebody has revoked it; returns it as it is."""
    await tx.execute(
        "UPDATE tool_policies SET expires_at = :expires, updated_at = :now"
        f" WHERE id = :id AND {LIVE}",
        {
            "id": rule.rule_id,
            "expires": None if expires_at is None else format_timestamp(expires_at),
            "now": format_timestamp(now),
        },
    )
    return await find(tx, rule.rule_id) or rule


async def count_hit(tx: Transaction, rule_id: RuleId, now: Nanoseconds) -> None:
    await tx.execute(
        "UPDATE tool_policies SET hits = hits + 1, last_hit_at = :now, updated_at = :now"
        " WHERE id = :id",
        {"id": rule_id, "now": format_timestamp(now)},
    )


async def revoke(tx: Transaction, rule: Rule, reason: str, now: Nanoseconds) -> Rule:
    """It stays with its reason; one that is revoked already stays as it is."""
    changed = await tx.execute(
        "UPDATE tool_policies SET revoked_at = :now, revoked_reason = :reason, updated_at = :now"
        f" WHERE id = :id AND {LIVE}",
        {"id": rule.rule_id, "now": format_timestamp(now), "reason": reason},
    )
    if changed:
        return replace(rule, revoked_at=now, revoked_because=reason)
    return await find(tx, rule.rule_id) or rule


def _call_key(of: CallFacts | Rule) -> str:
    """Equal for the calls one rule may be about, whatever their arguments."""
    return _key([of.agent, of.folder, of.server_id or "", of.tool_name])


def _rule_key(rule: Rule) -> str:
    """Equal for rules that say the same."""
    digest = rule.action_digest if rule.scope is RuleScope.THIS_CALL else ""
    said = [rule.decision.value, rule.scope.value, digest, rule.definition_digest]
    return _key([_call_key(rule), *said])


def _key(parts: list[str]) -> str:
    return hashlib.sha256(encode(parts).encode("utf-8", "surrogatepass")).hexdigest()


def _rule(row: Row) -> Rule:
    """One that says what nobody knows asks about every call of its tool (`rule_on`)."""
    made_by, server = row["made_by"], as_text(row["server_id"])
    decision = as_kind(PolicyDecision, row["decision"], PolicyDecision.ASK)
    known = str(row["scope"]) in set(RuleScope) and decision is not PolicyDecision.ASK
    return Rule(
        rule_id=RuleId(str(row["id"])),
        workspace_id=as_text(row["workspace_id"]),
        decision=decision if known else PolicyDecision.ASK,
        scope=RuleScope(str(row["scope"])) if known else RuleScope.THIS_TOOL,
        agent=AgentKey(as_text(row["agent_key"])),
        agent_name=as_text(row["agent_name"]),
        folder=as_text(row["folder"]),
        tool_name=as_text(row["tool_name"]),
        sample=as_text(row["sample"]),
        created_at=as_time(row["created_at"]),
        action_digest=as_text(row["action_digest"]),
        server_id=ServerId(server) if server else None,
        definition_digest=as_text(row["definition_digest"]),
        made_by=None if made_by is None else ReviewId(str(made_by)),
        expires_at=_optional_time(row, "expires_at"),
        revoked_at=_optional_time(row, "revoked_at"),
        revoked_because=as_text(row["revoked_reason"]),
        hits=int(str(row["hits"])),
        last_hit_at=_optional_time(row, "last_hit_at"),
    )


def _optional_time(row: Row, column: str) -> Nanoseconds | None:
    value = row[column]
    return None if value is None else as_time(value)
