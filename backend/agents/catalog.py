"""The agents Kandesk knows by name: data, not code.

Places and settings are those of reference measurements and of each agent's own documentation.
"""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

SERVER_NAME: Final = "kandesk"
"""What our entry is called in an agent's configuration."""

_TEN_MINUTES_MS: Final = 600_000
_A_DAY_MS: Final = 86_400_000
_A_DAY_S: Final = 86_400
_DESKTOP_VARIABLES: Final = [
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "XDG_RUNTIME_DIR",
    "XDG_SESSION_TYPE",
    "XDG_CURRENT_DESKTOP",
    "DBUS_SESSION_BUS_ADDRESS",
]
"""What a window needs; Codex hands an MCP server no more of its environment than it is told."""


class ConfigFormat(StrEnum):
    JSON = "json"
    """With comments and trailing commas where the agent allows them."""
    TOML = "toml"


class EntryShape(StrEnum):
    """How an entry names the program to start."""

    COMMAND_AND_ARGS = "command_and_args"
    COMMAND_LIST = "command_list"


@dataclass(frozen=True, slots=True)
class ConfigFolder:
    """A folder the agent reads: below an environment variable if it is set, else below home."""

    variable: str
    below_variable: tuple[str, ...] = ()
    below_home: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class McpConfig:
    """Where an agent keeps its user's own MCP servers, and how an entry looks."""

    folder: ConfigFolder
    files: tuple[str, ...]
    """Read together by the agent; the first that exists is edited, else the last is made."""
    format: ConfigFormat
    table: str
    """The key that holds all servers by name."""
    shape: EntryShape
    extra: dict[str, str | int | bool | list[str]] = field(default_factory=dict)
    """Settings beside the command, among them those that lift the agent's own time-out."""


@dataclass(frozen=True, slots=True)
class Agent:
    """A coding agent and what connecting it takes."""

    key: str
    name: str
    aliases: tuple[str, ...]
    mcp: McpConfig


AGENTS: Final[tuple[Agent, ...]] = (
    Agent(
        "claude-code",
        "Claude Code",
        ("claude",),
        McpConfig(
            ConfigFolder("CLAUDE_CONFIG_DIR"),
            (".claude.json",),
            ConfigFormat.JSON,
            "mcpServers",
            EntryShape.COMMAND_AND_ARGS,
            {"type": "stdio"},
        ),
    ),
    Agent(
        "codex",
        "Codex",
        ("codex-cli",),
        McpConfig(
            ConfigFolder("CODEX_HOME", below_home=(".codex",)),
            ("config.toml",),
            ConfigFormat.TOML,
            "mcp_servers",
            EntryShape.COMMAND_AND_ARGS,
            {"tool_timeout_sec": _A_DAY_S, "env_vars": _DESKTOP_VARIABLES},
        ),
    ),
    Agent(
        "opencode",
        "OpenCode",
        (),
        McpConfig(
            ConfigFolder("XDG_CONFIG_HOME", ("opencode",), (".config", "opencode")),
            ("opencode.jsonc", "opencode.json"),
            ConfigFormat.JSON,
            "mcp",
            EntryShape.COMMAND_LIST,
            {"type": "local", "enabled": True, "timeout": _TEN_MINUTES_MS},
        ),
    ),
    Agent(
        "gemini",
        "Gemini CLI",
        ("gemini-cli",),
        McpConfig(
            ConfigFolder("GEMINI_CLI_HOME", (".gemini",), (".gemini",)),
            ("settings.json",),
            ConfigFormat.JSON,
            "mcpServers",
            EntryShape.COMMAND_AND_ARGS,
            {"timeout": _A_DAY_MS},
        ),
    ),
    Agent(
        "qwen",
        "Qwen Code",
        ("qwen-code",),
        McpConfig(
            ConfigFolder("QWEN_HOME", below_home=(".qwen",)),
            ("settings.json",),
            ConfigFormat.JSON,
            "mcpServers",
            EntryShape.COMMAND_AND_ARGS,
            {"timeout": _A_DAY_MS},
        ),
    ),
)


def find_agent(word: str) -> Agent | None:
    """The agent with this key, alias or name, whatever the case."""
    wanted = word.casefold().replace(" ", "-")
    for agent in AGENTS:
        names = (agent.key, *agent.aliases, agent.name.casefold().replace(" ", "-"))
        if wanted in names:
            return agent
    return None
