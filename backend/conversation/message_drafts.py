"""What is being typed to agents, kept as typed."""

from typing import Final

from backend.clock import Clock, Deadline
from backend.domain.hosted import MessageDraft
from backend.domain.validation import check_characters
from backend.ids import SessionId
from backend.store import message_drafts
from backend.store.database import Database

CALL_BUDGET: Final = 5.0


class MessageDrafts:
    """The two calls of `backend.api.ConversationApi` about drafts."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def save(self, draft: MessageDraft) -> None:
        """Raises `InvalidInput` for characters no store keeps."""
        for field in ("text", "attempted"):
            check_characters(field, getattr(draft, field))
        deadline = Deadline(self._clock, CALL_BUDGET)
        async with self._database.writing(deadline) as tx:
            await message_drafts.save(tx, draft, self._clock.now())

    async def load(self, session_id: SessionId) -> MessageDraft | None:
        async with self._database.reading(Deadline(self._clock, CALL_BUDGET)) as tx:
            return await message_drafts.load(tx, session_id)
