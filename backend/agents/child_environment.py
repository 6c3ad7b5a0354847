"""What an agent's process finds in its environment, and where programs are looked for."""

import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

HOSTED_VARIABLE: Final = "KANDESK_HOSTED_AGENT"
"""Set in every agent this desk runs and in whatever that starts. No secret."""
START_VARIABLE: Final = "KANDESK_HOSTED_START"
"""Beside it, which start it was: another value for each. No secret."""

_SECRET_PREFIXES: Final = ("KANDESK_", "GNOME_KEYRING_", "KEYRING_", "PYTHON_KEYRING_")
_SECRETS: Final = {
    # How the desk reaches its own store.
    "PGPASSWORD",
    "PGPASSFILE",
    "PGSERVICEFILE",
    # Bus addresses and sockets that exist for secrets alone.
    "SECRET_SERVICE_BUS_ADDRESS",
    "KDE_WALLET_SOCKET",
    "PAM_KWALLET5_LOGIN",
    "PAM_KWALLET_LOGIN",
}
_NESTED: Final = {"CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT"}
"""Marks of an agent around us: a desk its shim started would start agents that refuse to nest."""


def child_environment(
    additions: Mapping[str, str], program: str, desk: Mapping[str, str] | None = None
) -> dict[str, str]:
    """The desk's environment less its secrets, with a path that finds what `program` starts.

    The session bus stays: agents keep their own logins behind it.
    """
    given = os.environ if desk is None else desk
    kept = {
        name: value
        for name, value in given.items()
        if not name.upper().startswith(_SECRET_PREFIXES)
        and name.upper() not in _SECRETS
        and name not in _NESTED
    }
    if getattr(sys, "frozen", False):
        # The libraries of a frozen desk are its own; what was set before is kept beside.
        kept.pop("LD_LIBRARY_PATH", None)
        if before := kept.pop("LD_LIBRARY_PATH_ORIG", ""):
            kept["LD_LIBRARY_PATH"] = before
    kept[HOSTED_VARIABLE] = "1"
    kept["PATH"] = os.pathsep.join(search_path(kept, beside=program))
    return {**kept, **additions}


def search_path(
    environment: Mapping[str, str] | None = None, *, beside: str = ""
) -> tuple[str, ...]:
    """The folders of PATH, then those where agents are installed; each once.

    A desktop start inherits no shell profile, and a script's interpreter stands `beside` it.
    """
    given = os.environ if environment is None else environment
    named = [folder for folder in given.get("PATH", "").split(os.pathsep) if folder]
    found = dict.fromkeys(named)
    if Path(beside).is_absolute() and str(Path(beside).parent) not in found:
        # Before the others: a script of one Node must not meet the interpreter of another.
        found = dict.fromkeys([str(Path(beside).parent), *named])
    for folder in _usual_folders(given):
        if folder.is_dir():
            found[str(folder)] = None
    return tuple(found)


def _usual_folders(environment: Mapping[str, str]) -> Iterator[Path]:
    try:
        home = Path(environment.get("HOME") or Path.home())
    except RuntimeError:
        return
    if sys.platform == "win32":
        if roaming := environment.get("APPDATA"):
            yield Path(roaming) / "npm"
        if local := environment.get("LOCALAPPDATA"):
            yield Path(local) / "Volta" / "bin"
            yield Path(local) / "pnpm"
        yield from (home / "scoop" / "shims", home / ".bun" / "bin", home / ".local" / "bin")
        return
    yield from (home / name for name in _BELOW_HOME)
    yield from _node_versions(Path(environment.get("NVM_DIR") or home / ".nvm"))
    yield from (Path(name) for name in _OF_THE_SYSTEM)


def _node_versions(nvm: Path) -> Iterator[Path]:
    """The newest first."""
    try:
        versions = [path for path in (nvm / "versions" / "node").iterdir() if path.is_dir()]
    except OSError:
        return
    yield from (path / "bin" for path in sorted(versions, key=_version, reverse=True))


def _version(folder: Path) -> tuple[int, ...]:
    parts = folder.name.removeprefix("v").split(".")
    return tuple(int(part) for part in parts if part.isdecimal())


_BELOW_HOME: Final = (
    ".local/bin",
    "bin",
    ".npm-global/bin",
    ".bun/bin",
    ".volta/bin",
    ".opencode/bin",
    ".claude/local",
    ".cargo/bin",
    ".deno/bin",
    ".asdf/shims",
    ".local/share/mise/shims",
    ".local/share/pnpm",
)
_OF_THE_SYSTEM: Final = (
    "/usr/local/bin",
    "/opt/homebrew/bin",
    "/home/linuxbrew/.linuxbrew/bin",
    "/snap/bin",
)
