"""What the command line asks of the window."""

from dataclasses import dataclass
from pathlib import Path

from backend.paths import Home


@dataclass(frozen=True, slots=True)
class WindowOptions:
    """Fixed for one run of the window; None leaves the saved setting alone."""

    home: Home
    demo: bool = False
    background: bool = False
    """Start in the tray, or minimised where there is none, and never take the focus."""
    screenshot: Path | None = None
    """Write a picture of the window here once it has settled, then exit 0."""
    theme: str | None = None
    """`light`, `dark` or `system`."""
    language: str | None = None
    activation_token: str = ""
    """What the desktop gave this start to raise its window with (XDG_ACTIVATION_TOKEN)."""
