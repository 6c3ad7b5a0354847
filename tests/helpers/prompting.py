"""Agents that ask for permissions over MCP, on a real store."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from backend.agents.caller_places import CallerPlaces
from backend.clarification.waiters import Waiters
from backend.domain.conversation import Connection, GuestIdentity
from backend.domain.review import Review
from backend.events import ReviewOpened
from backend.ids import IdempotencyKey
from backend.review.callers import ToolCaller
from backend.review.prompt_answer import PromptAnswer, Prompted
from backend.review.prompting import Prompt, Prompting
from tests.helpers.clock import FakeClock
from tests.helpers.place import Place
from tests.helpers.reviewing import WINDOW, ReviewDesk, S, new_token, review_desk

BASH = Prompted("Bash", {"command": "rm -r build", "n": 1.5}, "toolu_1")


def guest(key: str = "i1", *, call: str | None = None, folder: str = "/home/ada/p") -> ToolCaller:
    identity = GuestIdentity(Connection.SHIM, f"{key}|{folder}", "claude-code", "2", folder)
    return ToolCaller(identity, idempotency_key=IdempotencyKey(call) if call else None)


HOSTED = ToolCaller(GuestIdentity(Connection.STATELESS, "k", "claude-code"), hosted=S)


@dataclass
class PromptCase:
    """The permissions of a desk, and agents that ask for them over MCP."""

    desk: ReviewDesk
    prompting: Prompting
    waiting: "list[asyncio.Task[PromptAnswer]]" = field(default_factory=list)

    async def ask(
        self, caller: ToolCaller | None = None, prompted: Prompted = BASH
    ) -> "tuple[Prompt, asyncio.Task[PromptAnswer]]":
        prompt = await self.prompting.open(caller or guest(), prompted)
        answer = asyncio.ensure_future(prompt.result())
        self.waiting.append(answer)
        return prompt, answer

    async def ask_one(
        self, caller: ToolCaller | None = None, prompted: Prompted = BASH
    ) -> "tuple[Prompt, asyncio.Task[PromptAnswer], Review]":
        before = len(self.desk.heard(ReviewOpened))
        prompt, answer = await self.ask(caller, prompted)
        return prompt, answer, (await self.desk.opened(before + 1))[-1]

    async def decide(self, review: Review, option: str, **more: Any) -> None:
        await self.desk.reviews.decide(
            review.review_id, option, client_id=WINDOW, claim_token=new_token(), **more
        )

    def invocations(self) -> list[Any]:
        return self.desk.table("tool_invocations")


@asynccontextmanager
async def prompt_case(place: Place, clock: FakeClock, **more: Any) -> AsyncIterator[PromptCase]:
    async with review_desk(place, clock, **more) as desk:
        places = CallerPlaces(Waiters(desk.supervisor))
        case = PromptCase(desk, desk.reviews.prompting(places))
        try:
            yield case
        finally:
            for answer in case.waiting:
                answer.cancel()
            await asyncio.gather(*case.waiting, return_exceptions=True)
