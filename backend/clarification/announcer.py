"""Tells the window what has become true, by reading it again after the commit."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import replace
from typing import Final, NamedTuple

from backend.clarification.projections import Projections
from backend.clarification.waiters import Waiters
from backend.clock import Clock, Deadline
from backend.domain.clarification import Bundle, BundleStatus, Delivery, ResponseOutcome
from backend.domain.conversation import Message, ProjectionRevision, SessionSummary
from backend.errors import AppError
from backend.events import (
    BundleChanged,
    BundleOpened,
    BundleResolved,
    Event,
    EventBus,
    MessagesChanged,
    SessionChanged,
)
from backend.ids import PendingId, SessionId
from backend.store import bundles, messages, sessions
from backend.store.database import Database, Transaction
from backend.work.deadline_worker import DeadlineWorker

TELL_BUDGET: Final = 5.0
"""Seconds for one announcement; one that takes longer is made later."""

_log = logging.getLogger(__name__)


_Event = Callable[[Bundle], Event]
"""What to publish of a bundle as the store has it now."""


class _Found(NamedTuple):
    """A bundle with what is told together with it."""

    bundle: Bundle
    rows: tuple[Message, ...]
    summary: SessionSummary | None


class Announcer:
    """Publishes one bundle at a time, so that a later event never carries an older state.

    Never raises `AppError`: what the store does not show in time is told when it does.
    """

    def __init__(
        self,
        database: Database,
        bus: EventBus,
        waiters: Waiters,
        projections: Projections,
        *,
        clock: Clock,
        worker: DeadlineWorker,
    ) -> None:
        self._database = database
        self._bus = bus
        self._waiters = waiters
        self._projections = projections
        self._clock = clock
        self._worker = worker
        self._order = asyncio.Lock()

    async def opened(self, pending_id: PendingId) -> None:
        def event(bundle: Bundle) -> Event:
            # The call that opened the bundle is about to wait for it.
            waiting = max(1, self._waiters.count(pending_id))
            return BundleOpened(replace(self.live(bundle), waiting_calls=waiting))

        await self._tell(pending_id, event)

    async def changed(self, pending_id: PendingId) -> None:
        await self._tell(pending_id, lambda bundle: BundleChanged(self.live(bundle)))

    async def resolved(self, outcome: ResponseOutcome) -> None:
        """Publish an attempt's outcome, with the delivery as it is by now."""

        def event(bundle: Bundle) -> Event:
            told = outcome
            if bundle.delivery is not None and outcome.delivery is not Delivery.UNKNOWN:
                told = replace(outcome, delivery=bundle.delivery)
            return BundleResolved(self.live(bundle), told)

        await self._tell(outcome.pending_id, event)

    async def settled(self, pending_id: PendingId) -> None:
        """Publish where a bundle stands: answerable again, withdrawn, or how far its answer is."""
        await self._tell(pending_id, self._standing)

    def later(self, pending_id: PendingId, failures: int = 0) -> None:
        """Tell waiting calls and the window soon where a bundle stands.

        For a change whose COMMIT has no result: it may have become true, and nobody was told.
        """
        key = f"tell question {pending_id}"
        self._worker.try_again(key, failures, lambda: self._again(pending_id, failures + 1))

    async def session(self, session_id: SessionId, failures: int = 0) -> None:
        """Publish the session's line in the list."""
        try:
            async with self._order:
                projected = self._projections.next()
                async with self._database.reading(self._deadline()) as tx:
                    summary = await sessions.get_summary(tx, session_id)
                    self._publish_summary(summary, projected)
        except AppError as error:
            _log.warning("session %s is announced later: %s", session_id, error.detail)
            key = f"tell session {session_id}"
            self._worker.try_again(key, failures, lambda: self.session(session_id, failures + 1))

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

    async def _again(self, pending_id: PendingId, failures: int) -> None:
        try:
            # A COMMIT that is still under way has ended when the next transaction begins.
            async with self._database.writing(self._deadline()):
                pass
        except AppError as error:
            _log.warning("question %s is announced later: %s", pending_id, error.detail)
            self.later(pending_id, failures)
            return
        self._waiters.look_again(pending_id)
        await self._tell(pending_id, self._standing, failures)

    def _standing(self, bundle: Bundle) -> Event:
        if bundle.answerable:
            return BundleOpened(self.live(bundle))
        if bundle.status in {BundleStatus.ANSWERED, BundleStatus.REJECTED}:
            return BundleResolved(self.live(bundle), outcome_for(bundle, claimed=True))
        return BundleChanged(self.live(bundle))

    async def _tell(self, pending_id: PendingId, event: _Event, failures: int = 0) -> None:
        """Read the bundle, publish its rows and `event`; nothing if there is none."""
        try:
            async with self._order:
                projected = self._projections.next()
                async with self._database.reading(self._deadline()) as tx:
                    found = await tx.in_place(lambda tx: _read(tx, pending_id))
                if found is not None:
                    self._publish_rows(found, projected)
                    self._bus.publish(event(found.bundle))
        except AppError as error:
            _log.warning("question %s is announced later: %s", pending_id, error.detail)
            self.later(pending_id, failures)

    def _deadline(self) -> Deadline:
        return Deadline(self._clock, TELL_BUDGET)

    def _publish_rows(self, found: _Found, projected: ProjectionRevision) -> None:
        summary = found.summary
        self._bus.publish(
            MessagesChanged(
                found.bundle.session_id,
                found.rows,
                pending_action=summary.pending_action if summary else None,
                projected=projected if summary else None,
            )
        )
        self._publish_summary(summary, projected)

    def _publish_summary(
        self, summary: SessionSummary | None, projected: ProjectionRevision
    ) -> None:
        if summary is not None:
            self._bus.publish(SessionChanged(replace(summary, projected=projected)))


async def _read(tx: Transaction, pending_id: PendingId) -> _Found | None:
    bundle = await bundles.load_bundle(tx, pending_id)
    if bundle is None:
        return None
    rows = await messages.bundle_messages(tx, pending_id)
    return _Found(bundle, rows, await sessions.get_summary(tx, bundle.session_id))


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
