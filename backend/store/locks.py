"""Who may change a session's turns and questions now (K2.7).

Taken before anything else in a transaction, in one order, so that two never wait for each other.
"""

from collections.abc import Iterable

from backend.ids import PendingId, SessionId
from backend.store.database import Transaction
from backend.store.dialect import Dialect, json_members, row_lock, session_lock
from backend.store.eligibility import pending_id
from backend.store.metadata import encode


async def lock_sessions(tx: Transaction, session_ids: Iterable[SessionId]) -> None:
    """Hold the turn lock and the row of each session until the transaction ends."""
    wanted = sorted(set(session_ids))
    if tx.dialect is Dialect.SQLITE or not wanted:
        return
    for session_id in wanted:
        await tx.fetch_one(session_lock(tx.dialect, ":session"), {"session": session_id})
    await tx.fetch_all(
        f"SELECT id FROM task_sessions WHERE {json_members(tx.dialect, 'id', ':ids')}"
        f" ORDER BY id{row_lock(tx.dialect)}",
        {"ids": encode(wanted)},
    )


async def lock_bundle(tx: Transaction, pending: PendingId) -> None:
    """Hold the sessions of a bundle; a malformed one may span several."""
    await lock_bundles(tx, [pending])


async def lock_bundles(tx: Transaction, pendings: Iterable[PendingId]) -> bool:
    """Hold the sessions of bundles that are changed together.

    True when what was read before must be read again: it may have changed until they were held.
    """
    if tx.dialect is Dialect.SQLITE:
        return False
    rows = await tx.fetch_all(
        "SELECT DISTINCT m.task_session_id FROM task_session_messages m"
        f" WHERE {json_members(tx.dialect, pending_id(tx.dialect, 'm'), ':ids')}",
        {"ids": encode(sorted(set(pendings)))},
    )
    await lock_sessions(tx, (SessionId(str(row["task_session_id"])) for row in rows))
    return True
