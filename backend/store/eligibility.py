"""SQL that decides whether a row of a bundle may still be answered (K1.8, K5.3).

Every fragment is a condition on one row of `task_session_messages`, named by `row`.
"""

from typing import Final

from backend.domain.conversation import TERMINAL_STATES
from backend.store.dialect import Dialect, after_lookup, is_text, json_flag, json_text
from backend.store.schema import asked_question, pending_status

CLARIFICATION: Final = "clarification_request"
_TERMINAL: Final = ",".join(f"'{state}'" for state in sorted(TERMINAL_STATES))


def pending_id(dialect: Dialect, row: str = "") -> str:
    """The expression of the pending-id indexes."""
    return json_text(dialect, f"{row}.metadata" if row else "metadata", "pending_id")


def owns_session(dialect: Dialect, turn: str) -> str:
    """The turn may be the session's current one (K1.8, authority).

    A reserved turn becomes so with the attempt to dispatch it, before any client may see it.
    """
    waiting = json_flag(dialect, f"{turn}.metadata", "prompt_dispatch_pending")
    attempted = json_flag(dialect, f"{turn}.metadata", "prompt_dispatch_attempted")
    return f"(NOT {waiting} OR {attempted} OR {_is_referenced(turn)})"


def is_published(dialect: Dialect, turn: str) -> str:
    """Clients may see the turn (K1.8, history): an attempt alone does not publish it."""
    waiting = json_flag(dialect, f"{turn}.metadata", "prompt_dispatch_pending")
    return f"(NOT {waiting} OR {_is_referenced(turn)})"


def _is_referenced(turn: str) -> str:
    # With an OFFSET, PostgreSQL asks for this turn; else it may list the turns of all messages.
    one = f"SELECT 1 FROM task_session_messages r WHERE r.turn_id = {turn}.id LIMIT 1 OFFSET 0"
    return f"EXISTS ({one})"


def newest_turn(dialect: Dialect, session_id: str) -> str:
    """A scalar subquery: the newest authoritative turn of the session (K1.8)."""
    return (
        "(SELECT t.id FROM task_session_turns t"
        f" WHERE t.task_session_id = {session_id} AND {owns_session(dialect, 't')}"
        " ORDER BY t.started_at DESC, t.created_at DESC, t.id DESC LIMIT 1)"
    )


def is_question(dialect: Dialect, row: str) -> str:
    return asked_question(dialect, row)


def is_pending(dialect: Dialect, row: str) -> str:
    """An unanswered question. Written so that the index of open questions applies."""
    status = pending_status(dialect, f"{row}.metadata")
    return f"{is_question(dialect, row)} AND {status}"


def is_well_formed(dialect: Dialect, row: str) -> str:
    """No row of the bundle has another type, session or turn; one that has spoils it whole."""
    return (
        "NOT EXISTS (SELECT 1 FROM task_session_messages o"
        f" WHERE {pending_id(dialect, 'o')} = {pending_id(dialect, row)}"
        f" AND (o.type <> '{CLARIFICATION}' OR o.task_session_id <> {row}.task_session_id"
        f" OR o.turn_id <> {row}.turn_id))"
    )


def is_in_newest_turn(dialect: Dialect, row: str) -> str:
    """The row's turn owns its session, also when that has ended."""
    return f"{row}.turn_id = {newest_turn(dialect, f'{row}.task_session_id')}"


def is_current(dialect: Dialect, row: str) -> str:
    """The row's turn owns its session, and the session has not ended."""
    return (
        "EXISTS (SELECT 1 FROM task_sessions s"
        f" WHERE s.id = {row}.task_session_id AND s.state NOT IN ({_TERMINAL})"
        f" AND {row}.turn_id = {newest_turn(dialect, 's.id')})"
    )


def is_active(dialect: Dialect, row: str) -> str:
    """Every condition but the pending id of the claim in K5.3."""
    standing = f"{is_current(dialect, row)} AND {is_well_formed(dialect, row)}"
    return f"{is_pending(dialect, row)} AND {after_lookup(dialect, standing)}"


def has_question_ids(dialect: Dialect, row: str) -> str:
    """Every question of the bundle has an id; a bundle with one that has none takes no answer."""
    found = (
        f"COALESCE({is_text(dialect, value)} AND {value} <> '', FALSE)"
        for value in (
            json_text(dialect, "i.metadata", "question_id"),
            json_text(dialect, "i.metadata", "question", "id"),
        )
    )
    return (
        "NOT EXISTS (SELECT 1 FROM task_session_messages i"
        f" WHERE {pending_id(dialect, 'i')} = {pending_id(dialect, row)}"
        f" AND NOT ({' OR '.join(found)}))"
    )


def is_answerable(dialect: Dialect, row: str) -> str:
    """Active, and no question of its bundle stands in the way of an answer (K4.2; K8.6, 73)."""
    named = after_lookup(dialect, has_question_ids(dialect, row))
    return f"{is_active(dialect, row)} AND {named}"


def in_ended_session(row: str) -> str:
    return (
        f"EXISTS (SELECT 1 FROM task_sessions e WHERE e.id = {row}.task_session_id"
        f" AND e.state IN ({_TERMINAL}))"
    )
