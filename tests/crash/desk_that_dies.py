"""`kandesk serve` that kills itself at a named point; run as a child process.

usage: python -m tests.crash.desk_that_dies POINT
"""

import os
import signal
import sys
from typing import NoReturn

from app.launch import main
from backend.clarification.asking import Asking
from backend.clarification.delivery import GuestDelivery
from backend.store import claims


def die(*args: object, **kwargs: object) -> NoReturn:
    """End like a crash: no cleanup, no flush, no reply."""
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def die_after_collecting() -> None:
    """Between the durable hand-over and the reply on the wire."""
    collect = Asking._collect

    async def collect_and_die(self: Asking, pending_id: object) -> object:
        result = await collect(self, pending_id)  # type: ignore[arg-type]
        if result is not None:
            die()
        return result

    Asking._collect = collect_and_die  # type: ignore[method-assign,assignment]


def die_in_claim() -> None:
    """Inside the claim's transaction, before COMMIT."""
    claims.claim = die


def die_before_delivery() -> None:
    """After the claim's COMMIT, before anything goes to the agent."""
    GuestDelivery.deliver = die  # type: ignore[method-assign]


POINTS = {
    "in claim": die_in_claim,
    "before delivery": die_before_delivery,
    "before reply": die_after_collecting,
}

if __name__ == "__main__":
    POINTS[sys.argv[1]]()
    sys.exit(main(["serve"]))
