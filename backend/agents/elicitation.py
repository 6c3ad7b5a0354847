"""Forms of agents as question cards: what the human says is what the agent hears.

A Skip declines, but for a later card all of which may be left out: then it is. What was withdrawn,
or nobody answered, is cancelled; no answer is ever made up.
"""

import asyncio
import logging

from backend.agents.form_content import Unfit, content_of
from backend.agents.form_fields import FormField, UnsupportedForm, drafts_of, read_form
from backend.clarification.ask_result import AskResult, AskStatus
from backend.clarification.asking import AskCaller, Asking
from backend.conversation.notices import Notices
from backend.domain.agents import ElicitationAction, ElicitationReply, Elicited
from backend.domain.clarification import QuestionBundleDraft
from backend.domain.conversation import Connection, GuestIdentity
from backend.domain.session_notice import SessionNotice
from backend.errors import AppError, InvalidInput
from backend.ids import SessionId

_DECLINED = ElicitationReply(ElicitationAction.DECLINE)
_CANCELLED = ElicitationReply(ElicitationAction.CANCEL)

_log = logging.getLogger(__name__)


class Elicitations:
    """Asks in the session's current turn, as a call of the agent that waits."""

    def __init__(self, asking: Asking, notices: Notices) -> None:
        self._asking = asking
        self._notices = notices

    async def elicited(self, session_id: SessionId, elicited: Elicited) -> ElicitationReply:
        """Cancel it when the agent takes the form back: its question is detached then."""
        content: dict[str, object] = {}
        try:
            for fields, draft in drafts_of(read_form(elicited), elicited.message):
                told = await self._ask(session_id, fields, draft)
                if told is _DECLINED and content and _may_be_left_out(fields):
                    continue
                if isinstance(told, ElicitationReply):
                    return told
                content.update(told)
        except (UnsupportedForm, InvalidInput) as error:
            await self._notices.add(session_id, SessionNotice.FORM_DECLINED, str(error))
            return _DECLINED
        except AppError as error:
            _log.warning("a form of session %s is cancelled: %s", session_id, error.detail)
            return _CANCELLED
        return ElicitationReply(ElicitationAction.ACCEPT, content)

    async def _ask(
        self, session_id: SessionId, fields: tuple[FormField, ...], draft: QuestionBundleDraft
    ) -> dict[str, object] | ElicitationReply:
        """Until the answer is one the form takes, or there is none."""
        while True:
            result = await self._answer(session_id, draft)
            if result.status is AskStatus.SKIPPED:
                return _DECLINED
            if result.status is not AskStatus.ANSWERED:
                return _CANCELLED
            try:
                return content_of(fields, result.answers)
            except Unfit as error:
                detail = f"the form does not take this answer for {error}"
                await self._notices.add(session_id, SessionNotice.ANSWER_UNFIT, detail)

    async def _answer(self, session_id: SessionId, draft: QuestionBundleDraft) -> AskResult:
        caller = AskCaller(
            GuestIdentity(Connection.STATELESS, f"form|{session_id}", "form"), hosted=session_id
        )
        opened = await self._asking.open(caller, draft)
        try:
            return await self._asking.wait(opened.pending_id)
        except asyncio.CancelledError:
            self._asking.cut(opened.pending_id)
            raise


def _may_be_left_out(fields: tuple[FormField, ...]) -> bool:
    return all(item.question.optional for item in fields)
