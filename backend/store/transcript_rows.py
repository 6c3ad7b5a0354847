"""Rows of a hosted agent's turn: written again and again while they grow, and found again."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from backend.clock import Nanoseconds, format_timestamp
from backend.domain.conversation import Message
from backend.ids import MessageId, SessionId, TurnId
from backend.store.database import Row, Statement, Transaction
from backend.store.dialect import json_flag, json_text
from backend.store.messages import COLUMNS, to_message
from backend.store.metadata import OWN_KEY, JsonDict, encode
from backend.store.revisions import next_revision

OPEN_TOOL_STATUSES: Final = (
    "pending",
    "pending_permission",
    "started",
    "running",
    "in_progress",
)
_SAVE: Final = (
    "INSERT INTO task_session_messages (id, task_session_id, task_id, turn_id, author_type,"
    " content, requests_input, type, metadata, created_at, updated_at, revision)"
    " VALUES (:id, :session, (SELECT s.task_id FROM task_sessions s WHERE s.id = :session), :turn,"
    " :author, :content, 0, :kind, :metadata, :created_at, :updated_at, :revision)"
    " ON CONFLICT (id) DO UPDATE SET content = excluded.content, type = excluded.type,"
    " metadata = excluded.metadata, updated_at = excluded.updated_at,"
    " revision = excluded.revision"
)


@dataclass(frozen=True, slots=True)
class RowState:
    """A transcript row as it is to be stored; its metadata is never changed after."""

    message_id: MessageId
    session_id: SessionId
    turn_id: TurnId
    kind: str
    content: str
    metadata: JsonDict
    created_at: Nanoseconds
    updated_at: Nanoseconds
    author: str = "agent"

    def as_message(self, revision: int) -> Message:
        return Message(
            message_id=self.message_id,
            session_id=self.session_id,
            turn_id=self.turn_id,
            kind=self.kind,
            author=self.author,
            content=self.content,
            metadata=self.metadata,
            created_at=self.created_at,
            updated_at=self.updated_at,
            revision=revision,
        )


async def save_rows(tx: Transaction, rows: Sequence[RowState]) -> int:
    """Insert the rows or bring them up to date, and return the revision they have from now on.

    The same rows may be saved again, where nobody knows whether they were. The caller holds their
    sessions (`lock_sessions`).
    """
    revision = await next_revision(tx)
    await tx.execute_each([_saving(row, revision) for row in rows])
    return revision


async def find_rows(tx: Transaction, ids: Sequence[MessageId]) -> dict[MessageId, Message]:
    """The rows of these that are there."""
    if not ids:
        return {}
    given = {f"id{number}": message_id for number, message_id in enumerate(ids)}
    names = ",".join(f":{name}" for name in given)
    rows = await tx.fetch_all(
        f"SELECT {COLUMNS} FROM task_session_messages WHERE id IN ({names})", given
    )
    found = map(to_message, rows)
    return {message.message_id: message for message in found}


async def open_rows(tx: Transaction, turn_id: TurnId) -> tuple[Message, ...]:
    """Rows of a turn that say that something still goes on, oldest first."""
    status = json_text(tx.dialect, "metadata", "status")
    statuses = ",".join(f"'{name}'" for name in OPEN_TOOL_STATUSES)
    rows: Sequence[Row] = await tx.fetch_all(
        f"SELECT {COLUMNS} FROM task_session_messages WHERE turn_id = :turn"
        f" AND ({json_flag(tx.dialect, 'metadata', OWN_KEY, 'streaming')}"
        f" OR (type LIKE 'tool%' AND {status} IN ({statuses}))) ORDER BY created_at, id",
        {"turn": turn_id},
    )
    return tuple(to_message(row) for row in rows)


def _saving(row: RowState, revision: int) -> Statement:
    return Statement(
        _SAVE,
        {
            "id": row.message_id,
            "session": row.session_id,
            "turn": row.turn_id,
            "author": row.author,
            "content": row.content,
            "kind": row.kind,
            "metadata": encode(row.metadata),
            "created_at": format_timestamp(row.created_at),
            "updated_at": format_timestamp(row.updated_at),
            "revision": revision,
        },
    )
