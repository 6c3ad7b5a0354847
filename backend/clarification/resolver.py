"""The one way to answer a bundle: identity, validation, claim, delivery (K5.1)."""

import asyncio
from dataclasses import replace
from typing import Final

from backend.clarification.announcer import outcome_for
from backend.clarification.claimed import REREAD_BUDGET, ClaimedAnswer, ResponseBudget
from backend.clarification.claiming import Claiming
from backend.clarification.delivery import GuestDelivery
from backend.clarification.hosted_delivery import HostedDelivery
from backend.clarification.parts import Parts
from backend.clarification.phases import PhaseRecorder
from backend.clarification.settling import Settler
from backend.clock import Deadline
from backend.domain.clarification import (
    Answered,
    Bundle,
    BundleStatus,
    Outcome,
    ResponseOutcome,
    Skipped,
)
from backend.domain.digest import payload_digest
from backend.domain.hand_over import same_payload, translated_answers
from backend.domain.validation import validate_outcome
from backend.errors import AppError, Conflict, ErrorCode, TemporarilyUnavailable
from backend.ids import ClaimId, ClientId, PendingId
from backend.store import bundles, claims
from backend.work.budget import finished_by, within

ANNOUNCE_BUDGET: Final = 1.0
"""Seconds for which a caller waits until the window has heard; it is told in any case."""


class Resolver:
    """Every front door ends here; a retry is always safe (P4)."""

    def __init__(
        self,
        parts: Parts,
        *,
        claiming: Claiming,
        guests: GuestDelivery,
        hosted: HostedDelivery,
        settler: Settler,
        phases: PhaseRecorder,
    ) -> None:
        self._parts = parts
        self._claiming = claiming
        self._guests = guests
        self._hosted = hosted
        self._phases = phases
        self._settler = settler
        self._in_flight: dict[PendingId, asyncio.Task[ResponseOutcome]] = {}
        settler.ask_before(self._in_flight.__contains__)

    async def respond(
        self, pending_id: PendingId, outcome: Outcome, *, client_id: ClientId, claim_token: ClaimId
    ) -> ResponseOutcome:
        """Claim the bundle for `outcome` and deliver it, or tell what was established before.

        Goes on to its end when the caller is cancelled. Raises as `DeskApi.respond`.
        """
        return await self._parts.supervisor.run_to_end(
            self._respond(pending_id, outcome, client_id, claim_token), name="respond"
        )

    async def hand_over(
        self, pending_id: PendingId, *, client_id: ClientId, claim_token: ClaimId
    ) -> ResponseOutcome:
        """Give the stored answer of an earlier equal bundle to this one (rule 4)."""
        return await self._parts.supervisor.run_to_end(
            self._hand_over(pending_id, client_id, claim_token), name="hand over stored answer"
        )

    async def _respond(
        self, pending_id: PendingId, outcome: Outcome, client_id: ClientId, claim_token: ClaimId
    ) -> ResponseOutcome:
        budget = ResponseBudget(self._parts.clock)
        with self._phases.phase("identity", pending_id, budget.pre_claim):
            bundle = await within(budget.pre_claim, self._identify(pending_id, budget.pre_claim))
        with self._phases.phase("validation", pending_id, budget.pre_claim):
            normal = validate_outcome(bundle, outcome)
        claim = self._new_claim(pending_id, normal, client_id, claim_token)
        if bundle.status is not BundleStatus.PENDING:
            # What is established is told without a write, also where there is no room for one.
            return await self._established(claim, budget)
        return await self._resolve(claim, budget, seen=bundle)

    async def _hand_over(
        self, pending_id: PendingId, client_id: ClientId, claim_token: ClaimId
    ) -> ResponseOutcome:
        budget = ResponseBudget(self._parts.clock)
        with self._phases.phase("identity", pending_id, budget.pre_claim):
            bundle, source = await within(
                budget.pre_claim, self._identify_stored(pending_id, budget.pre_claim)
            )
        if bundle.claim_id == claim_token:
            return await self._established(
                self._new_claim(pending_id, _outcome_of(bundle), client_id, claim_token), budget
            )
        if source is None:
            raise Conflict(ErrorCode.TICKET_COLLECTED, "the earlier answer is no longer stored")
        with self._phases.phase("validation", pending_id, budget.pre_claim):
            answers = translated_answers(source, bundle)
            normal = validate_outcome(bundle, Answered(answers))
        claim = self._new_claim(pending_id, normal, client_id, claim_token)
        return await self._resolve(claim, budget, seen=bundle, taken_from=source)

    async def _resolve(
        self,
        claim: claims.Claim,
        budget: ResponseBudget,
        *,
        seen: Bundle,
        taken_from: Bundle | None = None,
    ) -> ResponseOutcome:
        with self._phases.phase("claim", claim.pending_id, budget.pre_claim):
            claimed = await self._claiming.claim(
                claim, budget.pre_claim, seen=seen, taken_from=taken_from
            )
        if claimed is None:
            return await self._established(claim, budget)
        return await self._deliver(claimed, budget)

    async def _identify(self, pending_id: PendingId, deadline: Deadline) -> Bundle:
        async with self._parts.database.reading(deadline) as tx:
            return await tx.in_place(lambda tx: bundles.require_bundle(tx, pending_id))

    async def _identify_stored(
        self, pending_id: PendingId, deadline: Deadline
    ) -> tuple[Bundle, Bundle | None]:
        async with self._parts.database.reading(deadline) as tx:
            bundle = await bundles.require_bundle(tx, pending_id)
            stored = bundle.stored_answer
            source = await bundles.load_bundle(tx, stored.pending_id) if stored else None
        return bundle, source

    def _new_claim(
        self, pending_id: PendingId, outcome: Outcome, client_id: ClientId, token: ClaimId
    ) -> claims.Claim:
        return claims.Claim(
            pending_id=pending_id,
            outcome=outcome,
            claim_id=token,
            client_id=client_id,
            payload_digest=payload_digest(outcome),
            now=self._parts.clock.now(),
        )

    async def _deliver(self, answer: ClaimedAnswer, budget: ResponseBudget) -> ResponseOutcome:
        task = self._parts.supervisor.start(self._delivered(answer, budget), name="deliver answer")
        self._in_flight[answer.pending_id] = task
        try:
            return await task
        finally:
            # A bundle that was given back may be on its way again by now.
            if self._in_flight.get(answer.pending_id) is task:
                del self._in_flight[answer.pending_id]

    async def _delivered(self, answer: ClaimedAnswer, budget: ResponseBudget) -> ResponseOutcome:
        started, allowed = self._parts.clock.monotonic(), budget.delivery()
        way = self._hosted if answer.bundle.hosted else self._guests
        ended = "cancelled"
        try:
            delivery = await way.deliver(answer, budget)
            ended = delivery.value
        except AppError as error:
            ended = error.code.value
            raise
        finally:
            self._phases.record("delivery", answer.pending_id, ended, started)
            if allowed.expired:
                self._phases.ran_out("delivery")
            # Calls that came after the claim found an answer on its way, and wait for its end.
            self._parts.waiters.look_again(answer.pending_id)
        outcome = answer.outcome(delivery)
        telling = self._parts.supervisor.start(
            self._parts.announcer.resolved(outcome), name="announce answer"
        )
        left = min(ANNOUNCE_BUDGET, budget.total.remaining())
        await finished_by(Deadline(self._parts.clock, left), telling)
        return outcome

    async def _established(self, claim: claims.Claim, budget: ResponseBudget) -> ResponseOutcome:
        """What a lost claim finds: the winner, joined while its delivery is open (K5.4)."""
        running = self._in_flight.get(claim.pending_id)
        if running is not None:
            left = max(0.0, budget.total.remaining() - REREAD_BUDGET)
            if await finished_by(Deadline(self._parts.clock, left), running):
                _raise_again(running)
        reread = Deadline(self._parts.clock, REREAD_BUDGET)
        try:
            bundle = await within(reread, self._identify(claim.pending_id, reread))
        except TimeoutError:
            raise _unavailable("the store did not answer in time") from None
        if bundle.status not in {BundleStatus.ANSWERED, BundleStatus.REJECTED}:
            if bundle.answerable:
                raise _unavailable("the question was reopened meanwhile")
            raise Conflict(ErrorCode.NOT_ACTIVE, "this question is no longer active")
        self._settler.look_soon(claim.pending_id)
        replayed = bundle.claim_id == claim.claim_id and same_payload(bundle, claim.outcome)
        outcome = outcome_for(bundle, claimed=replayed)
        return replace(outcome, replayed=replayed)


def _raise_again(ended: asyncio.Task[ResponseOutcome]) -> None:
    """A delivery that was joined and failed has failed for everyone who waits for it."""
    error = None if ended.cancelled() else ended.exception()
    if isinstance(error, AppError):
        raise type(error)(error.code, error.detail, **error.params)


def _unavailable(detail: str) -> TemporarilyUnavailable:
    return TemporarilyUnavailable(ErrorCode.TEMPORARILY_UNAVAILABLE, detail)


def _outcome_of(bundle: Bundle) -> Outcome:
    if bundle.status is BundleStatus.REJECTED:
        return Skipped(bundle.reject_reason)
    return Answered(tuple(item.answer for item in bundle.questions if item.answer))
