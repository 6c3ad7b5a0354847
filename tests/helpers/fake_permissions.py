"""Permissions that tests of the doors decide by hand."""

import asyncio
from dataclasses import dataclass, field

from backend.domain.review import STOPPED_WAITING
from backend.errors import AppError
from backend.review.callers import ToolCaller
from backend.review.prompt_answer import PromptAnswer, Prompted, PromptEnd


@dataclass
class FakePrompt:
    """One prompt the fake holds open."""

    caller: ToolCaller
    prompted: Prompted
    answered: "asyncio.Future[PromptAnswer]" = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )
    ends: list[str] = field(default_factory=list)
    """What has become of it: told, left, expired; the first counts."""

    async def result(self) -> PromptAnswer:
        return await asyncio.shield(self.answered)

    def told(self, answer: PromptAnswer) -> None:
        self.ends.append(f"told {answer.end.name}")

    def leave(self) -> None:
        self.ends.append("left")

    def expire(self) -> PromptAnswer:
        self.ends.append("expired")
        return PromptAnswer(PromptEnd.UNDECIDED, reason=STOPPED_WAITING)


class FakePermissions:
    """Implements `backend.review.prompt_door.PermissionDoor`."""

    def __init__(self) -> None:
        self.prompts: list[FakePrompt] = []
        self.fail: AppError | None = None
        self.at_once: PromptAnswer | None = None
        self.gate: asyncio.Event | None = None
        """When set, `open` waits for it: a slow store."""

    async def open(self, caller: ToolCaller, prompted: Prompted) -> FakePrompt | PromptAnswer:
        if self.gate is not None:
            await self.gate.wait()
        if self.fail is not None:
            raise self.fail
        if self.at_once is not None:
            return self.at_once
        prompt = FakePrompt(caller, prompted)
        self.prompts.append(prompt)
        return prompt

    def answer(self, end: PromptEnd, *, reason: str = "", number: int = 1) -> None:
        """Decide a prompt; what is allowed is allowed with what was asked for."""
        prompt = self.prompts[number - 1]
        allowed = prompt.prompted.arguments if end is PromptEnd.ALLOWED else None
        prompt.answered.set_result(PromptAnswer(end, allowed, reason))
