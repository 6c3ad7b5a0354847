"""Questions that nobody answers in time (clarification.md, improvement 12); off by default."""

import logging
from typing import Final

from backend.clarification.parts import Parts
from backend.clock import Deadline
from backend.domain.clarification import Bundle
from backend.errors import AppError
from backend.events import (
    BundleChanged,
    BundleOpened,
    BundleRemoved,
    BundleResolved,
    Event,
    EventBus,
    Woke,
)
from backend.ids import PendingId
from backend.store import bundles, withdrawals
from backend.store.database import Priority

EXPIRE_BUDGET: Final = 10.0
_TRY_AGAIN: Final = 30.0

_log = logging.getLogger(__name__)


class Expiry:
    """Expires open bundles a fixed time after they were asked, on the shared deadline worker.

    A stored draft stops the clock. The time counts from the row, so it survives a restart; the
    claim and the expiry of a bundle exclude each other in the store.
    """

    def __init__(self, parts: Parts, bus: EventBus, after: float | None) -> None:
        self._parts = parts
        self._after = after
        if after is not None:
            bus.subscribe(self._follow)

    async def start(self) -> None:
        """Watch what is open already: after recovery, and again when the machine has slept."""
        if self._after is None:
            return
        deadline = Deadline(self._parts.clock, EXPIRE_BUDGET)
        async with self._parts.database.reading(deadline) as tx:
            found = await bundles.list_open(tx)
        for bundle in found:
            self._watch(bundle)

    def _follow(self, happened: Event) -> None:
        match happened:
            case BundleOpened(bundle) | BundleChanged(bundle) | BundleResolved(bundle, _):
                if not bundle.answerable:
                    self._parts.worker.drop(_key(bundle.pending_id))
                elif _key(bundle.pending_id) not in self._parts.worker:
                    self._watch(bundle)
            case BundleRemoved(pending_id, _):
                self._parts.worker.drop(_key(pending_id))
            case Woke():
                # The time it slept counts for who waits, and not for a timer.
                self._parts.supervisor.start(self.start(), name="plan expiries anew")
            case _:
                return

    def _watch(self, bundle: Bundle) -> None:
        after = self._after or 0.0
        passed = (self._parts.clock.now() - bundle.created_at) / 1e9
        # A clock that was set back makes nobody wait longer than the whole time.
        self._plan(bundle.pending_id, min(after, after - passed))

    def _plan(self, pending_id: PendingId, seconds: float) -> None:
        self._parts.worker.put(_key(pending_id), seconds, lambda: self._expire(pending_id))

    async def _expire(self, pending_id: PendingId) -> None:
        deadline = Deadline(self._parts.clock, EXPIRE_BUDGET)
        try:
            async with self._parts.database.writing(deadline, priority=Priority.CLAIM) as tx:
                now = self._parts.clock.now()
                expired = await withdrawals.expire(tx, pending_id, now)
                bundle = None if expired else await bundles.load_bundle(tx, pending_id)
        except AppError as error:
            _log.warning("question %s has not expired yet: %s", pending_id, error.detail)
            self._plan(pending_id, _TRY_AGAIN)
            self._parts.announcer.later(pending_id)
            return
        if expired:
            self._parts.waiters.look_again(pending_id)
            await self._parts.announcer.changed(pending_id)
        elif bundle is not None and bundle.answerable:
            # Somebody is answering it: the clock starts anew in case the draft is emptied.
            self._plan(pending_id, self._after or 0.0)


def _key(pending_id: PendingId) -> str:
    return f"expire question {pending_id}"
