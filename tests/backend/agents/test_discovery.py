"""Finding agents and what they find in their environment."""

import os
from pathlib import Path

import pytest

from backend.agents.catalog import AGENTS
from backend.agents.child_environment import HOSTED_VARIABLE, child_environment, search_path
from backend.agents.discovery import AgentDiscovery
from backend.agents.hosted_catalog import HOSTED_AGENTS


def install(folder: Path, name: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / name
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    return program


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home and a path with nothing of this machine."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path / "on-path"))
    monkeypatch.delenv("NVM_DIR", raising=False)
    return tmp_path


async def test_agents_are_found_where_no_shell_profile_leads(home: Path) -> None:
    """agents.md, Catalog: a desktop start inherits no shell profile."""
    install(home / ".local" / "bin", "codex-acp")
    install(home / ".nvm" / "versions" / "node" / "v9.1.0" / "bin", "claude-agent-acp")
    newest = install(home / ".nvm" / "versions" / "node" / "v22.0.0" / "bin", "claude-agent-acp")
    offers = await AgentDiscovery().list_offers()
    commands = {str(offer.key): offer.command for offer in offers}
    claude, codex = commands["claude-code"], commands["codex"]
    assert claude is not None
    assert claude.argv == (str(newest),)
    assert codex is not None
    assert [offer.key for offer in offers[:2]] == ["claude-code", "codex"]
    assert commands["kimi"] is None
    assert len(offers) == len(HOSTED_AGENTS)
    assert all(offer.install_hint for offer in offers)


def test_the_catalog_knows_these_agents_by_name() -> None:
    """agents.md, Catalog."""
    assert {agent.name for agent in HOSTED_AGENTS} == {
        "Claude Code",
        "Codex",
        "OpenCode",
        "Gemini CLI",
        "Qwen Code",
        "GitHub Copilot",
        "Goose",
        "Kimi",
        "Cursor",
        "Amp",
        "Auggie",
    }
    assert len({agent.key for agent in HOSTED_AGENTS}) == len(HOSTED_AGENTS)
    assert {agent.key for agent in AGENTS} <= {agent.key for agent in HOSTED_AGENTS}


async def test_the_path_goes_before_the_usual_folders(home: Path) -> None:
    install(home / ".local" / "bin", "opencode")
    chosen = install(home / "on-path", "opencode")
    offers = {str(offer.key): offer for offer in await AgentDiscovery().list_offers()}
    command = offers["opencode"].command
    assert command is not None
    assert command.argv == (str(chosen), "acp")


def test_a_script_finds_the_interpreter_beside_it(home: Path) -> None:
    program = install(home / "node22" / "bin", "agent")
    folders = child_environment({}, str(program))["PATH"].split(os.pathsep)
    assert folders[:2] == [str(program.parent), str(home / "on-path")]
    assert search_path(beside="agent")[0] == str(home / "on-path")


def test_an_agent_inherits_all_but_the_secrets_of_the_desk() -> None:
    """agents.md, ACP: other KANDESK_* and keyring variables are removed."""
    desk = {
        "PATH": "/bin",
        "KANDESK_DEBUG": "1",
        "PGPASSFILE": "/p",
        "GNOME_KEYRING_CONTROL": "/k",
        "PYTHON_KEYRING_BACKEND": "k",
        "CLAUDECODE": "1",
        "ANTHROPIC_API_KEY": "theirs",
        "DBUS_SESSION_BUS_ADDRESS": "unix:path=/bus",
    }
    found = child_environment({"MINE": "1"}, "", desk)
    del found["PATH"]
    assert found == {
        "ANTHROPIC_API_KEY": "theirs",
        "DBUS_SESSION_BUS_ADDRESS": "unix:path=/bus",
        "MINE": "1",
        HOSTED_VARIABLE: "1",
    }
