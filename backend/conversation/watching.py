"""Doubts about an agent that works: it says nothing for long, or goes on after a stop.

Nothing is ever ended because of one: the human is told and decides.
"""

from typing import Final

from backend.conversation.live import LiveSession, LiveTurn
from backend.conversation.parts import ConversationParts
from backend.conversation.views import ConversationViews
from backend.domain.hosted import AgentProblem
from backend.errors import AppError
from backend.store import open_bundles

SILENT_AFTER: Final = 180.0
"""Seconds without a sign of life from an agent that works and waits for nobody."""
CANCEL_PATIENCE: Final = 10.0
"""Seconds an agent may take to end a prompt that was stopped."""


class Watch:
    """Plans nothing while no turn runs."""

    def __init__(self, parts: ConversationParts, views: ConversationViews) -> None:
        self._parts = parts
        self._views = views

    def turn_began(self, live: LiveSession, turn: LiveTurn) -> None:
        self._look_in(SILENT_AFTER, live, turn)

    def turn_stopped(self, live: LiveSession, turn: LiveTurn) -> None:
        """The human has stopped it."""

        async def look() -> None:
            if live.turn is turn:
                live.troubled(AgentProblem.IGNORES_CANCEL)
                self._views.changed(live.session_id)

        self._parts.worker.put(_cancel_key(live), CANCEL_PATIENCE, look)

    def turn_ended(self, live: LiveSession, turn: LiveTurn) -> None:
        if live.turn is turn:
            self._parts.worker.drop(_silence_key(live))
            self._parts.worker.drop(_cancel_key(live))

    async def waits(self, live: LiveSession, turn: LiveTurn) -> bool:
        """Whether it waits for its human; a store that cannot tell counts as that."""
        if turn.waits:
            return True
        try:
            asked = await self._parts.read(
                lambda tx: open_bundles.open_in_session(tx, live.session_id)
            )
        except AppError:
            return True
        return bool(asked)

    def _look_in(self, seconds: float, live: LiveSession, turn: LiveTurn) -> None:
        key = _silence_key(live)
        self._parts.worker.put(key, seconds, lambda: self._look(live, turn))

    async def _look(self, live: LiveSession, turn: LiveTurn) -> None:
        if live.turn is not turn:
            return
        if await self.waits(live, turn):
            # The time it waited for its human does not count.
            turn.heard_at = self._parts.clock.monotonic()
        silent = self._parts.clock.monotonic() - turn.heard_at
        if live.turn is not turn:
            return
        if silent >= SILENT_AFTER and live.trouble is None:
            live.troubled(AgentProblem.SILENT)
            self._views.changed(live.session_id)
        left = SILENT_AFTER - silent
        self._look_in(left if left > 0 else SILENT_AFTER, live, turn)


def _silence_key(live: LiveSession) -> str:
    return f"silence of {live.session_id}"


def _cancel_key(live: LiveSession) -> str:
    return f"cancellation of {live.session_id}"
