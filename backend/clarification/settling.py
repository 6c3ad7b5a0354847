"""Settling claimed answers nobody in this process delivers any more (K5.7 step 2)."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from backend.clarification.parts import Parts
from backend.clock import Deadline, Nanoseconds
from backend.domain.clarification import Delivery
from backend.domain.conversation import SessionKind
from backend.errors import AppError, ErrorCode, StorageFailed
from backend.ids import ClaimId, PendingId, TurnId
from backend.store import bundles, deliveries, intents, reservations, session_states
from backend.store.database import Priority, Transaction
from backend.store.locks import lock_bundle

SETTLE_BUDGET: Final = 5.0

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Unsettled:
    """A claim whose end is not stored. `known` is where the answer is known to have gone, and
    `turn_id` the reserved turn its agent has taken.
    """

    pending_id: PendingId
    claim_id: ClaimId
    known: Delivery | None = None
    turn_id: TurnId | None = None


class Settler:
    """Tries after 1, 5, 30 and then every 300 s; it sleeps on the shared deadline worker.

    A dispatch that was attempted and neither taken nor refused is nobody's to settle here: only
    its own end or the next start of the desk does.
    """

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._owned: Callable[[PendingId], bool] = lambda _: False
        self._unsettled: dict[PendingId, tuple[Unsettled, int]] = {}
        """What waits for its next try, and how many have failed."""

    def ask_before(self, owned: Callable[[PendingId], bool]) -> None:
        """`owned` tells whether somebody delivers the answer now; then it is left alone."""
        self._owned = owned

    def hint(self, unsettled: Unsettled, attempt: int = 0) -> None:
        """Something failed: look at this claim soon."""
        self._unsettled[unsettled.pending_id] = (unsettled, attempt)
        key = f"settle answer {unsettled.pending_id}"
        self._parts.worker.try_again(key, attempt, lambda: self._try(unsettled, attempt))

    def look_soon(self, pending_id: PendingId) -> None:
        """Somebody asks again what became of it: what kept it from being settled may be over."""
        unsettled, failed = self._unsettled.get(pending_id, (None, 0))
        # The first try comes soon anyhow, and whoever asks again and again must not put it off.
        if unsettled is not None and failed:
            self.hint(unsettled)

    async def _try(self, unsettled: Unsettled, attempt: int) -> None:
        pending_id = unsettled.pending_id
        if self._owned(pending_id):
            self.hint(unsettled, attempt)
            return
        self._unsettled.pop(pending_id, None)
        try:
            settled = await self._settle(unsettled)
        except AppError as error:
            _log.warning("answer of %s is not settled yet: %s", pending_id, error.detail)
            self.hint(unsettled, attempt + 1)
            return
        if settled:
            self._parts.waiters.look_again(pending_id)
            await self._parts.announcer.settled(pending_id)

    async def _settle(self, unsettled: Unsettled) -> bool:
        deadline = Deadline(self._parts.clock, SETTLE_BUDGET)
        now = self._parts.clock.now()
        async with self._parts.database.writing(deadline, priority=Priority.SETTLE) as tx:
            await lock_bundle(tx, unsettled.pending_id)
            if unsettled.turn_id is not None:
                await reservations.clear(tx, unsettled.turn_id, now, outbox=False)
            intent = await intents.find(tx, unsettled.pending_id)
            if intent is None or intent.claim_id != unsettled.claim_id:
                return await self._known_without_intent(tx, unsettled, now)
            if await reservations.owns_answer(tx, unsettled.pending_id):
                return False
            await settle_intent(tx, intent, now, known=unsettled.known)
        return True

    async def _known_without_intent(
        self, tx: Transaction, unsettled: Unsettled, now: Nanoseconds
    ) -> bool:
        """A change of ours whose COMMIT result was lost: what became true is told once more. One
        that was kept before it was given has no intent; the attempt has left it unknown.
        """
        bundle = await bundles.load_bundle(tx, unsettled.pending_id)
        if bundle is None or bundle.claim_id not in (None, unsettled.claim_id):
            return False
        if unsettled.known is Delivery.DELIVERED and bundle.delivery is Delivery.UNKNOWN:
            await deliveries.move(
                tx, bundle.pending_id, expected=bundle.delivery, to=unsettled.known, now=now
            )
        return True


async def settle_intent(
    tx: Transaction, intent: intents.Intent, now: Nanoseconds, *, known: Delivery | None = None
) -> bool:
    """Settle one answer that nobody delivers; True when it was restored or kept.

    A guest's is kept for its agent. A hosted session's bundle is restored if all its rows can be;
    else it stays answered, and whether the agent has the answer is unknown.

    Raises:
        StorageFailed: `store_invalid_row`, its rows contradict each other.
    """
    pending, claim_id = intent.pending_id, intent.claim_id
    if not intent.sound:
        raise StorageFailed(
            ErrorCode.STORE_INVALID_ROW,
            f"the answered rows of question {pending} contradict each other in status or claim."
            " Correct their metadata in task_session_messages, or restore a backup, and start"
            " again; nothing of them was changed",
            row=pending,
        )
    if known is not None:
        await intents.finalize(tx, pending, claim_id, known, now)
        if known is Delivery.DELIVERED:
            await session_states.run_again(tx, intent.session_id, now)
        return False
    if intent.kind is SessionKind.GUEST:
        return await intents.keep_for_agent(tx, pending, claim_id, now)
    if await intents.restore(tx, pending, claim_id, now):
        return True
    await intents.finalize(tx, pending, claim_id, Delivery.UNKNOWN, now)
    return False
