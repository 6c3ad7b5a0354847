"""Messages on their way to an agent: each is a row and a turn reserved for it (K5.5, K5.7).

The mark on the turn says how far it is: reserved, attempted, or settled, when the mark is gone. A
crash before the attempt leaves a prompt that is sent later; one after it a prompt whose outcome is
unknown. The sessions of what is changed must be held (`locks`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from backend.clock import Nanoseconds, format_timestamp
from backend.domain.conversation import Message, SessionState
from backend.domain.hosted import PromptOutcome
from backend.ids import MessageId, PendingId, SessionId, TaskId, TurnId
from backend.store import messages, reservations, sessions, turns
from backend.store.database import Params, Row, Transaction
from backend.store.dialect import (
    json_assign,
    json_flag,
    json_members,
    json_remove,
    json_string,
    json_text,
)
from backend.store.metadata import OWN_KEY, as_dict, as_text, decode, encode, is_set
from backend.store.reservations import ATTEMPTED, PENDING, PROMPT
from backend.store.revisions import next_revision

ANSWERS: Final = "answers"
"""Our own key of a message: the closed question it answers. Never Kandev's `pending_id`, which
would make it a row of that question."""
DISPATCH: Final = "dispatch"
"""Our own key of a message: the `PromptOutcome`, where it is not `sent`."""


@dataclass(frozen=True, slots=True)
class ReservedPrompt:
    """A message that is not settled: what to give to the agent, and how far that is."""

    turn_id: TurnId
    session_id: SessionId
    task_id: TaskId
    message_id: MessageId
    text: str
    answers: PendingId | None
    """The closed question it answers."""
    attempted: bool


async def reserve(
    tx: Transaction,
    turn_id: TurnId,
    session_id: SessionId,
    task_id: TaskId,
    message_id: MessageId,
    now: Nanoseconds,
) -> None:
    """Open the turn for a message; its row, which must follow, makes it own the session (K1.8)."""
    metadata = {PENDING: True, OWN_KEY: {PROMPT: message_id}}
    await turns.open_turn(tx, session_id, task_id, now, metadata, turn_id=turn_id)


async def list_undispatched(
    tx: Transaction, session_id: SessionId | None = None
) -> tuple[ReservedPrompt, ...]:
    """Prompts no attempt was made for, oldest first, of one session or of all."""
    return tuple(
        prompt
        for prompt in await _list(tx)
        if not prompt.attempted and session_id in {None, prompt.session_id}
    )


async def list_attempted(tx: Transaction) -> tuple[ReservedPrompt, ...]:
    """Prompts whose attempt has no known end; at a start: those the last run left so."""
    return tuple(prompt for prompt in await _list(tx) if prompt.attempted)


async def load(tx: Transaction, turn_id: TurnId) -> ReservedPrompt | None:
    """The prompt of a reserved turn; None when it is settled or the turn is for something else."""
    rows = await tx.fetch_all(f"{_reserved(tx)} AND t.id = :turn", {"turn": turn_id})
    return next(iter(await _prompts_of(tx, rows)), None)


async def mark_attempted(tx: Transaction, prompt: ReservedPrompt, now: Nanoseconds) -> bool:
    """Cross the at-most-once boundary, and let the session run.

    False when it was settled or attempted meanwhile: then it must not be given to the agent.
    """
    current = await load(tx, prompt.turn_id)
    if current is None or current.attempted:
        return False
    await reservations.mark_attempted(tx, prompt.turn_id, now)
    await sessions.set_state(tx, prompt.session_id, SessionState.RUNNING, now)
    return True


async def put_back(tx: Transaction, prompt: ReservedPrompt, now: Nanoseconds) -> bool:
    """An attempt has certainly not reached the agent: the prompt waits for the next one.

    False when it is settled.
    """
    kept = json_remove(tx.dialect, "metadata", ATTEMPTED)
    changed = await tx.execute(
        f"UPDATE task_session_turns SET metadata = {kept}, updated_at = :now"
        f" WHERE id = :turn AND {json_flag(tx.dialect, 'metadata', PENDING)}",
        {"turn": prompt.turn_id, "now": format_timestamp(now)},
    )
    return changed == 1


async def settle(
    tx: Transaction, prompt: ReservedPrompt, outcome: PromptOutcome, now: Nanoseconds
) -> Message | None:
    """End its dispatch; the turn is one like any other from now on.

    Returns the message's row where that changed: it says `unknown` and `failed`. Nothing happens
    to a prompt that is settled.
    """
    if await load(tx, prompt.turn_id) is None:
        return None
    await reservations.clear(tx, prompt.turn_id, now, outbox=False)
    params: Params = {
        "message": prompt.message_id,
        "outcome": outcome.value,
        "now": format_timestamp(now),
    }
    await tx.execute(
        "UPDATE message_admissions SET dispatch = :outcome, updated_at = :now"
        " WHERE admission_id = :message",
        params,
    )
    if outcome is PromptOutcome.SENT:
        return None
    said = json_string(tx.dialect, ":outcome")
    told = json_assign(tx.dialect, "metadata", {(OWN_KEY, DISPATCH): said})
    row = await tx.fetch_one(
        f"UPDATE task_session_messages SET metadata = {told},"
        " updated_at = :now, revision = :revision WHERE id = :message"
        f" RETURNING {messages.COLUMNS}",
        {**params, "revision": await next_revision(tx)},
    )
    return None if row is None else messages.to_message(row)


async def was_taken(tx: Transaction, prompt: ReservedPrompt) -> bool:
    """Whether rows of the agent in its turn prove that it had the prompt; the desk's do not."""
    row = await tx.fetch_one(
        "SELECT 1 AS found FROM task_session_messages"
        " WHERE turn_id = :turn AND id <> :message AND author_type = 'agent'"
        " AND type <> 'status' LIMIT 1",
        {"turn": prompt.turn_id, "message": prompt.message_id},
    )
    return row is not None


async def _list(tx: Transaction) -> tuple[ReservedPrompt, ...]:
    """Of all sessions: in all they are fewer than the turns of one long session."""
    rows = await tx.fetch_all(f"{_reserved(tx)} ORDER BY t.started_at, t.created_at, t.id")
    return await _prompts_of(tx, rows)


def _reserved(tx: Transaction) -> str:
    return (
        "SELECT t.id, t.task_session_id, t.task_id, t.metadata FROM task_session_turns t"
        f" WHERE {json_flag(tx.dialect, 't.metadata', PENDING)}"
        f" AND {json_text(tx.dialect, 't.metadata', OWN_KEY, PROMPT)} IS NOT NULL"
    )


async def _prompts_of(tx: Transaction, reserved: Sequence[Row]) -> tuple[ReservedPrompt, ...]:
    """Their messages by identity: a join would read the messages of everybody."""
    if not reserved:
        return ()
    wanted = [_message_of(turn) for turn in reserved]
    rows = await tx.fetch_all(
        "SELECT m.id, m.content, m.metadata FROM task_session_messages m"
        f" WHERE {json_members(tx.dialect, 'm.id', ':ids')}",
        {"ids": encode(wanted)},
    )
    messages_by_id = {str(row["id"]): row for row in rows}
    return tuple(
        _to_prompt(turn, messages_by_id[message_id])
        for turn, message_id in zip(reserved, wanted, strict=True)
        if message_id in messages_by_id
    )


def _message_of(turn: Row) -> str:
    return as_text(as_dict(decode(turn["metadata"]).get(OWN_KEY)).get(PROMPT))


def _to_prompt(turn: Row, message: Row) -> ReservedPrompt:
    own = as_dict(decode(message["metadata"]).get(OWN_KEY))
    return ReservedPrompt(
        turn_id=TurnId(str(turn["id"])),
        session_id=SessionId(str(turn["task_session_id"])),
        task_id=TaskId(str(turn["task_id"])),
        message_id=MessageId(str(message["id"])),
        text=str(message["content"]),
        answers=PendingId(as_text(own.get(ANSWERS))) if own.get(ANSWERS) else None,
        attempted=is_set(decode(turn["metadata"]).get(ATTEMPTED)),
    )
