"""Sessions whose agent this desk runs: what they are and what their agent was last known to offer.

Their own facts stand in `metadata.kandesk`; each is set by itself, so that none overwrites another.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from backend.clock import Nanoseconds, format_timestamp
from backend.domain.agents import (
    AgentCommand,
    ConfigOption,
    ProcessMark,
    SessionMode,
    SlashCommand,
    Usage,
)
from backend.domain.conversation import SessionKind, SessionState
from backend.domain.usage import CountedUsage
from backend.errors import Conflict, ErrorCode
from backend.ids import AgentKey, SessionId, TaskId, new_id
from backend.store import hosted_offers
from backend.store.database import Params, Row, SqlValue, Transaction
from backend.store.dialect import Dialect, json_assign, json_document, json_text
from backend.store.metadata import OWN_KEY, as_dict, as_list, as_text, decode, encode, is_set
from backend.store.sessions import known_state

_SUBCENTS: Final = 10_000
"""Kandev's unit of cost is a hundredth of a cent."""
_MOST: Final = 2**53
_LATELY: Final = 200
"""Sessions in which is looked for what agents offered."""
_COLUMNS: Final = (
    "s.id, s.task_id, s.state, s.metadata, s.downstream_acp_session_id, s.error_message,"
    " s.tokens_in, s.tokens_out, s.tokens_cached_in, t.title"
)


@dataclass(frozen=True, slots=True)
class NewHostedSession:
    """`session_id` is the caller's own; `folder` is where the agent works, also in a Quick Chat."""

    session_id: SessionId
    agent: AgentKey
    agent_name: str
    folder: str
    command: AgentCommand
    title: str
    titled_by_human: bool = False
    """Then the agent's own titles do not replace it."""
    quick_chat: bool = False
    choices: tuple[tuple[str, str], ...] = ()
    """Config options to choose once the agent runs, as (id, value)."""
    mode: str = ""
    """The mode to choose once the agent runs."""


@dataclass(frozen=True, slots=True)
class HostedSession:
    """A hosted session as it is stored; `modes` and so on are what its agent told last."""

    session_id: SessionId
    task_id: TaskId
    state: SessionState
    agent: AgentKey
    agent_name: str
    folder: str
    argv: tuple[str, ...]
    environment_names: tuple[str, ...]
    """What the command's environment had; the values are never stored."""
    quick_chat: bool
    title: str
    agent_session_id: str = ""
    """The agent's own id of its conversation; empty until it has one."""
    process: ProcessMark | None = None
    modes: tuple[SessionMode, ...] = ()
    mode: str = ""
    options: tuple[ConfigOption, ...] = ()
    commands: tuple[SlashCommand, ...] = ()
    choices: tuple[tuple[str, str], ...] = ()
    counted: CountedUsage = field(default_factory=CountedUsage)
    error: str = ""
    unsure: bool = False
    """Whether its agent has the last prompt is not known, and its human has done nothing since."""

    @property
    def usage(self) -> Usage:
        return self.counted.total


@dataclass(frozen=True, slots=True)
class SessionChange:
    """What became known of a session beside its rows; None is a part that stays as it was."""

    modes: tuple[SessionMode, ...] | None = None
    mode: str | None = None
    options: tuple[ConfigOption, ...] | None = None
    commands: tuple[SlashCommand, ...] | None = None
    choices: tuple[tuple[str, str], ...] | None = None
    usage: Usage | None = None
    """The agent's own account, which is added to what was counted before."""
    title: str | None = None
    """The agent's own title; one a human has chosen stays."""


async def create(tx: Transaction, new: NewHostedSession, now: Nanoseconds) -> HostedSession:
    """Make the session and its task, or find it where it was made before by the same words.

    Raises:
        Conflict: `key_reused`, the id belongs to another session.
    """
    task_id = TaskId(new_id())
    values: Params = {
        "session": new.session_id,
        "task": task_id,
        "workspace": "" if new.quick_chat else new.folder,
        "title": new.title,
        "agent": new.agent,
        "state": SessionState.CREATED.value,
        "metadata": encode({OWN_KEY: _own_metadata(new)}),
        "now": format_timestamp(now),
    }
    await tx.execute(
        "INSERT INTO tasks (id, workspace_id, title, state, created_at, updated_at)"
        " VALUES (:task, :workspace, :title, 'IN_PROGRESS', :now, :now)",
        values,
    )
    made = await tx.execute(
        "INSERT INTO task_sessions (id, task_id, agent_profile_id, state, metadata, started_at,"
        " updated_at, is_primary) VALUES (:session, :task, :agent, :state, :metadata, :now, :now,"
        " 1) ON CONFLICT (id) DO NOTHING",
        values,
    )
    if not made:
        await tx.execute("DELETE FROM tasks WHERE id = :task", {"task": task_id})
    found = await load(tx, new.session_id)
    if found is None or not _is_same(found, new):
        raise Conflict(ErrorCode.KEY_REUSED, "this session id belongs to another session")
    return found


async def load(tx: Transaction, session_id: SessionId) -> HostedSession | None:
    """None when there is no such session, or this desk does not host it."""
    row = await tx.fetch_one(
        f"SELECT {_COLUMNS} FROM task_sessions s JOIN tasks t ON t.id = s.task_id"
        " WHERE s.id = :session",
        {"session": session_id},
    )
    return None if row is None else _from_row(row)


async def list_processes(tx: Transaction) -> Mapping[SessionId, ProcessMark]:
    """Every child that was not known to be gone when it was written last."""
    process = json_text(tx.dialect, "metadata", OWN_KEY, "process", "pid")
    rows = await tx.fetch_all(
        f"SELECT id, metadata FROM task_sessions WHERE {process} IS NOT NULL ORDER BY id"
    )
    marks = {
        SessionId(str(row["id"])): hosted_offers.mark_from_json(
            as_dict(decode(row["metadata"]).get(OWN_KEY)).get("process")
        )
        for row in rows
    }
    return {session_id: mark for session_id, mark in marks.items() if mark is not None}


async def last_offers(tx: Transaction) -> Mapping[AgentKey, HostedSession]:
    """For each agent the newest session in which it offered something to choose."""
    rows = await tx.fetch_all(
        f"SELECT {_COLUMNS} FROM task_sessions s JOIN tasks t ON t.id = s.task_id"
        f" WHERE {is_hosted(tx.dialect, 's')} ORDER BY s.updated_at DESC LIMIT :most",
        {"most": _LATELY},
    )
    found = [session for session in map(_from_row, rows) if session is not None]
    return {
        session.agent: session for session in reversed(found) if session.modes or session.options
    }


async def set_process(
    tx: Transaction, session_id: SessionId, mark: ProcessMark | None, now: Nanoseconds
) -> None:
    """Note the child that runs for the session, or that none does."""
    await _assign(tx, session_id, {"process": hosted_offers.mark_to_json(mark)}, now)


async def set_agent_session(
    tx: Transaction, session_id: SessionId, agent_session_id: str, now: Nanoseconds
) -> None:
    """Note the agent's own id of the conversation, by which it is continued."""
    await tx.execute(
        "UPDATE task_sessions SET downstream_acp_session_id = :agent_session, updated_at = :now"
        " WHERE id = :session",
        {
            "session": session_id,
            "agent_session": agent_session_id,
            "now": format_timestamp(now),
        },
    )


async def change(
    tx: Transaction, session_id: SessionId, known: SessionChange, now: Nanoseconds
) -> None:
    """Keep what became known; a stopped session still shows it."""
    parts: dict[str, object] = {}
    if known.modes is not None:
        parts["modes"] = hosted_offers.modes_to_json(known.modes)
    if known.mode is not None:
        parts["mode"] = known.mode
    if known.options is not None:
        parts["options"] = hosted_offers.options_to_json(known.options)
    if known.commands is not None:
        parts["commands"] = hosted_offers.commands_to_json(known.commands)
    if known.choices is not None:
        parts["choices"] = [list(choice) for choice in known.choices]
    if known.usage is not None:
        counted = await _count_usage(tx, session_id, known.usage)
        parts["usage"] = hosted_offers.usage_to_json(counted)
    if parts:
        await _assign(tx, session_id, parts, now)
    if known.title:
        await rename(tx, session_id, known.title, now, by_human=False)


async def set_unsure(
    tx: Transaction, session_id: SessionId, now: Nanoseconds, *, unsure: bool
) -> None:
    """Note that the end of a prompt is not known, or that the human has seen to it."""
    session = await load(tx, session_id)
    if session is not None and session.unsure is not unsure:
        await _assign(tx, session_id, {"unsure": unsure}, now)


async def rename(
    tx: Transaction, session_id: SessionId, title: str, now: Nanoseconds, *, by_human: bool
) -> bool:
    """Change the title; the agent does not change one a human has chosen. False when it stayed."""
    chosen = json_text(tx.dialect, "s.metadata", OWN_KEY, "titled_by")
    free = "" if by_human else f" AND COALESCE({chosen},'') <> 'human'"
    changed = await tx.execute(
        "UPDATE tasks SET title = :title, updated_at = :now WHERE title <> :title AND id ="
        f" (SELECT s.task_id FROM task_sessions s WHERE s.id = :session{free})",
        {"session": session_id, "title": title, "now": format_timestamp(now)},
    )
    if by_human:
        await _assign(tx, session_id, {"titled_by": "human"}, now)
    return changed > 0


async def move(
    tx: Transaction,
    session_id: SessionId,
    state: SessionState,
    now: Nanoseconds,
    *,
    error: str = "",
) -> bool:
    """Put the session into a state, also out of one in which it had ended: it can be resumed.

    `error` is why it failed. False when it was so already.
    """
    changed = await tx.execute(
        "UPDATE task_sessions SET state = :state, error_message = :error, updated_at = :now"
        " WHERE id = :session AND (state <> :state OR COALESCE(error_message,'') <> :error)",
        {
            "session": session_id,
            "state": state.value,
            "error": error,
            "now": format_timestamp(now),
        },
    )
    return changed > 0


async def _count_usage(tx: Transaction, session_id: SessionId, told: Usage) -> CountedUsage:
    row = await tx.fetch_one(
        "SELECT metadata, tokens_in, tokens_out, tokens_cached_in FROM task_sessions"
        " WHERE id = :session",
        {"session": session_id},
    )
    counted = (CountedUsage() if row is None else _counted(row)).add(told)
    total = counted.total
    in_dollars = total.cost if total.cost is not None and total.currency in ("", "USD") else None
    columns: dict[str, SqlValue] = {
        "tokens_in": total.input_tokens,
        "tokens_out": total.output_tokens,
        "tokens_cached_in": total.cached_tokens,
        "cost_subcents": None if in_dollars is None else round(in_dollars * _SUBCENTS),
    }
    known = {name: min(int(value), _MOST) for name, value in columns.items() if value is not None}
    if known:
        assignments = ", ".join(f"{name} = :{name}" for name in known)
        await tx.execute(
            f"UPDATE task_sessions SET {assignments} WHERE id = :session",
            {"session": session_id, **known},
        )
    return counted


def _counted(row: Row) -> CountedUsage:
    own = as_dict(decode(row["metadata"]).get(OWN_KEY))
    counts = (int(row[name] or 0) for name in ("tokens_in", "tokens_out", "tokens_cached_in"))
    return hosted_offers.usage_from_json(own.get("usage"), *counts)


async def _assign(
    tx: Transaction, session_id: SessionId, parts: Mapping[str, object], now: Nanoseconds
) -> None:
    values: dict[tuple[str, ...], str] = {
        (OWN_KEY, name): json_document(tx.dialect, f":{name}") for name in parts
    }
    await tx.execute(
        f"UPDATE task_sessions SET metadata = {json_assign(tx.dialect, 'metadata', values)},"
        " updated_at = :now WHERE id = :session",
        {
            "session": session_id,
            "now": format_timestamp(now),
            **{name: encode(value) for name, value in parts.items()},
        },
    )


def is_hosted(dialect: Dialect, session: str) -> str:
    """A condition: a session of this desk's own agents, not a guest's and not an imported one."""
    return f"{json_text(dialect, f'{session}.metadata', OWN_KEY, 'kind')} = '{SessionKind.HOSTED}'"


def _own_metadata(new: NewHostedSession) -> dict[str, object]:
    return {
        "kind": SessionKind.HOSTED.value,
        "agent": new.agent,
        "agent_name": new.agent_name,
        "folder": new.folder,
        "command": {
            "argv": list(new.command.argv),
            "environment": sorted(new.command.environment),
        },
        "quick_chat": new.quick_chat,
        "titled_by": "human" if new.titled_by_human else "desk",
        "choices": [list(choice) for choice in new.choices],
        "mode": new.mode,
    }


def _is_same(found: HostedSession, new: NewHostedSession) -> bool:
    return (
        found.agent == new.agent
        and found.argv == new.command.argv
        and found.quick_chat == new.quick_chat
        and (new.quick_chat or found.folder == new.folder)
    )


def _from_row(row: Row) -> HostedSession | None:
    own = as_dict(decode(row["metadata"]).get(OWN_KEY))
    if own.get("kind") != SessionKind.HOSTED:
        return None
    command = as_dict(own.get("command"))
    choices = (as_list(choice) for choice in as_list(own.get("choices")))
    return HostedSession(
        session_id=SessionId(str(row["id"])),
        task_id=TaskId(str(row["task_id"])),
        state=known_state(str(row["state"])),
        agent=AgentKey(as_text(own.get("agent"))),
        agent_name=as_text(own.get("agent_name")),
        folder=as_text(own.get("folder")),
        argv=tuple(map(as_text, as_list(command.get("argv")))),
        environment_names=tuple(map(as_text, as_list(command.get("environment")))),
        quick_chat=is_set(own.get("quick_chat")),
        title=str(row["title"]),
        agent_session_id=as_text(row["downstream_acp_session_id"]),
        process=hosted_offers.mark_from_json(own.get("process")),
        modes=hosted_offers.modes_from_json(own.get("modes")),
        mode=as_text(own.get("mode")),
        options=hosted_offers.options_from_json(own.get("options")),
        commands=hosted_offers.commands_from_json(own.get("commands")),
        choices=tuple((as_text(pair[0]), as_text(pair[1])) for pair in choices if len(pair) == 2),
        counted=_counted(row),
        error=as_text(row["error_message"]),
        unsure=is_set(own.get("unsure")),
    )
