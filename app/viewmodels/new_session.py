"""A new conversation: which agent, in which folder, with which first words."""

import os
from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from itertools import chain
from typing import Final

from PySide6.QtCore import QObject, Signal

from app.bridge.client import BackendClient
from app.viewmodels.picks import Offered
from app.viewmodels.sessions import SessionsViewModel
from app.viewmodels.timing import Background, Deadline
from backend.domain.agent_command import parse_command
from backend.domain.hosted import CUSTOM_AGENT, AgentOffer, SessionStart
from backend.errors import (
    AppError,
    InvalidInput,
    NotFound,
    StorageFailed,
    TemporarilyUnavailable,
)
from backend.ids import AdmissionId, AgentKey, SessionId, new_id

START_SECONDS: Final = 30.0
READ_SECONDS: Final = 5.0
RECENT: Final = 12
FIELDS: Final = frozenset({"agent", "command", "folder", "prompt", "title"})


class StartPhase(StrEnum):
    IDLE = "idle"
    STARTING = "starting"
    FAILED = "failed"
    UNKNOWN = "unknown"
    """Not known whether the conversation was made; trying again makes one."""


class NewSessionViewModel(QObject):
    """One page's input; `changed` after anything to show, `started` with the new session's id.

    The identities of session and first message are made with the page and last until a
    conversation was made, so that pressing twice or trying again makes one. A `quick` one has no
    folder: it is a Quick Chat.
    """

    changed = Signal()
    started = Signal(object)

    def __init__(
        self,
        client: BackendClient,
        sessions: SessionsViewModel,
        *,
        deadline: Deadline,
        background: Background,
        quick: bool = False,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._quick = quick
        self._client = client
        self._sessions = sessions
        self._deadline = deadline
        self._background = background
        self.offers: tuple[AgentOffer, ...] = ()
        self.loaded = False
        self.agent: AgentKey | None = None
        self.folder = ""
        self.command = ""
        self.prompt = ""
        self._mode = ""
        self._options: dict[str, str] = {}
        self.phase = StartPhase.IDLE
        self.error: AppError | None = None
        self._session_id = SessionId(new_id())
        self._admission_id = AdmissionId(new_id())
        self._attempted: SessionStart | None = None
        """What was asked for with no known result."""

    @property
    def refused_field(self) -> str:
        """The field the error is about; empty when it is about none of them."""
        field = str(self.error.params.get("field", "")) if self.error is not None else ""
        name = field.partition(".")[0].partition("[")[0]
        return name if name in FIELDS else ""

    @property
    def complete(self) -> bool:
        if self.agent is None or not (self._quick or self.folder.strip()):
            return False
        return self.agent != CUSTOM_AGENT or bool(self.command.strip())

    @property
    def can_start(self) -> bool:
        return self.complete and self.phase is not StartPhase.STARTING

    def recent_folders(self) -> Sequence[str]:
        """Where agents worked before, the newest first."""
        groups = self._sessions.groups()
        return [group.workspace for group in groups if group.workspace][:RECENT]

    def open(self) -> None:
        """Look again which agents are there; what was put in stays."""
        if not self.folder and not self._quick:
            self.folder = next(iter(self.recent_folders()), "")
        self._background.start(self._load(), name="list agents")
        self.changed.emit()

    def choose_agent(self, agent: AgentKey) -> None:
        if agent != self.agent:
            self.agent = agent
            self._mode, self._options = "", {}
            self._edited()

    @property
    def offered(self) -> Offered | None:
        """What the agent let people choose when it was last started here, with what is chosen."""
        for offer in self.offers:
            if offer.key == self.agent and offer.command is not None:
                chosen = tuple(
                    replace(option, current=self._options.get(option.id, ""))
                    for option in offer.options
                    # A switch has no way to leave the choice to the agent.
                    if not option.is_switch
                )
                return Offered(offer.key, offer.modes, self._mode, chosen)
        return None

    def set_mode(self, mode: str) -> None:
        self._mode = mode
        self._edited()

    def set_option(self, option_id: str, value: str) -> None:
        self._options[option_id] = value
        self._edited()

    def set_folder(self, folder: str) -> None:
        if folder != self.folder:
            self.folder = folder
            self._edited()

    def set_command(self, command: str) -> None:
        if command != self.command:
            self.command = command
            self._edited()

    def set_prompt(self, prompt: str) -> None:
        if prompt != self.prompt:
            self.prompt = prompt
            self._edited()

    def start(self) -> None:
        """Make the conversation; nothing while it is being made."""
        if not self.can_start or self.agent is None:
            return
        try:
            wanted = self._wanted(self.agent)
        except InvalidInput as error:
            self._settle(StartPhase.FAILED, error)
            return
        earlier, self._attempted = self._attempted, wanted
        self.phase, self.error = StartPhase.STARTING, None
        self.changed.emit()
        self._background.start(self._run(wanted, earlier), name="start session")

    def _wanted(self, agent: AgentKey) -> SessionStart:
        """Raises `InvalidInput` for a command that cannot be read."""
        prompt = self.prompt.strip()
        custom = agent == CUSTOM_AGENT
        return SessionStart(
            session_id=self._session_id,
            agent=agent,
            folder=self.folder.strip(),
            prompt=prompt,
            admission_id=self._admission_id if prompt else None,
            mode=self._mode,
            options=tuple(self._options.items()),
            command=parse_command(self.command, posix=os.name != "nt") if custom else None,
        )

    def _edited(self) -> None:
        if self.phase is StartPhase.FAILED:
            self.phase, self.error = StartPhase.IDLE, None
        self.changed.emit()

    async def _load(self) -> None:
        self.offers = await self._client.call(lambda api: api.conversations.list_agents())
        self.loaded = True
        known = {offer.key for offer in self.offers} | {CUSTOM_AGENT}
        if self.agent not in known:
            here = {offer.name: offer.key for offer in self.offers if offer.command is not None}
            used = (here[name] for name in self._sessions.agents() if name in here)
            self.agent = next(chain(used, here.values()), None)
        self.changed.emit()

    async def _run(self, wanted: SessionStart, earlier: SessionStart | None) -> None:
        phase: StartPhase = StartPhase.UNKNOWN
        error: AppError | None = None
        made = wanted
        try:
            if earlier is not None and await self._was_made():
                phase, made = StartPhase.IDLE, earlier
                return
            async with self._deadline(START_SECONDS):
                await self._client.call(lambda api: api.conversations.start_session(wanted))
            phase = StartPhase.IDLE
        except TimeoutError:
            phase = StartPhase.UNKNOWN
        except (TemporarilyUnavailable, StorageFailed) as failure:
            error = failure
        except AppError as failure:
            phase, error = StartPhase.FAILED, failure
        finally:
            self._finish(made, phase, error)

    def _finish(self, made: SessionStart, phase: StartPhase, error: AppError | None) -> None:
        if phase is not StartPhase.UNKNOWN:
            self._attempted = None
        if phase is not StartPhase.IDLE:
            self._settle(phase, error)
            return
        if self.prompt.strip() == made.prompt:
            self.prompt = ""
        self._session_id = SessionId(new_id())
        self._admission_id = AdmissionId(new_id())
        self._settle(StartPhase.IDLE, None)
        self.started.emit(made.session_id)

    async def _was_made(self) -> bool:
        """Whether an attempt with no known result has made it after all."""
        session_id = self._session_id
        try:
            async with self._deadline(READ_SECONDS):
                found = await self._client.call(
                    lambda api: api.conversations.conversation(session_id)
                )
        except NotFound:
            return False
        return found is not None

    def _settle(self, phase: StartPhase, error: AppError | None) -> None:
        self.phase, self.error = phase, error
        self.changed.emit()
