"""Tables of what agents want to do: attempted calls, decisions about them, and the ledger (T2).

Whoever carries a call out, the agent or this desk, uses the same tables; `owner` tells which.
"""

from typing import Final

from backend.store.definitions import Index, Table, columns

INVOCATIONS: Final = Table(
    "tool_invocations",
    columns("""
        id TEXT PRIMARY KEY
        workspace_id TEXT NOT NULL DEFAULT ''
        owner TEXT NOT NULL
        idempotency_key TEXT
        actor_type TEXT NOT NULL DEFAULT 'agent'
        actor_id TEXT NOT NULL DEFAULT ''
        task_id TEXT NOT NULL DEFAULT ''
        session_id TEXT NOT NULL REFERENCES task_sessions(id) ON DELETE CASCADE
        turn_id TEXT NOT NULL DEFAULT ''
        connection_id TEXT NOT NULL DEFAULT ''
        catalog_version_hash TEXT NOT NULL DEFAULT ''
        tool_call_id TEXT NOT NULL DEFAULT ''
        tool_name TEXT NOT NULL DEFAULT ''
        risk_level TEXT NOT NULL DEFAULT ''
        arguments_hash TEXT NOT NULL
        arguments_summary TEXT NOT NULL DEFAULT '{}'
        policy_decision TEXT NOT NULL DEFAULT ''
        matched_policy_ids TEXT NOT NULL DEFAULT '[]'
        approval_state TEXT NOT NULL DEFAULT 'not_required'
        status TEXT NOT NULL DEFAULT 'pending'
        upstream_request_id TEXT
        result_hash TEXT
        result_summary TEXT
        result_size_bytes INTEGER
        error_code TEXT NOT NULL DEFAULT ''
        error_message TEXT NOT NULL DEFAULT ''
        started_at TEXT
        completed_at TEXT
        collected_at TEXT
        created_at TEXT NOT NULL
        updated_at TEXT NOT NULL
    """),
    strict=True,
)
REQUESTS: Final = Table(
    "tool_action_requests",
    columns("""
        id TEXT PRIMARY KEY
        workspace_id TEXT NOT NULL DEFAULT ''
        owner TEXT NOT NULL
        invocation_id TEXT NOT NULL REFERENCES tool_invocations(id) ON DELETE CASCADE
        task_id TEXT NOT NULL DEFAULT ''
        session_id TEXT NOT NULL REFERENCES task_sessions(id) ON DELETE CASCADE
        turn_id TEXT NOT NULL DEFAULT ''
        interaction_id TEXT
        status TEXT NOT NULL DEFAULT 'pending'
        agent_name TEXT NOT NULL DEFAULT ''
        folder TEXT NOT NULL DEFAULT ''
        tool_name TEXT NOT NULL DEFAULT ''
        risk_level TEXT NOT NULL DEFAULT ''
        action_digest TEXT NOT NULL DEFAULT ''
        server_id TEXT NOT NULL DEFAULT ''
        server_name TEXT NOT NULL DEFAULT ''
        definition_digest TEXT NOT NULL DEFAULT ''
        options TEXT NOT NULL DEFAULT '[]'
        canonical_arguments_hash TEXT NOT NULL
        canonical_arguments_summary TEXT NOT NULL DEFAULT '{}'
        signed_arguments TEXT NOT NULL
        preview_markdown TEXT NOT NULL DEFAULT ''
        requested_by_agent TEXT NOT NULL DEFAULT ''
        decided_by_user TEXT NOT NULL DEFAULT ''
        door TEXT NOT NULL DEFAULT ''
        option_id TEXT NOT NULL DEFAULT ''
        claim_id TEXT
        decided_at TEXT
        decline_reason TEXT NOT NULL DEFAULT ''
        policy_id TEXT
        execution_token TEXT
        drifted INTEGER NOT NULL DEFAULT 0
        expires_at TEXT
        resolved_at TEXT
        created_at TEXT NOT NULL
        updated_at TEXT NOT NULL
    """),
    strict=True,
)
EVENTS: Final = Table(
    "tool_call_events",
    columns("""
        id TEXT PRIMARY KEY
        workspace_id TEXT NOT NULL DEFAULT ''
        event_type TEXT NOT NULL
        actor_type TEXT NOT NULL DEFAULT ''
        actor_id TEXT NOT NULL DEFAULT ''
        task_id TEXT NOT NULL DEFAULT ''
        session_id TEXT NOT NULL REFERENCES task_sessions(id) ON DELETE CASCADE
        turn_id TEXT NOT NULL DEFAULT ''
        invocation_id TEXT NOT NULL DEFAULT ''
        action_request_id TEXT
        tool_name TEXT NOT NULL DEFAULT ''
        decision TEXT NOT NULL DEFAULT ''
        matched_policy_ids TEXT NOT NULL DEFAULT '[]'
        reason_code TEXT NOT NULL DEFAULT ''
        outcome TEXT NOT NULL DEFAULT ''
        door TEXT NOT NULL DEFAULT ''
        arguments_hash TEXT NOT NULL DEFAULT ''
        metadata TEXT NOT NULL DEFAULT '{}'
        created_at TEXT NOT NULL
    """),
    strict=True,
)

REVIEW_TABLES: Final = (INVOCATIONS, REQUESTS, EVENTS)

UNSETTLED: Final = "status IN ('pending','approved','executing')"
"""What a process leaves behind that ends; written as in the index, so that it applies."""
EXPIRING: Final = "status = 'pending' AND expires_at IS NOT NULL"
PROJECTED: Final = (
    "interaction_id IS NOT NULL AND status IN ('executed','failed','expired','cancelled')"
)
"""Outcomes that a card must show (T1.2)."""


def on_its_way(row: str = "") -> str:
    """A verdict or an outcome that is on its way to its agent (T1.4), among all deliveries; written
    as in the index, so that it applies.
    """
    own = f"{row}." if row else ""
    states = f"{own}state IN ('pending','waiting_for_agent')"
    return f"{own}kind = 'permission_request' AND {states}"


def review_indexes() -> tuple[Index, ...]:
    calls, requests, events = INVOCATIONS.name, REQUESTS.name, EVENTS.name
    return (
        Index("idx_invocations_workspace_created", calls, "workspace_id, created_at"),
        Index("idx_invocations_session", calls, "session_id"),
        Index("idx_invocations_task", calls, "workspace_id, task_id"),
        Index(
            "idx_invocations_idempotency_key",
            calls,
            "workspace_id, idempotency_key",
            where="idempotency_key IS NOT NULL",
            unique=True,
        ),
        Index("idx_invocations_executing", calls, "created_at, id", where="status = 'executing'"),
        Index("idx_requests_workspace_status", requests, "workspace_id, status"),
        Index("idx_requests_interaction", requests, "workspace_id, interaction_id"),
        Index("idx_requests_invocation", requests, "invocation_id"),
        Index("idx_requests_session", requests, "session_id"),
        Index("idx_requests_unsettled", requests, "created_at, id", where=UNSETTLED),
        Index("idx_requests_created", requests, "created_at, id"),
        Index("idx_requests_projected", requests, "workspace_id, id", where=PROJECTED),
        Index(
            "idx_requests_expiring",
            requests,
            "expires_at",
            where=EXPIRING,
        ),
        Index("idx_tool_events_created", events, "created_at, id"),
        Index("idx_tool_events_session_created", events, "session_id, created_at, id"),
        Index("idx_tool_events_request", events, "action_request_id, created_at, id"),
        Index("idx_tool_events_workspace_created", events, "workspace_id, created_at"),
        Index("idx_tool_events_session", events, "session_id"),
        Index("idx_tool_events_invocation", events, "invocation_id"),
    )
