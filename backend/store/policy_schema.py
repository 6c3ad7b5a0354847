"""The table of rules: what humans have said of calls that come again (T2, T5.4)."""

from typing import Final

from backend.store.definitions import Index, Table, columns

POLICIES: Final = Table(
    "tool_policies",
    columns("""
        id TEXT PRIMARY KEY
        workspace_id TEXT NOT NULL DEFAULT ''
        decision TEXT NOT NULL
        scope TEXT NOT NULL
        agent_key TEXT NOT NULL DEFAULT ''
        agent_name TEXT NOT NULL DEFAULT ''
        folder TEXT NOT NULL DEFAULT ''
        server_id TEXT NOT NULL DEFAULT ''
        tool_name TEXT NOT NULL
        call_key TEXT NOT NULL
        rule_key TEXT NOT NULL
        action_digest TEXT NOT NULL DEFAULT ''
        definition_digest TEXT NOT NULL DEFAULT ''
        sample TEXT NOT NULL DEFAULT ''
        made_by TEXT
        created_by_user TEXT NOT NULL DEFAULT ''
        expires_at TEXT
        revoked_at TEXT
        revoked_reason TEXT NOT NULL DEFAULT ''
        hits INTEGER NOT NULL DEFAULT 0
        last_hit_at TEXT
        created_at TEXT NOT NULL
        updated_at TEXT NOT NULL
    """),
    strict=True,
)

LIVE: Final = "revoked_at IS NULL"
"""Written as in the indexes, so that they apply. The keys are digests: names have any length."""


def policy_indexes() -> tuple[Index, ...]:
    rules = POLICIES.name
    return (
        Index("idx_policies_call", rules, "workspace_id, call_key", where=LIVE),
        Index("idx_policies_rule", rules, "workspace_id, rule_key", where=LIVE, unique=True),
        Index("idx_policies_created", rules, "created_at, id"),
    )
