"""Answers whose call is gone, as prompts for the agents this desk runs (K5.5, detached)."""

from backend.clarification.resume import ResumeRequest
from backend.conversation.dispatch import Dispatches
from backend.ids import SessionId, TurnId


class AnswerResumer:
    """Implements `backend.clarification.resume.DetachedResumer`."""

    def __init__(self, dispatches: Dispatches) -> None:
        self._dispatches = dispatches

    def works_on(self, session_id: SessionId, turn_id: TurnId) -> bool:
        return self._dispatches.works_on(session_id, turn_id)

    async def promptable(self, session_id: SessionId) -> bool:
        return await self._dispatches.is_promptable(session_id)

    async def dispatch(self, request: ResumeRequest) -> None:
        await self._dispatches.give(request.session_id, request.successor_turn_id, request.prompt)
