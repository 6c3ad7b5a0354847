"""A conversation with an agent this desk runs, as the window sees and steers it."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from backend.clock import Nanoseconds
from backend.domain.agents import AgentCommand, ConfigOption, SessionMode, SlashCommand, Usage
from backend.domain.input_mode import InputMode
from backend.ids import (
    AdmissionId,
    AgentKey,
    MessageId,
    PendingId,
    QueueEntryId,
    SessionId,
    TurnId,
)

CUSTOM_AGENT = AgentKey("custom")
"""The agent whose command the human typed."""

MAX_ADMISSION_ID: Final = 128
MAX_MESSAGE_BYTES: Final = 1024 * 1024
"""Of a message's text in UTF-8."""
QUEUE_LIMIT: Final = 10
"""Messages that wait in one session (K7.3)."""


@dataclass(frozen=True, slots=True)
class AgentOffer:
    """An agent of the catalog; `command` is None when it was not found on this machine."""

    key: AgentKey
    name: str
    command: AgentCommand | None
    install_hint: str = ""
    """What to run to install it, one line of a shell."""
    modes: tuple[SessionMode, ...] = ()
    """What it offered when it was last started here; it may offer something else now."""
    options: tuple[ConfigOption, ...] = ()


@dataclass(frozen=True, slots=True)
class SessionStart:
    """A new conversation. `session_id` is the caller's own, so that asking twice makes one.

    An empty `folder` is a Quick Chat. Without a `prompt` the agent starts and waits.
    """

    session_id: SessionId
    agent: AgentKey
    folder: str
    prompt: str = ""
    admission_id: AdmissionId | None = None
    """Identity of the first prompt; needed when there is one."""
    command: AgentCommand | None = None
    """For `CUSTOM_AGENT` only."""
    title: str = ""
    mode: str = ""
    options: tuple[tuple[str, str], ...] = ()
    """Config options to choose before the first prompt, as (id, value)."""


@dataclass(frozen=True, slots=True)
class OutgoingMessage:
    """A human's message to an agent. The same `admission_id` is the same message (K7.2, K8.3)."""

    admission_id: AdmissionId
    session_id: SessionId
    text: str
    answers: PendingId | None = None
    """The closed question this is a late answer to (K6.5)."""


@dataclass(frozen=True, slots=True)
class MessageDraft:
    """What is being typed to an agent, as typed; one for each session.

    While it is not known what became of a message, `admission_id` is its identity and `attempted`
    its text, so that asking again after a restart finds it.
    """

    session_id: SessionId
    text: str = ""
    admission_id: AdmissionId | None = None
    attempted: str = ""

    @property
    def blank(self) -> bool:
        return not self.text and self.admission_id is None


class AdmissionOutcome(StrEnum):
    SENT = "sent"
    """It is the next prompt, durably, before the agent is given it."""
    QUEUED = "queued"


class PromptOutcome(StrEnum):
    """Where a message that was to be the agent's next prompt ended."""

    SENT = "sent"
    """The agent has it."""
    UNKNOWN = "unknown"
    """The desk ended while it was handed over; it is not sent again by itself."""
    FAILED = "failed"
    """The agent certainly does not have it, and it is not sent again by itself."""


@dataclass(frozen=True, slots=True)
class Admission:
    """What became of a message when it was admitted; the same again for every repetition."""

    admission_id: AdmissionId
    outcome: AdmissionOutcome
    message_id: MessageId | None = None
    """Its row in the transcript, once it is sent."""
    entry_id: QueueEntryId | None = None
    replayed: bool = False


@dataclass(frozen=True, slots=True)
class QueuedPrompt:
    entry_id: QueueEntryId
    text: str
    position: int
    queued_at: Nanoseconds
    revision: int = 0
    """Changes with every edit; an edit names the one it saw."""


class AgentStatus(StrEnum):
    """The process behind a session."""

    ABSENT = "absent"
    """Not running; the next prompt or Resume starts it."""
    STARTING = "starting"
    READY = "ready"
    WORKING = "working"
    STOPPING = "stopping"
    """A cancellation is under way."""
    FAILED = "failed"


class AgentProblem(StrEnum):
    """Why a session's agent cannot go on, or is doubted. Every one has words in the window."""

    COMMAND_MISSING = "command_missing"
    FOLDER_MISSING = "folder_missing"
    START_FAILED = "start_failed"
    """It was started and ended, or refused, before it could be given anything."""
    EXITED = "exited"
    HANGS_AT_START = "hangs_at_start"
    NOT_ACP = "not_acp"
    AUTH_REQUIRED = "auth_required"
    LOAD_FAILED = "load_failed"
    """It could not continue the earlier conversation; starting anew loses its memory of it."""
    SILENT = "silent"
    """It works and has said nothing for long; only the human decides to stop it."""
    IGNORES_CANCEL = "ignores_cancel"
    OUTCOME_UNKNOWN = "outcome_unknown"
    """The desk ended while a prompt was being handed over; it is not sent again by itself."""


@dataclass(frozen=True, slots=True)
class AgentTrouble:
    problem: AgentProblem
    detail: str = ""
    """What the agent or the system said: a line or the tail of stderr."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """Everything beside the rows that the composer of one hosted session shows."""

    session_id: SessionId
    agent: AgentKey
    agent_name: str
    folder: str
    status: AgentStatus
    input: InputMode
    """What becomes of a message sent now; an open question queues it."""
    turn_id: TurnId | None = None
    """The turn that runs."""
    queue: tuple[QueuedPrompt, ...] = ()
    queue_limit: int = QUEUE_LIMIT
    auto_run: bool = True
    modes: tuple[SessionMode, ...] = ()
    mode: str = ""
    options: tuple[ConfigOption, ...] = ()
    commands: tuple[SlashCommand, ...] = ()
    usage: Usage = field(default_factory=Usage)
    trouble: AgentTrouble | None = None
    unsent: MessageId | None = None
    """A message that was admitted and certainly not given to the agent: it waits until the agent
    runs, or is taken back."""
    version: int = 0
    """Grows with every change in this run of the desk; an older one is never shown over a newer."""
