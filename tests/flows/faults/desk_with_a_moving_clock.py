"""`kandesk serve` whose wall clock somebody else sets; run as a child process.

usage: python -m tests.flows.faults.desk_with_a_moving_clock FILE [OPTIONS OF SERVE]

FILE holds by how many seconds the clock is off now; without it the clock is right.
"""

import sys
import time
from pathlib import Path

from app.launch import main
from backend.clock import Nanoseconds, SystemClock


def now(_clock: SystemClock) -> Nanoseconds:
    seconds = float(offset.read_text()) if offset.exists() else 0.0
    return Nanoseconds(time.time_ns() + int(seconds * 1e9))


if __name__ == "__main__":
    offset = Path(sys.argv[1])
    SystemClock.now = now  # type: ignore[method-assign,assignment]
    sys.exit(main(["serve", *sys.argv[2:]]))
