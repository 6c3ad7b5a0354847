"""Downstream servers, the tools they have told of, and what agents may do with each."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from backend.clock import Nanoseconds, format_timestamp
from backend.domain.gateway import ServerSettings, Transport
from backend.domain.gateway_tools import ToolDefinition, ToolPolicy, read_tool
from backend.domain.policy import PolicyDecision
from backend.ids import ServerId
from backend.store.database import Row, Statement, Transaction
from backend.store.metadata import JsonDict, as_dict, as_kind, as_list, as_text, decode, encode

_PUT_TOOL: Final = (
    "INSERT INTO mcp_server_tools (server_id, name, position, listed, definition,"
    " definition_digest, updated_at)"
    " VALUES (:server, :name, :position, 1, :definition, :digest, :now)"
    " ON CONFLICT (server_id, name) DO UPDATE SET position = excluded.position, listed = 1,"
    " definition = excluded.definition, definition_digest = excluded.definition_digest,"
    " updated_at = excluded.updated_at"
)


@dataclass(frozen=True, slots=True)
class StoredTool:
    definition: ToolDefinition
    said: ToolPolicy | None


@dataclass(frozen=True, slots=True)
class SaidOfTool:
    """What the human said of a tool, beside what it is now; its definition is not read."""

    definition_digest: str
    said: ToolPolicy | None


@dataclass(frozen=True, slots=True)
class StoredServer:
    settings: ServerSettings
    tools: tuple[StoredTool, ...]
    """Those it told of when it was last read."""


async def list_servers(tx: Transaction) -> tuple[StoredServer, ...]:
    """All of them, by name, with their tools in their own order."""
    servers = await tx.fetch_all("SELECT id, settings FROM mcp_servers ORDER BY name")
    rows = await tx.fetch_all(
        "SELECT server_id, definition, definition_digest, policy, policy_digest"
        " FROM mcp_server_tools WHERE listed = 1 ORDER BY server_id, position, name"
    )
    tools: dict[str, list[StoredTool]] = {}
    for row in rows:
        tool = _tool(row)
        if tool is not None:
            tools.setdefault(str(row["server_id"]), []).append(tool)
    return tuple(
        StoredServer(_settings(row), tuple(tools.get(str(row["id"]), ()))) for row in servers
    )


async def find_server(tx: Transaction, server_id: ServerId) -> StoredServer | None:
    found = await list_servers(tx)
    return next((server for server in found if server.settings.server_id == server_id), None)


async def find_said(tx: Transaction, server_id: ServerId, name: str) -> SaidOfTool | None:
    """None where the server tells of no such tool."""
    row = await tx.fetch_one(
        "SELECT definition_digest, policy, policy_digest FROM mcp_server_tools"
        " WHERE server_id = :server AND name = :name AND listed = 1",
        {"server": server_id, "name": name},
    )
    return None if row is None else SaidOfTool(as_text(row["definition_digest"]), _said(row))


async def put_server(tx: Transaction, settings: ServerSettings, now: Nanoseconds) -> None:
    """Add it, or change the one of its id."""
    await tx.execute(
        "INSERT INTO mcp_servers (id, name, settings, created_at, updated_at)"
        " VALUES (:id, :name, :settings, :now, :now) ON CONFLICT (id) DO UPDATE SET"
        " name = excluded.name, settings = excluded.settings, updated_at = excluded.updated_at",
        {
            "id": settings.server_id,
            "name": settings.name,
            "settings": encode(_settings_json(settings)),
            "now": format_timestamp(now),
        },
    )


async def remove_server(tx: Transaction, server_id: ServerId) -> bool:
    """With its tools and what was said of them; False when there is none."""
    params = {"id": server_id}
    await tx.execute("DELETE FROM mcp_server_tools WHERE server_id = :id", params)
    return await tx.execute("DELETE FROM mcp_servers WHERE id = :id", params) > 0


async def put_tools(
    tx: Transaction, server_id: ServerId, tools: Sequence[ToolDefinition], now: Nanoseconds
) -> None:
    """What it tells of now. Of a tool that is gone, what was said is kept for when it returns."""
    await tx.execute(
        "UPDATE mcp_server_tools SET listed = 0 WHERE server_id = :server", {"server": server_id}
    )
    await tx.execute_each(_put_tools(server_id, tools, now))


def _put_tools(
    server_id: ServerId, tools: Iterable[ToolDefinition], now: Nanoseconds
) -> list[Statement]:
    return [
        Statement(
            _PUT_TOOL,
            {
                "server": server_id,
                "name": tool.name,
                "position": position,
                "definition": encode(_definition_json(tool)),
                "digest": tool.digest,
                "now": format_timestamp(now),
            },
        )
        for position, tool in enumerate(tools)
    ]


async def put_policy(
    tx: Transaction, server_id: ServerId, tool: str, said: ToolPolicy, now: Nanoseconds
) -> bool:
    """False when the tool is not there, or is defined otherwise by now."""
    changed = await tx.execute(
        "UPDATE mcp_server_tools SET policy = :policy, policy_digest = :digest, updated_at = :now"
        " WHERE server_id = :server AND name = :name AND listed = 1"
        " AND definition_digest = :digest",
        {
            "server": server_id,
            "name": tool,
            "policy": said.policy.value,
            "digest": said.definition_digest,
            "now": format_timestamp(now),
        },
    )
    return changed > 0


def _settings_json(settings: ServerSettings) -> JsonDict:
    return {
        "name": settings.name,
        "transport": settings.transport.value,
        "command": list(settings.command),
        "folder": settings.folder,
        "url": settings.url,
        "environment": dict(settings.environment),
        "headers": dict(settings.headers),
        "secrets": list(settings.secrets),
        "enabled": settings.enabled,
    }


def _settings(row: Row) -> ServerSettings:
    stored = decode(row["settings"])
    return ServerSettings(
        server_id=ServerId(str(row["id"])),
        name=as_text(stored.get("name")),
        transport=Transport.HTTP if stored.get("transport") == "http" else Transport.STDIO,
        command=tuple(as_text(word) for word in as_list(stored.get("command"))),
        folder=as_text(stored.get("folder")),
        url=as_text(stored.get("url")),
        environment=_texts(stored.get("environment")),
        headers=_texts(stored.get("headers")),
        secrets=tuple(as_text(name) for name in as_list(stored.get("secrets"))),
        enabled=stored.get("enabled") is True,
    )


def _texts(value: object) -> dict[str, str]:
    return {name: as_text(text) for name, text in as_dict(value).items()}


def _definition_json(tool: ToolDefinition) -> JsonDict:
    wire: JsonDict = {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": dict(tool.input_schema),
        "annotations": dict(tool.annotations),
    }
    if tool.output_schema is not None:
        wire["outputSchema"] = dict(tool.output_schema)
    return wire


def _tool(row: Row) -> StoredTool | None:
    try:
        definition = read_tool(as_dict(json.loads(str(row["definition"]))))
    except (ValueError, RecursionError):
        return None
    if definition is None:
        return None
    # The digest is of what the server told, which a store may not hold to the letter.
    kept = ToolDefinition(
        name=definition.name,
        title=definition.title,
        description=definition.description,
        input_schema=definition.input_schema,
        output_schema=definition.output_schema,
        annotations=definition.annotations,
        digest=str(row["definition_digest"]),
    )
    return StoredTool(kept, _said(row))


def _said(row: Row) -> ToolPolicy | None:
    policy = as_text(row["policy"])
    decision = as_kind(PolicyDecision, policy, PolicyDecision.ASK)
    return ToolPolicy(decision, as_text(row["policy_digest"])) if policy else None
