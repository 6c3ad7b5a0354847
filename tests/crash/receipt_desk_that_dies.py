"""A desk that owes an agent an outcome and kills itself at a named point of its delivery.

Run as `python -m tests.crash.receipt_desk_that_dies STORE POINT`. Prints what the agent was told:
`prompt` by one, `call` by its own call.
"""

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from backend.review.gateway.calls import OpenedCall
from backend.review.gateway.handing import HandOvers
from backend.store import (
    gateway_calls,
    hosted_sessions,
    receipts,
    reservations,
    review_outcomes,
    reviews,
)
from tests.crash.review_desk_that_dies import die_after, die_before
from tests.helpers.clock import FakeClock
from tests.helpers.gateway_case import GatewayCase, S, gateway_case
from tests.helpers.receipts import ScriptedPrompter, continuing


def die_once_told() -> None:
    """The agent has the prompt, and nothing was written down of it."""
    real = ScriptedPrompter.give

    async def last(prompter: ScriptedPrompter, *given: Any) -> None:
        await real(prompter, *given)
        print("prompt", flush=True)
        die_before(ScriptedPrompter, "look_again")
        prompter.look_again(S)

    setattr(ScriptedPrompter, "give", last)  # noqa: B010 - a method is replaced


POINTS: Final[dict[str, Callable[[], None]]] = {
    "request written, not committed": lambda: die_after(reviews, "open_request"),
    "decision written, not committed": lambda: die_after(review_outcomes, "decide"),
    "outcome written, not committed": lambda: die_after(gateway_calls, "settle"),
    "owed": lambda: None,
    "turn reserved, not committed": lambda: die_after(reservations, "reserve_for_outcomes"),
    "receipt moved, not committed": lambda: die_after(hosted_sessions, "set_unsure"),
    "attempt committed": lambda: die_before(ScriptedPrompter, "give"),
    "prompt taken": die_once_told,
    "arrival written, not committed": lambda: die_after(receipts, "arrive"),
    "arrived": lambda: None,
    "hand-over written, not committed": lambda: die_after(gateway_calls, "mark_collected"),
    "hand-over committed": lambda: die_after(HandOvers, "hand_over"),
    "handed over": lambda: None,
}
BY_CALL: Final = frozenset(point for point in POINTS if point.startswith("hand"))
"""Its own call waits for it."""
NOTHING_OWED: Final = frozenset(
    {
        "request written, not committed",
        "decision written, not committed",
        "outcome written, not committed",
    }
)
"""Points before there is an outcome."""


async def deliver(case: GatewayCase, opened: OpenedCall, point: str) -> None:
    if point in BY_CALL:
        await case.reply(opened)
        print("call", flush=True)
    elif point != "owed":
        await continuing(case, ScriptedPrompter()).give_next(S)
        print("prompt", flush=True)


async def main(store: Path, point: str) -> None:
    async with gateway_case(store, FakeClock()) as case:
        await case.add()
        POINTS[point]()
        opened = await case.open(path="a")
        await case.decide(opened)
        await case.becomes(opened, "executed")
        await deliver(case, opened, point)
        die_before(GatewayCase, "dies")
        await case.dies()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2]))
