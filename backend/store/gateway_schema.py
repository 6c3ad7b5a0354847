"""Tables of the servers whose tools agents reach through this desk. Their secrets are not here."""

from typing import Final

from backend.store.definitions import Index, Table, columns

SERVERS: Final = Table(
    "mcp_servers",
    columns("""
        id TEXT PRIMARY KEY
        name TEXT NOT NULL
        settings TEXT NOT NULL
        created_at TEXT NOT NULL
        updated_at TEXT NOT NULL
    """),
    strict=True,
)
TOOLS: Final = Table(
    "mcp_server_tools",
    columns("""
        server_id TEXT NOT NULL REFERENCES mcp_servers(id) ON DELETE CASCADE
        name TEXT NOT NULL
        position INTEGER NOT NULL DEFAULT 0
        listed INTEGER NOT NULL DEFAULT 1
        definition TEXT NOT NULL
        definition_digest TEXT NOT NULL
        policy TEXT NOT NULL DEFAULT ''
        policy_digest TEXT NOT NULL DEFAULT ''
        updated_at TEXT NOT NULL
    """),
    constraints=("PRIMARY KEY (server_id, name)",),
    strict=True,
)

GATEWAY_TABLES: Final = (SERVERS, TOOLS)


def gateway_indexes() -> tuple[Index, ...]:
    return (Index("idx_mcp_servers_name", SERVERS.name, "name", unique=True),)
