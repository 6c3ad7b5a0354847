"""What becomes of a session's questions and permissions changes what its composer does."""

from backend.conversation.dispatch import Dispatches
from backend.conversation.parts import ConversationParts
from backend.conversation.views import ConversationViews
from backend.events import (
    BundleChanged,
    BundleOpened,
    BundleResolved,
    Event,
    ReviewChanged,
    ReviewOpened,
)
from backend.ids import SessionId
from backend.store import session_states
from backend.store.database import Transaction
from backend.store.locks import lock_sessions


class QuestionNews:
    """Listens to the bus; what was held back by a question goes on once it is gone (K7.3)."""

    def __init__(
        self, parts: ConversationParts, views: ConversationViews, dispatches: Dispatches
    ) -> None:
        self._parts = parts
        self._views = views
        self._dispatches = dispatches
        parts.bus.subscribe(self._heard)

    def _heard(self, event: Event) -> None:
        match event:
            case BundleOpened(bundle):
                self._views.changed(bundle.session_id)
            case BundleChanged(bundle) | BundleResolved(bundle):
                self._views.changed(bundle.session_id)
                if not bundle.answerable:
                    self._gone(bundle.session_id)
            case ReviewOpened(review):
                self._views.changed(review.session_id)
            case ReviewChanged(review):
                self._views.changed(review.session_id)
                self._gone(review.session_id)
            case _:
                pass

    def _gone(self, session_id: SessionId) -> None:
        live = self._parts.live.get(session_id)
        if live.turn is None:
            self._dispatches.look_again(session_id)
        else:
            self._parts.supervisor.start(
                self._goes_on(session_id), name="session goes on", repeats=True
            )

    async def _goes_on(self, session_id: SessionId) -> None:
        """A question that was withdrawn while its agent works leaves the agent working."""

        async def run_again(tx: Transaction) -> bool:
            await lock_sessions(tx, [session_id])
            if self._parts.live.get(session_id).turn is None:
                return False
            return await session_states.run_again(tx, session_id, self._parts.clock.now())

        if await self._parts.write_at_last(run_again):
            self._views.changed(session_id)
            await self._parts.announce_session(session_id)
