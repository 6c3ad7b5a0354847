"""`kandesk connect AGENT`: our entry in an agent's own configuration, and nothing else in it."""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from backend.agents.catalog import (
    AGENTS,
    SERVER_NAME,
    Agent,
    ConfigFormat,
    EntryShape,
    McpConfig,
    find_agent,
)
from backend.cli import jsonc, toml_table
from backend.cli.config_file import ConfigFile, ConfigRefused, read_config
from backend.installation import command
from backend.mcp.tools import REQUEST_PERMISSION
from backend.paths import Home, default_home, resolve_home

Entry = dict[str, object]

CLAUDE = "claude-code"
_PERMISSIONS = (
    "To decide here what it may do when it runs with --print, start it with "
    f"--permission-prompt-tool mcp__{SERVER_NAME}__{REQUEST_PERMISSION}."
)
"""There is no setting for it; without the option nothing changes."""

_HOME_VARIABLES = ("KANDESK_HOME", "XDG_DATA_HOME")
"""They decide the home here, and an agent may start us without them."""


def main(arguments: Sequence[str]) -> int:
    """Write, print or remove the entry. Doing it twice changes nothing the second time."""
    parser = _parser()
    parsed = parser.parse_args(arguments)
    agent = find_agent(parsed.agent)
    if agent is None:
        parser.error(f"no such agent: {parsed.agent} (known: {_known()})")
    entry = build_entry(agent.mcp, resolve_home(parsed.home))
    path = config_path(agent.mcp)
    if parsed.print:
        print(f"# {agent.name} reads this from {path}", file=sys.stderr, flush=True)
        print(render(agent.mcp, "", entry), end="")
        return 0
    try:
        file = read_config(path)
        changed = remove(agent.mcp, file) if parsed.remove else write(agent.mcp, file, entry)
    except ConfigRefused as error:
        sys.stderr.write(f"kandesk: {error}\n")
        return 1
    print(_told(agent, file, removed=parsed.remove, changed=changed))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="kandesk connect", allow_abbrev=False)
    parser.add_argument("agent", metavar="AGENT", help=_known())
    parser.add_argument("--home", metavar="DIR", help="the data folder the agent shall use")
    action = parser.add_mutually_exclusive_group()
    action.add_argument("--print", action="store_true", help="show the entry, write nothing")
    action.add_argument("--remove", action="store_true", help="take the entry out again")
    return parser


def _known() -> str:
    return ", ".join(agent.key for agent in AGENTS)


def _told(agent: Agent, file: ConfigFile, *, removed: bool, changed: bool) -> str:
    if not changed:
        state = "is not connected" if removed else "is connected already"
        return f"{agent.name} {state}; {file.path} is unchanged."
    kept = "" if file.data is None else f" The file as it was: {file.backup}"
    if removed:
        return f"{agent.name} is no longer connected ({file.path}).{kept}"
    hint = f" {_PERMISSIONS}" if agent.key == CLAUDE else ""
    return f"{agent.name} is connected ({file.path}). Restart it to use Kandesk.{kept}{hint}"


def build_entry(config: McpConfig, home: Home) -> Entry:
    """What the agent shall start: this installation, and this home where it is not the usual."""
    start = [*command(), "mcp"]
    if home != default_home() or any(name in os.environ for name in _HOME_VARIABLES):
        start += ["--home", str(home.root)]
    if config.shape is EntryShape.COMMAND_LIST:
        return {"command": start, **config.extra}
    return {"command": start[0], "args": start[1:], **config.extra}


def config_path(config: McpConfig) -> Path:
    """The file of this user; the agent's own environment variable comes first."""
    folder = config.folder
    named = os.environ.get(folder.variable)
    if named:
        base = Path(named).expanduser().absolute().joinpath(*folder.below_variable)
    else:
        base = Path.home().joinpath(*folder.below_home)
    paths = [base / name for name in config.files]
    return next((path for path in paths if os.path.lexists(path)), paths[-1])


def render(config: McpConfig, text: str, entry: Entry) -> str:
    """`text` with our entry.

    Raises:
        jsonc.JsoncError, toml_table.TomlError: `text` is broken.
    """
    if config.format is ConfigFormat.TOML:
        return toml_table.set_table(text, (config.table, SERVER_NAME), entry)
    given = text if text.strip() else "{}\n"
    return jsonc.set_member(given, (config.table, SERVER_NAME), entry)


def write(config: McpConfig, file: ConfigFile, entry: Entry) -> bool:
    """Put the entry in; False when it is there already.

    Raises:
        ConfigRefused: the file is broken or cannot be written; nothing was changed.
    """
    try:
        if file.data is not None and current_entry(config, file.text) == entry:
            return False
        edited = render(config, file.text, entry)
    except ValueError as error:
        raise ConfigRefused(f"{file.path}: {error}; nothing was changed") from error
    file.replace(file.encode(edited))
    return True


def remove(config: McpConfig, file: ConfigFile) -> bool:
    """Take the entry out; False when there is none.

    Where nothing else has changed since, the file gets exactly its former bytes back.

    Raises:
        ConfigRefused: the file is broken or cannot be written; nothing was changed.
    """
    if file.data is None:
        return False
    try:
        entry = current_entry(config, file.text)
        if entry is None:
            return False
        before = ConfigFile(file.path, file.saved())
        if _leads_to(config, before, entry, file):
            file.replace(before.data)
            return True
        edited = _without_entry(config, file.text)
    except ValueError as error:
        raise ConfigRefused(f"{file.path}: {error}; nothing was changed") from error
    file.replace(file.encode(edited))
    return True


def _leads_to(config: McpConfig, before: ConfigFile, entry: Entry, after: ConfigFile) -> bool:
    """Whether our entry is all that has happened since the backup."""
    try:
        return before.encode(render(config, before.text, entry)) == after.data
    except (ValueError, ConfigRefused):
        return False


def _without_entry(config: McpConfig, text: str) -> str:
    if config.format is ConfigFormat.TOML:
        return toml_table.remove_table(text, (config.table, SERVER_NAME))
    return jsonc.remove_member(text, (config.table, SERVER_NAME))


def current_entry(config: McpConfig, text: str) -> Entry | None:
    """Our entry in `text`; None when there is none. Raises `ValueError`: `text` is broken."""
    if config.format is ConfigFormat.TOML:
        value: object = toml_table.parse(text)
    else:
        value = jsonc.parse(text).value if text.strip() else {}
    for key in (config.table, SERVER_NAME):
        if not isinstance(value, dict) or key not in value:
            return None
        value = value[key]
    return value if isinstance(value, dict) else {"": json.dumps(value)}
