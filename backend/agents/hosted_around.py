"""Whether this very process was started, however far back, by an agent a desk runs.

Standard library only: commands that must start at once ask it.
"""

import os
from pathlib import Path
from typing import Final

from backend.agents.child_environment import HOSTED_VARIABLE

_MOST_PARENTS: Final = 64
_MARK: Final = f"{HOSTED_VARIABLE}=1".encode()


def is_inside_hosted_agent() -> bool:
    """By the mark in its environment or, on Linux, in that of a parent, which no child can wipe."""
    if os.environ.get(HOSTED_VARIABLE) == "1":
        return True
    pid = os.getppid()
    for _ in range(_MOST_PARENTS):
        if pid <= 1:
            return False
        try:
            process = Path("/proc") / str(pid)
            if _MARK in (process / "environ").read_bytes().split(b"\0"):
                return True
            stat = (process / "stat").read_bytes()
        except OSError:
            return False
        pid = int(stat[stat.rfind(b")") + 2 :].split()[1])
    return False
