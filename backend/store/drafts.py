"""Answers that are still being typed, one per bundle."""

import json

from backend.clock import Nanoseconds, format_timestamp
from backend.domain.clarification import AnswerDraft
from backend.ids import PendingId, QuestionId
from backend.store.database import Statement, Transaction
from backend.store.metadata import answer_from_json, answer_to_json, as_list, encode


async def save(tx: Transaction, draft: AnswerDraft, now: Nanoseconds) -> None:
    await tx.execute(
        "INSERT INTO answer_drafts (pending_id, answers, current_question, updated_at)"
        " VALUES (:pending_id, :answers, :current, :now)"
        " ON CONFLICT (pending_id) DO UPDATE SET answers = excluded.answers,"
        " current_question = excluded.current_question, updated_at = excluded.updated_at",
        {
            "pending_id": draft.pending_id,
            "answers": encode([answer_to_json(answer) for answer in draft.answers]),
            "current": draft.current_question,
            "now": format_timestamp(now),
        },
    )


async def load(tx: Transaction, pending_id: PendingId) -> AnswerDraft | None:
    row = await tx.fetch_one(
        "SELECT answers, current_question FROM answer_drafts WHERE pending_id = :pending_id",
        {"pending_id": pending_id},
    )
    if row is None:
        return None
    stored = as_list(json.loads(str(row["answers"])))
    answers = (answer_from_json(value, QuestionId("")) for value in stored)
    return AnswerDraft(
        pending_id=pending_id,
        answers=tuple(answer for answer in answers if answer is not None),
        current_question=int(row["current_question"] or 0),
    )


async def delete(tx: Transaction, pending_id: PendingId) -> None:
    await tx.execute_each([deletion(pending_id)])


def deletion(pending_id: PendingId) -> Statement:
    """What `delete` runs."""
    return Statement(
        "DELETE FROM answer_drafts WHERE pending_id = :pending_id", {"pending_id": pending_id}
    )
