"""Answers an agent was handed and died with: they are given again, as a message (K5.5, watchdog).

An agent that has said anything since had the answer. One that works on in silence is only doubted
(`watching`): a second prompt beside a running one helps nobody.
"""

import logging

from backend.conversation.admission import Admissions
from backend.conversation.live import LiveTurn
from backend.conversation.parts import ConversationParts
from backend.domain.clarification import BundleStatus, Delivery
from backend.domain.hosted import OutgoingMessage
from backend.domain.resume_text import resume_text
from backend.errors import AppError
from backend.events import BundleResolved, Event
from backend.ids import AdmissionId, SessionId

_log = logging.getLogger(__name__)


class UnheardAnswers:
    """Remembers what each running turn was answered until its agent gives a sign of life."""

    def __init__(self, parts: ConversationParts, admissions: Admissions) -> None:
        self._parts = parts
        self._admissions = admissions
        parts.bus.subscribe(self._heard)

    async def give_again(self, session_id: SessionId, turn: LiveTurn) -> None:
        """The turn's agent is gone. One answer is one message, however often this is called."""
        for bundle in turn.answered:
            answers = tuple(item.answer for item in bundle.questions if item.answer is not None)
            message = OutgoingMessage(
                AdmissionId(f"answer-{bundle.pending_id}"), session_id, resume_text(bundle, answers)
            )
            try:
                await self._admissions.send(message)
            except AppError as error:
                _log.warning("the answer of %s is not given again: %s", session_id, error.detail)

    def _heard(self, event: Event) -> None:
        if not isinstance(event, BundleResolved):
            return
        bundle = event.bundle
        turn = self._parts.live.get(bundle.session_id).turn
        if turn is None or turn.turn_id != bundle.turn_id:
            return
        answered = bundle.status is BundleStatus.ANSWERED
        if answered and event.outcome.delivery is Delivery.DELIVERED:
            turn.answered.append(bundle)
