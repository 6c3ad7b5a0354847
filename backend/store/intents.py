"""Claimed answers on their way: which are not settled, settling one, restoring one (K1.7)."""

from typing import Final, NamedTuple

from backend.clock import Nanoseconds, format_timestamp
from backend.domain.clarification import AnswerDraft, BundleStatus, Delivery
from backend.domain.conversation import SessionKind
from backend.ids import ClaimId, MessageId, PendingId, SessionId
from backend.store import drafts, session_states
from backend.store.claim_rows import restored_metadata
from backend.store.database import Row, Statement, Transaction
from backend.store.dialect import Dialect, json_flag, json_remove, json_text
from backend.store.eligibility import (
    CLARIFICATION,
    is_current,
    is_well_formed,
    pending_id,
)
from backend.store.locks import lock_bundle
from backend.store.metadata import (
    OWN_KEY,
    JsonDict,
    answer_from_json,
    as_dict,
    as_text,
    decode,
    encode,
    question_id,
)
from backend.store.revisions import next_revision

_ROWS: Final = "task_session_messages"
_CLAIMED: Final = (BundleStatus.ANSWERED.value, BundleStatus.REJECTED.value)


class Intent(NamedTuple):
    """A claimed answer whose delivery is not settled."""

    pending_id: PendingId
    claim_id: ClaimId | None
    """None for a claim that is not ours."""
    session_id: SessionId
    kind: SessionKind
    message_ids: tuple[MessageId, ...]
    sound: bool
    """Its rows agree on how they were answered and by which claim."""


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
    await lock_bundle(tx, pending)
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


async def restore(
    tx: Transaction, pending: PendingId, claim_id: ClaimId | None, now: Nanoseconds
) -> bool:
    """Make a hosted session's claimed bundle answerable again; the answer becomes its draft.

    All rows of the claim or none. False, with nothing changed, when the claim no longer holds, a
    newer turn owns the session, the session has ended, the bundle is malformed or its session is
    a guest's (K1.7).
    """
    await lock_bundle(tx, pending)
    rows = await _rows_of_claim(tx, pending, claim_id)
    if not rows or not all(row["restorable"] for row in rows):
        return False
    revision = await next_revision(tx)
    found = [(row, decode(row["metadata"])) for row in rows]
    await tx.execute_each(
        [
            *(_restored_row(row, metadata, revision, now) for row, metadata in found),
            _forgotten_claim(pending, now),
        ]
    )
    answers = (answer_from_json(item.get("response"), question_id(item)) for _, item in found)
    kept = tuple(answer for answer in answers if answer is not None)
    if kept:
        await drafts.save(tx, AnswerDraft(pending, kept), now)
    await session_states.refresh(tx, SessionId(str(rows[0]["task_session_id"])), now)
    return True


async def list_intents(tx: Transaction) -> tuple[Intent, ...]:
    """Every claimed answer whose delivery is not settled, by pending id: what recovery needs."""
    return await _load(tx, f"{pending_id(tx.dialect, 'm')} IS NOT NULL", "")


async def find(tx: Transaction, pending: PendingId) -> Intent | None:
    """The unsettled answer of one bundle."""
    found = await _load(tx, f"{pending_id(tx.dialect, 'm')} = :pending_id", pending)
    return found[0] if found else None


async def _load(tx: Transaction, which: str, pending: str) -> tuple[Intent, ...]:
    dialect = tx.dialect
    kind = json_text(dialect, "s.metadata", OWN_KEY, "kind")
    rows = await tx.fetch_all(
        f"SELECT {pending_id(dialect, 'm')} AS pending_id, m.id, m.metadata, m.created_at,"
        f" m.task_session_id, {kind} AS kind FROM {_ROWS} m"
        " JOIN task_sessions s ON s.id = m.task_session_id"
        f" WHERE {_intent(dialect, 'm')} AND m.type = '{CLARIFICATION}' AND {which}",
        {"pending_id": pending} if pending else {},
    )
    grouped: dict[str, list[Row]] = {}
    # Sorted here: asked for an order, SQLite walks the index that has it instead of the intents'.
    for row in sorted(rows, key=lambda row: (str(row["pending_id"]), str(row["created_at"]))):
        grouped.setdefault(str(row["pending_id"]), []).append(row)
    return tuple(_to_intent(PendingId(pending), group) for pending, group in grouped.items())


def _to_intent(pending: PendingId, rows: list[Row]) -> Intent:
    found = [decode(row["metadata"]) for row in rows]
    claims = {as_text(as_dict(item.get(OWN_KEY)).get("claim_id")) for item in found}
    statuses = {as_text(item.get("status")) for item in found}
    claim_id = next(iter(claims))
    is_guest = rows[0]["kind"] == SessionKind.GUEST
    return Intent(
        pending_id=pending,
        claim_id=ClaimId(claim_id) if claim_id else None,
        session_id=SessionId(str(rows[0]["task_session_id"])),
        kind=SessionKind.GUEST if is_guest else SessionKind.HOSTED,
        message_ids=tuple(MessageId(str(row["id"])) for row in rows),
        sound=len(claims) == 1 and len(statuses) == 1 and statuses <= set(_CLAIMED),
    )


async def _rows_of_claim(
    tx: Transaction, pending: PendingId, claim_id: ClaimId | None
) -> list[Row]:
    dialect = tx.dialect
    own_claim = json_text(dialect, "m.metadata", OWN_KEY, "claim_id")
    rows = await tx.fetch_all(
        f"SELECT m.id, m.metadata, m.task_session_id,"
        f" CASE WHEN m.type = '{CLARIFICATION}' AND {is_current(dialect, 'm')}"
        f" AND {is_well_formed(dialect, 'm')} AND NOT {_in_guest_session(dialect, 'm')}"
        f" THEN 1 ELSE 0 END AS restorable FROM {_ROWS} m"
        f" WHERE {pending_id(dialect, 'm')} = :pending_id AND {_intent(dialect, 'm')}"
        f" AND COALESCE({own_claim},'') = COALESCE(:claim_id,'')"
        " ORDER BY m.created_at, m.id",
        {"pending_id": pending, "claim_id": claim_id},
    )
    return list(rows)


def _intent(dialect: Dialect, row: str = "") -> str:
    column = f"{row}.metadata" if row else "metadata"
    return json_flag(dialect, column, "response_delivery_pending")


def _in_guest_session(dialect: Dialect, row: str) -> str:
    kind = json_text(dialect, "g.metadata", OWN_KEY, "kind")
    return (
        "EXISTS (SELECT 1 FROM task_sessions g"
        f" WHERE g.id = {row}.task_session_id AND {kind} = '{SessionKind.GUEST}')"
    )


def _restored_row(row: Row, metadata: JsonDict, revision: int, now: Nanoseconds) -> Statement:
    return Statement(
        f"UPDATE {_ROWS} SET metadata = :metadata, updated_at = :now, revision = :revision"
        " WHERE id = :id",
        {
            "id": row["id"],
            "metadata": encode(restored_metadata(metadata)),
            "now": format_timestamp(now),
            "revision": revision,
        },
    )


def _forgotten_claim(pending: PendingId, now: Nanoseconds) -> Statement:
    return Statement(
        "UPDATE interaction_deliveries SET state = NULL, outcome = NULL, claim_id = NULL,"
        " client_id = NULL, payload_digest = NULL, reject_reason = '', claimed_at = NULL,"
        " settled_at = NULL, updated_at = :now WHERE pending_id = :pending_id",
        {"pending_id": pending, "now": format_timestamp(now)},
    )
