"""Where a desk keeps its things; standard library only, the shim starts with it."""

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

HOME_VARIABLE: Final = "KANDESK_HOME"
_FOLDER = "kandesk"


@dataclass(frozen=True, slots=True)
class Home:
    """The data folder of one desk. Nothing here touches the disk except `create`."""

    root: Path

    @property
    def database(self) -> Path:
        return self.root / "kandesk.db"

    @property
    def desk_toml(self) -> Path:
        return self.root / "desk.toml"

    @property
    def endpoint(self) -> Path:
        return self.root / "endpoint.json"

    @property
    def desk_token(self) -> Path:
        return self.root / "token"

    @property
    def agent_token(self) -> Path:
        return self.root / "agent-token"

    @property
    def ticket_key(self) -> Path:
        return self.root / "ticket-key"

    @property
    def quit_marker(self) -> Path:
        """Written by a deliberate Quit, removed by a start: shims leave a closed desk closed."""
        return self.root / "quit"

    @property
    def started_processes(self) -> Path:
        """The agents this run has started, for the next one to end what is left of them."""
        return self.root / "agents-started"

    @property
    def agent_tools(self) -> Path:
        """The tools of other servers that agents may call, for shims while no desk runs."""
        return self.root / "agent-tools.json"

    @property
    def quick_chats(self) -> Path:
        """The folders agents work in whose conversation has none of its own."""
        return self.root / "quick-chats"

    @property
    def log_dir(self) -> Path:
        return self.root / "logs"

    def create(self) -> None:
        """Make the folder, for its owner only.

        Raises:
            OSError: it cannot be made.
        """
        self.root.mkdir(mode=0o700, parents=True, exist_ok=True)


def resolve_home(explicit: str | None) -> Home:
    """The home named by `--home`, else by `$KANDESK_HOME`, else the platform's own."""
    named = explicit or os.environ.get(HOME_VARIABLE)
    return Home(Path(named).expanduser().absolute()) if named else default_home()


def default_home() -> Home:
    """The user-data folder of the platform (XDG, Known Folders, Library)."""
    return Home(_user_data_folder() / _FOLDER)


def _user_data_folder() -> Path:
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA")
        return Path(local) if local else Path.home() / "AppData" / "Local"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support"
    xdg = os.environ.get("XDG_DATA_HOME", "")
    # The XDG specification: a relative path is invalid and must be ignored.
    return Path(xdg) if Path(xdg).is_absolute() else Path.home() / ".local" / "share"
