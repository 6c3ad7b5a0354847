"""Bundles as they are read: rows with one pending id, joined with what became of their answer."""

from collections.abc import Iterable, Sequence
from typing import Final

from backend.clock import Nanoseconds
from backend.domain.clarification import (
    Bundle,
    BundleQuestion,
    BundleStatus,
    Delivery,
    Withdrawn,
)
from backend.domain.conversation import SessionKind
from backend.errors import ErrorCode, NotFound
from backend.ids import ClaimId, MessageId, PendingId, SessionId, TaskId, TurnId
from backend.store.database import Params, Row, SqlValue, Transaction
from backend.store.dialect import Dialect, json_members, json_text
from backend.store.eligibility import (
    CLARIFICATION,
    in_ended_session,
    is_current,
    is_question,
    is_well_formed,
    pending_id,
)
from backend.store.metadata import (
    OWN_KEY,
    JsonDict,
    answer_from_json,
    as_dict,
    as_kind,
    as_text,
    as_time,
    decode,
    encode,
    is_pending,
    is_set,
    question_from_json,
    question_id,
    question_index,
    row_status,
)
from backend.store.open_bundles import open_pending_ids
from backend.store.same_questions import with_equal_questions

_ANSWERED: Final = (BundleStatus.ANSWERED, BundleStatus.REJECTED)


async def load_bundle(tx: Transaction, pending: PendingId) -> Bundle | None:
    """The bundle whatever its state; None for an unknown id and for a parent question (K5.1).

    A malformed bundle, also one with a question that has no id, reads as superseded: it is shown,
    and nobody can answer it.
    """
    found = await _load(tx, f"{pending_id(tx.dialect, 'm')} = :pending_id", {"pending_id": pending})
    return found[0] if found else None


async def require_bundle(tx: Transaction, pending: PendingId) -> Bundle:
    """As `load_bundle`.

    Raises:
        NotFound: there is none; the same for every id that is not a bundle's.
    """
    bundle = await load_bundle(tx, pending)
    if bundle is None:
        raise NotFound(ErrorCode.NOT_FOUND, "no such question")
    return bundle


async def list_open(tx: Transaction) -> tuple[Bundle, ...]:
    """Every answerable bundle of every session, oldest first."""
    ids = await open_pending_ids(tx)
    found = await load_bundles(tx, ids)
    return tuple(bundle for bundle in found if bundle.answerable)


async def list_uncollected(tx: Transaction) -> tuple[Bundle, ...]:
    """Bundles whose answer still waits for its agent, oldest answer first."""
    rows = await tx.fetch_all(
        "SELECT pending_id FROM interaction_deliveries WHERE state = 'waiting_for_agent'"
        " AND kind = 'question' ORDER BY claimed_at, pending_id"
    )
    ids = [PendingId(str(row["pending_id"])) for row in rows]
    place = {pending: index for index, pending in enumerate(ids)}
    found = await load_bundles(tx, ids)
    return tuple(sorted(found, key=lambda bundle: place[bundle.pending_id]))


async def load_bundles(tx: Transaction, ids: Sequence[PendingId]) -> tuple[Bundle, ...]:
    """Those of `ids` that are bundles, oldest first."""
    if not ids:
        return ()
    wanted = json_members(tx.dialect, pending_id(tx.dialect, "m"), ":ids")
    return await _load(tx, wanted, {"ids": encode(ids)})


async def _load(tx: Transaction, which: str, params: Params) -> tuple[Bundle, ...]:
    rows = await tx.fetch_all(
        f"{_select(tx.dialect)} WHERE {which} ORDER BY m.created_at, m.id", params
    )
    grouped: dict[str, list[Row]] = {}
    for row in rows:
        grouped.setdefault(str(row["pending_id"]), []).append(row)
    bundles = (_to_bundle(PendingId(pending), group) for pending, group in grouped.items())
    return await with_equal_questions(tx, tuple(bundle for bundle in bundles if bundle))


def _select(dialect: Dialect) -> str:
    return (
        f"SELECT {pending_id(dialect, 'm')} AS pending_id, m.id, m.task_session_id, m.turn_id,"
        " m.type, m.content, m.metadata, m.created_at, m.updated_at, m.revision,"
        " COALESCE(NULLIF(m.task_id, ''), s.task_id, '') AS task_id,"
        f" CASE WHEN {is_question(dialect, 'm')} THEN 1 ELSE 0 END AS is_question,"
        f" CASE WHEN {is_current(dialect, 'm')} AND {is_well_formed(dialect, 'm')}"
        " THEN 1 ELSE 0 END AS is_current,"
        f" CASE WHEN {in_ended_session('m')} THEN 1 ELSE 0 END AS is_ended,"
        f" {json_text(dialect, 's.metadata', OWN_KEY, 'kind')} AS kind,"
        " d.state AS delivery_state, d.claim_id, d.reject_reason, d.replaced_by, d.claimed_at"
        " FROM task_session_messages m LEFT JOIN task_sessions s ON s.id = m.task_session_id"
        f" LEFT JOIN interaction_deliveries d ON d.pending_id = {pending_id(dialect, 'm')}"
    )


def _to_bundle(pending: PendingId, rows: Sequence[Row]) -> Bundle | None:
    questions = [row for row in rows if row["type"] == CLARIFICATION]
    if not questions or any(not row["is_question"] for row in questions):
        return None
    items = sorted(
        ((row, decode(row["metadata"])) for row in questions),
        key=lambda item: question_index(item[1]),
    )
    head, first = items[0]
    status = _status([metadata for _, metadata in items])
    is_open = status is BundleStatus.PENDING
    ended = is_open and bool(head["is_ended"])
    nameless = any(not question_id(metadata) for _, metadata in items)
    intent = any(is_set(metadata.get("response_delivery_pending")) for _, metadata in items)
    return Bundle(
        pending_id=pending,
        session_id=SessionId(str(head["task_session_id"])),
        task_id=TaskId(str(head["task_id"])),
        turn_id=TurnId(str(head["turn_id"])),
        hosted=head["kind"] != SessionKind.GUEST,
        questions=tuple(_to_question(row, metadata) for row, metadata in items),
        created_at=min(as_time(row["created_at"]) for row in questions),
        updated_at=max(as_time(row["updated_at"]) for row in questions),
        status=status,
        context=as_text(first.get("context")),
        expected_questions=_expected(first, len(items)),
        detached=any(is_set(metadata.get("agent_disconnected")) for _, metadata in items),
        superseded=is_open and (nameless or not all(row["is_current"] for row in questions)),
        delivery=_delivery(head["delivery_state"], intent=intent),
        claim_id=ClaimId(str(head["claim_id"])) if head["claim_id"] else None,
        responded_at=_responded_at(items, head["claimed_at"]),
        reject_reason=as_text(head["reject_reason"]),
        withdrawn=_withdrawn(
            first, status, ended=ended, superseded=nameless or not head["is_current"]
        ),
        replaced_by=PendingId(str(head["replaced_by"])) if head["replaced_by"] else None,
    )


def _to_question(row: Row, metadata: JsonDict) -> BundleQuestion:
    return BundleQuestion(
        message_id=MessageId(str(row["id"])),
        revision=int(row["revision"] or 0),
        question=question_from_json(metadata, str(row["content"])),
        status=row_status(metadata),
        answer=answer_from_json(metadata.get("response"), question_id(metadata)),
    )


def _status(rows: Iterable[JsonDict]) -> BundleStatus:
    """Pending while any row is; else the first answer or refusal, else the first end (K5.4)."""
    if any(is_pending(metadata) for metadata in rows):
        return BundleStatus.PENDING
    known = [row_status(metadata) for metadata in rows]
    ends = [status for status in known if status is not BundleStatus.PENDING]
    winners = (status for status in ends if status in _ANSWERED)
    return next(winners, ends[0] if ends else BundleStatus.CANCELLED)


def _delivery(state: SqlValue, *, intent: bool) -> Delivery | None:
    if state:
        return as_kind(Delivery, state, Delivery.UNKNOWN)
    return Delivery.PENDING if intent else None


def _responded_at(
    items: Sequence[tuple[Row, JsonDict]], claimed_at: SqlValue
) -> Nanoseconds | None:
    """Our claims note their time; rows of others carry it as the time of the last change."""
    if claimed_at:
        return as_time(claimed_at)
    for row, metadata in items:
        if row_status(metadata) in _ANSWERED:
            return as_time(row["updated_at"])
    return None


def _withdrawn(
    metadata: JsonDict, status: BundleStatus, *, ended: bool, superseded: bool
) -> Withdrawn | None:
    if status is BundleStatus.PENDING:
        if ended:
            return Withdrawn.SESSION_ENDED
        return Withdrawn.SUPERSEDED if superseded else None
    reason = as_text(as_dict(metadata.get(OWN_KEY)).get("reason"))
    if status is not BundleStatus.CANCELLED:
        return None
    known = {member.value: member for member in Withdrawn}
    return known.get(reason, Withdrawn.BY_AGENT)


def _expected(metadata: JsonDict, rows: int) -> int:
    total = metadata.get("question_total")
    return total if isinstance(total, int) and total > 0 else rows
