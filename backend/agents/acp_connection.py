"""One running agent over ACP: prompts out, updates and requests in, one end."""

import asyncio
import contextlib
import logging
from collections.abc import Callable
from typing import Any, Final

from acp.connection import Connection
from acp.exceptions import RequestError

from backend.agents.acp_errors import refused
from backend.agents.acp_session import (
    FOREIGN_FORM,
    FOREIGN_PERMISSION,
    NO_OPTIONS,
    OTHER_FORM,
    UNKNOWN_METHOD,
    AcpSession,
)
from backend.agents.acp_translate import read_elicitation, read_permission, read_prompt_end
from backend.agents.acp_transport import AcpTransport, AskedParams
from backend.agents.built_in_questions import permission_reply, question_form
from backend.agents.frames import JsonMap, storable
from backend.agents.json_reading import as_map, text_of
from backend.agents.open_requests import OpenRequests
from backend.agents.process import AgentProcess, agent_failed
from backend.clock import Clock, Deadline
from backend.conversation.agent_port import AgentListener
from backend.domain.agents import (
    AgentCapabilities,
    AgentEnd,
    ElicitationAction,
    ElicitationReply,
    ProcessMark,
    PromptEnd,
    SessionSetup,
)
from backend.domain.hosted import AgentProblem
from backend.errors import AgentFailed, ErrorCode
from backend.work.budget import finished_by

_log = logging.getLogger(__name__)

CHOICE_SECONDS: Final = 20.0
"""How long an agent may take to answer that a mode or an option was chosen."""
_LAST_WORDS_SECONDS: Final = 30.0
"""For what a dead agent has said, while its listener has no room for it."""
_SETTLE_SECONDS: Final = 6.0
"""More than it takes to end a process; a bound for what waits for that end."""


class AcpConnection:
    """Implements `RunningAgent`. `launcher.py` greets the agent and opens its session."""

    def __init__(
        self, clock: Clock, process: AgentProcess, session: AcpSession, listener: AgentListener
    ) -> None:
        self._clock = clock
        self._process = process
        self._listener = listener
        self._session = session
        self._requests = OpenRequests()
        self._transport = AcpTransport(process, self._noticed, listener.room, session.noise)
        self._wire = Connection(self._asked, self._transport)
        self._over = asyncio.Event()
        self._is_launched = False
        self.capabilities = AgentCapabilities()
        self._attending = asyncio.create_task(
            self._attend(), name=f"attend agent {process.mark.pid}"
        )

    @property
    def setup(self) -> SessionSetup:
        return self._session.setup

    @property
    def mark(self) -> ProcessMark:
        return self._process.mark

    def launched(self) -> None:
        """From now on the listener hears of the end; before, whoever launches does."""
        self._is_launched = True
        if self._over.is_set():
            self._tell_end()

    async def call(self, method: str, params: JsonMap) -> JsonMap:
        """A request that is no prompt.

        Raises:
            AgentFailed: it refused, or is gone.
        """
        try:
            return as_map(await self._wire.send_request(method, params))
        except RequestError as error:
            raise refused(error, self.capabilities.auth_methods) from error
        except ConnectionError as error:
            raise await self._gone() from error

    async def prompt(self, text: str) -> "AcpPrompt":
        if self._over.is_set() or self._process.gone:
            raise await self._gone()
        await self._session.replayed()
        params: JsonMap = {
            "sessionId": self.setup.agent_session_id,
            "prompt": [{"type": "text", "text": storable(text)}],
        }
        taken = self._transport.watch(params)
        self._requests.reopen()
        self._session.prompted()
        answer = asyncio.create_task(self._wire.send_request("session/prompt", params))
        answer.add_done_callback(_look_at)
        await asyncio.wait({taken, answer}, return_when=asyncio.FIRST_COMPLETED)
        if not taken.done():
            raise await self._gone()
        return AcpPrompt(self, answer)

    async def finished(self, answer: "asyncio.Task[Any]") -> PromptEnd:
        """What became of a prompt."""
        try:
            end = read_prompt_end(await asyncio.shield(answer))
        except RequestError as error:
            raise refused(error, self.capabilities.auth_methods) from error
        except ConnectionError as error:
            raise await self._gone() from error
        if end is None:
            raise agent_failed(AgentProblem.NOT_ACP, "it ended a prompt without a reason")
        return end

    async def cancel(self) -> None:
        self._requests.close()
        with contextlib.suppress(ConnectionError):
            await self._wire.send_notification(
                "session/cancel", {"sessionId": self.setup.agent_session_id}
            )

    async def set_mode(self, mode: str) -> None:
        def chosen(_: JsonMap) -> None:
            if self.setup.mode != mode:
                self._session.mode_chosen(mode)

        await self._choose("session/set_mode", {"modeId": mode}, chosen)

    async def set_option(self, option_id: str, value: str) -> None:
        def chosen(result: JsonMap) -> None:
            told = result.get("configOptions")
            if isinstance(told, list) and told:
                self._session.options_told(told)
            else:
                self._session.option_chosen(option_id, value)

        if self._session.is_model_beside(option_id):
            await self._choose("session/set_model", {"modelId": value}, chosen)
            return
        params: JsonMap = {"configId": option_id, "value": value}
        option = self._session.find_option(option_id)
        if option is not None and option.is_switch:
            params = {"configId": option_id, "type": "boolean", "value": value == "true"}
        await self._choose("session/set_config_option", params, chosen)

    async def _choose(
        self, method: str, params: JsonMap, chosen: Callable[[JsonMap], None]
    ) -> None:
        """Waits no longer than it may; what an agent takes later is taken over then."""

        async def choose() -> None:
            session_id = self.setup.agent_session_id
            chosen(await self.call(method, {"sessionId": session_id, **params}))

        choosing = asyncio.create_task(choose(), name=method)
        choosing.add_done_callback(_look_at)
        if not await finished_by(Deadline(self._clock, CHOICE_SECONDS), choosing):
            detail = f"no answer to {method} within {CHOICE_SECONDS:.0f} s"
            raise AgentFailed(ErrorCode.AGENT_FAILED, detail)
        choosing.result()

    async def probe(self) -> None:
        if self._process.hung_up:
            await self._process.stop(wanted=False)

    async def stop(self) -> None:
        await self._process.stop()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._over.wait(), _SETTLE_SECONDS)

    @property
    def noise(self) -> str:
        """What an agent that sent no single frame wrote instead."""
        return "" if self._transport.frames else self._transport.noise

    def _noticed(self, method: str, params: JsonMap) -> None:
        """Notifications nobody knows are nobody's business."""
        if method == "session/update":
            self._session.update(params)
        elif method == "$/cancel_request":
            self._requests.take_back(params.get("requestId"))

    async def _asked(self, method: str, params: Any, _is_notice: bool) -> Any:  # noqa: FBT001
        """A request of the agent; the library answers with what this returns."""
        if method == "session/request_permission":
            return await self._permission(params)
        if method == "elicitation/create":
            return await self._elicitation(params)
        self._session.unusable(UNKNOWN_METHOD, {"method": method, "params": params})
        raise RequestError.method_not_found(method)

    async def _permission(self, params: AskedParams) -> JsonMap:
        cancelled: JsonMap = {"outcome": {"outcome": "cancelled"}}
        if not self._session.is_ours(params):
            self._session.unusable(FOREIGN_PERMISSION, params)
            return cancelled
        asked = read_permission(params, self._session.reader.calls)
        if not asked.options:
            self._session.unusable(NO_OPTIONS, params)
            return cancelled
        form = question_form(asked)
        if form is not None:
            elicited = self._listener.elicited(form)
            reply = await self._requests.decided(params.request_id, elicited, name="a question")
            return dict(permission_reply(asked, reply))
        work = self._listener.permission_asked(asked)
        chosen = await self._requests.decided(params.request_id, work, name="a permission")
        if chosen is None or chosen not in {option.id for option in asked.options}:
            return cancelled
        return {"outcome": {"outcome": "selected", "optionId": chosen}}

    async def _elicitation(self, params: AskedParams) -> JsonMap:
        reply: ElicitationReply | None = None
        if "sessionId" in params and not self._session.is_ours(params):
            self._session.unusable(FOREIGN_FORM, params)
        elif text_of(params, "mode", "form") != "form":
            self._session.unusable(OTHER_FORM, params)
        else:
            work = self._listener.elicited(read_elicitation(params))
            reply = await self._requests.decided(params.request_id, work, name="a form")
        if reply is None:
            return {"action": ElicitationAction.CANCEL.value}
        if reply.action is ElicitationAction.ACCEPT:
            return {"action": reply.action.value, "content": dict(reply.content)}
        return {"action": reply.action.value}

    async def _attend(self) -> None:
        """Wait for the end of the process or of what it says, and tidy up behind it."""
        exits = asyncio.ensure_future(self._process.ended())
        falls_silent = asyncio.ensure_future(self._transport.ended.wait())
        try:
            await asyncio.wait({exits, falls_silent}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            exits.cancel()
            falls_silent.cancel()
        await self._process.stop(wanted=False)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._transport.ended.wait(), _LAST_WORDS_SECONDS)
        self._requests.close()
        await self._wire.close()
        self._over.set()
        if self._is_launched:
            self._tell_end()

    def _tell_end(self) -> None:
        process = self._process
        self._listener.ended(AgentEnd(process.code, process.complaints, process.wanted))

    async def _gone(self) -> AgentFailed:
        """Why it cannot be talked to, once its end is known: one that reads no more is ended."""
        deaf = not self._process.gone and self._process.input.is_closing()
        if deaf:
            await self._process.stop(wanted=False)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._over.wait(), _SETTLE_SECONDS)
        if self._transport.refused:
            return agent_failed(AgentProblem.NOT_ACP, self._transport.refused)
        if self.noise:
            return agent_failed(AgentProblem.NOT_ACP, self.noise)
        code, complaints = self._process.code, self._process.complaints
        how = "it was ended" if code is None else f"it exited with code {code}"
        if deaf:
            how = "it read no more of what it was sent, and was ended"
        return agent_failed(AgentProblem.EXITED, complaints or how)


class AcpPrompt:
    """Implements `RunningPrompt`."""

    def __init__(self, connection: AcpConnection, answer: "asyncio.Task[Any]") -> None:
        self._connection = connection
        self._answer = answer

    async def finished(self) -> PromptEnd:
        return await self._connection.finished(self._answer)


def _look_at(answer: "asyncio.Task[Any]") -> None:
    """Whether or not anybody waits for it, a failure is no surprise."""
    if not answer.cancelled():
        answer.exception()
