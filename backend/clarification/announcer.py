"""Tells the window what has become true, by reading it again after the commit."""

import asyncio
from dataclasses import replace

from backend.clarification.waiters import Waiters
from backend.domain.clarification import Bundle, BundleStatus, Delivery, ResponseOutcome
from backend.events import (
    BundleChanged,
    BundleOpened,
    BundleResolved,
    EventBus,
    MessagesChanged,
    SessionChanged,
)
from backend.ids import PendingId, SessionId
from backend.store import bundles, messages, sessions
from backend.store.database import Database, Transaction


class Announcer:
    """Publishes one bundle at a time, so that a later event never carries an older state."""

    def __init__(self, database: Database, bus: EventBus, waiters: Waiters) -> None:
        self._database = database
        self._bus = bus
        self._waiters = waiters
        self._order = asyncio.Lock()

    async def opened(self, pending_id: PendingId) -> None:
        async with self._order, self._database.reading() as tx:
            bundle = await bundles.load_bundle(tx, pending_id)
            if bundle is None:
                return
            # The call that opened the bundle is about to wait for it.
            waiting = max(1, self._waiters.count(pending_id))
            await self._publish_rows(tx, bundle)
            self._bus.publish(BundleOpened(replace(self.live(bundle), waiting_calls=waiting)))

    async def changed(self, pending_id: PendingId) -> None:
        async with self._order, self._database.reading() as tx:
            bundle = await bundles.load_bundle(tx, pending_id)
            if bundle is None:
                return
            await self._publish_rows(tx, bundle)
            self._bus.publish(BundleChanged(self.live(bundle)))

    async def resolved(self, outcome: ResponseOutcome) -> None:
        """Publish an attempt's outcome, with the delivery as it is by now."""
        async with self._order, self._database.reading() as tx:
            bundle = await bundles.load_bundle(tx, outcome.pending_id)
            if bundle is None:
                return
            await self._publish_rows(tx, bundle)
            if bundle.delivery is not None and outcome.delivery is not Delivery.UNKNOWN:
                outcome = replace(outcome, delivery=bundle.delivery)
            self._bus.publish(BundleResolved(self.live(bundle), outcome))

    async def moved_on(self, pending_id: PendingId) -> None:
        """The delivery of a closed bundle changed: collected, discarded or replaced."""
        async with self._order, self._database.reading() as tx:
            bundle = await bundles.load_bundle(tx, pending_id)
            if bundle is None:
                return
            await self._publish_rows(tx, bundle)
            outcome = outcome_for(bundle, claimed=True)
            self._bus.publish(BundleResolved(self.live(bundle), outcome))

    async def session(self, session_id: SessionId) -> None:
        """Publish the session's line in the list."""
        async with self._order, self._database.reading() as tx:
            await self._publish_session(tx, session_id)

    def live(self, bundle: Bundle) -> Bundle:
        """The stored bundle with what only this process knows.

        An equal question is asked again only if the call that asked first is gone.
        """
        older = bundle.asked_again_of
        return replace(
            bundle,
            waiting_calls=self._waiters.count(bundle.pending_id),
            calls_end_at=self._waiters.end_at(bundle.pending_id),
            asked_again_of=None if older and self._waiters.count(older) else older,
        )

    async def _publish_rows(self, tx: Transaction, bundle: Bundle) -> None:
        rows = await messages.bundle_messages(tx, bundle.pending_id)
        self._bus.publish(MessagesChanged(bundle.session_id, rows))
        await self._publish_session(tx, bundle.session_id)

    async def _publish_session(self, tx: Transaction, session_id: SessionId) -> None:
        summary = await sessions.get_summary(tx, session_id)
        if summary is not None:
            self._bus.publish(SessionChanged(summary))


def outcome_for(bundle: Bundle, *, claimed: bool) -> ResponseOutcome:
    """What a closed bundle holds, as an attempt to respond would be told."""
    answered = bundle.status is BundleStatus.ANSWERED
    return ResponseOutcome(
        pending_id=bundle.pending_id,
        status=bundle.status,
        claimed=claimed,
        delivery=bundle.delivery or Delivery.UNKNOWN,
        responded_at=bundle.responded_at or bundle.updated_at,
        answers=tuple(item.answer for item in bundle.questions if answered and item.answer),
        reject_reason=bundle.reject_reason,
    )
