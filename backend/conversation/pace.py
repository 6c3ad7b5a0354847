"""How often a session may be told to the window."""

from typing import Final

INTERVAL: Final = 1 / 30
"""Seconds between two events of a session in the long run."""
_AHEAD: Final = 3 * INTERVAL
"""How far rows nobody has seen yet may run ahead of that, so that they come at once."""


class Pace:
    """Lets one event through per interval; a new row may use a few that were saved up."""

    def __init__(self) -> None:
        self._next = 0.0

    def delay(self, now: float, *, new_row: bool) -> float:
        """Seconds until the next event may be told; 0 for at once."""
        return max(0.0, self._next - (_AHEAD if new_row else 0.0) - now)

    def told(self, now: float) -> None:
        self._next = max(now, self._next) + INTERVAL
