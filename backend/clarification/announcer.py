"""Tells the window what has become true, by reading it again after the commit."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import NamedTuple

from backend.clarification.projections import Projections
from backend.clarification.waiters import Waiters
from backend.domain.clarification import Bundle, BundleStatus, Delivery, ResponseOutcome
from backend.domain.conversation import ProjectionRevision, SessionSummary
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


class _Reading(NamedTuple):
    """One snapshot, its place among all readings, and the bundle it is about."""

    tx: Transaction
    projected: ProjectionRevision
    bundle: Bundle | None


class Announcer:
    """Publishes one bundle at a time, so that a later event never carries an older state."""

    def __init__(
        self, database: Database, bus: EventBus, waiters: Waiters, projections: Projections
    ) -> None:
        self._database = database
        self._bus = bus
        self._waiters = waiters
        self._projections = projections
        self._order = asyncio.Lock()

    async def opened(self, pending_id: PendingId) -> None:
        async with self._read(pending_id) as reading:
            if reading.bundle is None:
                return
            # The call that opened the bundle is about to wait for it.
            waiting = max(1, self._waiters.count(pending_id))
            await self._publish_rows(reading, reading.bundle)
            opened = replace(self.live(reading.bundle), waiting_calls=waiting)
            self._bus.publish(BundleOpened(opened))

    async def changed(self, pending_id: PendingId) -> None:
        async with self._read(pending_id) as reading:
            if reading.bundle is not None:
                await self._publish_rows(reading, reading.bundle)
                self._bus.publish(BundleChanged(self.live(reading.bundle)))

    async def resolved(self, outcome: ResponseOutcome) -> None:
        """Publish an attempt's outcome, with the delivery as it is by now."""
        async with self._read(outcome.pending_id) as reading:
            bundle = reading.bundle
            if bundle is None:
                return
            await self._publish_rows(reading, bundle)
            if bundle.delivery is not None and outcome.delivery is not Delivery.UNKNOWN:
                outcome = replace(outcome, delivery=bundle.delivery)
            self._bus.publish(BundleResolved(self.live(bundle), outcome))

    async def settled(self, pending_id: PendingId) -> None:
        """Publish where a bundle stands: answerable again, withdrawn, or how far its answer is."""
        async with self._read(pending_id) as reading:
            bundle = reading.bundle
            if bundle is None:
                return
            await self._publish_rows(reading, bundle)
            if bundle.answerable:
                self._bus.publish(BundleOpened(self.live(bundle)))
            elif bundle.status in {BundleStatus.ANSWERED, BundleStatus.REJECTED}:
                outcome = outcome_for(bundle, claimed=True)
                self._bus.publish(BundleResolved(self.live(bundle), outcome))
            else:
                self._bus.publish(BundleChanged(self.live(bundle)))

    async def session(self, session_id: SessionId) -> None:
        """Publish the session's line in the list."""
        async with self._order:
            projected = self._projections.next()
            async with self._database.reading() as tx:
                await self._publish_session(tx, session_id, projected)

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

    @asynccontextmanager
    async def _read(self, pending_id: PendingId) -> AsyncIterator[_Reading]:
        async with self._order:
            projected = self._projections.next()
            async with self._database.reading() as tx:
                yield _Reading(tx, projected, await bundles.load_bundle(tx, pending_id))

    async def _publish_rows(self, reading: _Reading, bundle: Bundle) -> None:
        rows = await messages.bundle_messages(reading.tx, bundle.pending_id)
        summary = await sessions.get_summary(reading.tx, bundle.session_id)
        self._bus.publish(
            MessagesChanged(
                bundle.session_id,
                rows,
                pending_action=summary.pending_action if summary else None,
                projected=reading.projected if summary else None,
            )
        )
        self._publish_summary(summary, reading.projected)

    async def _publish_session(
        self, tx: Transaction, session_id: SessionId, projected: ProjectionRevision
    ) -> None:
        self._publish_summary(await sessions.get_summary(tx, session_id), projected)

    def _publish_summary(
        self, summary: SessionSummary | None, projected: ProjectionRevision
    ) -> None:
        if summary is not None:
            self._bus.publish(SessionChanged(replace(summary, projected=projected)))


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
