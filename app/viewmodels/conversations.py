"""What is known of the conversations with agents this desk runs."""

from PySide6.QtCore import QObject, Signal

from app.bridge.client import BackendClient
from backend.domain.hosted import Conversation
from backend.errors import NotFound
from backend.events import ConversationChanged, Event
from backend.ids import SessionId


class ConversationsViewModel(QObject):
    """One conversation per session, the newest version told; `changed` with the session's id."""

    changed = Signal(object)

    def __init__(self, client: BackendClient, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._client = client
        self._known: dict[SessionId, Conversation | None] = {}
        client.event_received.connect(self._apply)

    def get(self, session_id: SessionId | None) -> Conversation | None:
        """None for what is not hosted here, and for what has not been read yet."""
        return None if session_id is None else self._known.get(session_id)

    def is_read(self, session_id: SessionId) -> bool:
        return session_id in self._known

    async def load(self, session_id: SessionId) -> Conversation | None:
        """Read it now. Raises `AppError`; a session that is gone is not hosted."""
        try:
            found = await self._client.call(lambda api: api.conversations.conversation(session_id))
        except NotFound:
            found = None
        if found is None:
            self._known.setdefault(session_id, None)
            self.changed.emit(session_id)
        else:
            self.take_in(found)
        return self._known[session_id]

    def take_in(self, conversation: Conversation) -> None:
        """Follow what a call or an event says, unless something newer is known."""
        known = self._known.get(conversation.session_id)
        if known is None or conversation.version >= known.version:
            self._known[conversation.session_id] = conversation
            self.changed.emit(conversation.session_id)

    def forget(self) -> None:
        """The backend has started anew, and counts versions from the beginning."""
        self._known.clear()

    def _apply(self, happened: Event) -> None:
        if isinstance(happened, ConversationChanged):
            self.take_in(happened.conversation)
