"""Outcomes of requests that agents of this desk are owed, and may be given as a prompt (T1.4)."""

from dataclasses import dataclass
from typing import Final

from backend.domain.conversation import TERMINAL_STATES, SessionKind, SessionState
from backend.domain.review import STOPPED_BY_HUMAN
from backend.domain.turn_end import TurnOutcome
from backend.ids import ReviewId, SessionId, TaskId
from backend.store import reviews
from backend.store.database import Row, Transaction
from backend.store.dialect import after_lookup, json_text
from backend.store.metadata import OWN_KEY, as_dict, as_text, decode
from backend.store.review_schema import UNSETTLED, on_its_way

_OWED: Final = f"{on_its_way('d')} AND d.state = 'waiting_for_agent'"

_ENDED: Final = TERMINAL_STATES - {SessionState.FAILED}


@dataclass(frozen=True, slots=True)
class Owed:
    """What a session's agent was not told."""

    session_id: SessionId
    task_id: TaskId
    due: tuple[reviews.Stored, ...] = ()
    """What the next prompt tells, oldest first; empty while nothing of it wakes anybody."""
    void: tuple[ReviewId, ...] = ()
    """What nobody is told any more: its session has ended, or another agent has it (T6.2, 55)."""


@dataclass(frozen=True, slots=True)
class _Found:
    review_id: ReviewId
    session_id: SessionId
    task_id: TaskId
    is_void: bool
    wakes: bool


async def list_owed(tx: Transaction, session_id: SessionId | None = None) -> tuple[Owed, ...]:
    """Of one session or of all, as far as anything is to be done: told, or told no more.

    An outcome wakes its agent if a human has decided, and has not stopped the turn that asked
    or the request itself.
    Any other goes along with the next that does, or is told when the agent comes for it: what
    expires by itself, over and over, keeps no agent at work while its human is away.
    """
    grouped: dict[SessionId, list[_Found]] = {}
    for found in await _list(tx, session_id):
        grouped.setdefault(found.session_id, []).append(found)
    owed = [await _owed(tx, founds) for founds in grouped.values()]
    return tuple(each for each in owed if each.due or each.void)


async def has_open_request(tx: Transaction, session_id: SessionId) -> bool:
    """Whether a request of it is not at its end; its outcome goes with those before it (T1.4)."""
    row = await tx.fetch_one(
        "SELECT 1 AS found FROM tool_action_requests r"
        f" WHERE r.{UNSETTLED} AND {after_lookup(tx.dialect, 'r.session_id = :session')} LIMIT 1",
        {"session": session_id},
    )
    return row is not None


async def _owed(tx: Transaction, founds: list[_Found]) -> Owed:
    head = founds[0]
    valid = [found for found in founds if not found.is_void]
    due: list[reviews.Stored] = []
    if any(found.wakes for found in valid):
        stored = [await reviews.find(tx, found.review_id) for found in valid]
        due = [each for each in stored if each is not None]
    void = tuple(found.review_id for found in founds if found.is_void)
    return Owed(head.session_id, head.task_id, tuple(due), void)


async def _list(tx: Transaction, session_id: SessionId | None) -> list[_Found]:
    """Found by the index of receipts, which are few; a guest is told when it comes."""
    only = " AND d.session_id = :session" if session_id is not None else ""
    kind = json_text(tx.dialect, "s.metadata", OWN_KEY, "kind")
    ended = json_text(tx.dialect, "n.metadata", OWN_KEY, "ended", "outcome")
    rows = await tx.fetch_all(
        "SELECT r.id, r.session_id, r.requested_by_agent, r.decided_at, s.task_id, s.state,"
        " s.metadata, s.agent_profile_id, t.archived_at, i.error_code,"
        f" (SELECT {ended} FROM task_session_turns n WHERE n.id = r.turn_id) AS outcome"
        " FROM interaction_deliveries d JOIN tool_action_requests r ON r.id = d.pending_id"
        " JOIN tool_invocations i ON i.id = r.invocation_id"
        " JOIN task_sessions s ON s.id = r.session_id JOIN tasks t ON t.id = s.task_id"
        f" WHERE {_OWED}{only} AND COALESCE({kind}, '') = '{SessionKind.HOSTED}'"
        " ORDER BY r.created_at, r.id",
        {} if session_id is None else {"session": session_id},
    )
    return [_found(row) for row in rows]


def _found(row: Row) -> _Found:
    own = as_dict(decode(row["metadata"]).get(OWN_KEY))
    agent = as_text(own.get("agent")) or as_text(row["agent_profile_id"])
    is_ended = row["archived_at"] is not None or as_text(row["state"]) in _ENDED
    is_stopped = as_text(row["outcome"]) == TurnOutcome.CANCELLED
    return _Found(
        review_id=ReviewId(str(row["id"])),
        session_id=SessionId(str(row["session_id"])),
        task_id=TaskId(str(row["task_id"])),
        is_void=is_ended or agent != as_text(row["requested_by_agent"]),
        wakes=row["decided_at"] is not None
        and not is_stopped
        and as_text(row["error_code"]) != STOPPED_BY_HUMAN,
    )
