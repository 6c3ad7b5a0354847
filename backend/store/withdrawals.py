"""Guarded changes of a bundle that is not answered: detached, withdrawn, expired (K1.7)."""

from typing import Final

from backend.clock import Nanoseconds, format_timestamp
from backend.domain.clarification import (
    BundleStatus,
    Withdrawn,
)
from backend.ids import PendingId, SessionId
from backend.store import sessions
from backend.store.database import Transaction
from backend.store.dialect import (
    json_assign,
    json_flag,
    json_string,
    json_true,
)
from backend.store.eligibility import (
    is_active,
    is_current,
    is_pending,
    pending_id,
)
from backend.store.metadata import (
    OWN_KEY,
)
from backend.store.revisions import next_revision

_ROWS: Final = "task_session_messages"


async def detach(tx: Transaction, pending: PendingId, now: Nanoseconds) -> bool:
    """Note that the call which asked is gone; False when that is known or the bundle is closed."""
    dialect = tx.dialect
    detached = json_assign(dialect, "metadata", {("agent_disconnected",): json_true(dialect)})
    already = json_flag(dialect, f"{_ROWS}.metadata", "agent_disconnected")
    changed = await tx.execute(
        f"UPDATE {_ROWS} SET metadata = {detached}, updated_at = :now, revision = :revision"
        f" WHERE {pending_id(dialect)} = :pending_id AND NOT {already}"
        f" AND {is_pending(dialect, _ROWS)} AND {is_current(dialect, _ROWS)}",
        {
            "pending_id": pending,
            "now": format_timestamp(now),
            "revision": await next_revision(tx),
        },
    )
    return changed > 0


async def withdraw(
    tx: Transaction,
    pending: PendingId,
    reason: Withdrawn,
    now: Nanoseconds,
    replaced_by: PendingId | None = None,
) -> bool:
    """Close an open bundle without an answer; never overwrites one.

    A superseded bundle and one of an ended session can be closed for that reason only.
    """
    dialect = tx.dialect
    moved_on = reason in {Withdrawn.SUPERSEDED, Withdrawn.SESSION_ENDED}
    guard = is_pending(dialect, _ROWS) if moved_on else is_active(dialect, _ROWS)
    cancelled = json_assign(
        dialect,
        "metadata",
        {
            ("status",): json_string(dialect, ":status"),
            (OWN_KEY, "reason"): json_string(dialect, ":reason"),
        },
    )
    rows = await tx.fetch_all(
        f"UPDATE {_ROWS} SET metadata = {cancelled}, updated_at = :now, revision = :revision"
        f" WHERE {pending_id(dialect)} = :pending_id AND {guard} RETURNING task_session_id",
        {
            "pending_id": pending,
            "status": BundleStatus.CANCELLED.value,
            "reason": reason.value,
            "now": format_timestamp(now),
            "revision": await next_revision(tx),
        },
    )
    if not rows:
        return False
    await tx.execute(
        "UPDATE interaction_deliveries SET replaced_by = COALESCE(:replaced_by, replaced_by),"
        " updated_at = :now WHERE pending_id = :pending_id",
        {"pending_id": pending, "replaced_by": replaced_by, "now": format_timestamp(now)},
    )
    await sessions.refresh_guest_state(tx, SessionId(str(rows[0]["task_session_id"])), now)
    return True
