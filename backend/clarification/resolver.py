"""The one way to answer a bundle: identity, validation, claim, delivery (K5.1)."""

import asyncio
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Final

from backend.clarification.announcer import Announcer, outcome_for
from backend.clarification.delivery import GuestDelivery
from backend.clarification.recovery import DeliveryReconciler
from backend.clarification.waiters import Waiters
from backend.clock import Clock, Deadline
from backend.domain.clarification import (
    Answered,
    Bundle,
    BundleStatus,
    Delivery,
    Outcome,
    ResponseOutcome,
    Skipped,
    Withdrawn,
)
from backend.domain.digest import payload_digest
from backend.domain.hand_over import same_payload, translated_answers
from backend.domain.validation import validate_outcome
from backend.errors import Conflict, ErrorCode, StorageFailed, TemporarilyUnavailable
from backend.ids import ClaimId, ClientId, PendingId
from backend.store import bundles, claims, deliveries, drafts, session_states, withdrawals
from backend.store.database import Database, Priority, Transaction
from backend.work.supervisor import TaskSupervisor

PRE_CLAIM_BUDGET: Final = 5.0
REREAD_BUDGET: Final = 2.0
JOIN_BUDGET: Final = 34.0

_log = logging.getLogger("clarification.response")


class Resolver:
    """Every front door ends here; a retry is always safe (P4)."""

    def __init__(
        self,
        *,
        database: Database,
        clock: Clock,
        waiters: Waiters,
        announcer: Announcer,
        delivery: GuestDelivery,
        reconciler: DeliveryReconciler,
        supervisor: TaskSupervisor,
    ) -> None:
        self._database = database
        self._clock = clock
        self._waiters = waiters
        self._announcer = announcer
        self._delivery = delivery
        self._reconciler = reconciler
        self._supervisor = supervisor
        self._in_flight: dict[PendingId, asyncio.Task[ResponseOutcome]] = {}

    async def respond(
        self, pending_id: PendingId, outcome: Outcome, *, client_id: ClientId, claim_token: ClaimId
    ) -> ResponseOutcome:
        """Claim the bundle for `outcome` and deliver it, or tell what was established before.

        Goes on to its end when the caller is cancelled. Raises as `DeskApi.respond`.
        """
        return await self._supervisor.run_to_end(
            self._respond(pending_id, outcome, client_id, claim_token), name="respond"
        )

    async def hand_over(
        self, pending_id: PendingId, *, client_id: ClientId, claim_token: ClaimId
    ) -> ResponseOutcome:
        """Give the stored answer of an earlier equal bundle to this one (rule 4)."""
        return await self._supervisor.run_to_end(
            self._hand_over(pending_id, client_id, claim_token), name="hand over stored answer"
        )

    async def _respond(
        self, pending_id: PendingId, outcome: Outcome, client_id: ClientId, claim_token: ClaimId
    ) -> ResponseOutcome:
        deadline = Deadline(self._clock, PRE_CLAIM_BUDGET)
        with self._phase("identity", pending_id):
            bundle = await self._identify(pending_id, deadline)
        with self._phase("validation", pending_id):
            normal = validate_outcome(bundle, outcome)
        claim = self._new_claim(pending_id, normal, client_id, claim_token)
        with self._phase("claim", pending_id):
            claimed = await self._claim(claim, deadline)
        if claimed:
            return await self._deliver(claim)
        return await self._established(claim)

    async def _hand_over(
        self, pending_id: PendingId, client_id: ClientId, claim_token: ClaimId
    ) -> ResponseOutcome:
        deadline = Deadline(self._clock, PRE_CLAIM_BUDGET)
        async with self._database.reading(deadline) as tx:
            bundle = await bundles.require_bundle(tx, pending_id)
            stored = bundle.stored_answer
            source = await bundles.load_bundle(tx, stored.pending_id) if stored else None
        if bundle.claim_id == claim_token:
            return await self._established(
                self._new_claim(pending_id, _outcome_of(bundle), client_id, claim_token)
            )
        if stored is None or source is None:
            raise Conflict(ErrorCode.TICKET_COLLECTED, "the earlier answer is no longer stored")
        answers = translated_answers(source, bundle)
        normal = validate_outcome(bundle, Answered(answers))
        claim = self._new_claim(pending_id, normal, client_id, claim_token)
        if await self._claim(claim, deadline, taken_from=source):
            return await self._deliver(claim)
        return await self._established(claim)

    async def _identify(self, pending_id: PendingId, deadline: Deadline) -> Bundle:
        async with self._database.reading(deadline) as tx:
            return await bundles.require_bundle(tx, pending_id)

    def _new_claim(
        self, pending_id: PendingId, outcome: Outcome, client_id: ClientId, token: ClaimId
    ) -> claims.Claim:
        return claims.Claim(
            pending_id=pending_id,
            outcome=outcome,
            claim_id=token,
            client_id=client_id,
            payload_digest=payload_digest(outcome),
            now=self._clock.now(),
        )

    async def _claim(
        self, claim: claims.Claim, deadline: Deadline, *, taken_from: Bundle | None = None
    ) -> bool:
        """One transaction: claim, close what this answer makes obsolete, drop the draft."""
        obsolete: PendingId | None = None
        try:
            async with self._database.writing(deadline, priority=Priority.CLAIM) as tx:
                stored = await bundles.load_bundle(tx, claim.pending_id)
                before = self._announcer.live(stored) if stored else None
                claimed = before is not None and await claims.claim(tx, claim)
                if claimed and before is not None:
                    obsolete = await self._retire_older(tx, before, claim, taken_from)
                    await drafts.delete(tx, claim.pending_id)
                    await session_states.refresh(tx, before.session_id, claim.now)
        except TemporarilyUnavailable:
            # COMMIT may have happened although its result is not known.
            if not await self._holds(claim):
                raise
            claimed = True
        if claimed and obsolete is not None:
            self._waiters.look_again(obsolete)
            self._supervisor.start(self._tell_obsolete(obsolete), name="announce obsolete")
        return claimed

    async def _retire_older(
        self,
        tx: Transaction,
        bundle: Bundle,
        claim: claims.Claim,
        taken_from: Bundle | None,
    ) -> PendingId | None:
        """Rule 4: a fresh answer replaces a stored one and withdraws an equal open question."""
        stored = bundle.stored_answer
        if stored is not None and stored.delivery is Delivery.WAITING_FOR_AGENT:
            await deliveries.move(
                tx,
                stored.pending_id,
                expected=Delivery.WAITING_FOR_AGENT,
                to=Delivery.REPLACED,
                now=claim.now,
                replaced_by=claim.pending_id,
            )
        if taken_from is not None and (
            stored is None or stored.pending_id != taken_from.pending_id
        ):
            raise Conflict(ErrorCode.TICKET_COLLECTED, "the earlier answer is no longer stored")
        if taken_from is not None and stored is not None and stored.delivery != taken_from.delivery:
            raise Conflict(
                ErrorCode.TICKET_COLLECTED, "the earlier call has collected the answer meanwhile"
            )
        older = bundle.asked_again_of
        if older is None:
            return stored.pending_id if stored else None
        await withdrawals.withdraw(
            tx, older, Withdrawn.REPLACED, claim.now, replaced_by=claim.pending_id
        )
        return older

    async def _tell_obsolete(self, pending_id: PendingId) -> None:
        bundle = await self._identify(pending_id, Deadline(self._clock, REREAD_BUDGET))
        if bundle.status is BundleStatus.CANCELLED:
            await self._announcer.changed(pending_id)
        else:
            await self._announcer.moved_on(pending_id)

    async def _holds(self, claim: claims.Claim) -> bool:
        async with self._database.reading(Deadline(self._clock, REREAD_BUDGET)) as tx:
            bundle = await bundles.load_bundle(tx, claim.pending_id)
        return bundle is not None and bundle.claim_id == claim.claim_id

    async def _deliver(self, claim: claims.Claim) -> ResponseOutcome:
        task = self._supervisor.start(self._delivered(claim), name="deliver answer")
        self._in_flight[claim.pending_id] = task
        try:
            return await task
        finally:
            del self._in_flight[claim.pending_id]

    async def _delivered(self, claim: claims.Claim) -> ResponseOutcome:
        with self._phase("delivery", claim.pending_id):
            try:
                delivery = await self._delivery.deliver(claim)
            except (TemporarilyUnavailable, StorageFailed):
                # The answer is durable; only where it goes is not.
                delivery = Delivery.UNKNOWN
        if delivery in {Delivery.UNKNOWN, Delivery.PENDING}:
            self._supervisor.start(self._settle_later(claim), name="settle answer", repeats=True)
        bundle = await self._identify(claim.pending_id, Deadline(self._clock, REREAD_BUDGET))
        outcome = replace(outcome_for(bundle, claimed=True), delivery=delivery)
        await self._announcer.resolved(outcome)
        return outcome

    async def _settle_later(self, claim: claims.Claim) -> None:
        """What outlives its budget goes on in the background and ends in `BundleResolved`."""
        await self._reconciler.settle(claim.pending_id, claim.claim_id)
        await self._announcer.moved_on(claim.pending_id)

    async def _established(self, claim: claims.Claim) -> ResponseOutcome:
        """What a lost claim finds: the winner, joined while its delivery is open (K5.4)."""
        running = self._in_flight.get(claim.pending_id)
        if running is not None:
            await asyncio.wait({running}, timeout=JOIN_BUDGET)
        bundle = await self._identify(claim.pending_id, Deadline(self._clock, REREAD_BUDGET))
        if bundle.status not in {BundleStatus.ANSWERED, BundleStatus.REJECTED}:
            raise Conflict(ErrorCode.NOT_ACTIVE, "this question is no longer active")
        replayed = bundle.claim_id == claim.claim_id and same_payload(bundle, claim.outcome)
        outcome = outcome_for(bundle, claimed=replayed)
        return replace(outcome, replayed=replayed)

    @contextmanager
    def _phase(self, phase: str, pending_id: PendingId) -> Iterator[None]:
        started = self._clock.monotonic()
        outcome = "ok"
        try:
            yield
        except BaseException as error:
            outcome = type(error).__name__
            raise
        finally:
            _log.info(
                "clarification.response.phase",
                extra={
                    "phase": phase,
                    "duration_ms": round((self._clock.monotonic() - started) * 1000, 3),
                    "outcome": outcome,
                    "driver": self._database.dialect.value,
                    "pending_id": pending_id,
                },
            )


def _outcome_of(bundle: Bundle) -> Outcome:
    if bundle.status is BundleStatus.REJECTED:
        return Skipped(bundle.reject_reason)
    return Answered(tuple(item.answer for item in bundle.questions if item.answer))
