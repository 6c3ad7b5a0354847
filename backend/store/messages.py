"""Transcript rows: inserting bundles and single rows, reading pages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from backend.clock import Nanoseconds, format_timestamp
from backend.domain.clarification import BundleStatus, QuestionBundleDraft
from backend.domain.conversation import Message, MessagePage
from backend.errors import ErrorCode, NotFound
from backend.ids import MessageId, PendingId, SessionId, TaskId, TurnId, new_id
from backend.store import deliveries
from backend.store.database import Params, Row, Statement, Transaction
from backend.store.eligibility import CLARIFICATION, pending_id
from backend.store.locks import lock_sessions
from backend.store.metadata import (
    OWN_KEY,
    JsonDict,
    as_text,
    as_time,
    decode,
    encode,
    question_to_json,
)
from backend.store.revisions import next_revision

COLUMNS: Final = (
    "id, task_session_id, task_id, turn_id, author_type, content, type, metadata,"
    " created_at, updated_at, revision"
)
_INSERT: Final = (
    "INSERT INTO task_session_messages (id, task_session_id, task_id, turn_id, author_type,"
    " content, requests_input, type, metadata, created_at, updated_at, revision)"
    " VALUES (:id, :session, :task, :turn, :author, :content, :requests_input, :kind, :metadata,"
    " :now, :now, :revision)"
)


@dataclass(frozen=True, slots=True)
class NewBundle:
    """A valid draft together with the identity it gets."""

    pending_id: PendingId
    session_id: SessionId
    task_id: TaskId
    turn_id: TurnId
    draft: QuestionBundleDraft
    now: Nanoseconds


async def insert_bundle(tx: Transaction, bundle: NewBundle) -> None:
    """Insert all rows of the bundle; only the last one asks for input (K1.2).

    They are newer than every row of the session, wherever the clock was set since.
    """
    await lock_sessions(tx, [bundle.session_id])
    first = await _after_newest(tx, bundle.session_id, bundle.now)
    revision = await next_revision(tx)
    last = len(bundle.draft.questions) - 1
    await tx.execute_each(
        [
            Statement(
                _INSERT,
                {
                    "id": new_id(),
                    "session": bundle.session_id,
                    "task": bundle.task_id,
                    "turn": bundle.turn_id,
                    "author": "agent",
                    "content": question.prompt,
                    "requests_input": int(index == last),
                    "kind": CLARIFICATION,
                    "metadata": encode(_question_metadata(bundle, index)),
                    # A nanosecond apart, so that the transcript shows them in the order asked.
                    "now": format_timestamp(Nanoseconds(first + index)),
                    "revision": revision,
                },
            )
            for index, question in enumerate(bundle.draft.questions)
        ]
    )


async def insert_message(
    tx: Transaction,
    *,
    session_id: SessionId,
    task_id: TaskId,
    turn_id: TurnId,
    kind: str,
    author: str,
    content: str,
    metadata: Mapping[str, object],
    now: Nanoseconds,
    message_id: MessageId | None = None,
) -> Message:
    """Insert one row, newer than every row of the session, and return it as it is stored.

    `message_id` is an identity its author chose (K7.2).
    """
    await lock_sessions(tx, [session_id])
    moment = await _after_newest(tx, session_id, now)
    message = Message(
        message_id=message_id or MessageId(new_id()),
        session_id=session_id,
        turn_id=turn_id,
        kind=kind,
        author=author,
        content=content,
        metadata=metadata,
        created_at=moment,
        updated_at=moment,
        revision=await next_revision(tx),
        pending_id=_pending_id_of(metadata),
    )
    await tx.execute(
        _INSERT,
        {
            "id": message.message_id,
            "session": session_id,
            "task": task_id,
            "turn": turn_id,
            "author": author,
            "content": content,
            "requests_input": 0,
            "kind": kind,
            "metadata": encode(dict(metadata)),
            "now": format_timestamp(moment),
            "revision": message.revision,
        },
    )
    return message


async def exists(tx: Transaction, message_id: MessageId) -> bool:
    row = await tx.fetch_one(
        "SELECT 1 AS found FROM task_session_messages WHERE id = :id", {"id": message_id}
    )
    return row is not None


async def page(
    tx: Transaction,
    session_id: SessionId,
    *,
    before: MessageId | None = None,
    after: MessageId | None = None,
    limit: int = 200,
) -> MessagePage:
    """The last `limit` rows, or those next to one row; oldest first.

    Raises:
        NotFound: the row to start from is not in this session.
    """
    forward = after is not None
    anchor = await _anchor(tx, session_id, after or before)
    if anchor is None:
        beyond, order = "", "DESC"
    elif forward:
        beyond, order = " AND (created_at, id) > (:created_at, :id)", "ASC"
    else:
        beyond, order = " AND (created_at, id) < (:created_at, :id)", "DESC"
    rows = await tx.fetch_all(
        f"SELECT {COLUMNS} FROM task_session_messages WHERE task_session_id = :session{beyond}"
        f" ORDER BY created_at {order}, id {order} LIMIT :limit",
        {"session": session_id, "limit": limit + 1, **(anchor or {})},
    )
    more = len(rows) > limit
    found = await _with_deliveries(tx, rows[:limit])
    if not forward:
        found.reverse()
    return MessagePage(
        tuple(found),
        has_older=more if not forward else True,
        has_newer=more if forward else anchor is not None,
    )


async def bundle_messages(tx: Transaction, pending: PendingId) -> tuple[Message, ...]:
    """The rows of a bundle in the order of their insertion."""
    rows = await tx.fetch_all(
        f"SELECT {COLUMNS} FROM task_session_messages"
        f" WHERE {pending_id(tx.dialect)} = :pending_id ORDER BY created_at, id",
        {"pending_id": pending},
    )
    return tuple(await _with_deliveries(tx, rows))


async def _with_deliveries(tx: Transaction, rows: Sequence[Row]) -> list[Message]:
    """A desk that starts must show an answer nobody has confirmed as that (K5.6 row 19)."""
    found = [to_message(row) for row in rows]
    asked = [message.pending_id for message in found if message.pending_id is not None]
    states = await deliveries.states_of(tx, asked)
    return [
        replace(message, delivery=states.get(message.pending_id))
        if message.pending_id is not None
        else message
        for message in found
    ]


def to_message(row: Row) -> Message:
    metadata = decode(row["metadata"])
    return Message(
        message_id=MessageId(str(row["id"])),
        session_id=SessionId(str(row["task_session_id"])),
        turn_id=TurnId(str(row["turn_id"])),
        kind=str(row["type"]),
        author=str(row["author_type"]),
        content=str(row["content"]),
        metadata=metadata,
        created_at=as_time(row["created_at"]),
        updated_at=as_time(row["updated_at"]),
        revision=int(row["revision"] or 0),
        pending_id=_pending_id_of(metadata),
    )


async def _after_newest(tx: Transaction, session_id: SessionId, now: Nanoseconds) -> Nanoseconds:
    row = await tx.fetch_one(
        "SELECT created_at FROM task_session_messages WHERE task_session_id = :session"
        " ORDER BY created_at DESC LIMIT 1",
        {"session": session_id},
    )
    return now if row is None else Nanoseconds(max(now, as_time(row["created_at"]) + 1))


async def _anchor(
    tx: Transaction, session_id: SessionId, message_id: MessageId | None
) -> Params | None:
    if message_id is None:
        return None
    row = await tx.fetch_one(
        "SELECT created_at FROM task_session_messages"
        " WHERE id = :id AND task_session_id = :session",
        {"id": message_id, "session": session_id},
    )
    if row is None:
        raise NotFound(ErrorCode.NOT_FOUND, "no such message in this session")
    return {"id": message_id, "created_at": row["created_at"]}


def _pending_id_of(metadata: Mapping[str, object]) -> PendingId | None:
    found = as_text(metadata.get("pending_id"))
    return PendingId(found) if found else None


def _question_metadata(bundle: NewBundle, index: int) -> JsonDict:
    question = bundle.draft.questions[index]
    return {
        "pending_id": bundle.pending_id,
        "question_id": question.id,
        "question": question_to_json(question),
        "question_index": index,
        "question_total": len(bundle.draft.questions),
        "context": bundle.draft.context,
        "status": BundleStatus.PENDING.value,
        OWN_KEY: {"multi_select": question.multi_select}
        | ({"optional": True} if question.optional else {}),
    }
