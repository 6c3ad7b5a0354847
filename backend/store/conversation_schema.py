"""Tables of what humans send to agents: admitted messages and the queue of each session (K2.6).

The queue's first columns are Kandev's; what it has none for stands after them.
"""

from typing import Final

from backend.store.definitions import Index, Table, columns

ADMISSIONS: Final = Table(
    "message_admissions",
    columns("""
        admission_id TEXT PRIMARY KEY
        task_id TEXT NOT NULL
        session_id TEXT NOT NULL REFERENCES task_sessions(id) ON DELETE CASCADE
        pending_id TEXT NOT NULL DEFAULT ''
        payload_digest TEXT NOT NULL
        outcome TEXT NOT NULL DEFAULT ''
        message_id TEXT
        created_at TEXT NOT NULL
        updated_at TEXT NOT NULL
        entry_id TEXT
        dispatch TEXT NOT NULL DEFAULT ''
    """),
    strict=True,
)
QUEUED_MESSAGES: Final = Table(
    "queued_messages",
    columns("""
        id TEXT PRIMARY KEY
        session_id TEXT NOT NULL REFERENCES task_sessions(id) ON DELETE CASCADE
        task_id TEXT NOT NULL
        position INTEGER NOT NULL
        content TEXT NOT NULL DEFAULT ''
        model TEXT NOT NULL DEFAULT ''
        plan_mode INTEGER NOT NULL DEFAULT 0
        attachments_json TEXT NOT NULL DEFAULT '[]'
        metadata_json TEXT NOT NULL DEFAULT '{}'
        queued_at TIMESTAMP NOT NULL
        queued_by TEXT NOT NULL DEFAULT ''
        admission_id TEXT NOT NULL DEFAULT ''
        revision INTEGER NOT NULL DEFAULT 0
        send_now INTEGER NOT NULL DEFAULT 0
    """),
)
QUEUE_STATES: Final = Table(
    "queue_session_state",
    columns("""
        session_id TEXT PRIMARY KEY REFERENCES task_sessions(id) ON DELETE CASCADE
        auto_run INTEGER NOT NULL DEFAULT 1
    """),
)


def conversation_indexes() -> tuple[Index, ...]:
    queued, admissions = QUEUED_MESSAGES.name, ADMISSIONS.name
    return (
        Index("idx_queued_messages_session_position", queued, "session_id, position"),
        Index("idx_queued_messages_task_activity", queued, "task_id, queued_by, queued_at"),
        Index("idx_admissions_session_id", admissions, "session_id"),
    )
