"""A prompt the agent has taken: its turn runs, ends once, and is told (K1.7, K5.5)."""

from collections.abc import Callable
from contextlib import suppress

from backend.clock import Deadline
from backend.conversation.agent_port import RunningPrompt
from backend.conversation.live import LiveSession, LiveTurn
from backend.conversation.parts import ConversationParts
from backend.conversation.unheard_answers import UnheardAnswers
from backend.conversation.views import ConversationViews
from backend.conversation.watching import Watch
from backend.domain.hosted import AgentProblem, AgentStatus
from backend.domain.turn_end import (
    TurnEnding,
    TurnNotice,
    TurnOutcome,
    agent_ended,
    desk_ended,
    prompt_ended,
    prompt_failed,
    was_stopped,
)
from backend.errors import AgentFailed
from backend.events import TurnCompleted
from backend.ids import SessionId
from backend.work.budget import within


class Turns:
    """Follows each running prompt to its end; what ends late never ends a newer turn."""

    def __init__(self, parts: ConversationParts, views: ConversationViews, watch: Watch) -> None:
        self._parts = parts
        self._views = views
        self._watch = watch
        self._closing = False
        self._unheard: UnheardAnswers | None = None
        self._free: Callable[[SessionId], None] = lambda _session_id: None

    def when_free(self, told: Callable[[SessionId], None]) -> None:
        """Tell `told` of every session whose turn has ended: its agent can take a prompt again, or
        has died, and what is due starts another.
        """
        self._free = told

    def doubts(self, unheard: UnheardAnswers) -> None:
        """What an agent was answered in a turn that is cut is looked at by `unheard`."""
        self._unheard = unheard

    def desk_ends(self) -> None:
        """What ends from now on was interrupted by the desk."""
        self._closing = True
        for live in self._parts.live.all():
            if live.turn is not None:
                live.turn.waited = live.turn.waits > 0

    async def all_ended(self, seconds: float) -> None:
        """Wait until the turns whose agents are gone are written down, but not for ever."""
        deadline = Deadline(self._parts.clock, seconds)
        with suppress(TimeoutError):
            for live in self._parts.live.all():
                if live.turn is not None and live.turn.taken:
                    await within(deadline, live.turn.done.wait())

    def hands_over(self, live: LiveSession, turn: LiveTurn) -> None:
        """The agent is given a prompt; one that does not read it can be stopped, and is silent."""
        turn.heard_at = self._parts.clock.monotonic()
        live.at_work(turn)
        self._watch.turn_began(live, turn)
        self._views.changed(live.session_id)

    def not_sent(self, live: LiveSession, turn: LiveTurn, failure: str = "") -> None:
        """The agent has certainly not got the prompt; `failure` says why it takes none."""
        self._watch.turn_ended(live, turn)
        live.relieved(AgentProblem.SILENT, AgentProblem.IGNORES_CANCEL)
        was_ended = turn.end is not None and turn.end.wanted
        if failure and not was_ended:
            live.status = AgentStatus.FAILED
            if live.trouble is None:
                live.troubled(AgentProblem.EXITED, failure)
        elif live.agent is not None and live.status is not AgentStatus.FAILED:
            live.status = AgentStatus.READY
        if live.turn is turn:
            live.turn = None
        turn.done.set()
        self._views.changed(live.session_id)

    def begin(self, live: LiveSession, turn: LiveTurn, prompt: RunningPrompt) -> None:
        """The agent's pipe has all of the prompt; from now on the turn runs by itself."""
        turn.taken = True
        self.hands_over(live, turn)
        self._parts.supervisor.start(
            self._follow(live, turn, prompt), name=f"turn {turn.turn_id}", repeats=True
        )

    async def _follow(self, live: LiveSession, turn: LiveTurn, prompt: RunningPrompt) -> None:
        try:
            ending = prompt_ended(await prompt.finished())
        except AgentFailed as error:
            ending = self._failure(turn, error)
        await self.complete(live, turn, ending)

    async def complete(self, live: LiveSession, turn: LiveTurn, ending: TurnEnding) -> None:
        """Close everything of the turn, in this order: requests, questions, rows, the turn."""
        parts, session_id = self._parts, live.session_id
        self._watch.turn_ended(live, turn)
        died = ending.outcome is TurnOutcome.INTERRUPTED and not self._closing
        if ending.notice is TurnNotice.DESK_ENDED:
            ending = desk_ended(waited=turn.waited or await self._watch.waits(live, turn))
        if turn.stopped:
            ending = was_stopped(ending)
        if turn.stopped:
            await parts.at_last(lambda: parts.requests.cancel_stopped(session_id))
        await parts.at_last(lambda: parts.requests.nobody_waits(session_id))
        close = parts.questions.turn_stopped if turn.stopped else parts.questions.turn_ended
        await parts.at_last(lambda: close(session_id))
        cut = turn.stopped or ending.outcome is TurnOutcome.INTERRUPTED
        unheard = await self._unheard.doubt(session_id, turn) if cut and self._unheard else ()
        await parts.rows.end(session_id, turn.turn_id, ending)
        if live.turn is turn:
            live.turn = None
            live.relieved(AgentProblem.SILENT, AgentProblem.IGNORES_CANCEL)
            if live.agent is not None:
                live.status = AgentStatus.READY
        turn.done.set()
        self._parts.bus.publish(TurnCompleted(session_id, turn.turn_id))
        self._views.changed(session_id)
        await self._parts.announce_session(session_id)
        if live.agent is None:
            parts.rows.forget(session_id)
        if live.agent is not None:
            self._free(session_id)
        elif died:
            if unheard and self._unheard and not turn.stopped:
                await self._unheard.give_again(session_id, unheard)
            self._free(session_id)

    def _failure(self, turn: LiveTurn, error: AgentFailed) -> TurnEnding:
        """The agent refused or spoke nonsense, or it is gone: then its end was told before."""
        if turn.end is None:
            return prompt_failed(error.detail)
        return desk_ended() if self._closing else agent_ended(turn.end)
