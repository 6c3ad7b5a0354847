"""Settling answers that were claimed and not yet delivered: at start, and while running."""

import logging
from collections.abc import Callable
from typing import Final

from backend.clarification.delivery import GuestDelivery
from backend.clock import Clock, Deadline, sleep
from backend.errors import AppError, ErrorCode, StorageFailed
from backend.events import Event
from backend.ids import ClaimId, PendingId
from backend.store import intents
from backend.store.database import Database

RETRY_DELAYS: Final = (1.0, 5.0, 30.0, 300.0)
"""Seconds between tries to settle an answer in the running desk; the last repeats."""

_START_BUDGET: Final = 15.0

_log = logging.getLogger(__name__)


async def recover(
    database: Database,
    clock: Clock,
    publish: Callable[[Event], None],  # noqa: ARG001
) -> int:
    """Keep every answer the last run claimed and did not deliver for its agent (K5.7 step 2).

    Runs before any door opens, and writes only if there is one: another program that locks the
    store must not hold up a start or a command that finds nothing to settle. Returns how many
    answers were kept.

    Raises:
        StorageFailed: a claimed row cannot be settled; the start stops and names it.
        TemporarilyUnavailable: another program keeps the store locked.
    """
    kept = 0
    async with database.reading(Deadline(clock, _START_BUDGET)) as tx:
        if not await intents.list_intents(tx):
            return 0
    async with database.writing(Deadline(clock, _START_BUDGET)) as tx:
        for intent in await intents.list_intents(tx):
            if intent.claim_id is None:
                raise StorageFailed(
                    ErrorCode.STORE_INVALID_ROW,
                    f"question {intent.pending_id} was answered by a claim that is not recorded",
                    row=intent.pending_id,
                )
            if await intents.keep_for_agent(tx, intent.pending_id, intent.claim_id, clock.now()):
                kept += 1
    if kept:
        _log.info("kept %d answer(s) of the last run for their agents", kept)
    return kept


class DeliveryReconciler:
    """Tries again to store where a claimed answer goes, when that failed or took too long."""

    def __init__(self, *, clock: Clock, delivery: GuestDelivery) -> None:
        self._clock = clock
        self._delivery = delivery

    async def settle(self, pending_id: PendingId, claim_id: ClaimId) -> None:
        """Return once the answer is kept for its agent, or was settled by somebody else."""
        attempt = 0
        while True:
            await sleep(self._clock, RETRY_DELAYS[min(attempt, len(RETRY_DELAYS) - 1)])
            attempt += 1
            try:
                await self._delivery.keep(pending_id, claim_id)
            except AppError as error:
                _log.warning("answer of %s is not settled yet: %s", pending_id, error.detail)
            else:
                return
