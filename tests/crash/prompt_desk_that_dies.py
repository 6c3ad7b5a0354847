"""A desk with one permission that was asked for over MCP; it kills itself at a named point of it.

Run as `python -m tests.crash.prompt_desk_that_dies STORE POINT OPTION`. Prints what its agent was
told.
"""

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

from backend.review.announcing import ReviewAnnouncer
from backend.review.deciding import Deciding
from backend.review.settling import ReviewSettler
from backend.review.waiting import WaitingCall
from backend.store import review_outcomes, reviews
from tests.crash.review_desk_that_dies import die_after, die_before
from tests.helpers.clock import FakeClock
from tests.helpers.prompting import guest, prompt_case

KEY: Final = "i1:7"
"""Of the shim's call, which comes again to the next desk."""
POINTS: Final[dict[str, Callable[[], None]]] = {
    "request written, not committed": lambda: die_after(reviews, "open_request"),
    "opened": lambda: die_before(ReviewAnnouncer, "tell"),
    "decision written, not committed": lambda: die_after(review_outcomes, "decide"),
    "decided": lambda: die_before(WaitingCall, "decide"),
    "agent about to be told": lambda: die_before(ReviewSettler, "told"),
    "decision done": lambda: die_after(Deciding, "decide"),
    "telling written, not committed": lambda: die_after(review_outcomes, "mark_told"),
    "ending written, not committed": lambda: die_after(review_outcomes, "mark_unknown"),
    "limit reached": lambda: die_before(ReviewSettler, "expired"),
    "expiry written, not committed": lambda: die_after(review_outcomes, "expire"),
    "call gone": lambda: die_before(ReviewSettler, "untold"),
    "cancel written, not committed": lambda: die_after(review_outcomes, "cancel"),
}
GIVEN_UP: Final = {
    "limit reached": "expire",
    "expiry written, not committed": "expire",
    "call gone": "leave",
    "cancel written, not committed": "leave",
}
"""Points at which nobody has decided, and the caller waits no longer."""
NEVER_DECIDED: Final = frozenset({"opened", "decision written, not committed", *GIVEN_UP})


async def main(store: Path, point: str, option: str) -> None:
    async with prompt_case(store, FakeClock()) as case:
        POINTS[point]()
        prompt, answer, review = await case.ask_one(guest(call=KEY))
        if point in GIVEN_UP:
            getattr(prompt, GIVEN_UP[point])()
        else:
            deciding = asyncio.ensure_future(case.decide(review, option))
            told = await answer
            prompt.told(told)
            print(f"told {told.end.name}", flush=True)
            await deciding
        await case.desk.supervisor.stop(5.0)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2], sys.argv[3]))
