"""What the window hears: frozen facts, published after the commit that made them true."""

from collections.abc import Callable
from dataclasses import dataclass

from backend.domain.clarification import Bundle, ResponseOutcome
from backend.domain.conversation import Message, SessionSummary
from backend.errors import AppError
from backend.ids import PendingId, SessionId


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
class MessagesChanged:
    """Rows of one session that were added or changed, oldest first; compare by `revision`."""

    session_id: SessionId
    messages: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class StoreProgress:
    """A long step of the store; `total` is 0 when it is not known."""

    step: str
    done: int
    total: int


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
    | MessagesChanged
    | StoreProgress
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
