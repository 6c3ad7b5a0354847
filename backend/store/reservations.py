"""Turns that are reserved for one prompt: the at-most-once boundary of a dispatch (K1.4, K5.5)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from backend.clock import Nanoseconds, format_timestamp
from backend.errors import ErrorCode, StorageFailed
from backend.ids import MessageId, PendingId, ReviewId, SessionId, TaskId, TurnId
from backend.store import turns
from backend.store.database import Row, Transaction
from backend.store.dialect import (
    json_assign,
    json_flag,
    json_members,
    json_remove,
    json_text,
    json_true,
)
from backend.store.eligibility import pending_id
from backend.store.metadata import OWN_KEY, as_dict, as_list, as_text, decode, encode, is_set

PENDING: Final = "prompt_dispatch_pending"
ATTEMPTED: Final = "prompt_dispatch_attempted"
OUTBOX: Final = "prompt_dispatch_start_event_pending"
PROMPT: Final = "prompt"
"""Our own key: the row of the human's message that a reserved turn is for."""
ANSWER: Final = "answer"
"""Our own key: the question whose answer is the turn's prompt; it stays when the turn is taken."""
OUTCOMES: Final = "outcomes"
"""Our own key: the requests whose outcomes are the turn's prompt; it stays when it is taken."""
_PENDING_ID: Final = "prompt_dispatch_clarification_pending_id"
_TURN_ID: Final = "prompt_dispatch_clarification_turn_id"
_MESSAGE_IDS: Final = "prompt_dispatch_clarification_message_ids"
_DISPATCH: Final = (PENDING, ATTEMPTED, _PENDING_ID, _TURN_ID, _MESSAGE_IDS)


@dataclass(frozen=True, slots=True)
class ClaimedRows:
    """The exact rows a dispatch consumes."""

    pending_id: PendingId
    turn_id: TurnId
    message_ids: tuple[MessageId, ...]


@dataclass(frozen=True, slots=True)
class Reservation:
    """A successor turn whose prompt was not known to be taken when this was read."""

    turn_id: TurnId
    session_id: SessionId
    claimed: ClaimedRows | None
    """None for a prompt that carries no answer."""
    started: bool
    """The dispatch was attempted, or rows of the turn prove it."""
    referenced: bool
    """Rows of the turn exist: the agent has taken the prompt."""
    outcomes: tuple[ReviewId, ...] = ()
    """Requests whose outcomes the prompt tells."""


@dataclass(frozen=True, slots=True)
class UnpublishedTurn:
    """A turn whose events were not published before the program ended."""

    turn_id: TurnId
    session_id: SessionId
    completed: bool


async def reserve(
    tx: Transaction,
    turn_id: TurnId,
    session_id: SessionId,
    task_id: TaskId,
    claimed: ClaimedRows,
    now: Nanoseconds,
) -> None:
    """Open the successor turn; it owns nothing until `mark_attempted`."""
    await turns.open_turn(
        tx,
        session_id,
        task_id,
        now,
        {
            PENDING: True,
            _PENDING_ID: claimed.pending_id,
            _TURN_ID: claimed.turn_id,
            _MESSAGE_IDS: list(claimed.message_ids),
            OWN_KEY: {ANSWER: claimed.pending_id},
        },
        turn_id=turn_id,
    )


async def reserve_for_outcomes(
    tx: Transaction,
    turn_id: TurnId,
    session_id: SessionId,
    task_id: TaskId,
    review_ids: Sequence[ReviewId],
    now: Nanoseconds,
) -> None:
    """Open the turn of a prompt that tells what became of requests, and cross the at-most-once
    boundary with it: what it carries is moved in the same transaction.
    """
    metadata = {PENDING: True, ATTEMPTED: True, OWN_KEY: {OUTCOMES: list(review_ids)}}
    await turns.open_turn(tx, session_id, task_id, now, metadata, turn_id=turn_id)


async def mark_attempted(tx: Transaction, turn_id: TurnId, now: Nanoseconds) -> bool:
    """Cross the at-most-once boundary: from now on the prompt counts as given, come what may."""
    marked = json_assign(tx.dialect, "metadata", {(ATTEMPTED,): json_true(tx.dialect)})
    changed = await tx.execute(
        f"UPDATE task_session_turns SET metadata = {marked}, updated_at = :now"
        f" WHERE id = :turn AND {json_flag(tx.dialect, 'metadata', PENDING)}",
        {"turn": turn_id, "now": format_timestamp(now)},
    )
    return changed == 1


async def clear(tx: Transaction, turn_id: TurnId, now: Nanoseconds, *, outbox: bool) -> None:
    """Make it a turn like any other; `outbox` keeps the mark that its events are not published.

    Other keys of the row stay as they are (K8.6, 85).
    """
    document = "metadata"
    if outbox:
        document = json_assign(tx.dialect, document, {(OUTBOX,): json_true(tx.dialect)})
    kept = json_remove(tx.dialect, document, *_DISPATCH)
    await tx.execute(
        f"UPDATE task_session_turns SET metadata = {kept}, updated_at = :now WHERE id = :turn",
        {"turn": turn_id, "now": format_timestamp(now)},
    )


async def release(tx: Transaction, turn_id: TurnId) -> bool:
    """Delete a reserved turn unless a row refers to it; False when it stays (K8.6, 71)."""
    await tx.execute(
        "DELETE FROM task_session_turns WHERE id = :turn"
        f" AND {json_flag(tx.dialect, 'metadata', PENDING)}"
        " AND NOT EXISTS (SELECT 1 FROM task_session_messages r WHERE r.turn_id = :turn)",
        {"turn": turn_id},
    )
    left = await tx.fetch_one(
        "SELECT 1 AS found FROM task_session_turns WHERE id = :turn", {"turn": turn_id}
    )
    return left is None


async def list_reserved(tx: Transaction) -> tuple[TurnId, ...]:
    """Every turn that is still reserved, oldest first; not those of messages (`prompts`)."""
    rows = await tx.fetch_all(
        "SELECT t.id FROM task_session_turns t"
        f" WHERE {json_flag(tx.dialect, 't.metadata', PENDING)}"
        f" AND {json_text(tx.dialect, 't.metadata', OWN_KEY, PROMPT)} IS NULL"
        " ORDER BY t.started_at, t.created_at, t.id"
    )
    return tuple(TurnId(str(row["id"])) for row in rows)


async def load(tx: Transaction, turn_id: TurnId) -> Reservation | None:
    """What recovery needs of a reserved turn; None when it is not reserved any more.

    Raises:
        StorageFailed: `store_invalid_row`, what it says of the claimed rows makes no sense.
    """
    row = await tx.fetch_one(
        "SELECT t.id, t.task_session_id, t.metadata, CASE WHEN EXISTS"
        " (SELECT 1 FROM task_session_messages r WHERE r.turn_id = t.id)"
        " THEN 1 ELSE 0 END AS referenced FROM task_session_turns t"
        f" WHERE t.id = :turn AND {json_flag(tx.dialect, 't.metadata', PENDING)}",
        {"turn": turn_id},
    )
    if row is None:
        return None
    referenced = bool(row["referenced"])
    metadata = decode(row["metadata"])
    own = as_dict(metadata.get(OWN_KEY))
    return Reservation(
        turn_id=turn_id,
        session_id=SessionId(str(row["task_session_id"])),
        claimed=_claimed_rows(row),
        started=referenced or is_set(metadata.get(ATTEMPTED)),
        referenced=referenced,
        outcomes=tuple(ReviewId(as_text(item)) for item in as_list(own.get(OUTCOMES))),
    )


async def outcomes_of(tx: Transaction, turn_id: TurnId) -> tuple[ReviewId, ...]:
    """The requests whose outcomes were this turn's prompt."""
    row = await tx.fetch_one(
        "SELECT metadata FROM task_session_turns WHERE id = :turn", {"turn": turn_id}
    )
    own = as_dict(decode(row["metadata"]).get(OWN_KEY)) if row is not None else {}
    return tuple(ReviewId(as_text(item)) for item in as_list(own.get(OUTCOMES)))


async def owns_answer(tx: Transaction, pending: PendingId) -> bool:
    """Whether a reserved turn carries this bundle's answer: only its own recovery settles it."""
    owner = json_text(tx.dialect, "t.metadata", _PENDING_ID)
    row = await tx.fetch_one(
        "SELECT 1 AS found FROM task_session_turns t"
        f" WHERE {json_flag(tx.dialect, 't.metadata', PENDING)} AND {owner} = :pending_id LIMIT 1",
        {"pending_id": pending},
    )
    return row is not None


async def rows_of(
    tx: Transaction, message_ids: Sequence[MessageId]
) -> tuple[tuple[PendingId, TurnId, SessionId], ...]:
    """Question, turn and session of each of these rows that exists."""
    rows = await tx.fetch_all(
        f"SELECT {pending_id(tx.dialect, 'm')} AS pending_id, m.turn_id, m.task_session_id"
        " FROM task_session_messages m"
        f" WHERE {json_members(tx.dialect, 'm.id', ':ids')}",
        {"ids": encode(list(message_ids))},
    )
    return tuple(
        (
            PendingId(str(row["pending_id"] or "")),
            TurnId(str(row["turn_id"])),
            SessionId(str(row["task_session_id"])),
        )
        for row in rows
    )


async def list_unpublished(tx: Transaction) -> tuple[UnpublishedTurn, ...]:
    """Turns whose events wait to be published again, oldest first."""
    rows = await tx.fetch_all(
        "SELECT t.id, t.task_session_id, t.completed_at FROM task_session_turns t"
        f" WHERE {json_flag(tx.dialect, 't.metadata', OUTBOX)}"
        " ORDER BY t.started_at, t.created_at, t.id"
    )
    return tuple(
        UnpublishedTurn(
            TurnId(str(row["id"])),
            SessionId(str(row["task_session_id"])),
            completed=bool(row["completed_at"]),
        )
        for row in rows
    )


async def mark_published(tx: Transaction, turn_id: TurnId, now: Nanoseconds) -> None:
    kept = json_remove(tx.dialect, "metadata", OUTBOX)
    await tx.execute(
        f"UPDATE task_session_turns SET metadata = {kept}, updated_at = :now WHERE id = :turn",
        {"turn": turn_id, "now": format_timestamp(now)},
    )


def _claimed_rows(row: Row) -> ClaimedRows | None:
    metadata = decode(row["metadata"])
    if not {_PENDING_ID, _TURN_ID, _MESSAGE_IDS} & metadata.keys():
        return None
    pending = as_text(metadata.get(_PENDING_ID))
    turn = as_text(metadata.get(_TURN_ID))
    listed = as_list(metadata.get(_MESSAGE_IDS))
    ids = tuple(MessageId(item) for item in listed if isinstance(item, str) and item)
    if not pending or not turn or not ids or len(ids) != len(listed) or len(set(ids)) != len(ids):
        raise unusable_reservation(str(row["id"]), "names the answered rows it carries wrongly")
    return ClaimedRows(PendingId(pending), TurnId(turn), ids)


def unusable_reservation(turn: str, problem: str) -> StorageFailed:
    """The error of a reservation nobody can settle, with what to do about it."""
    return StorageFailed(
        ErrorCode.STORE_INVALID_ROW,
        f"the reserved turn {problem}: row {turn} of task_session_turns. Correct the"
        " prompt_dispatch_* keys in its metadata, or restore a backup, and start again;"
        " nothing of it was changed",
        row=turn,
    )
