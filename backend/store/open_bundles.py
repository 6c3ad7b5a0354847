"""Which bundles can be answered now, found through the index of open questions."""

from backend.ids import PendingId, SessionId
from backend.store.database import Transaction
from backend.store.dialect import after_lookup, json_flag
from backend.store.eligibility import is_answerable, pending_id
from backend.store.hosted_sessions import is_hosted


async def open_pending_ids(tx: Transaction) -> list[PendingId]:
    """Oldest first; a bundle is open while one of its rows is pending (K8.6, 73)."""
    rows = await tx.fetch_all(
        f"SELECT DISTINCT {pending_id(tx.dialect, 'm')} AS pending_id"
        f" FROM task_session_messages m WHERE {is_answerable(tx.dialect, 'm')}"
        f" AND {pending_id(tx.dialect, 'm')} IS NOT NULL"
    )
    return [PendingId(str(row["pending_id"])) for row in rows]


async def open_in_session(tx: Transaction, session_id: SessionId) -> list[PendingId]:
    """The open bundles of one session, oldest first."""
    rows = await tx.fetch_all(
        f"SELECT {pending_id(tx.dialect, 'm')} AS pending_id, MIN(m.created_at) AS asked_at"
        f" FROM task_session_messages m WHERE m.task_session_id = :session"
        f" AND {is_answerable(tx.dialect, 'm')} AND {pending_id(tx.dialect, 'm')} IS NOT NULL"
        f" GROUP BY {pending_id(tx.dialect, 'm')} ORDER BY asked_at, pending_id",
        {"session": session_id},
    )
    return [PendingId(str(row["pending_id"])) for row in rows]


async def hosted_sessions_asking(tx: Transaction) -> list[SessionId]:
    """Sessions of this desk's own agents with an open question whose call is thought to wait."""
    detached = json_flag(tx.dialect, "m.metadata", "agent_disconnected")
    hosted = is_hosted(tx.dialect, "s")
    rows = await tx.fetch_all(
        "SELECT DISTINCT m.task_session_id AS id FROM task_session_messages m"
        " JOIN task_sessions s ON s.id = m.task_session_id"
        f" WHERE {is_answerable(tx.dialect, 'm')} AND NOT {detached} AND {hosted}"
    )
    return [SessionId(str(row["id"])) for row in rows]


async def is_open(tx: Transaction, pending: PendingId) -> bool:
    row = await tx.fetch_one(
        "SELECT 1 AS found FROM task_session_messages m"
        f" WHERE {pending_id(tx.dialect, 'm')} = :pending_id"
        f" AND {after_lookup(tx.dialect, is_answerable(tx.dialect, 'm'))}"
        " LIMIT 1",
        {"pending_id": pending},
    )
    return row is not None
