"""Answers that were handed over in a turn after which nothing was heard of its agent.

That the bytes of an answer went to the agent is known; that the agent has read them is known only
from what it says next.
"""

from typing import Final

from backend.clock import Nanoseconds
from backend.domain.clarification import BundleStatus, Delivery
from backend.domain.review import Owner
from backend.ids import PendingId, ReviewId, TurnId
from backend.store import deliveries, receipts, reservations
from backend.store.database import Transaction
from backend.store.dialect import json_text
from backend.store.eligibility import pending_id
from backend.store.metadata import OWN_KEY, as_time
from backend.store.reservations import ANSWER
from backend.store.transcript_rows import OPEN_TOOL_STATUSES

NEVER: Final = Nanoseconds(0)
"""When an agent was last heard that has said nothing at all."""


async def last_word(tx: Transaction, turn_id: TurnId) -> Nanoseconds:
    """When the agent last said something in the turn, as far as its rows tell; else `NEVER`.

    A row counts from when it began, a tool call also when it has ended. What the desk itself
    tells in a turn is no word of the agent.
    """
    status = json_text(tx.dialect, "metadata", "status")
    notice = json_text(tx.dialect, "metadata", OWN_KEY, "notice")
    open_ones = ",".join(f"'{name}'" for name in OPEN_TOOL_STATUSES)
    row = await tx.fetch_one(
        f"SELECT MAX(CASE WHEN type LIKE 'tool%' AND COALESCE({status},'') NOT IN ({open_ones})"
        " THEN updated_at ELSE created_at END) AS heard FROM task_session_messages"
        f" WHERE turn_id = :turn AND author_type = 'agent' AND {notice} IS NULL",
        {"turn": turn_id},
    )
    return as_time(row["heard"]) if row is not None and row["heard"] else NEVER


async def doubt(
    tx: Transaction, turn_id: TurnId, heard: Nanoseconds, now: Nanoseconds
) -> tuple[PendingId, ...]:
    """Note that nobody knows whether the agent got what it was answered since it was `heard`.

    Also of the answer that was the turn's own prompt, if nothing was heard in the turn at all.
    Only what is called delivered is changed, so that each is named once. The outcomes of requests
    it was told since are not confirmed either. The caller holds the session.
    """
    found = list(await _answered_after(tx, turn_id, heard))
    carried = await carried_by(tx, turn_id) if heard == NEVER else None
    if carried is not None:
        found.append(carried)
    told = await _outcomes_after(tx, turn_id, heard)
    if heard == NEVER:
        told += await reservations.outcomes_of(tx, turn_id)
    await receipts.doubt_told(tx, tuple(dict.fromkeys(told)), now)
    delivered, unknown = Delivery.DELIVERED, Delivery.UNKNOWN
    return tuple(
        [
            pending
            for pending in found
            if await deliveries.move(tx, pending, expected=delivered, to=unknown, now=now)
        ]
    )


async def _outcomes_after(
    tx: Transaction, turn_id: TurnId, heard: Nanoseconds
) -> tuple[ReviewId, ...]:
    """Of calls of this turn which this desk has carried out."""
    rows = await tx.fetch_all(
        "SELECT r.id, d.settled_at FROM tool_action_requests r"
        " JOIN interaction_deliveries d ON d.pending_id = r.id"
        " WHERE r.session_id = (SELECT task_session_id FROM task_session_turns WHERE id = :turn)"
        f" AND r.turn_id = :turn AND r.owner = '{Owner.GATEWAY}'"
        f" AND d.kind = '{receipts.PERMISSION_REQUEST}' AND d.state = '{Delivery.DELIVERED}'",
        {"turn": turn_id},
    )
    return tuple(
        ReviewId(str(row["id"]))
        for row in rows
        if row["settled_at"] and as_time(row["settled_at"]) > heard
    )


async def carried_by(tx: Transaction, turn_id: TurnId) -> PendingId | None:
    """The question whose answer was this turn's prompt (K5.5, detached)."""
    carried = json_text(tx.dialect, "metadata", OWN_KEY, ANSWER)
    row = await tx.fetch_one(
        f"SELECT {carried} AS pending_id FROM task_session_turns WHERE id = :turn",
        {"turn": turn_id},
    )
    return PendingId(str(row["pending_id"])) if row is not None and row["pending_id"] else None


async def _answered_after(
    tx: Transaction, turn_id: TurnId, heard: Nanoseconds
) -> tuple[PendingId, ...]:
    rows = await tx.fetch_all(
        "SELECT d.pending_id, d.settled_at FROM interaction_deliveries d"
        f" WHERE d.state = '{Delivery.DELIVERED}' AND d.outcome = '{BundleStatus.ANSWERED}'"
        f" AND d.pending_id IN (SELECT {pending_id(tx.dialect, 'm')}"
        " FROM task_session_messages m WHERE m.turn_id = :turn"
        " AND m.type = 'clarification_request') ORDER BY d.settled_at, d.pending_id",
        {"turn": turn_id},
    )
    return tuple(
        PendingId(str(row["pending_id"]))
        for row in rows
        if row["settled_at"] and as_time(row["settled_at"]) > heard
    )
