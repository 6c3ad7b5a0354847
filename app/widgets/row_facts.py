"""What the look of a transcript row depends on beside its message."""

from dataclasses import dataclass, field
from typing import Final

from app.widgets.row_layout import Part

SHORTENED: Final = 12_000
"""Characters of a message shown before "Show more"."""
FIRST_SEEN: Final = 4_000
"""Characters of a growing text that are laid out in one frame when much of it comes at once; more
than a screen. What stands before them follows in as large steps."""
PAGE: Final = 100_000
"""Characters more that are shown each time."""
MOST_GROWN: Final = 200_000
"""Characters of a growing text that are shown while its end is followed; then `PAGE` of them."""


@dataclass(frozen=True, slots=True)
class RowFacts:
    width: int
    first_of_author: bool
    agent: str
    now: int = field(compare=False)
    """Only its day is shown; a row is not laid out anew because a minute has passed."""
    opened: frozenset[Part] = frozenset()
    pages: int = 0
    """How often more of a long text was asked for."""
    tail: int | None = None
    """Where the shown part of a text began when it was first seen growing."""
    right_to_left: bool = False
    touch: bool = False
    hosted: bool = False
    """The agent of the session can be given a message."""

    def is_open(self, part: Part) -> bool:
        return part in self.opened
