"""Equal questions asked again: the answer given before, the bundle still open (rule 4)."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from backend.domain.clarification import Answer, Bundle, Delivery, StoredAnswer
from backend.ids import PendingId
from backend.store.database import Row, Transaction
from backend.store.dialect import after_lookup, json_members, json_text
from backend.store.eligibility import pending_id
from backend.store.metadata import (
    OWN_KEY,
    answer_from_json,
    as_kind,
    as_time,
    decode,
    encode,
    question_id,
)
from backend.store.metadata import question_index as index_of
from backend.store.open_bundles import is_open

OFFERED_FOR: Final = 24 * 3600 * 1_000_000_000
"""Nanoseconds for which a delivered answer is offered to an equal question."""


async def with_equal_questions(tx: Transaction, bundles: Sequence[Bundle]) -> tuple[Bundle, ...]:
    """Fill `stored_answer` and `asked_again_of` of the open ones.

    Equal means the same digest in the same session, or from the same client in the same folder;
    a client whose folder is not known is compared with such clients only.
    """
    wanted = [bundle.pending_id for bundle in bundles if bundle.answerable]
    if not wanted:
        return tuple(bundles)
    candidates: dict[str, list[Row]] = {}
    for row in await _candidates(tx, wanted):
        candidates.setdefault(str(row["asked"]), []).append(row)
    return tuple(
        [
            await _with_candidates(tx, bundle, candidates[bundle.pending_id])
            if bundle.pending_id in candidates
            else bundle
            for bundle in bundles
        ]
    )


async def _candidates(tx: Transaction, wanted: Sequence[PendingId]) -> Sequence[Row]:
    """Other bundles with equal questions in reach of each wanted one, newest first."""
    client = json_text(tx.dialect, "s.metadata", OWN_KEY, "client", "name")
    folder = json_text(tx.dialect, "s.metadata", OWN_KEY, "folder")
    usable = (
        "o.state IS NULL OR (o.outcome = 'answered'"
        f" AND o.state IN ('{Delivery.WAITING_FOR_AGENT}','{Delivery.DELIVERED}',"
        f"'{Delivery.UNKNOWN}'))"
    )
    in_reach = (
        f"o.session_id = asked.session_id OR ({client} = asked.client AND {folder} = asked.folder)"
    )
    return await tx.fetch_all(
        # By itself, so that the equal ones are found by their digest whatever a database believes.
        "WITH asked AS MATERIALIZED (SELECT a.pending_id, a.opened_at, a.session_id,"
        f" a.question_digest, {client} AS client, {folder} AS folder"
        " FROM interaction_deliveries a JOIN task_sessions s ON s.id = a.session_id"
        f" WHERE {json_members(tx.dialect, 'a.pending_id', ':ids')} AND a.question_digest <> '')"
        " SELECT asked.pending_id AS asked, asked.opened_at AS asked_at, o.pending_id, o.state,"
        " o.outcome, o.opened_at, o.claimed_at, o.settled_at"
        " FROM asked JOIN interaction_deliveries o ON o.question_digest = asked.question_digest"
        " AND o.pending_id <> asked.pending_id"
        " LEFT JOIN task_sessions s ON s.id = o.session_id"
        f" WHERE {after_lookup(tx.dialect, usable)} AND {after_lookup(tx.dialect, in_reach)}"
        " ORDER BY COALESCE(o.claimed_at, o.opened_at) DESC, o.pending_id DESC",
        {"ids": encode(list(wanted))},
    )


async def _with_candidates(tx: Transaction, bundle: Bundle, rows: Sequence[Row]) -> Bundle:
    stored = next((row for row in rows if row["state"] is not None and _is_offered(row)), None)
    asked_again_of: PendingId | None = None
    for row in rows:
        earlier = PendingId(str(row["pending_id"]))
        if row["state"] is None and _is_older(row) and await is_open(tx, earlier):
            asked_again_of = earlier
            break
    return replace(
        bundle,
        stored_answer=None if stored is None else await _stored_answer(tx, stored),
        asked_again_of=asked_again_of,
    )


def _is_older(row: Row) -> bool:
    return (str(row["opened_at"]), str(row["pending_id"])) < (
        str(row["asked_at"]),
        str(row["asked"]),
    )


def _is_offered(row: Row) -> bool:
    """A waiting answer always; one that was handed over until a day after that, known to have
    arrived or not.
    """
    if row["state"] == Delivery.WAITING_FOR_AGENT:
        return True
    delivered = as_time(row["settled_at"] or row["claimed_at"])
    return delivered >= as_time(row["asked_at"]) - OFFERED_FOR


async def _stored_answer(tx: Transaction, row: Row) -> StoredAnswer:
    pending = PendingId(str(row["pending_id"]))
    return StoredAnswer(
        pending_id=pending,
        answers=await _answers(tx, pending),
        answered_at=as_time(row["claimed_at"]),
        delivery=as_kind(Delivery, row["state"], Delivery.UNKNOWN),
    )


async def _answers(tx: Transaction, pending: PendingId) -> tuple[Answer, ...]:
    rows = await tx.fetch_all(
        "SELECT metadata FROM task_session_messages"
        f" WHERE {pending_id(tx.dialect)} = :pending_id ORDER BY created_at, id",
        {"pending_id": pending},
    )
    found = sorted((decode(row["metadata"]) for row in rows), key=index_of)
    answers = (answer_from_json(item.get("response"), question_id(item)) for item in found)
    return tuple(answer for answer in answers if answer is not None)
