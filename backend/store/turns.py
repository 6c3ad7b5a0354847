"""Turns of a session: which one owns it, and opening a new one."""

from backend.clock import Nanoseconds, format_timestamp
from backend.ids import SessionId, TaskId, TurnId, new_id
from backend.store.database import Transaction
from backend.store.dialect import json_assign, json_document
from backend.store.eligibility import is_published, newest_turn
from backend.store.locks import lock_sessions
from backend.store.metadata import OWN_KEY, JsonDict, as_time, encode


async def open_turn(
    tx: Transaction,
    session_id: SessionId,
    task_id: TaskId,
    now: Nanoseconds,
    metadata: JsonDict | None = None,
    *,
    turn_id: TurnId | None = None,
) -> TurnId:
    """Start a turn that owns the session from now on, unless its metadata reserves it only.

    It is newer than every other turn of the session, wherever the clock was set since.
    """
    await lock_sessions(tx, [session_id])
    opened = turn_id or TurnId(new_id())
    await tx.execute(
        "INSERT INTO task_session_turns"
        " (id, task_session_id, task_id, started_at, metadata, created_at, updated_at)"
        " VALUES (:id, :session, :task, :now, :metadata, :now, :now)",
        {
            "id": opened,
            "session": session_id,
            "task": task_id,
            "metadata": encode(metadata or {}),
            "now": format_timestamp(await _after_newest(tx, session_id, now)),
        },
    )
    return opened


async def complete_turn(
    tx: Transaction, turn_id: TurnId, now: Nanoseconds, ended: JsonDict | None = None
) -> bool:
    """End a turn, once; it keeps owning its session until a newer one begins (K1.8).

    `ended` is kept of how it ended. False when it has ended before: that stays as it is.
    """
    metadata = json_assign(
        tx.dialect, "metadata", {(OWN_KEY, "ended"): json_document(tx.dialect, ":ended")}
    )
    changed = await tx.execute(
        "UPDATE task_session_turns SET completed_at = :now, updated_at = :now,"
        f" metadata = {metadata} WHERE id = :turn AND completed_at IS NULL",
        {"turn": turn_id, "ended": encode(ended or {}), "now": format_timestamp(now)},
    )
    return changed == 1


async def current_turn(tx: Transaction, session_id: SessionId) -> TurnId | None:
    """The newest authoritative turn (K1.8); None when the session has none."""
    row = await tx.fetch_one(
        f"SELECT {newest_turn(tx.dialect, ':session')} AS id",
        {"session": session_id},
    )
    return None if row is None or row["id"] is None else TurnId(str(row["id"]))


async def published_turns(tx: Transaction, session_id: SessionId) -> tuple[TurnId, ...]:
    """The turns clients may see, oldest first (K1.8, history)."""
    rows = await tx.fetch_all(
        "SELECT t.id FROM task_session_turns t"
        f" WHERE t.task_session_id = :session AND {is_published(tx.dialect, 't')}"
        " ORDER BY t.started_at, t.created_at, t.id",
        {"session": session_id},
    )
    return tuple(TurnId(str(row["id"])) for row in rows)


async def _after_newest(tx: Transaction, session_id: SessionId, now: Nanoseconds) -> Nanoseconds:
    row = await tx.fetch_one(
        "SELECT started_at, created_at FROM task_session_turns"
        " WHERE task_session_id = :session ORDER BY started_at DESC LIMIT 1",
        {"session": session_id},
    )
    if row is None:
        return now
    return Nanoseconds(max(now, as_time(row["started_at"]) + 1, as_time(row["created_at"]) + 1))
