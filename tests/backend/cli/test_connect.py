"""`kandesk connect` on configurations as people have them (product.md, Commands)."""

import json
import os
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from backend.agents.catalog import AGENTS, find_agent
from backend.cli import connect, jsonc
from backend.installation import command
from backend.paths import default_home

CLAUDE = """\
{
  "numStartups": 34,
  "theme": "dark",
  "projects": {
    "/home/ada/dépôt": {
      "allowedTools": [],
      "mcpServers": {}
    }
  },
  "mcpServers": {
    "github": {
      "type": "http",
      "url": "https://example.com/mcp"
    }
  },
  "oauthAccount": {"accountUuid": "0000"}
}
"""

CODEX = """\
# my settings
model = "gpt-5"   # the good one
notify = ["notify-send", "Codex"]

[mcp_servers.docs]
command = "docs-server"
args = [
  "--kandesk",
  "[mcp_servers.kandesk]",
]

[mcp_servers.docs.env]
TOKEN = 'x'

# what I work on
[projects."/home/ada/work"]
trust_level = "trusted"
"""

OPENCODE = """\
{
\t"$schema": "https://opencode.ai/config.json",
\t// local model
\t"model": "fake/fake-model", /* small */
\t"mcp": {
\t\t"docs": { "type": "remote", "url": "https://example.com/mcp" }, // keep
\t},
}
"""

GEMINI = '{"security":{"auth":{"selectedType":"gemini-api-key"}},"mcpServers":{}}'

QWEN = '{\r\n    "model": {\r\n        "name": "qwen"\r\n    }\r\n}\r\n'


@dataclass(frozen=True)
class Case:
    agent: str
    path: str
    text: str


CASES = [
    Case("claude-code", ".claude.json", CLAUDE),
    Case("codex", ".codex/config.toml", CODEX),
    Case("opencode", ".config/opencode/opencode.jsonc", OPENCODE),
    Case("gemini", ".gemini/settings.json", GEMINI),
    Case("qwen", ".qwen/settings.json", QWEN),
]
VARIABLES = (
    *(agent.mcp.folder.variable for agent in AGENTS),
    "KANDESK_HOME",
    "XDG_DATA_HOME",
)


@pytest.fixture(autouse=True)
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder of its own, with none of the agents' variables."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def put(user: Path, case: Case) -> Path:
    path = user / case.path
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(case.text.encode())
    return path


def read(path: Path) -> dict[str, Any]:
    text = path.read_text("utf-8")
    if path.suffix == ".toml":
        return tomllib.loads(text)
    value = jsonc.parse(text).value
    assert isinstance(value, dict)
    return value


def entry(path: Path) -> dict[str, Any]:
    found = read(path)
    for table in ("mcpServers", "mcp_servers", "mcp"):
        if table in found:
            value = found[table]["kandesk"]
            assert isinstance(value, dict)
            return value
    raise AssertionError(found)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.agent)
def test_connecting_adds_our_entry_and_changes_nothing_else(case: Case, user: Path) -> None:
    path = put(user, case)
    before = read(path)
    assert connect.main([case.agent]) == 0
    after = read(path)
    table = next(name for name in after if name in ("mcpServers", "mcp_servers", "mcp"))
    added = after[table].pop("kandesk")
    if table not in before:
        before[table] = {}
    assert after == before
    start = added["command"]
    start = start if isinstance(start, list) else [start, *added["args"]]
    assert start == [*command(), "mcp"]
    assert Path(start[0]).is_absolute()
    lines = path.read_bytes().splitlines()
    assert all(line in lines for line in case.text.encode().splitlines() if b"#" in line)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.agent)
def test_connecting_twice_changes_nothing_the_second_time(case: Case, user: Path) -> None:
    path = put(user, case)
    connect.main([case.agent])
    once, modified = path.read_bytes(), path.stat().st_mtime_ns
    assert connect.main([case.agent]) == 0
    assert path.read_bytes() == once
    assert path.stat().st_mtime_ns == modified


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.agent)
def test_removing_gives_the_file_its_bytes_back(case: Case, user: Path) -> None:
    path = put(user, case)
    connect.main([case.agent])
    assert connect.main([case.agent, "--remove"]) == 0
    assert path.read_bytes() == case.text.encode()
    assert connect.main([case.agent, "--remove"]) == 0
    assert path.read_bytes() == case.text.encode()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.agent)
def test_removing_after_other_changes_keeps_them(case: Case, user: Path) -> None:
    path = put(user, case)
    connect.main([case.agent])
    text = path.read_text("utf-8")
    marker = "# later\n" if path.suffix == ".toml" else "\n// later\n"
    path.write_text(text + marker, "utf-8", newline="")
    assert connect.main([case.agent, "--remove"]) == 0
    after = path.read_text("utf-8")
    assert after.endswith(marker)
    assert "mcp_servers.kandesk]\n" not in after.replace('"[mcp_servers.kandesk]"', "")
    assert '"kandesk"' not in after
    read(path)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.agent)
def test_without_a_file_one_is_made_and_removing_takes_it_away(case: Case, user: Path) -> None:
    path = user / (case.path.removesuffix("c") if case.agent == "opencode" else case.path)
    assert connect.main([case.agent]) == 0
    assert "kandesk" in str(entry(path)["command"])
    assert connect.main([case.agent, "--remove"]) == 0
    assert not path.exists()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.agent)
def test_a_backup_holds_the_file_as_it_was_with_its_mode(case: Case, user: Path) -> None:
    path = put(user, case)
    path.chmod(0o600)
    connect.main([case.agent])
    backup = path.with_name(f"{path.name}.kandesk-backup")
    assert backup.read_bytes() == case.text.encode()
    assert backup.stat().st_mode & 0o777 == 0o600
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("agent", "path", "broken"),
    [
        ("claude-code", ".claude.json", '{"mcpServers": {'),
        ("claude-code", ".claude.json", '{"mcpServers": []}'),
        ("claude-code", ".claude.json", "[]"),
        ("codex", ".codex/config.toml", "model = \n"),
        ("codex", ".codex/config.toml", 'mcp_servers = { kandesk = { command = "x" } }\n'),
        ("codex", ".codex/config.toml", 'mcp_servers.kandesk.command = "x"\n'),
        ("codex", ".codex/config.toml", "mcp_servers = 3\n"),
        ("opencode", ".config/opencode/opencode.json", "{ /* no end "),
        ("gemini", ".gemini/settings.json", "{'a': 1}"),
        ("qwen", ".qwen/settings.json", '{"a": 1} x'),
    ],
)
def test_a_file_that_cannot_be_edited_safely_stays_as_it_is(
    user: Path, capsys: pytest.CaptureFixture[str], agent: str, path: str, broken: str
) -> None:
    file = put(user, Case(agent, path, broken))
    assert connect.main([agent]) == 1
    assert file.read_text() == broken
    assert list(file.parent.iterdir()) == [file]
    out, err = capsys.readouterr()
    assert not out
    assert str(file) in err
    assert len(err.splitlines()) == 1


def test_a_file_that_is_not_utf8_stays_as_it_is(user: Path) -> None:
    path = user / ".claude.json"
    path.write_bytes(b'{"a": "\xff"}')
    assert connect.main(["claude"]) == 1
    assert path.read_bytes() == b'{"a": "\xff"}'


@pytest.mark.skipif(
    os.name == "nt" or os.geteuid() == 0, reason="the super-user may write anything"
)
def test_a_read_only_file_is_refused(user: Path) -> None:
    path = put(user, CASES[0])
    path.chmod(0o400)
    assert connect.main(["claude"]) == 1
    assert path.read_text() == CLAUDE


def test_a_link_stays_a_link_and_its_target_is_edited(user: Path) -> None:
    target = user / "dotfiles" / "claude.json"
    target.parent.mkdir()
    target.write_text(CLAUDE)
    link = user / ".claude.json"
    link.symlink_to(target)
    assert connect.main(["claude"]) == 0
    assert link.is_symlink()
    assert "kandesk" in read(target)["mcpServers"]
    assert target.with_name("claude.json.kandesk-backup").exists()


@pytest.mark.parametrize(
    ("agent", "variable", "below"),
    [
        ("claude", "CLAUDE_CONFIG_DIR", ".claude.json"),
        ("codex", "CODEX_HOME", "config.toml"),
        ("opencode", "XDG_CONFIG_HOME", "opencode/opencode.json"),
        ("gemini", "GEMINI_CLI_HOME", ".gemini/settings.json"),
        ("qwen", "QWEN_HOME", "settings.json"),
    ],
)
def test_the_agents_own_variable_names_the_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, agent: str, variable: str, below: str
) -> None:
    folder = tmp_path / "elsewhere"
    monkeypatch.setenv(variable, str(folder))
    assert connect.main([agent]) == 0
    assert entry(folder / below)


def test_print_shows_the_entry_and_writes_nothing(
    user: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert connect.main(["codex", "--print"]) == 0
    out, err = capsys.readouterr()
    assert tomllib.loads(out)["mcp_servers"]["kandesk"]["command"] == command()[0]
    assert str(user / ".codex" / "config.toml") in err
    assert list(user.iterdir()) == []


def test_a_home_that_is_not_the_usual_one_is_written_into_the_entry(
    user: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = user / ".claude.json"
    connect.main(["claude", "--home", str(user / "desk ü")])
    assert entry(path)["args"] == ["mcp", "--home", str(user / "desk ü")]
    connect.main(["claude", "--home", str(default_home().root)])
    assert entry(path)["args"] == ["mcp"]
    monkeypatch.setenv("KANDESK_HOME", str(user / "other"))
    connect.main(["claude"])
    assert entry(path)["args"] == ["mcp", "--home", str(user / "other")]


def test_settings_lift_the_limits_of_those_agents_that_have_one(user: Path) -> None:
    """reference/agents.md, section 2: the setting that lifts it."""
    for agent in ("codex", "opencode", "gemini", "qwen"):
        connect.main([agent])
    assert entry(user / ".codex/config.toml")["tool_timeout_sec"] > 3600
    assert "DISPLAY" in entry(user / ".codex/config.toml")["env_vars"]
    assert entry(user / ".config/opencode/opencode.json")["timeout"] == 600_000
    for path in (".gemini/settings.json", ".qwen/settings.json"):
        assert entry(user / path)["timeout"] > 3_600_000


@pytest.mark.parametrize("arguments", [[], ["emacs"], ["codex", "--print", "--remove"]])
def test_wrong_usage_exits_2(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        connect.main(arguments)
    assert ended.value.code == 2


def test_agents_are_found_by_key_alias_and_name() -> None:
    for word in ("claude-code", "claude", "Claude Code", "CLAUDE"):
        agent = find_agent(word)
        assert agent is not None
        assert agent.key == "claude-code"
    assert find_agent("vim") is None


def test_the_entry_of_claude_is_a_stdio_server(user: Path) -> None:
    connect.main(["claude"])
    found = json.loads((user / ".claude.json").read_text())["mcpServers"]["kandesk"]
    assert found["type"] == "stdio"


def test_only_claude_is_told_how_its_permissions_are_decided_here(
    user: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """tool-review.md: without the option nothing changes, and there is no setting for it."""
    assert connect.main(["claude-code"]) == 0
    assert "--permission-prompt-tool mcp__kandesk__request_permission" in capsys.readouterr().out
    assert connect.main(["opencode"]) == 0
    assert "permission" not in capsys.readouterr().out
