"""What decides, at the moment of sending, what becomes of a message to a session (K7.1)."""

from dataclasses import dataclass
from typing import Final

from backend.domain.conversation import SessionKind, SessionState
from backend.ids import SessionId, TaskId
from backend.store import kept_answers
from backend.store.database import Transaction
from backend.store.dialect import after_lookup, json_flag, json_text
from backend.store.eligibility import is_answerable, is_in_newest_turn
from backend.store.metadata import OWN_KEY
from backend.store.sessions import REMOVED

_REVIEW: Final = "FROM tool_action_requests r WHERE r.session_id = s.id AND r.status = 'pending'"
_WANTED_NOW: Final = "FROM queued_messages q WHERE q.session_id = s.id AND q.send_now = 1"


@dataclass(frozen=True, slots=True)
class InputFacts:
    """One session as the transaction sees it."""

    session_id: SessionId
    task_id: TaskId
    kind: SessionKind
    state: SessionState | None
    """None for a state of a later version: it says nothing this one could act on."""
    queued: int
    wanted_now: bool
    """One that is queued goes next, whether the queue runs by itself or not."""
    auto_run: bool
    open_question: bool
    """A question of the current turn can be answered."""
    live_question: bool
    """One of these was not detached: its call is thought to wait."""
    open_review: bool
    """Its agent waits for a decision on what it wants to do."""
    under_way: bool
    """A prompt or an answer is on its way to the agent."""
    answering: bool
    """An answer is: it may have to be given back to its question."""
    kept_answer: bool
    """One waits for the agent and is its next prompt by itself."""

    @property
    def queue_runs(self) -> bool:
        """The next of the queue is sent by itself once the session is free."""
        return self.wanted_now or (self.auto_run and self.queued > 0)

    @property
    def goes_on(self) -> bool:
        """Its agent is given something by itself once the session is free."""
        return self.queue_runs or self.kept_answer

    @property
    def held(self) -> bool:
        """Something is before a new message, whatever the session's state says."""
        return self.open_question or self.open_review or self.under_way


async def load(tx: Transaction, session_id: SessionId) -> InputFacts | None:
    """None when there is no such session, or it is being removed."""
    kind = json_text(tx.dialect, "s.metadata", OWN_KEY, "kind")
    question = (
        "FROM task_session_messages m WHERE m.task_session_id = s.id"
        f" AND {is_answerable(tx.dialect, 'm')}"
    )
    detached = json_flag(tx.dialect, "m.metadata", "agent_disconnected")
    row = await tx.fetch_one(
        f"SELECT s.task_id, s.state, {kind} AS kind,"
        " (SELECT COUNT(*) FROM queued_messages q WHERE q.session_id = s.id) AS queued,"
        f" {_exists(_WANTED_NOW)} AS wanted_now,"
        " (SELECT a.auto_run FROM queue_session_state a WHERE a.session_id = s.id) AS auto_run,"
        f" {_exists(question)} AS open_question,"
        f" {_exists(f'{question} AND NOT {detached}')} AS live_question,"
        f" {_exists(_REVIEW)} AS open_review,"
        f" {_when(f's.id IN ({_prompts(tx)})')} AS prompt,"
        f" {_when(f's.id IN ({_answers(tx)})')} AS answer"
        " FROM task_sessions s WHERE s.id = :session",
        {"session": session_id},
    )
    if row is None or row["kind"] == REMOVED:
        return None
    state = str(row["state"])
    return InputFacts(
        session_id=session_id,
        task_id=TaskId(str(row["task_id"])),
        kind=SessionKind.GUEST if row["kind"] == SessionKind.GUEST else SessionKind.HOSTED,
        state=SessionState(state) if state in SessionState.__members__ else None,
        queued=int(row["queued"] or 0),
        wanted_now=bool(row["wanted_now"]),
        auto_run=row["auto_run"] is None or bool(row["auto_run"]),
        open_question=bool(row["open_question"]),
        live_question=bool(row["live_question"]),
        open_review=bool(row["open_review"]),
        under_way=bool(row["prompt"]) or bool(row["answer"]),
        answering=bool(row["answer"]),
        kept_answer=bool(await kept_answers.list_of_session(tx, session_id)),
    )


def _exists(rows: str) -> str:
    return _when(f"EXISTS (SELECT 1 {rows})")


def _when(condition: str) -> str:
    return f"CASE WHEN {condition} THEN 1 ELSE 0 END"


def _prompts(tx: Transaction) -> str:
    """The sessions of reserved turns: in all they are fewer than the turns of one long session."""
    reserved = json_flag(tx.dialect, "t.metadata", "prompt_dispatch_pending")
    return f"SELECT t.task_session_id FROM task_session_turns t WHERE {reserved}"


def _answers(tx: Transaction) -> str:
    """Sessions with claimed answers in their newest turn that are not settled (K1.6)."""
    claimed = json_flag(tx.dialect, "m.metadata", "response_delivery_pending")
    current = after_lookup(tx.dialect, is_in_newest_turn(tx.dialect, "m"))
    return f"SELECT m.task_session_id FROM task_session_messages m WHERE {claimed} AND {current}"
