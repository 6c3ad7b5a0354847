"""Other processes of this machine, by number. Standard library only."""

import os
import sys


def process_lives(pid: int) -> bool:
    """Whether one of our own processes has this id.

    Always true on Windows, where a signal of zero would end the process.
    """
    if sys.platform == "win32":
        return True
    try:
        os.kill(pid, 0)
    except (OSError, OverflowError):
        return False
    return pid > 0
