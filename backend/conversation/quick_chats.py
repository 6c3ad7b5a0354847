"""How long Quick Chats are kept: seven days after they were last touched, pinned ones for good."""

import asyncio
from contextlib import AbstractAsyncContextManager, suppress
from pathlib import Path
from typing import Final

from backend.clock import Deadline, Nanoseconds
from backend.conversation.parts import CALL_BUDGET, ConversationParts
from backend.domain.conversation import QUICK_CHAT_KEPT
from backend.errors import ErrorCode, NotFound
from backend.events import SessionRemoved
from backend.ids import SessionId
from backend.store import quick_chats
from backend.store.database import Priority, Transaction
from backend.store.quick_chats import TakenAway

_NAME: Final = "remove old quick chats"


class QuickChats:
    """Looks for old ones when it is told to; nothing ticks."""

    def __init__(self, parts: ConversationParts) -> None:
        self._parts = parts
        self._one_at_a_time = asyncio.Lock()

    async def set_pinned(self, session_id: SessionId, *, pinned: bool) -> None:
        """Raises `NotFound` when no Quick Chat has this id."""

        async def pin(tx: Transaction) -> bool:
            return await quick_chats.set_pinned(
                tx, session_id, self._parts.clock.now(), pinned=pinned
            )

        if not await self._parts.write(pin):
            raise NotFound(ErrorCode.NOT_FOUND, "no Quick Chat has this id")
        await self._parts.announce_session(session_id)

    def remove_old(self) -> None:
        """Begin to remove those whose time is over; what is not done now is done next time."""
        self._parts.supervisor.start(self._remove_old(), name=_NAME, repeats=True)

    async def _remove_old(self) -> None:
        async with self._one_at_a_time:
            before = Nanoseconds(self._parts.clock.now() - QUICK_CHAT_KEPT)
            for session_id in await self._parts.read(
                lambda tx: quick_chats.list_untouched(tx, before)
            ):
                await self._take_away(session_id, before)
            for taken in await self._parts.read(quick_chats.list_taken_away):
                await self._remove(taken)

    async def _take_away(self, session_id: SessionId, before: Nanoseconds) -> None:
        live = self._parts.live.get(session_id)
        if live.busy or live.agent is not None:
            return
        async with self._writing() as tx:
            taken = await quick_chats.take_away(tx, session_id, before)
        if taken:
            self._parts.bus.publish(SessionRemoved(session_id))

    async def _remove(self, taken: TakenAway) -> None:
        more = True
        while more:
            async with self._writing() as tx:
                more = await quick_chats.remove_some(tx, taken.session_id)
        if taken.folder:
            await asyncio.to_thread(_remove_if_empty, Path(taken.folder))

    def _writing(self) -> AbstractAsyncContextManager[Transaction]:
        deadline = Deadline(self._parts.clock, CALL_BUDGET)
        return self._parts.database.writing(deadline, priority=Priority.BULK)


def _remove_if_empty(folder: Path) -> None:
    """What an agent has made there stays: nobody said that it is not wanted."""
    with suppress(OSError):
        folder.rmdir()
