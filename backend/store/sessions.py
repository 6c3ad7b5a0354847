"""Sessions: the list, their states, and the ones made for agents that were started elsewhere."""

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import PurePath, PureWindowsPath
from typing import Final

from backend.clock import Nanoseconds, format_timestamp
from backend.domain.conversation import (
    TERMINAL_STATES,
    Connection,
    GuestIdentity,
    SessionKind,
    SessionState,
    SessionSummary,
)
from backend.ids import SessionId, TaskId, TurnId, new_id
from backend.store import turns
from backend.store.database import Params, Row, Transaction
from backend.store.dialect import Dialect, after_lookup, json_text
from backend.store.eligibility import is_answerable, pending_id
from backend.store.locks import lock_sessions
from backend.store.metadata import (
    OWN_KEY,
    JsonDict,
    as_dict,
    as_text,
    as_time,
    decode,
    encode,
    is_set,
)
from backend.store.review_schema import UNSETTLED

REMOVED: Final = "removed"
"""The kind of a session that is being removed: nobody sees it any more."""
_TERMINAL: Final = ",".join(f"'{state}'" for state in sorted(TERMINAL_STATES))


@dataclass(frozen=True, slots=True)
class GuestSession:
    """The session of a guest; `created` when this contact is its first."""

    session_id: SessionId
    task_id: TaskId
    turn_id: TurnId
    created: bool


async def ensure_guest(
    tx: Transaction,
    identity: GuestIdentity,
    *,
    connected: Collection[SessionId],
    now: Nanoseconds,
) -> GuestSession:
    """Find the guest's session or make one, with its task and its only turn (agents.md).

    A shim takes over the newest session of that client in that folder whose own shim is not in
    `connected`.
    """
    row = await _by_key(tx, identity)
    if row is None and identity.connection is Connection.SHIM and identity.folder:
        row = await _abandoned(tx, identity, connected)
    if row is None:
        return await _create_guest(tx, identity, now)
    await lock_sessions(tx, [SessionId(str(row["id"]))])
    return await _continue_guest(tx, row, identity, now)


async def list_summaries(tx: Transaction) -> tuple[SessionSummary, ...]:
    """All sessions, newest activity first."""
    rows = await tx.fetch_all(f"{_summary_sql(tx.dialect)} ORDER BY s.updated_at DESC, s.id DESC")
    return tuple(_to_summary(row) for row in rows if not _is_removed(row))


async def get_summary(tx: Transaction, session_id: SessionId) -> SessionSummary | None:
    row = await tx.fetch_one(
        f"{_summary_sql(tx.dialect, ':session')} WHERE s.id = :session", {"session": session_id}
    )
    return None if row is None or _is_removed(row) else _to_summary(row)


async def set_state(
    tx: Transaction, session_id: SessionId, state: SessionState, now: Nanoseconds
) -> bool:
    """Move a session on; one that has ended stays as it ended. False when nothing changed."""
    await lock_sessions(tx, [session_id])
    changed = await tx.execute(
        "UPDATE task_sessions SET state = :state, updated_at = :now"
        f" WHERE id = :session AND state <> :state AND state NOT IN ({_TERMINAL})",
        {"session": session_id, "state": state.value, "now": format_timestamp(now)},
    )
    return changed > 0


async def _by_key(tx: Transaction, identity: GuestIdentity) -> Row | None:
    key = json_text(tx.dialect, "metadata", OWN_KEY, "key")
    connection = json_text(tx.dialect, "metadata", OWN_KEY, "connection")
    return await tx.fetch_one(
        f"SELECT id, task_id, metadata FROM task_sessions WHERE {key} = :key"
        f" AND {connection} = :connection AND state NOT IN ({_TERMINAL})"
        " ORDER BY updated_at DESC, id DESC LIMIT 1",
        {"key": identity.key, "connection": identity.connection.value},
    )


async def _abandoned(
    tx: Transaction, identity: GuestIdentity, connected: Collection[SessionId]
) -> Row | None:
    folder = json_text(tx.dialect, "metadata", OWN_KEY, "folder")
    client = json_text(tx.dialect, "metadata", OWN_KEY, "client", "name")
    connection = json_text(tx.dialect, "metadata", OWN_KEY, "connection")
    rows = await tx.fetch_all(
        f"SELECT id, task_id, metadata FROM task_sessions WHERE {folder} = :folder"
        f" AND {client} = :client AND {connection} = '{Connection.SHIM}'"
        f" AND state NOT IN ({_TERMINAL}) ORDER BY updated_at DESC, id DESC",
        {"folder": identity.folder, "client": identity.client_name},
    )
    return next((row for row in rows if row["id"] not in connected), None)


async def _create_guest(tx: Transaction, identity: GuestIdentity, now: Nanoseconds) -> GuestSession:
    session_id, task_id = SessionId(new_id()), TaskId(new_id())
    values: Params = {
        "session": session_id,
        "task": task_id,
        "workspace": identity.folder,
        "title": _title(identity),
        "state": SessionState.IDLE.value,
        "metadata": encode({OWN_KEY: _guest_metadata(identity)}),
        "now": format_timestamp(now),
    }
    await tx.execute(
        "INSERT INTO tasks (id, workspace_id, title, state, created_at, updated_at)"
        " VALUES (:task, :workspace, :title, 'IN_PROGRESS', :now, :now)",
        values,
    )
    await tx.execute(
        "INSERT INTO task_sessions (id, task_id, state, metadata, started_at, updated_at,"
        " is_primary) VALUES (:session, :task, :state, :metadata, :now, :now, 1)",
        values,
    )
    turn_id = await turns.open_turn(tx, session_id, task_id, now)
    return GuestSession(session_id, task_id, turn_id, created=True)


async def _continue_guest(
    tx: Transaction, row: Row, identity: GuestIdentity, now: Nanoseconds
) -> GuestSession:
    session_id, task_id = SessionId(str(row["id"])), TaskId(str(row["task_id"]))
    metadata = decode(row["metadata"])
    own = as_dict(metadata.get(OWN_KEY))
    await tx.execute(
        "UPDATE task_sessions SET metadata = :metadata, updated_at = :now WHERE id = :session",
        {
            "session": session_id,
            "metadata": encode({**metadata, OWN_KEY: {**own, **_guest_metadata(identity)}}),
            "now": format_timestamp(now),
        },
    )
    turn_id = await turns.current_turn(tx, session_id)
    if turn_id is None:
        turn_id = await turns.open_turn(tx, session_id, task_id, now)
    return GuestSession(session_id, task_id, turn_id, created=False)


def _guest_metadata(identity: GuestIdentity) -> JsonDict:
    return {
        "kind": SessionKind.GUEST.value,
        "connection": identity.connection.value,
        "key": identity.key,
        "client": {"name": identity.client_name, "version": identity.client_version},
        "folder": identity.folder,
        "git_root": identity.git_root,
    }


def _title(identity: GuestIdentity) -> str:
    """The client and the last part of its folder, whichever system's path it is."""
    kind = PureWindowsPath if "\\" in identity.folder else PurePath
    name = kind(identity.folder).name if identity.folder else ""
    return f"{identity.client_name} · {name}" if name else identity.client_name


def _summary_sql(dialect: Dialect, only: str = "") -> str:
    """One line per session; bundles are counted once each, however many questions they have."""
    open_session = f"m.task_session_id = {only} AND " if only else ""
    waiting = "d.state = 'waiting_for_agent' AND d.kind = 'question'"
    wanted = f"r.{UNSETTLED} AND r.status = 'pending'"
    if only:
        wanted = f"r.session_id = {only} AND {after_lookup(dialect, wanted)}"
        waiting = f"d.session_id = {only} AND {after_lookup(dialect, waiting)}"
    return (
        "SELECT s.id, s.task_id, s.state, s.metadata, s.agent_profile_id, s.started_at,"
        " s.updated_at, t.title, t.workspace_id,"
        " COALESCE(asked.total, 0) AS pending_questions,"
        " COALESCE(wanted.total, 0) AS pending_permissions,"
        " COALESCE(waiting.total, 0) AS waiting_answers"
        " FROM task_sessions s JOIN tasks t ON t.id = s.task_id"
        f" LEFT JOIN (SELECT m.task_session_id, COUNT(DISTINCT {pending_id(dialect, 'm')}) AS total"
        f" FROM task_session_messages m WHERE {open_session}{is_answerable(dialect, 'm')}"
        " GROUP BY m.task_session_id) asked ON asked.task_session_id = s.id"
        " LEFT JOIN (SELECT r.session_id, COUNT(*) AS total FROM tool_action_requests r"
        f" WHERE {wanted} GROUP BY r.session_id) wanted ON wanted.session_id = s.id"
        " LEFT JOIN (SELECT d.session_id, COUNT(*) AS total FROM interaction_deliveries d"
        f" WHERE {waiting} GROUP BY d.session_id) waiting ON waiting.session_id = s.id"
    )


def _is_removed(row: Row) -> bool:
    return as_dict(decode(row["metadata"]).get(OWN_KEY)).get("kind") == REMOVED


def _to_summary(row: Row) -> SessionSummary:
    own = as_dict(decode(row["metadata"]).get(OWN_KEY))
    is_guest = own.get("kind") == SessionKind.GUEST
    return SessionSummary(
        session_id=SessionId(str(row["id"])),
        task_id=TaskId(str(row["task_id"])),
        kind=SessionKind.GUEST if is_guest else SessionKind.HOSTED,
        state=known_state(str(row["state"])),
        title=str(row["title"]),
        agent=agent_called(own, row["agent_profile_id"]),
        workspace=as_text(row["workspace_id"]),
        started_at=as_time(row["started_at"]),
        updated_at=as_time(row["updated_at"]),
        pending_questions=int(row["pending_questions"] or 0),
        pending_permissions=int(row["pending_permissions"] or 0),
        waiting_answers=int(row["waiting_answers"] or 0),
        quick_chat=is_set(own.get("quick_chat")),
        pinned=is_set(own.get("pinned")),
    )


def agent_called(own: JsonDict, profile: object) -> str:
    """What a human calls the agent of a session: a guest's client, a hosted agent's name."""
    client = as_text(as_dict(own.get("client")).get("name"))
    return client or as_text(own.get("agent_name")) or as_text(profile)


def known_state(text: str) -> SessionState:
    """A state of a later version is shown as idle: it says nothing this version could act on."""
    return SessionState(text) if text in SessionState.__members__ else SessionState.IDLE
