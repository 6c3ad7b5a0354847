"""What one running agent says, put where it belongs while it is the session's own."""

from collections.abc import Callable

from backend.conversation.agent_port import ProcessMark
from backend.conversation.live import LiveSession
from backend.conversation.parts import ConversationParts
from backend.conversation.views import ConversationViews
from backend.domain.agents import (
    AgentEnd,
    AgentUpdate,
    ElicitationAction,
    ElicitationReply,
    Elicited,
    PermissionAsked,
)
from backend.domain.hosted import AgentProblem
from backend.store import hosted_sessions

Gone = Callable[[LiveSession, "Hearing", AgentEnd], None]


class Hearing:
    """Implements `AgentListener` for one process. Once that has ended it hears nothing more."""

    def __init__(
        self, parts: ConversationParts, views: ConversationViews, live: LiveSession, gone: Gone
    ) -> None:
        self._parts = parts
        self._views = views
        self._live = live
        self._gone = gone
        self._end: AgentEnd | None = None

    async def started(self, mark: ProcessMark) -> None:
        session_id = self._live.session_id
        now = self._parts.clock.now()
        await self._parts.write(lambda tx: hosted_sessions.set_process(tx, session_id, mark, now))

    def updated(self, update: AgentUpdate) -> None:
        if self._end is not None:
            return
        live = self._live
        if live.turn is not None:
            live.turn.heard_at = self._parts.clock.monotonic()
            live.turn.heard_of(self._parts.clock.now())
        shown = live.applies(update)
        if live.relieved(AgentProblem.SILENT) or shown:
            self._views.changed(live.session_id)
        self._parts.requests.updated(live.session_id, update)
        self._parts.rows.updated(
            live.session_id, live.turn.turn_id if live.turn is not None else None, update
        )

    async def room(self) -> None:
        await self._parts.rows.room()

    async def permission_asked(self, asked: PermissionAsked) -> str | None:
        live = self._live
        turn = live.turn
        if self._end is not None or turn is None or turn.stopped:
            return None
        turn.heard_of(self._parts.clock.now())
        with turn.waiting():
            return await self._parts.requests.permission_asked(live.session_id, turn.turn_id, asked)

    async def elicited(self, elicited: Elicited) -> ElicitationReply:
        live = self._live
        turn = live.turn
        if self._end is not None or turn is None or turn.stopped:
            return ElicitationReply(ElicitationAction.CANCEL)
        turn.heard_of(self._parts.clock.now())
        with turn.waiting():
            return await self._parts.requests.elicited(live.session_id, turn.turn_id, elicited)

    def ended(self, end: AgentEnd) -> None:
        if self._end is None:
            self._end = end
            self._gone(self._live, self, end)
