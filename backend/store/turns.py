"""Turns of a session: which one owns it, and opening a new one."""

from backend.clock import Nanoseconds, format_timestamp
from backend.ids import SessionId, TaskId, TurnId, new_id
from backend.store.database import Transaction
from backend.store.eligibility import newest_turn


async def open_turn(
    tx: Transaction, session_id: SessionId, task_id: TaskId, now: Nanoseconds
) -> TurnId:
    """Start a turn that owns the session from now on."""
    turn_id = TurnId(new_id())
    await tx.execute(
        "INSERT INTO task_session_turns"
        " (id, task_session_id, task_id, started_at, metadata, created_at, updated_at)"
        " VALUES (:id, :session, :task, :now, '{}', :now, :now)",
        {"id": turn_id, "session": session_id, "task": task_id, "now": format_timestamp(now)},
    )
    return turn_id


async def current_turn(tx: Transaction, session_id: SessionId) -> TurnId | None:
    """The newest authoritative turn (K1.8); None when the session has none."""
    row = await tx.fetch_one(
        f"SELECT {newest_turn(tx.dialect, ':session')} AS id",
        {"session": session_id},
    )
    return None if row is None or row["id"] is None else TurnId(str(row["id"]))
