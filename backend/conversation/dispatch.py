"""Giving prompts to agents, each at most once (K5.5, K5.7).

A prompt is a row and a reserved turn before anything is sent. The attempt is committed before the
agent's pipe is touched: a crash before it leaves a prompt that is sent later, one after it a
prompt whose outcome is unknown, which is never sent again by itself.
"""

import itertools
import logging
from dataclasses import dataclass

from backend.conversation.agent_life import AgentLife
from backend.conversation.agent_port import RunningAgent
from backend.conversation.dispatcher import Admitted, LiveAgent
from backend.conversation.live import LiveSession, LiveTurn
from backend.conversation.next_prompt import Drain
from backend.conversation.parts import ConversationParts
from backend.conversation.ports import WaitingAnswers
from backend.conversation.queue import MessageQueue
from backend.conversation.turns import Turns
from backend.conversation.unsent import UnsentMessages
from backend.conversation.views import ConversationViews
from backend.domain.conversation import SessionState
from backend.domain.hosted import AgentStatus, PromptOutcome
from backend.errors import (
    AgentFailed,
    AppError,
    ErrorCode,
    StorageFailed,
    TemporarilyUnavailable,
)
from backend.events import MessagesChanged, TurnStarted
from backend.ids import SessionId, TurnId
from backend.store import hosted_sessions, message_queue, prompts
from backend.store.database import Transaction
from backend.store.locks import lock_sessions
from backend.store.prompts import ReservedPrompt

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Waiting:
    prompts: tuple[ReservedPrompt, ...]
    queued: bool


class Dispatches:
    """Implements `Dispatcher`. One prompt at a time of each session is on its way or runs."""

    def __init__(
        self, parts: ConversationParts, views: ConversationViews, life: AgentLife, turns: Turns
    ) -> None:
        self._parts = parts
        self._views = views
        self._life = life
        self._turns = turns
        self._wanted: dict[SessionId, Drain] = {}
        self._working: set[SessionId] = set()
        self._closed = False
        self._answers: tuple[WaitingAnswers, ...] = ()
        self._unsent = UnsentMessages(parts, views)
        self.queue = MessageQueue(parts.database, parts.clock, parts.supervisor, self)
        turns.when_free(lambda session_id: self._wake(session_id, Drain.PARKED))

    def answers_first(self, answers: WaitingAnswers) -> None:
        """What its human has answered goes to an agent before what only waits in the queue."""
        self._answers = (*self._answers, answers)

    async def sessions_with_answers(self) -> tuple[SessionId, ...]:
        """Sessions whose agents are to be given answers; `look_again` gives them."""
        found = [await answers.waiting_sessions() for answers in self._answers]
        return tuple(dict.fromkeys(itertools.chain.from_iterable(found)))

    def works_on(self, session_id: SessionId, turn_id: TurnId) -> bool:
        """Whether this turn runs and nobody has stopped it."""
        turn = self._parts.live.get(session_id).turn
        return turn is not None and turn.turn_id == turn_id and not turn.stopped

    def agent(self, session_id: SessionId) -> LiveAgent:
        return self._parts.live.get(session_id).as_agent()

    def admitted(self, admitted: Admitted) -> None:
        session_id = admitted.session_id
        self._parts.bus.publish(MessagesChanged(session_id, (admitted.message,)))
        if admitted.superseded:
            self._parts.supervisor.start(
                self._parts.questions.superseded(admitted.superseded), name="tell superseded"
            )
        self._views.changed(session_id)
        self._parts.supervisor.start(
            self._parts.announce_session(session_id), name=f"announce {session_id}"
        )
        self.look_again(session_id)

    def queue_changed(self, session_id: SessionId) -> None:
        self._views.changed(session_id)
        self.look_again(session_id)

    def look_again(self, session_id: SessionId) -> None:
        self._wake(session_id, Drain.ASKED_FOR)

    async def is_promptable(self, session_id: SessionId) -> bool:
        """Whether the agent takes an answer as its prompt now; it is started for that.

        Waits for a stop that is under way (K5.5 a).
        """
        live = self._parts.live.get(session_id)
        turn = live.turn
        if turn is not None and turn.stopped:
            await turn.done.wait()
        if live.turn is not None or self._closed:
            return False
        try:
            await self._life.ensure(session_id)
        except AppError:
            return False
        return live.turn is None

    async def give(self, session_id: SessionId, turn_id: TurnId, text: str) -> None:
        """Give the agent a prompt whose turn is reserved and whose attempt is marked already.

        Raises:
            AgentFailed: it certainly has not taken it.
        """
        live = self._parts.live.get(session_id)
        async with live.sending:
            if live.turn is not None or live.agent is None or self._closed:
                raise AgentFailed(ErrorCode.AGENT_FAILED, "the agent does not take a prompt now")
            turn = LiveTurn(turn_id)
            live.turn = turn
            self._turns.hands_over(live, turn)
            try:
                running = await live.agent.prompt(text)
            except AgentFailed as error:
                self._turns.not_sent(live, turn, error.detail)
                raise
            self._turns.begin(live, turn, running)
            if turn.stopped:
                await live.agent.cancel()

    def close(self) -> None:
        """Begin nothing new; what is not attempted is found by the next start."""
        self._closed = True

    def _wake(self, session_id: SessionId, drain: Drain) -> None:
        if self._wanted.get(session_id) is not Drain.PARKED:
            self._wanted[session_id] = drain
        if session_id not in self._working:
            self._working.add(session_id)
            self._parts.supervisor.start(self._work(session_id), name=f"dispatch of {session_id}")

    async def _work(self, session_id: SessionId, failures: int = 0) -> None:
        live = self._parts.live.get(session_id)
        try:
            while not self._closed:
                drain = self._wanted.pop(session_id, None)
                if drain is None:
                    return
                for answers in self._answers:
                    if live.turn is None:
                        await answers.give_next(session_id)
                async with live.sending:
                    await self._next(live, drain)
        except (TemporarilyUnavailable, StorageFailed) as error:
            _log.warning("session %s is looked at later: %s", session_id, error.detail)
            self._parts.worker.try_again(
                f"dispatch of {session_id}",
                failures,
                lambda: self._again(session_id, failures + 1),
            )
        finally:
            self._working.discard(session_id)

    async def _again(self, session_id: SessionId, failures: int) -> None:
        if session_id not in self._working:
            self._working.add(session_id)
            self._wanted.setdefault(session_id, Drain.ASKED_FOR)
            await self._work(session_id, failures)

    async def _next(self, live: LiveSession, drain: Drain) -> None:
        """Send the next prompt if there is one and the agent is free; its end looks again."""
        if live.turn is not None:
            return
        prompt = await self._undispatched(live, drain)
        if prompt is None:
            return
        try:
            agent = await self._life.ensure(live.session_id)
        except AgentFailed as error:
            # The prompt stays as it is: the next start of the agent, or of the desk, sends it.
            _log.warning("%s waits for its agent: %s", prompt.turn_id, error.detail)
            return
        await self._attempt(live, agent, prompt)

    async def _undispatched(self, live: LiveSession, drain: Drain) -> ReservedPrompt | None:
        session_id = live.session_id
        waiting = await self._parts.read(lambda tx: _waiting(tx, session_id))
        if waiting.prompts:
            return waiting.prompts[0]
        if not waiting.queued or live.status is AgentStatus.FAILED:
            # What is only queued does not start an agent that has failed: its human does.
            return None
        await self.queue.take_next(session_id, drain)
        taken = await self._parts.read(lambda tx: prompts.list_undispatched(tx, session_id))
        return taken[0] if taken else None

    async def _attempt(
        self, live: LiveSession, agent: RunningAgent, prompt: ReservedPrompt
    ) -> None:
        turn = LiveTurn(prompt.turn_id)
        live.turn = turn
        try:
            marked = await self._parts.write(lambda tx: self._mark(tx, prompt))
        except (TemporarilyUnavailable, StorageFailed):
            # Whether the mark is stored or not: nothing was sent, and nothing will be by it.
            live.turn = None
            await self._put_back(prompt)
            raise
        if not marked:
            # It was taken back meanwhile.
            live.turn = None
            turn.done.set()
            return
        stopped_before = turn.stopped
        if stopped_before:
            await self._unsent.called_off(prompt)
            self._turns.not_sent(live, turn)
            return
        self._turns.hands_over(live, turn)
        try:
            running = await agent.prompt(prompt.text)
        except AgentFailed as error:
            if turn.end is not None and turn.end.wanted:
                # Its human has ended the agent: what they asked for before starts no other one.
                self._wanted.pop(live.session_id, None)
            await self._refused(live, turn, prompt, error)
            return
        self._turns.begin(live, turn, running)
        await self._sent(live, prompt)
        if turn.stopped:
            await agent.cancel()

    async def _mark(self, tx: Transaction, prompt: ReservedPrompt) -> bool:
        await lock_sessions(tx, [prompt.session_id])
        now = self._parts.clock.now()
        marked = await prompts.mark_attempted(tx, prompt, now)
        if marked:
            await hosted_sessions.set_unsure(tx, prompt.session_id, now, unsure=False)
        return marked

    async def _sent(self, live: LiveSession, prompt: ReservedPrompt) -> None:
        async def settle(tx: Transaction) -> None:
            await lock_sessions(tx, [prompt.session_id])
            await prompts.settle(tx, prompt, PromptOutcome.SENT, self._parts.clock.now())

        self._parts.bus.publish(TurnStarted(live.session_id, prompt.turn_id))
        await self._parts.write_at_last(settle)
        self._views.changed(live.session_id)
        await self._parts.announce_session(live.session_id)

    async def _refused(
        self, live: LiveSession, turn: LiveTurn, prompt: ReservedPrompt, error: AgentFailed
    ) -> None:
        """It certainly has not reached the agent: it waits, visibly, for the next start of it."""
        _log.warning("a prompt was not taken: %s", error.detail)
        if turn.stopped:
            # Its human wants it no more, and no later agent is to have it.
            await self._unsent.called_off(prompt)
        else:
            await self._put_back(prompt)
        self._turns.not_sent(live, turn, error.detail)

    async def _put_back(self, prompt: ReservedPrompt) -> None:
        async def put_back(tx: Transaction) -> None:
            await lock_sessions(tx, [prompt.session_id])
            now = self._parts.clock.now()
            if await prompts.put_back(tx, prompt, now):
                await hosted_sessions.move(tx, prompt.session_id, SessionState.IDLE, now)

        await self._parts.write_at_last(put_back)


async def _waiting(tx: Transaction, session_id: SessionId) -> _Waiting:
    queued = await message_queue.list_entries(tx, session_id)
    return _Waiting(await prompts.list_undispatched(tx, session_id), bool(queued))
