"""Sessions and the rows of their transcripts, as the window and the doors see them."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from backend.clock import Nanoseconds
from backend.domain.clarification import Delivery
from backend.ids import MessageId, PendingId, SessionId, TaskId, TurnId

JsonObject = Mapping[str, object]

QUICK_CHAT_KEPT: Final = 7 * 24 * 60 * 60 * 1_000_000_000
"""Nanoseconds a Quick Chat is kept that nobody touches (window.md, Layout)."""


class SessionState(StrEnum):
    """Kandev's session states (K1.1)."""

    CREATED = "CREATED"
    STARTING = "STARTING"
    RUNNING = "RUNNING"
    IDLE = "IDLE"
    WAITING_FOR_INPUT = "WAITING_FOR_INPUT"
    COMPLETED = "COMPLETED"
    FAILED = "FAILED"
    CANCELLED = "CANCELLED"


TERMINAL_STATES = frozenset({SessionState.COMPLETED, SessionState.FAILED, SessionState.CANCELLED})


class SessionKind(StrEnum):
    HOSTED = "hosted"
    GUEST = "guest"


class Connection(StrEnum):
    """How a guest reached the desk; decides what proves its identity (agents.md)."""

    SHIM = "shim"
    HTTP_SESSION = "http_session"
    STATELESS = "stateless"


@dataclass(frozen=True, slots=True)
class GuestIdentity:
    """What a connection proves about an agent that was started elsewhere.

    `key` is stable for one identity: instance and folder for a shim, the MCP session id for
    stateful HTTP, token and client name for stateless HTTP.
    """

    connection: Connection
    key: str
    client_name: str
    client_version: str = ""
    folder: str = ""
    git_root: str = ""


class PendingAction(StrEnum):
    """What a session waits for a human to do."""

    CLARIFICATION = "clarification"
    PERMISSION = "permission"


@dataclass(frozen=True, slots=True, order=True)
class ProjectionRevision:
    """Orders what is told of a session: of two, the greater saw at least as much (K4.4)."""

    epoch: int = 0
    """The start of the desk that has read it."""
    sequence: int = 0


@dataclass(frozen=True, slots=True)
class SessionSummary:
    """One line of the session list."""

    session_id: SessionId
    task_id: TaskId
    kind: SessionKind
    state: SessionState
    title: str
    agent: str
    workspace: str
    """Folder that groups sessions in the list; empty when the agent did not prove one."""
    started_at: Nanoseconds
    updated_at: Nanoseconds
    pending_questions: int = 0
    pending_permissions: int = 0
    waiting_answers: int = 0
    """Answers stored and not yet collected."""
    quick_chat: bool = False
    pinned: bool = False
    """A Quick Chat that is kept for good."""
    projected: ProjectionRevision = ProjectionRevision()

    @property
    def needs_human(self) -> int:
        """How many questions and permissions wait for an answer."""
        return self.pending_questions + self.pending_permissions

    @property
    def kept_until(self) -> Nanoseconds | None:
        """When a Quick Chat nobody touches any more goes; None for what stays."""
        if not self.quick_chat or self.pinned:
            return None
        return Nanoseconds(self.updated_at + QUICK_CHAT_KEPT)

    @property
    def pending_action(self) -> PendingAction | None:
        """A question goes before a permission (K4.4)."""
        if self.pending_questions:
            return PendingAction.CLARIFICATION
        return PendingAction.PERMISSION if self.pending_permissions else None


@dataclass(frozen=True, slots=True)
class Message:
    """A transcript row. An unknown `kind` is shown by its name, never dropped."""

    message_id: MessageId
    session_id: SessionId
    turn_id: TurnId
    kind: str
    author: str
    content: str
    metadata: JsonObject
    created_at: Nanoseconds
    updated_at: Nanoseconds
    revision: int
    pending_id: PendingId | None = None
    delivery: Delivery | None = None
    """Where the answer of a question was when its row was read."""


@dataclass(frozen=True, slots=True)
class MessagePage:
    """Consecutive rows of one session, oldest first."""

    messages: tuple[Message, ...]
    has_older: bool
    has_newer: bool
