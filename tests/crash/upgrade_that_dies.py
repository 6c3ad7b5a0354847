"""An upgrade that kills itself in the middle of a step; run as a child process.

usage: python -m tests.crash.upgrade_that_dies STORE EVENT
"""

import itertools
import os
import signal
import sys
import threading
from pathlib import Path

from backend.clock import Nanoseconds
from backend.events import StoreProgress
from backend.store import opening

NOW = Nanoseconds(1_790_000_000_000_000_000)


def main() -> None:
    """Die at event number EVENT; without so many events, end in peace and print how many."""
    path, last = Path(sys.argv[1]), int(sys.argv[2])
    told = 0

    def tell(_progress: StoreProgress) -> None:
        nonlocal told
        told += 1
        if told == last:
            os.kill(os.getpid(), signal.SIGKILL)

    opening.prepare(path, NOW, threading.Event(), tell, itertools.count().__next__)
    print(told)


if __name__ == "__main__":
    main()
