"""Settling at start what the last run left on its way, in the order of K5.7."""

import logging
from collections.abc import Callable, Coroutine
from typing import Any, Final

from backend.clarification.settling import settle_intent
from backend.clock import Clock, Deadline, Nanoseconds
from backend.domain.clarification import Delivery
from backend.errors import ErrorCode, StorageFailed
from backend.events import Event, TurnCompleted, TurnStarted
from backend.ids import TurnId
from backend.store import deliveries, intents, receipts, reservations
from backend.store.database import Database, Transaction
from backend.store.locks import lock_bundle, lock_sessions
from backend.store.reservations import ClaimedRows, Reservation, unusable_reservation

_START_BUDGET: Final = 15.0

_log = logging.getLogger(__name__)


async def recover(database: Database, clock: Clock, publish: Callable[[Event], None]) -> int:
    """Settle reserved turns, then claimed answers, then publish the events of turns again.

    Runs before any door opens, and writes only if there is something to settle: another program
    that locks the store must not hold up a start or a command that finds nothing. Each turn and
    each answer is settled in a transaction of its own; one that cannot be does not keep the
    others from it. Returns how many answers were kept or made answerable again.

    Raises:
        StorageFailed: `store_invalid_row`, rows nobody can settle; the start stops, names each
            and says what to do. They are as they were.
        TemporarilyUnavailable: another program keeps the store locked.
    """
    recovery = _Recovery(database, clock)
    await recovery.settle_reservations()
    await recovery.settle_intents()
    await recovery.replay_events(publish)
    if recovery.kept:
        _log.info("kept %d answer(s) of the last run", recovery.kept)
    if recovery.problems:
        raise StorageFailed(
            ErrorCode.STORE_INVALID_ROW,
            "; ".join(problem.detail for problem in recovery.problems),
            **recovery.problems[0].params,
        )
    return recovery.kept


class _Recovery:
    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self.kept = 0
        self.problems: list[StorageFailed] = []

    async def settle_reservations(self) -> None:
        async with self._database.reading(self._deadline()) as tx:
            reserved = await reservations.list_reserved(tx)
        for turn_id in reserved:
            await self._collect(self._settle_reservation(turn_id))

    async def settle_intents(self) -> None:
        async with self._database.reading(self._deadline()) as tx:
            found = await intents.list_intents(tx)
        for intent in found:
            await self._collect(self._settle_intent(intent))

    async def replay_events(self, publish: Callable[[Event], None]) -> None:
        async with self._database.reading(self._deadline()) as tx:
            unpublished = await reservations.list_unpublished(tx)
        for turn in unpublished:
            publish(TurnStarted(turn.session_id, turn.turn_id))
            if turn.completed:
                publish(TurnCompleted(turn.session_id, turn.turn_id))
            async with self._database.writing(self._deadline()) as tx:
                await reservations.mark_published(tx, turn.turn_id, self._clock.now())

    async def _collect(self, settling: Coroutine[Any, Any, None]) -> None:
        try:
            await settling
        except StorageFailed as error:
            if error.code is not ErrorCode.STORE_INVALID_ROW:
                raise
            self.problems.append(error)

    async def _settle_reservation(self, turn_id: TurnId) -> None:
        async with self._database.writing(self._deadline()) as tx:
            reservation = await reservations.load(tx, turn_id)
            if reservation is None:
                return
            await lock_sessions(tx, [reservation.session_id])
            intent = await _carried(tx, reservation)
            now = self._clock.now()
            if reservation.started:
                await self._accept(tx, reservation, intent, now)
            else:
                await reservations.release(tx, turn_id)
                await self._settle(tx, intent, now)

    async def _accept(
        self,
        tx: Transaction,
        reservation: Reservation,
        intent: intents.Intent | None,
        now: Nanoseconds,
    ) -> None:
        """The prompt counts as given; that the agent took it is known only from its own rows."""
        given = Delivery.DELIVERED if reservation.referenced else Delivery.UNKNOWN
        if intent is not None:
            await intents.finalize(tx, intent.pending_id, intent.claim_id, given, now)
        elif reservation.claimed is not None and given is Delivery.DELIVERED:
            # It was kept before it was given, and is on its way since the attempt.
            await deliveries.move(
                tx,
                reservation.claimed.pending_id,
                expected=Delivery.UNKNOWN,
                to=given,
                now=now,
            )
        if given is Delivery.DELIVERED:
            await receipts.arrive(tx, reservation.outcomes, now)
        await reservations.clear(tx, reservation.turn_id, now, outbox=True)

    async def _settle_intent(self, listed: intents.Intent) -> None:
        async with self._database.writing(self._deadline()) as tx:
            await lock_bundle(tx, listed.pending_id)
            if await reservations.owns_answer(tx, listed.pending_id):
                return
            intent = await intents.find(tx, listed.pending_id)
            await self._settle(tx, intent, self._clock.now())

    async def _settle(
        self, tx: Transaction, intent: intents.Intent | None, now: Nanoseconds
    ) -> None:
        if intent is not None and await settle_intent(tx, intent, now):
            self.kept += 1

    def _deadline(self) -> Deadline:
        return Deadline(self._clock, _START_BUDGET)


async def _carried(tx: Transaction, reservation: Reservation) -> intents.Intent | None:
    """The claimed answer the reserved turn carries, if it is not settled yet.

    Raises:
        StorageFailed: `store_invalid_row`, its rows are not those the reservation names.
    """
    claimed = reservation.claimed
    if claimed is None:
        return None
    if not await _names_rows(tx, reservation, claimed):
        raise unusable_reservation(
            reservation.turn_id, "names answered rows that are not of its question"
        )
    intent = await intents.find(tx, claimed.pending_id)
    if intent is None:
        return None
    if set(intent.message_ids) != set(claimed.message_ids) or not intent.sound:
        raise unusable_reservation(
            reservation.turn_id, "carries a part of its question's answered rows only"
        )
    return intent


async def _names_rows(tx: Transaction, reservation: Reservation, claimed: ClaimedRows) -> bool:
    found = await reservations.rows_of(tx, claimed.message_ids)
    return len(found) == len(claimed.message_ids) and all(
        row == (claimed.pending_id, claimed.turn_id, reservation.session_id) for row in found
    )
