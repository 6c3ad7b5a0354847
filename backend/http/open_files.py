"""How many connections fit into the open files this process may have.

A loop that runs out of them while it accepts complains thousands of times a minute (Python 3.11
says so, and tries again, once for every place of its backlog) and takes nobody in.
"""

import logging
import sys
from typing import Final

if sys.platform != "win32":
    import resource

MAX_CONNECTIONS: Final = 1_024
_WANTED: Final = 4_096
_KEPT: Final = 192
"""For the store, logs and children, and for connections accepted in one go before any is closed."""
_FEWEST: Final = 16
_COMPLAINT: Final = "socket.accept() out of system resource"
_COMPLAINT_SECONDS: Final = 60.0


def connections_that_fit() -> int:
    """Ask for enough open files, as far as the system lets us; the connections they allow."""
    if sys.platform == "win32":
        return MAX_CONNECTIONS
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _WANTED if hard == resource.RLIM_INFINITY else min(_WANTED, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        soft = wanted
    if soft == resource.RLIM_INFINITY:
        return MAX_CONNECTIONS
    return min(MAX_CONNECTIONS, max(_FEWEST, soft - _KEPT))


class FewComplaints(logging.Filter):
    """Lets the loop say once a minute, and without a stack, that it can take nobody in."""

    def __init__(self) -> None:
        super().__init__()
        self._next = 0.0

    def filter(self, record: logging.LogRecord) -> bool:
        if not str(record.msg).startswith(_COMPLAINT):
            return True
        if record.created < self._next:
            return False
        self._next = record.created + _COMPLAINT_SECONDS
        record.exc_info = None
        return True
