"""Agents nobody here wrote, made ready to run offline against the scripted model.

`packaging/dev/agents.sh` installs them. Each gets a user folder of its own, so that it sees nothing
of the developer's settings, and a project folder.
"""

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

AGENTS_ROOT = Path(os.environ.get("AGENTS_ROOT", "~/.cache/kandesk-agents")).expanduser()
PROGRAMS = AGENTS_ROOT / "bin"


@dataclass(frozen=True)
class PeerAgent:
    """One agent as the tests run it; `key` is its key in the catalog."""

    key: str
    program: str
    prepare: Callable[[Path, Path, str], dict[str, str]]
    """Writes settings into a user folder for a project and a model; the environment it needs."""
    run: Callable[[str], str]
    """A prompt that has it run a command of the shell, for which it needs permission."""
    mode: str = ""
    """The mode in which it asks its human."""

    @property
    def installed(self) -> bool:
        return (PROGRAMS / self.program).exists()


def user_environment(user: Path) -> dict[str, str]:
    """Everything of a user that agents look at."""
    return {
        "HOME": str(user),
        "PATH": os.pathsep.join((str(PROGRAMS), os.environ["PATH"])),
        "XDG_CONFIG_HOME": str(user / ".config"),
        "XDG_DATA_HOME": str(user / ".local" / "share"),
        "XDG_CACHE_HOME": str(user / ".cache"),
        "XDG_STATE_HOME": str(user / ".local" / "state"),
        "TERM": "dumb",
        "NO_COLOR": "1",
        "LANG": "C.UTF-8",
    }


def call(tool: str, **arguments: object) -> str:
    """A step of the scripted model."""
    return f"<<call {tool} {json.dumps(arguments)}>>"


def _write(path: Path, content: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content, indent=1))


def _opencode(user: Path, project: Path, model: str) -> dict[str, str]:
    limits = {"context": 100_000, "output": 4096}
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "scripted",
        "options": {"baseURL": model, "apiKey": "x"},
        "models": {"scripted": {"name": "scripted", "tool_call": True, "limit": limits}},
    }
    settings = {
        "autoupdate": False,
        "share": "disabled",
        "model": "scripted/scripted",
        "small_model": "scripted/scripted",
        "enabled_providers": ["scripted"],
        "provider": {"scripted": provider},
        "permission": {"bash": "ask"},
    }
    _write(user / ".config" / "opencode" / "opencode.json", settings)
    return {
        "OPENCODE_DISABLE_MODELS_FETCH": "1",
        "OPENCODE_DISABLE_AUTOUPDATE": "1",
        "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
    }


_CODEX = """\
model = "scripted"
model_provider = "scripted"
approval_policy = "on-request"
sandbox_mode = "read-only"
check_for_update_on_startup = false
approvals_reviewer = "user"
[analytics]
enabled = false
[model_providers.scripted]
name = "scripted"
base_url = "{model}"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
request_max_retries = 0
stream_max_retries = 0
[projects."{project}"]
trust_level = "trusted"
"""


def _codex(user: Path, project: Path, model: str) -> dict[str, str]:
    home = user / ".codex"
    _write(home / "config.toml", _CODEX.format(model=model, project=project))
    return {
        "SCRIPTED_KEY": "x",
        "CODEX_HOME": str(home),
        "NO_BROWSER": "1",
        "MODEL_PROVIDER": "scripted",
    }


def _claude(user: Path, project: Path, model: str) -> dict[str, str]:
    home = user / ".claude"
    _write(home / "settings.json", {"permissions": {"defaultMode": "default"}})
    return {
        "CLAUDE_CONFIG_DIR": str(home),
        "ANTHROPIC_BASE_URL": model.removesuffix("/v1"),
        "ANTHROPIC_AUTH_TOKEN": "x",
        "ANTHROPIC_MODEL": "scripted",
        "ANTHROPIC_SMALL_FAST_MODEL": "scripted",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_TELEMETRY": "1",
        "DISABLE_ERROR_REPORTING": "1",
        "ENABLE_TOOL_SEARCH": "false",
    }


def _gemini(user: Path, project: Path, model: str) -> dict[str, str]:
    settings = {
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "privacy": {"usageStatisticsEnabled": False},
        "telemetry": {"enabled": False},
        "general": {"disableAutoUpdate": True, "enableAutoUpdate": False},
        "model": {"name": "gemini-2.5-flash"},
    }
    _write(user / ".gemini" / "settings.json", settings)
    _write(user / ".gemini" / "trustedFolders.json", {str(project): "TRUST_FOLDER"})
    return {
        "GEMINI_API_KEY": "x",
        "GOOGLE_GEMINI_BASE_URL": model.removesuffix("/v1"),
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
    }


PEER_AGENTS = (
    PeerAgent(
        "opencode",
        "opencode",
        _opencode,
        run=lambda command: call("bash", command=command, description="a test"),
    ),
    PeerAgent(
        "codex",
        "codex-acp",
        _codex,
        run=lambda command: call(
            "exec_command",
            cmd=command,
            sandbox_permissions="require_escalated",
            justification="a test",
        ),
        mode="read-only",
    ),
    PeerAgent(
        "claude-code",
        "claude-agent-acp",
        _claude,
        run=lambda command: call("Bash", command=command, description="a test"),
        mode="default",
    ),
    PeerAgent(
        "gemini",
        "gemini",
        _gemini,
        run=lambda command: call("run_shell_command", command=command, description="a test"),
        mode="default",
    ),
)


def processes_of(user: Path) -> list[str]:
    """The command lines of what runs for a user, however it was started; on Linux only."""
    found = []
    mine = f"HOME={user}".encode()
    for folder in Path("/proc").iterdir():
        if not folder.name.isdecimal() or folder.name == str(os.getpid()):
            continue
        try:
            told = (folder / "environ").read_bytes().split(b"\0")
            command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode().strip()
        except OSError:
            continue
        if mine in told and command:
            found.append(command)
    return found
