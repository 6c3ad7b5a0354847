"""What the doors need of the asking side."""

import asyncio
from typing import Protocol

from backend.clarification.ask_result import AskResult
from backend.clarification.asking import AskCaller, OpenAsk
from backend.domain.clarification import QuestionBundleDraft
from backend.ids import PendingId, Ticket


class AskingDoor(Protocol):
    """What the doors need of `backend.clarification.asking.Asking`."""

    draining: asyncio.Event

    async def open(self, caller: AskCaller, draft: QuestionBundleDraft) -> OpenAsk: ...

    async def wait(self, pending_id: PendingId, *, limit: float | None = None) -> AskResult: ...

    def cut(self, pending_id: PendingId) -> None: ...

    async def redeem(self, ticket: Ticket) -> OpenAsk: ...

    async def note(self, caller: AskCaller, text: str) -> None: ...
