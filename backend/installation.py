"""This installation: its version and the command that starts it again. Standard library only."""

import shlex
import shutil
import sys
from pathlib import Path

_SCRIPT = "kandesk.exe" if sys.platform == "win32" else "kandesk"


def version() -> str:
    """The version of the installed distribution."""
    from importlib import metadata

    return metadata.version("kandesk")


def shell_command() -> str:
    """What a person types to start this very installation."""
    words = command()
    found = shutil.which("kandesk")
    if found is not None and len(words) == 1 and Path(found).resolve() == Path(words[0]).resolve():
        return "kandesk"
    return shlex.join(words)


def command() -> tuple[str, ...]:
    """The absolute command line that starts this very installation.

    Without a script beside the interpreter the module is run with `-P`, so that a package called
    `app` in the caller's folder is never started instead of ours.
    """
    if getattr(sys, "frozen", False):
        return (sys.executable,)
    script = Path(sys.executable).with_name(_SCRIPT)
    if script.is_file():
        return (str(script),)
    return (sys.executable, "-P", "-m", "app.launch")
