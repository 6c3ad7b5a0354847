"""`kandesk serve` that kills itself at a named point; run as a child process."""

import os
import signal
from typing import NoReturn

from app.launch import main
from backend.clarification import asking
from backend.clarification.delivery import GuestDelivery
from backend.store import claims


def die(*args: object, **kwargs: object) -> NoReturn:
    """End like a crash: no cleanup, no flush, no reply."""
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def die_before_reply() -> None:
    """Between the durable hand-over and the reply on the wire."""
    asking.handed_over = die  # type: ignore[attr-defined]


def die_in_claim() -> None:
    """Inside the claim's transaction, before COMMIT."""
    claims.claim = die


def die_before_delivery() -> None:
    """After the claim's COMMIT, before anything goes to the agent."""
    GuestDelivery.deliver = die  # type: ignore[method-assign]


POINTS = {
    "in claim": die_in_claim,
    "before delivery": die_before_delivery,
    "before reply": die_before_reply,
}


def serve(point: str) -> int:
    """Run until the point is reached; "" is never reached."""
    if point:
        POINTS[point]()
    return main(["serve"])
