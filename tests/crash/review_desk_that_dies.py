"""A desk with one open permission that kills itself at a named point of its decision.

Run as `python -m tests.crash.review_desk_that_dies STORE POINT OPTION`. Prints what its agent was
told.
"""

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from backend.domain.policy import RuleScope
from backend.review.announcing import ReviewAnnouncer
from backend.review.deciding import Deciding
from backend.review.opening import Opening
from backend.review.settling import ReviewSettler
from backend.review.waiting import WaitingCall
from backend.store import review_outcomes, reviews, ruled_calls
from tests.helpers.clock import FakeClock
from tests.helpers.reviewing import ReviewDesk, make_asked, review_desk


def _die(*_: object, **__: object) -> None:
    sys.stdout.flush()
    os.kill(os.getpid(), signal.SIGKILL)


def die_before(owner: Any, name: str) -> None:
    setattr(owner, name, _die)


def die_after(owner: Any, name: str) -> None:
    real = getattr(owner, name)

    async def last(*arguments: Any, **named: Any) -> Any:
        result = await real(*arguments, **named)
        _die()
        return result

    setattr(owner, name, last)


POINTS: Final[dict[str, Callable[[], None]]] = {
    "request written, not committed": lambda: die_after(reviews, "open_request"),
    "opened": lambda: die_before(ReviewAnnouncer, "tell"),
    "decision written, not committed": lambda: die_after(review_outcomes, "decide"),
    "decided": lambda: die_before(WaitingCall, "decide"),
    "agent about to be told": lambda: die_before(ReviewSettler, "told"),
    "decision done": lambda: die_after(Deciding, "decide"),
    "telling written, not committed": lambda: die_after(review_outcomes, "mark_told"),
    "ending written, not committed": lambda: die_after(review_outcomes, "mark_executed"),
}
RULED: Final[dict[str, Callable[[], None]]] = {
    "ruling written, not committed": lambda: die_after(reviews, "record_ruled"),
    "ruled, nobody told": lambda: die_before(Opening, "announce"),
    "its end written, not committed": lambda: die_after(ruled_calls, "settle"),
}
"""Of a second call, which the rule that was made with the first decision allows."""
NEVER_DECIDED: Final = frozenset({"opened", "decision written, not committed"})


async def ruled(desk: ReviewDesk, point: str) -> None:
    waiting = desk.ask()
    (review,) = await desk.opened()
    await desk.decide(review, "once", remember=RuleScope.THIS_CALL)
    await waiting
    desk.tool_ended()
    await desk.becomes("executed")
    RULED[point]()
    print(f"told {await desk.ask(make_asked('call-2'))}", flush=True)
    desk.tool_ended(call_id="call-2")
    await desk.supervisor.stop(5.0)


async def main(store: Path, point: str, option: str) -> None:
    async with review_desk(store, FakeClock()) as desk:
        if point in RULED:
            await ruled(desk, point)
            return
        POINTS[point]()
        waiting = desk.ask()
        (review,) = await desk.opened()

        async def tell() -> None:
            print(f"told {await waiting}", flush=True)
            desk.tool_ended()

        telling = asyncio.create_task(tell())
        await desk.decide(review, option)
        await telling
        await desk.supervisor.stop(5.0)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2], sys.argv[3]))
