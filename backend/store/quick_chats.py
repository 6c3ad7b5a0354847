"""Quick Chats nobody has touched for long: out of sight at once, then removed piece by piece.

A removal that was begun is never taken back; one that was interrupted goes on at any later time.
"""

from typing import Final, NamedTuple

from backend.clock import Nanoseconds, format_timestamp
from backend.domain.conversation import SessionState
from backend.ids import SessionId
from backend.store import input_facts
from backend.store.database import Params, Transaction
from backend.store.dialect import (
    json_assign,
    json_document,
    json_flag,
    json_members,
    json_string,
    json_text,
    time_key,
)
from backend.store.eligibility import pending_id
from backend.store.hosted_sessions import is_hosted
from backend.store.locks import lock_sessions
from backend.store.metadata import OWN_KEY, encode
from backend.store.sessions import REMOVED

Values = dict[tuple[str, ...], str]

BATCH: Final = 500
"""Rows that one transaction removes."""
_AT_WORK: Final = frozenset({SessionState.STARTING, SessionState.RUNNING, None})
_TABLES: Final = (
    ("tool_call_events", "session_id"),
    ("tool_action_requests", "session_id"),
    ("tool_invocations", "session_id"),
    ("task_session_turns", "task_session_id"),
)
"""What a long session has many rows of, beside its messages; the rest goes with the session."""


class TakenAway(NamedTuple):
    """A session nobody sees any more, and the folder that was made for it."""

    session_id: SessionId
    folder: str


async def set_pinned(
    tx: Transaction, session_id: SessionId, now: Nanoseconds, *, pinned: bool
) -> bool:
    """Keep a Quick Chat for good, or from now on as long as any other. False when it is none."""
    values: Values = {(OWN_KEY, "pinned"): json_document(tx.dialect, ":pinned")}
    changed = await tx.execute(
        f"UPDATE task_sessions SET metadata = {json_assign(tx.dialect, 'metadata', values)},"
        f" updated_at = :now WHERE id = :session AND {_is_quick_chat(tx)}",
        {"session": session_id, "pinned": encode(pinned), "now": format_timestamp(now)},
    )
    return changed > 0


async def list_untouched(tx: Transaction, before: Nanoseconds) -> tuple[SessionId, ...]:
    """Those that are not pinned, whose agent does not run, and with nothing later than that."""
    rows = await tx.fetch_all(
        f"SELECT id FROM task_sessions WHERE {_is_untouched(tx)} ORDER BY id",
        {"before": format_timestamp(before)},
    )
    return tuple(SessionId(str(row["id"])) for row in rows)


async def take_away(tx: Transaction, session_id: SessionId, before: Nanoseconds) -> bool:
    """Begin the removal; False where something waits in it by now, or it was touched."""
    await lock_sessions(tx, [session_id])
    facts = await input_facts.load(tx, session_id)
    if facts is None or facts.held or facts.queued or facts.state in _AT_WORK:
        return False
    values: Values = {(OWN_KEY, "kind"): json_string(tx.dialect, ":removed")}
    claimed = json_flag(tx.dialect, "m.metadata", "response_delivery_pending")
    changed = await tx.execute(
        f"UPDATE task_sessions SET metadata = {json_assign(tx.dialect, 'metadata', values)}"
        f" WHERE id = :session AND {_is_untouched(tx)}"
        " AND NOT EXISTS (SELECT 1 FROM interaction_deliveries d"
        " WHERE d.session_id = task_sessions.id AND d.state = 'waiting_for_agent'"
        " AND d.kind = 'question')"
        " AND NOT EXISTS (SELECT 1 FROM task_session_messages m"
        f" WHERE m.task_session_id = task_sessions.id AND {claimed})",
        {"session": session_id, "removed": REMOVED, "before": format_timestamp(before)},
    )
    return changed > 0


async def list_taken_away(tx: Transaction) -> tuple[TakenAway, ...]:
    """Every session whose removal has begun."""
    kind = json_text(tx.dialect, "metadata", OWN_KEY, "kind")
    folder = json_text(tx.dialect, "metadata", OWN_KEY, "folder")
    rows = await tx.fetch_all(
        f"SELECT id, {folder} AS folder FROM task_sessions WHERE {kind} = '{REMOVED}' ORDER BY id"
    )
    return tuple(TakenAway(SessionId(str(row["id"])), str(row["folder"] or "")) for row in rows)


async def remove_some(tx: Transaction, session_id: SessionId) -> bool:
    """Remove a bounded number of rows of a session that was taken away. False after the last."""
    await lock_sessions(tx, [session_id])
    params: Params = {"session": session_id, "batch": BATCH}
    if await _remove_messages(tx, session_id):
        return True
    for table, session in _TABLES:
        removed = await tx.execute(
            f"DELETE FROM {table} WHERE id IN"
            f" (SELECT id FROM {table} WHERE {session} = :session LIMIT :batch)",
            params,
        )
        if removed:
            return True
    row = await tx.fetch_one(
        "SELECT task_id FROM task_sessions WHERE id = :session", {"session": session_id}
    )
    await tx.execute("DELETE FROM task_sessions WHERE id = :session", {"session": session_id})
    if row is not None:
        await tx.execute(
            "DELETE FROM tasks WHERE id = :task"
            " AND NOT EXISTS (SELECT 1 FROM task_sessions s WHERE s.task_id = tasks.id)",
            {"task": row["task_id"]},
        )
    return False


async def _remove_messages(tx: Transaction, session_id: SessionId) -> bool:
    """The oldest first, with the drafts of the answers to their questions."""
    rows = await tx.fetch_all(
        f"SELECT id, {pending_id(tx.dialect, 'm')} AS pending FROM task_session_messages m"
        " WHERE task_session_id = :session ORDER BY created_at LIMIT :batch",
        {"session": session_id, "batch": BATCH},
    )
    if not rows:
        return False
    asked = sorted({str(row["pending"]) for row in rows if row["pending"] is not None})
    await tx.execute(
        f"DELETE FROM answer_drafts WHERE {json_members(tx.dialect, 'pending_id', ':asked')}",
        {"asked": encode(asked)},
    )
    await tx.execute(
        f"DELETE FROM task_session_messages WHERE {json_members(tx.dialect, 'id', ':ids')}",
        {"ids": encode([str(row["id"]) for row in rows])},
    )
    return True


def _is_quick_chat(tx: Transaction) -> str:
    quick = json_flag(tx.dialect, "task_sessions.metadata", OWN_KEY, "quick_chat")
    return f"{is_hosted(tx.dialect, 'task_sessions')} AND {quick}"


def _is_untouched(tx: Transaction) -> str:
    pinned = json_flag(tx.dialect, "task_sessions.metadata", OWN_KEY, "pinned")
    process = json_text(tx.dialect, "task_sessions.metadata", OWN_KEY, "process", "pid")
    return (
        f"{_is_quick_chat(tx)} AND NOT {pinned} AND {process} IS NULL"
        f" AND {time_key(tx.dialect, 'task_sessions.updated_at')} < :before"
        " AND NOT EXISTS (SELECT 1 FROM message_drafts w"
        " WHERE w.session_id = task_sessions.id AND w.updated_at >= :before)"
    )
