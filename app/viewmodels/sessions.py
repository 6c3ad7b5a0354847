"""The sessions of the list and the one that is open."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from app.bridge.client import BackendClient
from backend.domain.conversation import SessionKind, SessionSummary
from backend.events import Event, SessionChanged, SessionRemoved
from backend.ids import SessionId


@dataclass(frozen=True, slots=True)
class WorkspaceGroup:
    """The sessions of one folder, newest activity first; or the Quick Chats, which have none."""

    workspace: str
    sessions: tuple[SessionSummary, ...]
    quick_chats: bool = False


class SessionsViewModel(QObject):
    """Follows the backend; `changed` after any line changed, `current_changed` with the id.

    `removed` with the id of a session that is gone.
    """

    changed = Signal()
    current_changed = Signal(object)
    removed = Signal(object)

    def __init__(self, client: BackendClient, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._client = client
        self._sessions: dict[SessionId, SessionSummary] = {}
        self._removed: set[SessionId] = set()
        self._current: SessionId | None = None
        self._loaded = False
        client.event_received.connect(self._apply)

    @property
    def loaded(self) -> bool:
        return self._loaded

    @property
    def current(self) -> SessionSummary | None:
        return None if self._current is None else self._sessions.get(self._current)

    @property
    def current_id(self) -> SessionId | None:
        return self._current

    def session(self, session_id: SessionId) -> SessionSummary | None:
        return self._sessions.get(session_id)

    @property
    def count(self) -> int:
        return len(self._sessions)

    async def load(self) -> None:
        """Read all sessions; what an event brought meanwhile and is newer stays."""
        self._merge(await self._client.call(lambda api: api.list_sessions()))
        self._loaded = True
        self.changed.emit()

    async def set_pinned(self, session_id: SessionId, *, pinned: bool) -> None:
        """Keep a Quick Chat for good, or as long as any other."""
        await self._client.call(lambda api: api.conversations.set_pinned(session_id, pinned=pinned))

    def select(self, session_id: SessionId | None) -> None:
        if session_id != self._current:
            self._current = session_id
            self.current_changed.emit(session_id)

    def groups(self) -> tuple[WorkspaceGroup, ...]:
        """Sessions by workspace, the workspace with the newest activity first; at the end the
        Quick Chats, which belong to no project.
        """
        by_workspace: defaultdict[str, list[SessionSummary]] = defaultdict(list)
        newest = sorted(self._sessions.values(), key=lambda s: s.updated_at, reverse=True)
        for session in newest:
            if not session.quick_chat:
                by_workspace[session.workspace].append(session)
        found = [
            WorkspaceGroup(workspace, tuple(sessions))
            for workspace, sessions in by_workspace.items()
        ]
        quick = tuple(session for session in newest if session.quick_chat)
        return (*found, WorkspaceGroup("", quick, quick_chats=True)) if quick else tuple(found)

    def agents(self) -> tuple[str, ...]:
        """The names of agents this desk has started, the one started last first."""
        newest = sorted(self._sessions.values(), key=lambda s: s.started_at, reverse=True)
        return tuple(s.agent for s in newest if s.kind is SessionKind.HOSTED)

    def _apply(self, happened: Event) -> None:
        if isinstance(happened, SessionChanged):
            self._merge([happened.session])
            self.changed.emit()
        elif isinstance(happened, SessionRemoved):
            self._removed.add(happened.session_id)
            self._sessions.pop(happened.session_id, None)
            self.removed.emit(happened.session_id)
            self.changed.emit()

    def _merge(self, sessions: Iterable[SessionSummary]) -> None:
        for session in sessions:
            if session.session_id in self._removed:
                # Read before it went.
                continue
            known = self._sessions.get(session.session_id)
            if known is None or _is_newer(session, known):
                self._sessions[session.session_id] = session


def _is_newer(session: SessionSummary, known: SessionSummary) -> bool:
    """What was read later wins, whatever the clock said; unnumbered lines go by their activity."""
    if session.projected != known.projected:
        return session.projected > known.projected
    return session.updated_at >= known.updated_at
