"""The one guarded UPDATE that answers a bundle (K5.3)."""

from typing import Final

from backend.clock import format_timestamp
from backend.domain.clarification import (
    BundleStatus,
    Skipped,
)
from backend.ids import PendingId, SessionId
from backend.store.claim_rows import Claim, claimed_metadata, invalid_row
from backend.store.database import Params, Row, Statement, Transaction
from backend.store.dialect import (
    after_lookup,
    json_assign,
    json_string,
    json_text,
)
from backend.store.eligibility import (
    is_active,
    is_current,
    pending_id,
)
from backend.store.metadata import (
    JsonDict,
    encode,
)
from backend.store.revisions import next_revision

__all__ = ["Claim", "claim"]

_ROWS: Final = "task_session_messages"
_RESPONDING: Final = "responding"
"""The status of a row inside the claim's transaction; never committed (K1.5)."""


async def claim(tx: Transaction, claim: Claim) -> bool:
    """Answer every pending row of the bundle at once, or none; its sessions must be held.

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
        f" WHERE {pending_id(dialect)} = :pending_id"
        f" AND {after_lookup(dialect, is_active(dialect, _ROWS))}",
        {**base, "status": _RESPONDING},
    )
    if not claimed:
        return False
    rows = await _responding_rows(tx, claim.pending_id)
    if len(rows) != claimed:
        raise invalid_row(claim.pending_id, "rows changed while they were being claimed")
    session_id = SessionId(str(rows[0]["task_session_id"]))
    *written, _ = await tx.execute_each(
        [
            *(_claimed_row(tx, row, claimed_metadata(claim, row), base) for row in rows),
            _claimed_delivery(claim, session_id),
        ]
    )
    if written != [1] * len(rows):
        raise invalid_row(claim.pending_id, "a row changed while it was being claimed")
    return True


async def _responding_rows(tx: Transaction, pending: PendingId) -> list[Row]:
    status = json_text(tx.dialect, "m.metadata", "status")
    rows = await tx.fetch_all(
        f"SELECT m.id, m.metadata, m.task_session_id FROM {_ROWS} m"
        f" WHERE {pending_id(tx.dialect, 'm')} = :pending_id AND {status} = '{_RESPONDING}'"
        f" AND {after_lookup(tx.dialect, is_current(tx.dialect, 'm'))}"
        " ORDER BY m.created_at, m.id",
        {"pending_id": pending},
    )
    return list(rows)


def _claimed_row(tx: Transaction, row: Row, metadata: JsonDict, base: Params) -> Statement:
    status = json_text(tx.dialect, "metadata", "status")
    return Statement(
        f"UPDATE {_ROWS} SET metadata = :metadata, updated_at = :now, revision = :revision"
        f" WHERE id = :id AND {status} = '{_RESPONDING}'",
        {
            "id": row["id"],
            "metadata": encode(metadata),
            "now": base["now"],
            "revision": base["revision"],
        },
    )


def _claimed_delivery(claim: Claim, session_id: SessionId) -> Statement:
    skipped = isinstance(claim.outcome, Skipped)
    return Statement(
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
