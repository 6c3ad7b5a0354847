"""What only this run of the desk knows of a hosted session: its process and what it does now."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from backend.clock import Nanoseconds
from backend.conversation.agent_port import RunningAgent
from backend.conversation.dispatcher import LiveAgent
from backend.domain.agents import (
    AgentCommand,
    AgentEnd,
    CommandsChanged,
    ConfigOption,
    ModeChanged,
    OptionsChanged,
    SessionMode,
    SessionSetup,
    SlashCommand,
)
from backend.domain.hosted import AgentProblem, AgentStatus, AgentTrouble
from backend.ids import SessionId, TurnId
from backend.store.unheard import NEVER


@dataclass(eq=False, slots=True)
class LiveTurn:
    """One prompt of a running agent, from the attempt to hand it over to its end.

    Whatever ends later than its turn is known by this very object, never by its session.
    """

    turn_id: TurnId
    taken: bool = False
    """The agent's pipe has all of the prompt."""
    stopped: bool = False
    """The human wants it to end."""
    heard_at: float = 0.0
    """When the agent last gave a sign of life, on the monotonic clock."""
    waits: int = 0
    """Requests to its human that are open."""
    waited: bool = False
    """Some were when the desk began to end."""
    last_word: Nanoseconds = NEVER
    """When the agent last said or asked something in the turn, by the clock of the store."""
    end: AgentEnd | None = None
    """How its agent ended while the turn ran."""
    done: asyncio.Event = field(default_factory=asyncio.Event)

    def heard_of(self, moment: Nanoseconds) -> None:
        self.last_word = max(self.last_word, moment)

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """The agent waits for its human: its silence means nothing."""
        self.waits += 1
        try:
            yield
        finally:
            self.waits -= 1


@dataclass(eq=False, slots=True)
class LiveSession:
    """Beside the store; a session that was not touched in this run has the defaults."""

    session_id: SessionId
    status: AgentStatus = AgentStatus.ABSENT
    agent: RunningAgent | None = None
    turn: LiveTurn | None = None
    trouble: AgentTrouble | None = None
    offered: bool = False
    """Whether an agent has told in this run what follows."""
    modes: tuple[SessionMode, ...] = ()
    mode: str = ""
    options: tuple[ConfigOption, ...] = ()
    commands: tuple[SlashCommand, ...] = ()
    command: AgentCommand | None = None
    """What was asked for in this run, with the values of its environment, which are not stored."""
    sending: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held by who gives the agent a prompt."""

    @property
    def busy(self) -> bool:
        """Whether its agent starts or works."""
        return self.turn is not None or self.status is AgentStatus.STARTING

    def as_agent(self) -> LiveAgent:
        """What decides about a message, beside the store."""
        return LiveAgent(works=self.turn is not None, failed=self.status is AgentStatus.FAILED)

    def at_work(self, turn: LiveTurn) -> None:
        """Its agent has something to do, or to stop; one that is gone does neither."""
        if self.agent is not None:
            self.status = AgentStatus.STOPPING if turn.stopped else AgentStatus.WORKING

    def offers(self, setup: SessionSetup) -> None:
        """An agent runs, and this is what it offers."""
        self.offered = True
        self.modes, self.mode, self.options = setup.modes, setup.mode, setup.options

    def applies(self, update: object) -> bool:
        """Take over what is not a row of the transcript; False for what is."""
        match update:
            case CommandsChanged(commands):
                self.commands = commands
            case ModeChanged(mode):
                self.mode = mode
            case OptionsChanged(options):
                self.options = options
            case _:
                return False
        return True

    def troubled(self, problem: AgentProblem, detail: str = "") -> None:
        self.trouble = AgentTrouble(problem, detail)

    def relieved(self, *problems: AgentProblem) -> bool:
        """Forget a trouble of this kind that is over; whether there was one."""
        if self.trouble is None or self.trouble.problem not in problems:
            return False
        self.trouble = None
        return True


class LiveSessions:
    """Every session this run of the desk has touched."""

    def __init__(self) -> None:
        self._sessions: dict[SessionId, LiveSession] = {}

    def get(self, session_id: SessionId) -> LiveSession:
        return self._sessions.setdefault(session_id, LiveSession(session_id))

    def all(self) -> tuple[LiveSession, ...]:
        return tuple(self._sessions.values())

    def turns(self) -> frozenset[TurnId]:
        """The turns that run in this process."""
        return frozenset(live.turn.turn_id for live in self.all() if live.turn is not None)
