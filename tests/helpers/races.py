"""Answers of different content that meet at two front doors at the same moment."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final

LONG: Final = os.environ.get("KANDESK_LONG") == "1"
LABELS: Final = ("SQLite", "PostgreSQL")
_STEP: Final = 0.0004
"""Seconds between two handicaps: the doors differ by about a millisecond."""
_STEPS: Final = 8

Start = Callable[[], Awaitable[Any]]


@dataclass(frozen=True)
class Wish:
    """What one door wants the answer to be: an option, own words, or Skip."""

    option: int | None = None
    words: str = ""
    skip: bool = False

    def body(self, bundle: dict[str, Any]) -> dict[str, Any]:
        """As HTTP and MCP send it."""
        if self.skip:
            return {"rejected": True, "reject_reason": self.words}
        (asked,) = bundle["questions"]
        chosen = [] if self.option is None else [asked["options"][self.option]["option_id"]]
        answer = {
            "question_id": asked["question_id"],
            "selected_options": chosen,
            "custom_text": self.words,
        }
        return {"answers": [answer]}

    def result(self) -> tuple[str, list[str], str]:
        """As `seen` reads it from what the agent gets."""
        if self.skip:
            return ("skipped", [], self.words)
        return ("answered", [] if self.option is None else [LABELS[self.option]], self.words)


def wishes(number: int) -> tuple[Wish, Wish]:
    """Two different ones: option against option, Skip against answer, words against option."""
    return (
        (Wish(0), Wish(1)),
        (Wish(skip=True, words=f"no {number}"), Wish(1, f"with words {number}")),
        (Wish(0), Wish(skip=True)),
        (Wish(words=f"own words {number}"), Wish(1)),
    )[number % 4]


def seen(result: dict[str, Any]) -> tuple[str, list[str], str]:
    """What an agent has got: status, labels, own words or the reason of a Skip."""
    if result["status"] != "answered":
        return (result["status"], [], result.get("reject_reason", ""))
    (answer,) = result["answers"].values()
    return ("answered", [item["label"] for item in answer["selected"]], answer["custom_text"])


async def race(number: int, first: Start, second: Start) -> tuple[Any, Any]:
    """Start both at one barrier; in turn each is held back a little, so that each may win."""
    handicap = (number // 2 % _STEPS) * _STEP
    late = number % 2
    barrier = asyncio.Event()

    async def start(place: int, go: Start) -> Any:
        await barrier.wait()
        if place == late and handicap:
            await asyncio.sleep(handicap)
        return await go()

    ordered = [start(0, first), start(1, second)]
    tasks = [asyncio.ensure_future(each) for each in ordered]
    await asyncio.sleep(0)
    barrier.set()
    return tuple(await asyncio.gather(*tasks))
