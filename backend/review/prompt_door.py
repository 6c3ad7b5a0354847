"""What a door needs of whoever puts permission prompts before their human."""

from typing import Protocol

from backend.review.callers import ToolCaller
from backend.review.prompt_answer import PromptAnswer, Prompted


class OpenPrompt(Protocol):
    """A prompt that waits; a `backend.mcp.holding.Waiting`."""

    async def result(self) -> PromptAnswer:
        """Once it is over; may be cancelled, and asked again."""
        ...

    def told(self, answer: PromptAnswer) -> None:
        """The caller is being given this answer: at once, nothing is awaited."""
        ...

    def leave(self) -> None:
        """The caller is gone without an answer: at once, nothing is awaited."""
        ...

    def expire(self) -> PromptAnswer:
        """The caller waits no longer; from now on nobody can decide it."""
        ...


class PermissionDoor(Protocol):
    """What the doors need of `backend.review.prompting.Prompting`."""

    async def open(self, caller: ToolCaller, prompted: Prompted) -> OpenPrompt | PromptAnswer:
        """Put it before its human, unless it is over at once.

        Raises:
            TemporarilyUnavailable: the store does not answer in time; nobody was asked.
        """
        ...
