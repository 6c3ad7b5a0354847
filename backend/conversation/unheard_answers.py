"""Answers an agent was handed in a turn that was cut before it said anything more.

Whether it got them is not known, and that is stored and shown; a human can send each again. One
whose agent died by itself is given again once, as a message its human sees (K5.5, watchdog). An
agent that works on in silence is only doubted (`watching`): a second prompt beside a running one
helps nobody.
"""

import logging
from collections.abc import Sequence

from backend.conversation.admission import Admissions
from backend.conversation.live import LiveTurn
from backend.conversation.notices import add_notice
from backend.conversation.parts import ConversationParts
from backend.domain.clarification import Bundle
from backend.domain.conversation import Message
from backend.domain.hosted import OutgoingMessage
from backend.domain.resume_text import resume_text
from backend.domain.session_notice import SessionNotice
from backend.errors import AppError
from backend.events import BundleOpened, Event, MessagesChanged
from backend.ids import AdmissionId, PendingId, SessionId
from backend.store import bundles, unheard
from backend.store.database import Transaction
from backend.store.locks import lock_sessions

_log = logging.getLogger(__name__)


class UnheardAnswers:
    """Looks at a turn that is cut, before it ends in the store: a desk that is killed meanwhile
    finds the turn unfinished at its next start and does the same (`interrupted`).
    """

    def __init__(self, parts: ConversationParts, admissions: Admissions) -> None:
        self._parts = parts
        self._admissions = admissions
        parts.bus.subscribe(self._heard)

    async def doubt(self, session_id: SessionId, turn: LiveTurn) -> tuple[Bundle, ...]:
        """Store and tell what is not confirmed; returns the questions that were asked in it."""

        async def note(tx: Transaction) -> tuple[tuple[PendingId, ...], Message | None]:
            await lock_sessions(tx, [session_id])
            now = self._parts.clock.now()
            found = await unheard.doubt(tx, turn.turn_id, turn.last_word, now)
            if not found:
                return (), None
            notice = SessionNotice.ANSWER_UNCONFIRMED
            return found, await add_notice(tx, session_id, notice, now, turn_id=turn.turn_id)

        found, message = await self._parts.write_at_last(note)
        if message is None:
            return ()
        self._parts.bus.publish(MessagesChanged(session_id, (message,)))
        await self._parts.questions.doubted(found)
        asked = await self._parts.read(lambda tx: _load(tx, found))
        return tuple(bundle for bundle in asked if bundle.turn_id == turn.turn_id)

    async def give_again(self, session_id: SessionId, asked: Sequence[Bundle]) -> None:
        """The turn's agent is gone. One answer is one message, however often this is called."""
        for bundle in asked:
            answers = tuple(item.answer for item in bundle.questions if item.answer is not None)
            message = OutgoingMessage(
                AdmissionId(f"answer-{bundle.pending_id}"), session_id, resume_text(bundle, answers)
            )
            try:
                await self._admissions.send(message)
            except AppError as error:
                _log.warning("the answer of %s is not given again: %s", session_id, error.detail)

    def _heard(self, event: Event) -> None:
        """A question of the agent is a sign of life; when it was asked, not when it is told."""
        if not isinstance(event, BundleOpened):
            return
        turn = self._parts.live.get(event.bundle.session_id).turn
        if turn is not None and turn.turn_id == event.bundle.turn_id:
            turn.heard_of(event.bundle.created_at)


async def _load(tx: Transaction, pending_ids: Sequence[PendingId]) -> tuple[Bundle, ...]:
    return tuple([await bundles.require_bundle(tx, pending) for pending in pending_ids])
