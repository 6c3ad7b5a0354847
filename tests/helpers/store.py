"""A real store on a file, and rows in it that a test can name."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from backend.clock import Clock, Nanoseconds, format_timestamp
from backend.domain.clarification import Answer, Answered, Outcome, QuestionBundleDraft, Skipped
from backend.domain.conversation import GuestIdentity
from backend.domain.digest import payload_digest, question_digest
from backend.ids import (
    ClaimId,
    ClientId,
    IdempotencyKey,
    OptionId,
    PendingId,
    QuestionId,
    SessionId,
    TaskId,
    TurnId,
    new_id,
)
from backend.store import claims, deliveries, messages, session_states, sessions
from backend.store.database import Database, Transaction
from backend.store.dialect import json_text
from backend.store.locks import lock_bundle
from tests.helpers.builders import make_draft, make_guest
from tests.helpers.place import Place, dialect_of, raw

YES = Answered((Answer(QuestionId("q1"), (OptionId("q1_opt1"),)),))
SKIP = Skipped("not now")


@dataclass(frozen=True)
class Asked:
    """One open bundle and where it belongs."""

    pending_id: PendingId
    session_id: SessionId
    task_id: TaskId
    turn_id: TurnId


async def ask(
    database: Database,
    clock: Clock,
    draft: QuestionBundleDraft | None = None,
    *,
    guest: GuestIdentity | None = None,
    connection: str = "",
    key: str | None = None,
    connected: tuple[SessionId, ...] = (),
) -> Asked:
    """Open a bundle of a guest the way the program does."""
    question = draft or make_draft()
    async with database.writing() as tx:
        now = clock.now()
        found = await sessions.ensure_guest(tx, guest or make_guest(), connected=connected, now=now)
        pending_id = PendingId(new_id())
        await messages.insert_bundle(
            tx,
            messages.NewBundle(
                pending_id, found.session_id, found.task_id, found.turn_id, question, now
            ),
        )
        await deliveries.open_delivery(
            tx,
            deliveries.NewDelivery(
                pending_id=pending_id,
                session_id=found.session_id,
                idempotency_key=IdempotencyKey(key) if key else None,
                ticket_hash=f"hash of {pending_id}",
                question_digest=question_digest(question),
                connection_id=connection,
                now=now,
            ),
        )
        await session_states.refresh(tx, found.session_id, now)
    return Asked(pending_id, found.session_id, found.task_id, found.turn_id)


def make_claim(
    pending_id: PendingId, outcome: Outcome = YES, *, claim_id: str = "claim-1", now: int = 5
) -> claims.Claim:
    return claims.Claim(
        pending_id=pending_id,
        outcome=outcome,
        claim_id=ClaimId(claim_id),
        client_id=ClientId("window"),
        payload_digest=payload_digest(outcome),
        now=Nanoseconds(now),
    )


async def claim(database: Database, wanted: claims.Claim) -> bool:
    async with database.writing() as tx:
        return await lock_and_claim(tx, wanted)


def metadata_of(place: Place, pending_id: PendingId) -> list[dict[str, object]]:
    """The metadata of the bundle's rows in the order they were asked."""
    with raw(place) as connection:
        rows = connection.execute(
            "SELECT metadata FROM task_session_messages"  # noqa: S608
            f" WHERE {json_text(dialect_of(place), 'metadata', 'pending_id')} = ?"
            " ORDER BY created_at, id",
            (pending_id,),
        ).fetchall()
    return [json.loads(row["metadata"]) for row in rows]


class RowMaker:
    """Inserts rows as Kandev or an importer would have written them."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._time = 1_700_000_000_000_000_000

    def session(self, name: str = "s1", *, state: str = "RUNNING", metadata: str = "{}") -> None:
        """A hosted session `name` with a task `task-<name>`."""
        self._run(
            "INSERT INTO tasks (id, title, created_at, updated_at) VALUES (?, ?, ?, ?)",
            (f"task-{name}", f"Task of {name}", self._now(), self._now()),
        )
        self._run(
            "INSERT INTO task_sessions (id, task_id, state, metadata, started_at, updated_at)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            (name, f"task-{name}", state, metadata, self._now(), self._now()),
        )

    def turn(self, name: str, session: str = "s1", **metadata: object) -> None:
        moment = self._now()
        self._run(
            "INSERT INTO task_session_turns"
            " (id, task_session_id, task_id, started_at, metadata, created_at, updated_at)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            (name, session, f"task-{session}", moment, json.dumps(metadata), moment, moment),
        )

    def question(
        self,
        pending_id: str,
        *,
        turn: str = "turn1",
        session: str = "s1",
        question_id: str = "q1",
        kind: str = "clarification_request",
        drop: tuple[str, ...] = (),
        **extra: object,
    ) -> str:
        """One row of a bundle in Kandev's shape; returns the message id."""
        metadata: dict[str, object] = {
            "pending_id": pending_id,
            "question_id": question_id,
            "question": {
                "id": question_id,
                "title": "",
                "prompt": "Go on?",
                "options": [
                    {"option_id": f"{question_id}_opt1", "label": "Yes", "description": ""},
                    {"option_id": f"{question_id}_opt2", "label": "No", "description": ""},
                ],
            },
            "question_index": 0,
            "question_total": 1,
            "context": "",
            "status": "pending",
            **extra,
        }
        for name in drop:
            del metadata[name]
        return self.message(turn=turn, session=session, kind=kind, metadata=metadata)

    def message(
        self,
        *,
        turn: str = "turn1",
        session: str = "s1",
        kind: str = "message",
        metadata: Mapping[str, object] | None = None,
    ) -> str:
        message_id = new_id()
        moment = self._now()
        self._run(
            "INSERT INTO task_session_messages (id, task_session_id, task_id, turn_id,"
            " author_type, content, type, metadata, created_at, updated_at)"
            " VALUES (?, ?, ?, ?, 'agent', ?, ?, ?, ?, ?)",
            (
                message_id,
                session,
                "",
                turn,
                "Go on?",
                kind,
                json.dumps(metadata or {}),
                moment,
                moment,
            ),
        )
        return message_id

    def _now(self) -> str:
        self._time += 1_000_000_000
        return format_timestamp(Nanoseconds(self._time))

    def _run(self, sql: str, params: tuple[object, ...]) -> None:
        with raw(self._place) as connection:
            connection.execute(sql, params)


def add_unrelated_history(place: Place, *, pending: int = 2_000, others: int = 4_000) -> None:
    """Many other open questions and plain rows in other sessions."""
    moment = format_timestamp(Nanoseconds(1_600_000_000_000_000_000))
    rows = RowMaker(place)
    rows.session("other")
    rows.turn("other-turn", "other")
    with raw(place) as connection:
        connection.executemany(
            "INSERT INTO task_session_messages (id, task_session_id, turn_id, content, type,"
            " metadata, created_at, updated_at) VALUES (?, 'other', 'other-turn', '', ?, ?, ?, ?)",
            (
                (
                    f"other-{number}",
                    "clarification_request" if number < pending else "message",
                    json.dumps({"pending_id": f"other-{number}", "status": "pending"})
                    if number < pending
                    else "{}",
                    moment,
                    moment,
                )
                for number in range(pending + others)
            ),
        )


async def lock_and_claim(tx: Transaction, wanted: claims.Claim) -> bool:
    """As the resolver claims: with the sessions of the bundle held."""
    await lock_bundle(tx, wanted.pending_id)
    return await claims.claim(tx, wanted)
