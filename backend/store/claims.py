"""Guarded changes of a bundle: claim, finalize, restore, detach, withdraw (K1.7, K5.3)."""

from typing import Final, NamedTuple

from backend.clock import Nanoseconds, format_timestamp
from backend.domain.clarification import (
    AnswerDraft,
    BundleStatus,
    Delivery,
    Skipped,
    Withdrawn,
)
from backend.domain.conversation import SessionKind
from backend.ids import ClaimId, PendingId, SessionId
from backend.store import drafts, sessions
from backend.store.claim_rows import Claim, claimed_metadata, invalid_row, restored_metadata
from backend.store.database import Params, Row, Transaction
from backend.store.dialect import (
    Dialect,
    json_assign,
    json_flag,
    json_remove,
    json_string,
    json_text,
    json_true,
)
from backend.store.eligibility import (
    CLARIFICATION,
    is_active,
    is_current,
    is_pending,
    is_well_formed,
    pending_id,
)
from backend.store.metadata import (
    OWN_KEY,
    JsonDict,
    answer_from_json,
    decode,
    encode,
    question_id,
)
from backend.store.revisions import next_revision

__all__ = [
    "Claim",
    "Intent",
    "claim",
    "detach",
    "finalize",
    "keep_for_agent",
    "list_intents",
    "restore",
    "withdraw",
]

_ROWS: Final = "task_session_messages"
_RESPONDING: Final = "responding"
"""The status of a row inside the claim's transaction; never committed (K1.5)."""


class Intent(NamedTuple):
    """A claimed answer whose delivery is not settled."""

    pending_id: PendingId
    claim_id: ClaimId | None
    kind: SessionKind


async def claim(tx: Transaction, claim: Claim) -> bool:
    """Answer every pending row of the bundle at once, or none.

    False when it can no longer be answered; then nothing has changed.

    Raises:
        StorageFailed: `store_invalid_row`, a row has no question id or the outcome no answer
            for it; the transaction must not be committed.
    """
    dialect = tx.dialect
    revision = await next_revision(tx)
    base: Params = {
        "pending_id": claim.pending_id,
        "now": format_timestamp(claim.now),
        "revision": revision,
    }
    responding = json_assign(dialect, "metadata", {("status",): json_string(dialect, ":status")})
    claimed = await tx.execute(
        f"UPDATE {_ROWS} SET metadata = {responding}, updated_at = :now, revision = :revision"
        f" WHERE {pending_id(dialect)} = :pending_id AND {is_active(dialect, _ROWS)}",
        {**base, "status": _RESPONDING},
    )
    if not claimed:
        return False
    rows = await _responding_rows(tx, claim.pending_id)
    if len(rows) != claimed:
        raise invalid_row(claim.pending_id, "rows changed while they were being claimed")
    for row in rows:
        await _write_claimed(tx, row, claimed_metadata(claim, row), base)
    await _record_claim(tx, claim, SessionId(str(rows[0]["task_session_id"])))
    return True


async def finalize(
    tx: Transaction,
    pending: PendingId,
    claim_id: ClaimId | None,
    delivery: Delivery,
    now: Nanoseconds,
) -> bool:
    """Settle where a claimed answer went; False when that claim no longer holds.

    The time of the answer stays as the claim wrote it (K4.1). `claim_id` is None for an intent
    that no claim of ours has made.
    """
    dialect = tx.dialect
    own_claim = json_text(dialect, "metadata", OWN_KEY, "claim_id")
    removed = json_remove(dialect, "metadata", "response_delivery_pending")
    settled = await tx.execute(
        f"UPDATE {_ROWS} SET metadata = {removed}, revision = :revision"
        f" WHERE {pending_id(dialect)} = :pending_id AND {_intent(dialect)}"
        f" AND COALESCE({own_claim},'') = COALESCE(:claim_id,'')"
        f" AND {json_text(dialect, 'metadata', 'status')} IN ('answered','rejected')",
        {
            "pending_id": pending,
            "claim_id": claim_id,
            "revision": await next_revision(tx),
        },
    )
    if not settled:
        return False
    await tx.execute(
        "UPDATE interaction_deliveries SET state = :state, settled_at = :now, updated_at = :now"
        " WHERE pending_id = :pending_id AND COALESCE(claim_id,'') = COALESCE(:claim_id,'')"
        " AND (state IS NULL OR state = 'pending')",
        {
            "pending_id": pending,
            "claim_id": claim_id,
            "state": delivery.value,
            "now": format_timestamp(now),
        },
    )
    return True


async def keep_for_agent(
    tx: Transaction, pending: PendingId, claim_id: ClaimId | None, now: Nanoseconds
) -> bool:
    """Settle a guest's claimed answer as waiting: it never returns to pending."""
    return await finalize(tx, pending, claim_id, Delivery.WAITING_FOR_AGENT, now)


async def restore(tx: Transaction, pending: PendingId, claim_id: ClaimId, now: Nanoseconds) -> bool:
    """Make a hosted session's claimed bundle answerable again; the answer becomes its draft.

    False, with nothing changed, when the claim no longer holds, a newer turn owns the session,
    the session has ended, the bundle is malformed or its session is a guest's (K1.7).
    """
    dialect = tx.dialect
    own_claim = json_text(dialect, "m.metadata", OWN_KEY, "claim_id")
    rows = await tx.fetch_all(
        f"SELECT m.id, m.metadata, m.task_session_id FROM {_ROWS} m"
        f" WHERE {pending_id(dialect, 'm')} = :pending_id AND {_intent(dialect, 'm')}"
        f" AND {own_claim} = :claim_id AND {is_current(dialect, 'm')}"
        f" AND {is_well_formed(dialect, 'm')} AND NOT {_in_guest_session(dialect, 'm')}"
        " ORDER BY m.created_at, m.id",
        {"pending_id": pending, "claim_id": claim_id},
    )
    if not rows:
        return False
    revision = await next_revision(tx)
    found = [(row, decode(row["metadata"])) for row in rows]
    for row, metadata in found:
        await tx.execute(
            f"UPDATE {_ROWS} SET metadata = :metadata, updated_at = :now, revision = :revision"
            " WHERE id = :id",
            {
                "id": row["id"],
                "metadata": encode(restored_metadata(metadata)),
                "now": format_timestamp(now),
                "revision": revision,
            },
        )
    await _forget_claim(tx, pending, now)
    answers = (answer_from_json(item.get("response"), question_id(item)) for _, item in found)
    kept = tuple(answer for answer in answers if answer is not None)
    if kept:
        await drafts.save(tx, AnswerDraft(pending, kept), now)
    return True


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


async def list_intents(tx: Transaction) -> tuple[Intent, ...]:
    """Every claimed answer whose delivery is not settled, by pending id: what recovery needs."""
    dialect = tx.dialect
    own_claim = json_text(dialect, "m.metadata", OWN_KEY, "claim_id")
    kind = json_text(dialect, "s.metadata", OWN_KEY, "kind")
    rows = await tx.fetch_all(
        f"SELECT {pending_id(dialect, 'm')} AS pending_id, MAX({own_claim}) AS claim_id,"
        f" MAX({kind}) AS kind FROM {_ROWS} m JOIN task_sessions s ON s.id = m.task_session_id"
        f" WHERE {_intent(dialect, 'm')} AND m.type = '{CLARIFICATION}'"
        f" AND {pending_id(dialect, 'm')} IS NOT NULL"
        f" GROUP BY {pending_id(dialect, 'm')} ORDER BY {pending_id(dialect, 'm')}"
    )
    return tuple(
        Intent(
            PendingId(str(row["pending_id"])),
            ClaimId(str(row["claim_id"])) if row["claim_id"] else None,
            SessionKind.GUEST if row["kind"] == SessionKind.GUEST else SessionKind.HOSTED,
        )
        for row in rows
    )


def _intent(dialect: Dialect, row: str = "") -> str:
    column = f"{row}.metadata" if row else "metadata"
    return json_flag(dialect, column, "response_delivery_pending")


def _in_guest_session(dialect: Dialect, row: str) -> str:
    kind = json_text(dialect, "g.metadata", OWN_KEY, "kind")
    return (
        "EXISTS (SELECT 1 FROM task_sessions g"
        f" WHERE g.id = {row}.task_session_id AND {kind} = '{SessionKind.GUEST}')"
    )


async def _responding_rows(tx: Transaction, pending: PendingId) -> list[Row]:
    status = json_text(tx.dialect, "m.metadata", "status")
    rows = await tx.fetch_all(
        f"SELECT m.id, m.metadata, m.task_session_id FROM {_ROWS} m"
        f" WHERE {pending_id(tx.dialect, 'm')} = :pending_id AND {status} = '{_RESPONDING}'"
        f" AND {is_current(tx.dialect, 'm')} ORDER BY m.created_at, m.id",
        {"pending_id": pending},
    )
    return list(rows)


async def _write_claimed(tx: Transaction, row: Row, metadata: JsonDict, base: Params) -> None:
    status = json_text(tx.dialect, "metadata", "status")
    written = await tx.execute(
        f"UPDATE {_ROWS} SET metadata = :metadata, updated_at = :now, revision = :revision"
        f" WHERE id = :id AND {status} = '{_RESPONDING}'",
        {
            "id": row["id"],
            "metadata": encode(metadata),
            "now": base["now"],
            "revision": base["revision"],
        },
    )
    if written != 1:
        raise invalid_row(str(row["id"]), "a row changed while it was being claimed")


async def _record_claim(tx: Transaction, claim: Claim, session_id: SessionId) -> None:
    skipped = isinstance(claim.outcome, Skipped)
    await tx.execute(
        "INSERT INTO interaction_deliveries (pending_id, session_id, state, outcome, claim_id,"
        " client_id, payload_digest, reject_reason, opened_at, claimed_at, updated_at)"
        " VALUES (:pending_id, :session, 'pending', :outcome, :claim_id, :client_id, :digest,"
        " :reason, :now, :now, :now)"
        " ON CONFLICT (pending_id) DO UPDATE SET state = excluded.state,"
        " outcome = excluded.outcome, claim_id = excluded.claim_id,"
        " client_id = excluded.client_id, payload_digest = excluded.payload_digest,"
        " reject_reason = excluded.reject_reason, claimed_at = excluded.claimed_at,"
        " settled_at = NULL, updated_at = excluded.updated_at",
        {
            "pending_id": claim.pending_id,
            "session": session_id,
            "outcome": (BundleStatus.REJECTED if skipped else BundleStatus.ANSWERED).value,
            "claim_id": claim.claim_id,
            "client_id": claim.client_id,
            "digest": claim.payload_digest,
            "reason": claim.outcome.reason if isinstance(claim.outcome, Skipped) else "",
            "now": format_timestamp(claim.now),
        },
    )


async def _forget_claim(tx: Transaction, pending: PendingId, now: Nanoseconds) -> None:
    await tx.execute(
        "UPDATE interaction_deliveries SET state = NULL, outcome = NULL, claim_id = NULL,"
        " client_id = NULL, payload_digest = NULL, reject_reason = '', claimed_at = NULL,"
        " settled_at = NULL, updated_at = :now WHERE pending_id = :pending_id",
        {"pending_id": pending, "now": format_timestamp(now)},
    )
