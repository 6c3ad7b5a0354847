"""Guarded changes of a bundle that is not answered: detached, withdrawn, expired (K1.7).

Each is one UPDATE that says which bundles it changed; one that changed none changed nothing.
"""

from collections.abc import Mapping
from typing import Final

from backend.clock import Nanoseconds, format_timestamp
from backend.domain.clarification import BundleStatus, Withdrawn
from backend.ids import PendingId, SessionId
from backend.store import session_states
from backend.store.database import SqlValue, Transaction
from backend.store.dialect import (
    Dialect,
    after_lookup,
    json_assign,
    json_flag,
    json_string,
    json_true,
)
from backend.store.eligibility import (
    is_active,
    is_current,
    is_in_newest_turn,
    is_pending,
    pending_id,
)
from backend.store.locks import lock_bundle, lock_sessions
from backend.store.metadata import OWN_KEY
from backend.store.revisions import next_revision

_ROWS: Final = "task_session_messages"


async def detach(tx: Transaction, pending: PendingId, now: Nanoseconds) -> bool:
    """Note that the call which asked is gone; False when that is known or the bundle is closed."""
    await lock_bundle(tx, pending)
    guard = after_lookup(tx.dialect, _can_detach(tx.dialect))
    which = f"{pending_id(tx.dialect)} = :pending_id AND {guard}"
    return bool(await _change(tx, which, {"pending_id": pending}, _detached(tx.dialect), now))


async def detach_session(
    tx: Transaction, session_id: SessionId, now: Nanoseconds
) -> tuple[PendingId, ...]:
    """As `detach`, for every open bundle of a session; names those that were changed."""
    await lock_sessions(tx, [session_id])
    which = f"task_session_id = :session AND {_can_detach(tx.dialect)}"
    return await _change(tx, which, {"session": session_id}, _detached(tx.dialect), now)


async def expire_session(
    tx: Transaction, session_id: SessionId, now: Nanoseconds
) -> tuple[PendingId, ...]:
    """Close every open bundle of a session that ends or is archived, also one that has ended.

    Superseded and answered rows stay as they are; names the bundles that were closed.
    """
    dialect = tx.dialect
    await lock_sessions(tx, [session_id])
    which = (
        f"task_session_id = :session AND {is_pending(dialect, _ROWS)}"
        f" AND {is_in_newest_turn(dialect, _ROWS)}"
    )
    expired = _status(dialect) | _detached(dialect)
    params = {"session": session_id, "status": BundleStatus.EXPIRED.value}
    closed = await _change(tx, which, params, expired, now)
    if closed:
        await session_states.refresh(tx, session_id, now)
    return closed


async def expire(tx: Transaction, pending: PendingId, now: Nanoseconds) -> bool:
    """Close an open bundle that was not answered in time; never one somebody is answering."""
    dialect = tx.dialect
    await lock_bundle(tx, pending)
    which = (
        f"{pending_id(dialect)} = :pending_id"
        f" AND {after_lookup(dialect, is_active(dialect, _ROWS))}"
        " AND NOT EXISTS (SELECT 1 FROM answer_drafts d"
        " WHERE d.pending_id = :pending_id AND d.answers <> '[]')"
    )
    params = {"pending_id": pending, "status": BundleStatus.EXPIRED.value}
    if not await _change(tx, which, params, _status(dialect), now):
        return False
    await session_states.refresh_of_bundle(tx, pending, now)
    return True


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
    await lock_bundle(tx, pending)
    moved_on = reason in {Withdrawn.SUPERSEDED, Withdrawn.SESSION_ENDED}
    guard = is_pending(dialect, _ROWS) if moved_on else is_active(dialect, _ROWS)
    cancelled = _status(dialect) | {(OWN_KEY, "reason"): json_string(dialect, ":reason")}
    params = {
        "pending_id": pending,
        "status": BundleStatus.CANCELLED.value,
        "reason": reason.value,
    }
    which = f"{pending_id(dialect)} = :pending_id AND {after_lookup(dialect, guard)}"
    if not await _change(tx, which, params, cancelled, now):
        return False
    await tx.execute(
        "UPDATE interaction_deliveries SET replaced_by = COALESCE(:replaced_by, replaced_by),"
        " updated_at = :now WHERE pending_id = :pending_id",
        {"pending_id": pending, "replaced_by": replaced_by, "now": format_timestamp(now)},
    )
    await session_states.refresh_of_bundle(tx, pending, now)
    return True


def _status(dialect: Dialect) -> dict[tuple[str, ...], str]:
    return {("status",): json_string(dialect, ":status")}


def _detached(dialect: Dialect) -> dict[tuple[str, ...], str]:
    return {("agent_disconnected",): json_true(dialect)}


def _can_detach(dialect: Dialect) -> str:
    already = json_flag(dialect, f"{_ROWS}.metadata", "agent_disconnected")
    return f"NOT {already} AND {is_pending(dialect, _ROWS)} AND {is_current(dialect, _ROWS)}"


async def _change(
    tx: Transaction,
    which: str,
    params: Mapping[str, SqlValue],
    values: Mapping[tuple[str, ...], str],
    now: Nanoseconds,
) -> tuple[PendingId, ...]:
    dialect = tx.dialect
    rows = await tx.fetch_all(
        f"UPDATE {_ROWS} SET metadata = {json_assign(dialect, 'metadata', values)},"
        f" updated_at = :now, revision = :revision WHERE {which}"
        f" RETURNING {pending_id(dialect)} AS pending_id",
        {**params, "now": format_timestamp(now), "revision": await next_revision(tx)},
    )
    return tuple(dict.fromkeys(PendingId(str(row["pending_id"])) for row in rows))
