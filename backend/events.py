"""What the window hears: frozen facts, published after the commit that made them true."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from backend.domain.clarification import Bundle, ResponseOutcome
from backend.domain.conversation import (
    Message,
    PendingAction,
    ProjectionRevision,
    SessionSummary,
)
from backend.domain.gateway import Server
from backend.domain.hosted import Conversation
from backend.domain.policy import Rule
from backend.domain.review import Review
from backend.errors import AppError
from backend.ids import PendingId, SessionId, TurnId


@dataclass(frozen=True, slots=True)
class BundleOpened:
    """A question is open that was not open before in this process."""

    bundle: Bundle


@dataclass(frozen=True, slots=True)
class BundleChanged:
    """Something but its answer changed: callers came or went, or it was withdrawn."""

    bundle: Bundle


@dataclass(frozen=True, slots=True)
class BundleResolved:
    """A bundle was answered or skipped, or its delivery state moved on."""

    bundle: Bundle
    outcome: ResponseOutcome


@dataclass(frozen=True, slots=True)
class BundleRemoved:
    """The rows are gone."""

    pending_id: PendingId
    session_id: SessionId


@dataclass(frozen=True, slots=True)
class SessionChanged:
    """A session appeared or its line in the list changed."""

    session: SessionSummary


@dataclass(frozen=True, slots=True)
class SessionRemoved:
    """A session is gone with everything in it."""

    session_id: SessionId


@dataclass(frozen=True, slots=True)
class MessagesChanged:
    """Rows of one session that were added or changed, oldest first; compare by `revision`."""

    session_id: SessionId
    messages: tuple[Message, ...]
    pending_action: PendingAction | None = None
    projected: ProjectionRevision | None = None
    """None when `pending_action` was not read: what is known of it stays as it is (K4.4)."""


@dataclass(frozen=True, slots=True)
class TurnStarted:
    """The agent of a session has taken a prompt."""

    session_id: SessionId
    turn_id: TurnId


@dataclass(frozen=True, slots=True)
class TurnCompleted:
    session_id: SessionId
    turn_id: TurnId


@dataclass(frozen=True, slots=True)
class ConversationChanged:
    """What the composer of a hosted session shows has changed; compare by `version`."""

    conversation: Conversation


@dataclass(frozen=True, slots=True)
class ReviewOpened:
    """An agent waits for a decision; it did not in this process before."""

    review: Review


@dataclass(frozen=True, slots=True)
class ReviewChanged:
    """It was decided, or nobody waits for the decision any more."""

    review: Review


@dataclass(frozen=True, slots=True)
class RuleChanged:
    """It was made, revoked, or has decided another call."""

    rule: Rule


@dataclass(frozen=True, slots=True)
class ServerChanged:
    """A downstream server was added or changed, runs, has ended, or defines its tools otherwise.

    One that was removed is not told of.
    """

    server: Server


class StoreStep(StrEnum):
    """What a start does to bring a store up to date. Every step has words in `app/text.py`."""

    CONNECT = "connect to the server"
    BACK_UP = "back up"
    BACKUP_SKIPPED = "backup skipped: no room on the disk"
    CREATE_TABLES = "create tables"
    ADD_COLUMNS = "add columns"
    CHECK_METADATA = "check metadata"
    START_REVISIONS = "start revisions"
    BUILD_INDEX = "build index"
    DONE = "done"


@dataclass(frozen=True, slots=True)
class StoreProgress:
    """How far a step of the store is.

    Within a step `done` never goes back and ends at `total`, which is 0 when it is not known.
    """

    step: str
    """A `StoreStep`."""
    done: int
    total: int
    subject: str = ""
    """The table or index it is about."""
    number: int = 0
    """Which of the `count` steps it is, from 1; 0 outside the list of steps."""
    count: int = 0


@dataclass(frozen=True, slots=True)
class StoreAvailability:
    """The store went away, and nothing can be saved, or it is back and recovery has run.

    `detail` is one English line while it is away; it may come again with another reason.
    """

    available: bool
    detail: str


@dataclass(frozen=True, slots=True)
class Woke:
    """The machine has slept for so many seconds, and what is known may be old."""

    slept: float


@dataclass(frozen=True, slots=True)
class WindowRequested:
    """Somebody started the program again: show the window."""

    activation_token: str = ""
    pending_id: PendingId | None = None


@dataclass(frozen=True, slots=True)
class BackendReady:
    """The store is open, recovery has run and the port listens."""

    api_url: str
    mcp_url: str


@dataclass(frozen=True, slots=True)
class BackendStopped:
    """The backend is down; `error` is None after a requested stop."""

    error: AppError | None = None


Event = (
    BundleOpened
    | BundleChanged
    | BundleResolved
    | BundleRemoved
    | SessionChanged
    | SessionRemoved
    | MessagesChanged
    | TurnStarted
    | TurnCompleted
    | ConversationChanged
    | ReviewOpened
    | ReviewChanged
    | RuleChanged
    | ServerChanged
    | StoreProgress
    | StoreAvailability
    | Woke
    | WindowRequested
    | BackendReady
    | BackendStopped
)

Listener = Callable[[Event], None]


class EventBus:
    """Hands each event to every listener, in order, on the backend's thread."""

    def __init__(self) -> None:
        self._listeners: list[Listener] = []

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Add `listener`; the returned call removes it again."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def publish(self, event: Event) -> None:
        for listener in tuple(self._listeners):
            listener(event)
