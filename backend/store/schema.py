"""What a store looks like: tables, columns and indexes, as data that `converge` makes true.

Tables and columns of tasks, sessions, turns and messages are Kandev's (K2.1-K2.4), which is why
they are not STRICT: SQLite refuses the type TIMESTAMP there. Our own tables are.
"""

from typing import Final

from backend.store.conversation_schema import (
    ADMISSIONS,
    QUEUE_STATES,
    QUEUED_MESSAGES,
    conversation_indexes,
)
from backend.store.definitions import Index, Table, columns
from backend.store.dialect import Dialect, index_key, json_flag, json_text, time_key
from backend.store.gateway_schema import GATEWAY_TABLES, gateway_indexes
from backend.store.policy_schema import POLICIES, policy_indexes
from backend.store.review_schema import REVIEW_TABLES, on_its_way, review_indexes

APPLICATION_ID: Final = 0x4B64736B
"""Marks our files; the letters "Kdsk"."""
MAJOR: Final = 1
"""Raised only when an older program must not open the store any more."""
MESSAGE_REVISION: Final = "message_revision"

TASKS = Table(
    "tasks",
    columns("""
        id TEXT PRIMARY KEY
        workspace_id TEXT NOT NULL DEFAULT ''
        workflow_id TEXT NOT NULL DEFAULT ''
        workflow_step_id TEXT NOT NULL DEFAULT ''
        title TEXT NOT NULL
        description TEXT DEFAULT ''
        state TEXT DEFAULT 'TODO'
        priority INTEGER DEFAULT 0
        position INTEGER DEFAULT 0
        wip_admitted INTEGER NOT NULL DEFAULT 1
        queued_for_step_id TEXT NOT NULL DEFAULT ''
        queued_at TIMESTAMP
        metadata TEXT DEFAULT '{}'
        autopilot_enabled INTEGER NOT NULL DEFAULT 0
        archived_at TIMESTAMP
        created_at TIMESTAMP NOT NULL
        updated_at TIMESTAMP NOT NULL
    """),
)
SESSIONS = Table(
    "task_sessions",
    columns("""
        id TEXT PRIMARY KEY
        task_id TEXT NOT NULL REFERENCES tasks(id) ON DELETE CASCADE
        agent_execution_id TEXT NOT NULL DEFAULT ''
        container_id TEXT NOT NULL DEFAULT ''
        agent_profile_id TEXT
        execution_profile_id TEXT NOT NULL DEFAULT ''
        route_generation INTEGER NOT NULL DEFAULT 0
        route_state TEXT NOT NULL DEFAULT ''
        route_reason TEXT NOT NULL DEFAULT ''
        downstream_acp_session_id TEXT NOT NULL DEFAULT ''
        executor_id TEXT DEFAULT ''
        executor_profile_id TEXT DEFAULT ''
        environment_id TEXT DEFAULT ''
        repository_id TEXT DEFAULT ''
        base_branch TEXT DEFAULT ''
        agent_profile_snapshot TEXT DEFAULT '{}'
        executor_snapshot TEXT DEFAULT '{}'
        environment_snapshot TEXT DEFAULT '{}'
        repository_snapshot TEXT DEFAULT '{}'
        state TEXT NOT NULL DEFAULT 'CREATED'
        error_message TEXT DEFAULT ''
        metadata TEXT DEFAULT '{}'
        started_at TIMESTAMP NOT NULL
        completed_at TIMESTAMP
        updated_at TIMESTAMP NOT NULL
        is_primary INTEGER DEFAULT 0
        is_passthrough INTEGER DEFAULT 0
        review_status TEXT DEFAULT ''
        base_commit_sha TEXT DEFAULT ''
        task_environment_id TEXT DEFAULT ''
        cost_subcents INTEGER NOT NULL DEFAULT 0
        tokens_in INTEGER NOT NULL DEFAULT 0
        tokens_out INTEGER NOT NULL DEFAULT 0
        tokens_cached_in BIGINT NOT NULL DEFAULT 0
    """),
)
TURNS = Table(
    "task_session_turns",
    columns("""
        id TEXT PRIMARY KEY
        task_session_id TEXT NOT NULL REFERENCES task_sessions(id) ON DELETE CASCADE
        task_id TEXT NOT NULL
        started_at TIMESTAMP NOT NULL
        completed_at TIMESTAMP
        execution_profile_id TEXT NOT NULL DEFAULT ''
        route_generation BIGINT NOT NULL DEFAULT 0
        metadata TEXT DEFAULT '{}'
        created_at TIMESTAMP NOT NULL
        updated_at TIMESTAMP NOT NULL
    """),
)
MESSAGES = Table(
    "task_session_messages",
    columns("""
        id TEXT PRIMARY KEY
        task_session_id TEXT NOT NULL REFERENCES task_sessions(id) ON DELETE CASCADE
        task_id TEXT DEFAULT ''
        turn_id TEXT NOT NULL REFERENCES task_session_turns(id) ON DELETE CASCADE
        author_type TEXT NOT NULL DEFAULT 'user'
        author_id TEXT DEFAULT ''
        content TEXT NOT NULL
        requests_input INTEGER DEFAULT 0
        type TEXT NOT NULL DEFAULT 'message'
        metadata TEXT DEFAULT '{}'
        created_at TIMESTAMP NOT NULL
        updated_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP
        prompt_seq INTEGER NOT NULL DEFAULT 0
        revision INTEGER NOT NULL DEFAULT 0
    """),
)
DRAFTS = Table(
    "answer_drafts",
    columns("""
        pending_id TEXT PRIMARY KEY
        answers TEXT NOT NULL DEFAULT '[]'
        current_question INTEGER NOT NULL DEFAULT 0
        updated_at TEXT NOT NULL
    """),
    strict=True,
)
MESSAGE_DRAFTS = Table(
    "message_drafts",
    columns("""
        session_id TEXT PRIMARY KEY REFERENCES task_sessions(id) ON DELETE CASCADE
        text TEXT NOT NULL DEFAULT ''
        admission_id TEXT NOT NULL DEFAULT ''
        attempted TEXT NOT NULL DEFAULT ''
        updated_at TEXT NOT NULL
    """),
    strict=True,
)
DELIVERIES = Table(
    "interaction_deliveries",
    columns("""
        pending_id TEXT PRIMARY KEY
        session_id TEXT NOT NULL REFERENCES task_sessions(id) ON DELETE CASCADE
        kind TEXT NOT NULL DEFAULT 'question'
        connection_id TEXT NOT NULL DEFAULT ''
        idempotency_key TEXT
        ticket_hash TEXT
        question_digest TEXT NOT NULL DEFAULT ''
        state TEXT
        outcome TEXT
        claim_id TEXT
        client_id TEXT
        payload_digest TEXT
        reject_reason TEXT NOT NULL DEFAULT ''
        replaced_by TEXT
        opened_at TEXT NOT NULL
        detached_at TEXT
        claimed_at TEXT
        settled_at TEXT
        updated_at TEXT NOT NULL
    """),
    strict=True,
)
SETTINGS = Table(
    "settings",
    columns("""
        key TEXT PRIMARY KEY
        value TEXT NOT NULL
    """),
    strict=True,
)
SEQUENCES = Table(
    "sequences",
    columns("""
        name TEXT PRIMARY KEY
        value INTEGER NOT NULL
    """),
    strict=True,
)

TABLES: Final = (
    TASKS,
    SESSIONS,
    TURNS,
    MESSAGES,
    ADMISSIONS,
    DRAFTS,
    MESSAGE_DRAFTS,
    DELIVERIES,
    SETTINGS,
    SEQUENCES,
    QUEUED_MESSAGES,
    QUEUE_STATES,
    *REVIEW_TABLES,
    POLICIES,
    *GATEWAY_TABLES,
)
JSON_TABLES: Final = (TASKS.name, SESSIONS.name, TURNS.name, MESSAGES.name)


def pending_status(dialect: Dialect, metadata: str = "metadata") -> str:
    """A row that still waits: absent and empty mean pending (K1.5)."""
    return f"COALESCE({json_text(dialect, metadata, 'status')},'') IN ('','pending')"


def asked_question(dialect: Dialect, row: str = "") -> str:
    """A row that asks the human; a parent question only shares the message type (K1.1)."""
    own = f"{row}." if row else ""
    parent = json_flag(dialect, f"{own}metadata", "parent_question")
    return f"{own}type = 'clarification_request' AND NOT {parent}"


def indexes(dialect: Dialect) -> tuple[Index, ...]:
    return (*_plain_indexes(), *_message_json_indexes(dialect), *_own_indexes(dialect))


def _plain_indexes() -> tuple[Index, ...]:
    messages, turns, sessions, tasks = (t.name for t in (MESSAGES, TURNS, SESSIONS, TASKS))
    return (
        Index("idx_tasks_workspace_id", tasks, "workspace_id"),
        Index("idx_tasks_workspace_archived", tasks, "workspace_id, archived_at"),
        Index("idx_task_sessions_task_id", sessions, "task_id"),
        Index("idx_task_sessions_state", sessions, "state"),
        Index("idx_task_sessions_task_state", sessions, "task_id, state"),
        Index("idx_turns_session_id", turns, "task_session_id"),
        Index("idx_turns_session_started", turns, "task_session_id, started_at"),
        Index("idx_turns_task_id", turns, "task_id"),
        Index("idx_messages_session_id", messages, "task_session_id"),
        Index("idx_messages_created_at", messages, "created_at"),
        Index("idx_messages_session_created", messages, "task_session_id, created_at"),
        Index("idx_messages_turn_id", messages, "turn_id"),
        Index(
            "idx_messages_task_author_created",
            messages,
            "task_id, author_type, type, created_at DESC",
        ),
        Index("idx_messages_session_updated", messages, "task_session_id, updated_at"),
    )


def _message_json_indexes(dialect: Dialect) -> tuple[Index, ...]:
    name = MESSAGES.name
    pending = index_key(dialect, json_text(dialect, "metadata", "pending_id"))
    tool_call = index_key(dialect, json_text(dialect, "metadata", "tool_call_id"))
    present = f"{json_text(dialect, 'metadata', 'pending_id')} IS NOT NULL"
    return (
        Index("idx_messages_metadata_tool_call_id", name, f"task_session_id, {tool_call}"),
        Index("idx_messages_metadata_pending_id", name, f"task_session_id, {pending}"),
        Index("idx_messages_metadata_pending_id_lookup", name, pending),
        Index(
            "idx_messages_metadata_pending_id_lookup_ordered",
            name,
            f"{pending}, created_at, id",
            where=present,
        ),
    )


def _own_indexes(dialect: Dialect) -> tuple[Index, ...]:
    """Access paths Kandev has no need for: the Inbox, recovery, guests and re-asked questions."""
    return (
        *_question_and_guest_indexes(dialect),
        *_dispatch_indexes(dialect),
        *_delivery_indexes(),
        *conversation_indexes(),
        *review_indexes(),
        *policy_indexes(),
        *gateway_indexes(),
    )


def _question_and_guest_indexes(dialect: Dialect) -> tuple[Index, ...]:
    pending = index_key(dialect, json_text(dialect, "metadata", "pending_id"))
    guest_key = json_text(dialect, "metadata", "kandesk", "key")
    folder = json_text(dialect, "metadata", "kandesk", "folder")
    client = json_text(dialect, "metadata", "kandesk", "client", "name")
    return (
        Index(
            "idx_messages_clarification_asked",
            MESSAGES.name,
            # No constant first: it would be taken for open questions, which are few.
            f"{index_key(dialect, time_key(dialect, 'created_at'))}, {pending}",
            where=asked_question(dialect),
        ),
        Index(
            "idx_messages_clarification_open",
            MESSAGES.name,
            f"{_first_key(dialect)}task_session_id, created_at, id",
            where=f"type = 'clarification_request' AND {pending_status(dialect)}",
        ),
        Index(
            "idx_messages_delivery_intent",
            MESSAGES.name,
            pending,
            where=json_flag(dialect, "metadata", "response_delivery_pending"),
        ),
        Index(
            "idx_task_sessions_guest_key",
            SESSIONS.name,
            index_key(dialect, guest_key),
            where=f"{guest_key} IS NOT NULL",
        ),
        Index(
            "idx_task_sessions_guest_place",
            SESSIONS.name,
            f"{index_key(dialect, folder)}, {index_key(dialect, client)}",
            where=f"{folder} IS NOT NULL",
        ),
    )


def _first_key(dialect: Dialect) -> str:
    """A constant key, for SQLite only: without statistics it takes the index with more equal keys.

    PostgreSQL would believe that the constant finds few rows, and search there for a pending id.
    """
    return "type, " if dialect is Dialect.SQLITE else ""


def _dispatch_indexes(dialect: Dialect) -> tuple[Index, ...]:
    """What every start looks for among all turns: the few a prompt has not settled."""
    return tuple(
        Index(
            name,
            TURNS.name,
            "started_at, created_at, id",
            where=json_flag(dialect, "metadata", flag),
        )
        for name, flag in (
            ("idx_turns_reserved", "prompt_dispatch_pending"),
            ("idx_turns_unpublished", "prompt_dispatch_start_event_pending"),
        )
    )


def _delivery_indexes() -> tuple[Index, ...]:
    deliveries = DELIVERIES.name
    return (
        Index(
            "idx_deliveries_idempotency_key",
            deliveries,
            "idempotency_key",
            where="idempotency_key IS NOT NULL",
            unique=True,
        ),
        Index(
            "idx_deliveries_ticket_hash",
            deliveries,
            "ticket_hash",
            where="ticket_hash IS NOT NULL",
            unique=True,
        ),
        Index("idx_deliveries_question_digest", deliveries, "question_digest"),
        Index("idx_deliveries_session_id", deliveries, "session_id"),
        Index("idx_deliveries_connection", deliveries, "connection_id, opened_at"),
        Index(
            "idx_deliveries_waiting",
            deliveries,
            "state, claimed_at, pending_id",
            where="state = 'waiting_for_agent'",
        ),
        Index("idx_deliveries_receipts", deliveries, "state, session_id, pending_id", on_its_way()),
    )
