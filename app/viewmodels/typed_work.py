"""What would be lost if the window closed now: typed or said, and not in the store."""

from enum import StrEnum
from typing import Final, Protocol

from app.bridge.client import BackendClient
from app.viewmodels.new_session import NewSessionViewModel
from app.viewmodels.timing import Deadline
from backend.errors import AppError

LOOK_SECONDS: Final = 4.0
"""For each of the two looks; whoever wants to quit waits for them."""


class Unsaved(StrEnum):
    TYPED = "typed"
    """Answers and messages that are being written."""
    SAID = "said"
    """The last words of agents."""
    NOT_STARTED = "not_started"
    """The first message of a conversation that was not begun: nothing keeps it."""


class Drafts(Protocol):
    """Saves what is typed in one part of the window."""

    async def save(self) -> bool: ...

    async def close(self) -> None: ...


class TypedWork:
    """Asked before quitting, and closed when the window closes."""

    def __init__(self, client: BackendClient, deadline: Deadline) -> None:
        self._client = client
        self._deadline = deadline
        self._drafts: list[Drafts] = []
        self._starts: list[NewSessionViewModel] = []

    def watch(self, start: NewSessionViewModel, *drafts: Drafts) -> None:
        """One place of the window where conversations are begun and held."""
        self._starts.append(start)
        self._drafts.extend(drafts)

    async def unsaved(self) -> frozenset[Unsaved]:
        """Try once more to save everything; what is not saved in a few seconds counts as lost."""
        lost = set()
        if not await self._all_typed():
            lost.add(Unsaved.TYPED)
        if not await self._all_said():
            lost.add(Unsaved.SAID)
        if any(start.prompt.strip() for start in self._starts):
            lost.add(Unsaved.NOT_STARTED)
        return frozenset(lost)

    async def close(self) -> None:
        """Save what can be saved."""
        for drafts in self._drafts:
            await drafts.close()

    async def _all_typed(self) -> bool:
        try:
            async with self._deadline(LOOK_SECONDS):
                kept = [await drafts.save() for drafts in self._drafts]
        except TimeoutError:
            return False
        return all(kept)

    async def _all_said(self) -> bool:
        try:
            async with self._deadline(LOOK_SECONDS):
                await self._client.call(lambda api: api.conversations.flush())
        except (AppError, TimeoutError):
            return False
        return True
