"""What no call was told, as prompts for the agents this desk runs (K5.5, detached; T1.4)."""

from backend.clarification.resume import ResumeRequest
from backend.conversation.dispatch import Dispatches
from backend.ids import SessionId, TurnId


class OutcomePrompter:
    """Implements `backend.review.continuing.Prompter`."""

    def __init__(self, dispatches: Dispatches) -> None:
        self._dispatches = dispatches

    async def promptable(self, session_id: SessionId) -> bool:
        return await self._dispatches.is_promptable(session_id)

    async def give(self, session_id: SessionId, turn_id: TurnId, text: str) -> None:
        await self._dispatches.give(session_id, turn_id, text)

    def look_again(self, session_id: SessionId) -> None:
        self._dispatches.look_again(session_id)


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
