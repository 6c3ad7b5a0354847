"""Messages that were admitted and certainly not given to their agent: they can be taken back."""

from dataclasses import replace

from backend.conversation.parts import ConversationParts
from backend.conversation.views import ConversationViews
from backend.domain.conversation import Message
from backend.domain.hosted import MessageDraft, PromptOutcome
from backend.errors import Conflict, ErrorCode
from backend.events import MessagesChanged
from backend.ids import MessageId, SessionId
from backend.store import message_drafts, prompts, session_states, turns
from backend.store.database import Transaction
from backend.store.locks import lock_sessions
from backend.store.prompts import ReservedPrompt


class UnsentMessages:
    """Ends what was not attempted. Either it is taken back or it is attempted, never both: the
    session is locked for each, and each looks whether the other was first.
    """

    def __init__(self, parts: ConversationParts, views: ConversationViews) -> None:
        self._parts = parts
        self._views = views

    async def call_off(self, session_id: SessionId) -> None:
        """Send nothing that was not attempted; its rows say so."""

        async def settle(tx: Transaction) -> list[Message]:
            await lock_sessions(tx, [session_id])
            rows = [
                await self._settle(tx, prompt)
                for prompt in await prompts.list_undispatched(tx, session_id)
            ]
            return [row for row in rows if row is not None]

        await self._told(session_id, await self._parts.write(settle))

    async def called_off(self, prompt: ReservedPrompt) -> None:
        """Its human has stopped it while it was attempted, and it has certainly not been sent."""

        async def settle(tx: Transaction) -> Message | None:
            await lock_sessions(tx, [prompt.session_id])
            return await self._settle(tx, prompt)

        row = await self._parts.write_at_last(settle)
        await self._told(prompt.session_id, [] if row is None else [row])

    async def withdraw(self, session_id: SessionId, message_id: MessageId) -> str:
        """As `ConversationApi.withdraw_message`; its words are kept in the same transaction."""

        async def settle(tx: Transaction) -> tuple[str, Message | None]:
            await lock_sessions(tx, [session_id])
            waiting = await prompts.list_undispatched(tx, session_id)
            for prompt in waiting:
                if prompt.message_id == message_id:
                    await self._keep_words(tx, prompt)
                    return prompt.text, await self._settle(tx, prompt)
            raise Conflict(ErrorCode.NOT_ACTIVE, "this message does not wait for its agent")

        text, row = await self._parts.write(settle)
        await self._told(session_id, [] if row is None else [row])
        return text

    async def _settle(self, tx: Transaction, prompt: ReservedPrompt) -> Message | None:
        now = self._parts.clock.now()
        row = await prompts.settle(tx, prompt, PromptOutcome.FAILED, now)
        await turns.complete_turn(tx, prompt.turn_id, now)
        await session_states.come_to_rest(tx, prompt.session_id, now)
        return row

    async def _keep_words(self, tx: Transaction, prompt: ReservedPrompt) -> None:
        """Before whatever is being typed now."""
        session_id = prompt.session_id
        draft = await message_drafts.load(tx, session_id) or MessageDraft(session_id)
        words = "\n\n".join(part for part in (prompt.text, draft.text) if part)
        await message_drafts.save(tx, replace(draft, text=words), self._parts.clock.now())

    async def _told(self, session_id: SessionId, rows: list[Message]) -> None:
        if rows:
            self._parts.bus.publish(MessagesChanged(session_id, tuple(rows)))
            self._views.changed(session_id)
            await self._parts.announce_session(session_id)
