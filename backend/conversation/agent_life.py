"""The life of a session's agent: started when it is needed, heard while it runs, ended once."""

import asyncio
import os
from typing import Final

from backend.conversation.agent_port import AgentLaunch, RunningAgent
from backend.conversation.hearing import Hearing
from backend.conversation.live import LiveSession
from backend.conversation.notices import add_notice
from backend.conversation.parts import ConversationParts
from backend.conversation.views import ConversationViews
from backend.domain.agents import AgentCommand, AgentEnd
from backend.domain.conversation import Message, SessionState
from backend.domain.hosted import CUSTOM_AGENT, AgentProblem, AgentStatus
from backend.domain.session_notice import SessionNotice
from backend.errors import AgentFailed, AppError, ErrorCode, NotFound
from backend.events import MessagesChanged
from backend.ids import SessionId
from backend.store import hosted_sessions, input_facts, prompts, turns
from backend.store.database import Transaction
from backend.store.hosted_sessions import HostedSession, SessionChange
from backend.store.locks import lock_sessions

_PROBLEMS: Final = frozenset(problem.value for problem in AgentProblem)
_TAIL: Final = 4_000
"""Characters of what an agent said at its end that are shown."""


class AgentLife:
    """Starts and ends the processes of all sessions; one session has one at most."""

    def __init__(self, parts: ConversationParts, views: ConversationViews) -> None:
        self._parts = parts
        self._views = views
        self._starting: dict[SessionId, asyncio.Task[RunningAgent]] = {}
        self._hearing: dict[SessionId, Hearing] = {}

    async def ensure(self, session_id: SessionId, *, anew: bool = False) -> RunningAgent:
        """The session's agent, started if it does not run; whoever asks meanwhile joins.

        `anew` begins a conversation of its own instead of continuing the earlier one.

        Raises:
            AgentFailed: it does not start; the session's trouble tells why.
        """
        live = self._parts.live.get(session_id)
        starting = self._starting.get(session_id)
        if starting is None:
            if live.agent is not None:
                return live.agent
            starting = self._parts.supervisor.start(
                self._start(live, anew=anew), name=f"start agent of {session_id}"
            )
            self._starting[session_id] = starting
            starting.add_done_callback(lambda _: self._starting.pop(session_id, None))
        return await asyncio.shield(starting)

    async def stop(self, session_id: SessionId) -> None:
        """End the session's process; nothing when none runs. Bounded by the agent's own stop."""
        starting = self._starting.get(session_id)
        if starting is not None:
            starting.cancel()
            await asyncio.wait({starting})
            await self._move(session_id, SessionState.IDLE)
            await self._forget_process(session_id)
        live = self._parts.live.get(session_id)
        if live.agent is not None:
            live.status = AgentStatus.STOPPING
            self._views.changed(session_id)
            await live.agent.stop()
            hearing = self._hearing.get(session_id)
            if hearing is not None:
                # Its end is heard before `stop` returns, unless it never told one.
                hearing.ended(AgentEnd(None, wanted=True))

    async def look_in(self) -> None:
        """Find out whose pipes have nobody at the other end any more."""
        agents = [live.agent for live in self._parts.live.all() if live.agent is not None]
        await asyncio.gather(*(agent.probe() for agent in agents))

    async def stop_all(self) -> None:
        """End every process at once; bounded as `stop`."""
        running = [live.session_id for live in self._parts.live.all()]
        await asyncio.gather(*(self.stop(session_id) for session_id in running))

    async def _start(self, live: LiveSession, *, anew: bool) -> RunningAgent:
        session_id = live.session_id
        live.status, live.trouble = AgentStatus.STARTING, None
        self._views.changed(session_id)
        session: HostedSession | None = None
        try:
            session = await self._parts.read(lambda tx: _required(tx, session_id))
            await self._move(session_id, SessionState.STARTING)
            agent = await self._launch(live, session, anew=anew)
            await self._started(live, agent, session)
        except AppError as error:
            await self._not_started(live, error, _not_kept(session, live))
            raise
        except BaseException:
            live.status = AgentStatus.ABSENT
            self._parts.tools.close(session_id)
            self._views.changed(session_id)
            raise
        return agent

    async def _launch(
        self, live: LiveSession, session: HostedSession, *, anew: bool
    ) -> RunningAgent:
        hearing = Hearing(self._parts, self._views, live, self._gone)
        self._hearing[live.session_id] = hearing
        launch = AgentLaunch(
            session_id=live.session_id,
            command=live.command or await self._command(session),
            folder=session.folder,
            agent_session_id="" if anew else session.agent_session_id,
            tools=self._parts.tools.open(live.session_id),
        )
        return await self._parts.launcher.launch(launch, hearing)

    async def _command(self, session: HostedSession) -> AgentCommand:
        """As this machine has it now; what a human typed as it was typed."""
        if session.agent != CUSTOM_AGENT:
            for offer in await self._parts.commands.list_offers():
                if offer.key == session.agent and offer.command is not None:
                    return offer.command
        return AgentCommand(session.argv)

    async def _started(
        self, live: LiveSession, agent: RunningAgent, session: HostedSession
    ) -> None:
        """It runs: choose what was chosen before, and keep by what it can be continued."""
        live.agent = agent
        live.offers(agent.setup)
        refused, taken = await self._choose(agent, session)
        if live.agent is not agent:
            raise AgentFailed(ErrorCode.AGENT_FAILED, "the agent ended while it started")
        # What it refused is no choice any more: it is told once, and not at every start.
        known = SessionChange(modes=live.modes, mode=live.mode, options=live.options, choices=taken)
        now = self._parts.clock.now()

        async def keep(tx: Transaction) -> None:
            await hosted_sessions.set_agent_session(
                tx, live.session_id, agent.setup.agent_session_id, now
            )
            await hosted_sessions.change(tx, live.session_id, known, now)

        await self._parts.write_at_last(keep)
        if refused:
            await self._tell_refused(live.session_id, refused)
        await self._move(live.session_id, SessionState.IDLE)
        if live.agent is agent:
            live.status = AgentStatus.READY
        self._views.changed(live.session_id)

    async def _choose(
        self, agent: RunningAgent, session: HostedSession
    ) -> tuple[str, tuple[tuple[str, str], ...]]:
        """Why it does not take an earlier choice, a line for each: it then works with its own; and
        the options it has taken.
        """
        refused, taken = [], []
        if session.mode and session.mode != agent.setup.mode:
            try:
                await agent.set_mode(session.mode)
            except AgentFailed as error:
                refused.append(error.detail)
        for option, value in session.choices:
            try:
                await agent.set_option(option, value)
            except AgentFailed as error:
                refused.append(error.detail)
            else:
                taken.append((option, value))
        return "\n".join(refused), tuple(taken)

    async def _tell_refused(self, session_id: SessionId, detail: str) -> None:
        """A row where its prompt is, or in a turn of its own, which has ended already."""

        async def tell(tx: Transaction) -> Message:
            await lock_sessions(tx, [session_id])
            session, now = await _required(tx, session_id), self._parts.clock.now()
            waiting = await prompts.list_undispatched(tx, session_id)
            turn_id = waiting[0].turn_id if waiting else await turns.current_turn(tx, session_id)
            if turn_id is None:
                turn_id = await turns.open_turn(tx, session_id, session.task_id, now)
                await turns.complete_turn(tx, turn_id, now)
            notice = SessionNotice.CHOICE_REFUSED
            return await add_notice(tx, session_id, notice, now, detail=detail, turn_id=turn_id)

        message = await self._parts.write_at_last(tell)
        self._parts.bus.publish(MessagesChanged(session_id, (message,)))

    async def _not_started(self, live: LiveSession, error: AppError, hint: str) -> None:
        session_id = live.session_id
        self._parts.tools.close(session_id)
        self._hearing.pop(session_id, None)
        live.agent = None
        failed = isinstance(error, AgentFailed)
        state = SessionState.FAILED if failed else SessionState.IDLE
        said = "\n".join(filter(None, (error.detail[-_TAIL:], hint)))
        told = f"{_problem(error)}: {said}" if failed else ""
        await self._move(session_id, state, error=told)
        await self._forget_process(session_id)
        # Told last: who then starts it again never meets this start.
        live.status = AgentStatus.FAILED
        if live.trouble is None:
            live.troubled(_problem(error), said)
        elif live.trouble.problem is AgentProblem.EXITED:
            live.troubled(AgentProblem.START_FAILED, live.trouble.detail)
        self._views.changed(session_id)

    def _gone(self, live: LiveSession, hearing: Hearing, end: AgentEnd) -> None:
        """The process is gone; called once for each."""
        if self._hearing.get(live.session_id) is not hearing:
            return
        del self._hearing[live.session_id]
        self._parts.tools.close(live.session_id)
        live.agent = None
        if live.turn is not None:
            live.turn.end = end
        else:
            self._parts.rows.forget(live.session_id)
        live.status = AgentStatus.ABSENT
        if not end.wanted:
            live.status = AgentStatus.FAILED
            live.troubled(AgentProblem.EXITED, _last_words(end))
        self._views.changed(live.session_id)
        self._parts.supervisor.start(
            self._forget_process(live.session_id), name="forget agent process", repeats=True
        )

    async def _forget_process(self, session_id: SessionId) -> None:
        async def forget(tx: Transaction) -> None:
            if self._parts.live.get(session_id).agent is None:
                now = self._parts.clock.now()
                await hosted_sessions.set_process(tx, session_id, None, now)

        await self._parts.write_at_last(forget)

    async def _move(self, session_id: SessionId, to: SessionState, *, error: str = "") -> None:
        """A question that is open, or whose answer may have to be given back, keeps its session
        waiting: one that has ended would take no answer any more.
        """

        async def move(tx: Transaction) -> None:
            await lock_sessions(tx, [session_id])
            facts = await input_facts.load(tx, session_id)
            state = to
            if facts is not None and (facts.open_question or facts.answering):
                state = SessionState.WAITING_FOR_INPUT
            now = self._parts.clock.now()
            await hosted_sessions.move(tx, session_id, state, now, error=error)

        await self._parts.write_at_last(move)
        await self._parts.announce_session(session_id)


async def _required(tx: Transaction, session_id: SessionId) -> HostedSession:
    session = await hosted_sessions.load(tx, session_id)
    if session is None:
        raise NotFound(ErrorCode.NOT_FOUND, "no such session of this desk")
    return session


def _problem(error: AppError) -> AgentProblem:
    """Why it did not start; one that has ended has not ended its work, it never began any."""
    told = str(error.params.get("problem", ""))
    known = told in _PROBLEMS and told != AgentProblem.EXITED
    return AgentProblem(told) if known else AgentProblem.START_FAILED


def _last_words(end: AgentEnd) -> str:
    code = "" if end.code is None else f"exit code {end.code}\n"
    return f"{code}{end.stderr_tail}"[-_TAIL:].strip()


def _not_kept(session: HostedSession | None, live: LiveSession) -> str:
    """What a start may have lacked: values of a command's environment are never stored."""
    if session is None or live.command is not None:
        return ""
    missing = [name for name in session.environment_names if name not in os.environ]
    if not missing:
        return ""
    return (
        f"Its command was given values for {', '.join(missing)}, which are not kept. Set them in"
        " the environment Kandesk is started in and resume, or begin a new conversation."
    )
