"""The one decision of a permission, whatever becomes of its COMMIT (T5)."""

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from backend.clock import Deadline
from backend.domain.digest import same_digest, signed_digest
from backend.domain.permission_answer import declining, once
from backend.domain.policy import PolicyDecision, Rule
from backend.domain.review import Door, Owner, Review, ReviewOutcome, ReviewStatus, Verdict
from backend.errors import (
    AppError,
    Conflict,
    ErrorCode,
    NotFound,
    StorageFailed,
    TemporarilyUnavailable,
)
from backend.events import RuleChanged
from backend.ids import ClaimId, ClientId, ReviewId, RuleId, new_id
from backend.review.announcing import ReviewAnnouncer
from backend.review.choosing import NO_OPTION, Choice, Remembering, choose, rule_of
from backend.review.parts import WRITE_BUDGET, ReviewParts
from backend.review.ruling import count_hit, rule_call
from backend.review.siblings import covered_by
from backend.review.waiting import WaitingCall, WaitingCalls
from backend.store import policies, review_outcomes, reviews, rule_events
from backend.store.database import Priority, Transaction
from backend.store.locks import lock_sessions
from backend.work.budget import abandon, finished_by, within

DECISION_BUDGET: Final = 5.0
"""Seconds until it is decided, or not known to be."""
COMMIT_GRACE: Final = 2.0
"""Seconds after the deadline in which the result of a COMMIT that has started still counts."""
REREAD_BUDGET: Final = 2.0
INVALIDATED: Final = "action_request_invalidated"

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Attempt:
    decision: review_outcomes.Decision
    choice: Choice
    seen: reviews.Stored
    written: bool = False
    """Only COMMIT is left."""
    refused: str = ""
    """Why nothing was written, and it is open still."""
    rule: Rule | None = None


class Deciding:
    """Decides at most once; a retry is always safe."""

    def __init__(
        self, parts: ReviewParts, waiting: WaitingCalls, announcer: ReviewAnnouncer
    ) -> None:
        self._parts = parts
        self._waiting = waiting
        self._announcer = announcer

    async def decide(
        self,
        review_id: ReviewId,
        option_id: str,
        client_id: ClientId,
        claim_token: ClaimId,
        *,
        remember: Remembering | None = None,
        reason: str = "",
    ) -> ReviewOutcome:
        """Raises as `ReviewApi.decide`; goes on to its end when the caller is cancelled."""

        def chosen(review: Review) -> Choice:
            return choose(review, option_id, remember, reason)

        deciding = self._decide(review_id, chosen, client_id, claim_token)
        return await self._parts.supervisor.run_to_end(deciding, name="decide permission")

    async def follow(
        self, review_id: ReviewId, rule: Rule, client_id: ClientId, claim_token: ClaimId
    ) -> ReviewOutcome:
        """Decide as the rule says, which the human has confirmed. Raises as `decide`."""

        def chosen(review: Review) -> Choice:
            allows = rule.decision is PolicyDecision.ALLOW
            told = once(review.options) if allows else declining(review.options)
            choice = choose(review, NO_OPTION if told is None else told.id, None, "")
            return replace(choice, because=rule.rule_id)

        deciding = self._decide(review_id, chosen, client_id, claim_token)
        return await self._parts.supervisor.run_to_end(deciding, name="decide permission")

    async def _decide(
        self,
        review_id: ReviewId,
        chosen: Callable[[Review], Choice],
        client_id: ClientId,
        claim_token: ClaimId,
    ) -> ReviewOutcome:
        deadline = Deadline(self._parts.clock, DECISION_BUDGET)
        seen = await self._in_time(deadline, review_id)
        if seen.review.status is ReviewStatus.PENDING and not self.is_open(seen.review):
            # Who has answered it since it was read has written that down before.
            seen = await self._in_time(deadline, review_id)
        choice = chosen(seen.review)
        call = self._waiting.find(review_id)
        if seen.review.status is not ReviewStatus.PENDING:
            return _established(seen, choice, claim_token, call)
        if not self.is_open(seen.review):
            raise _not_active(seen.review, "the agent does not wait for it any more")
        decision = review_outcomes.Decision(
            review_id=review_id,
            option_id=choice.option_id,
            status="approved" if choice.verdict is Verdict.ALLOW else "rejected",
            claim_id=claim_token,
            client_id=client_id,
            door=Door.WINDOW,
            now=self._parts.clock.now(),
            reason=choice.reason,
            rule_id=choice.because,
        )
        attempt = _Attempt(decision, choice, seen)
        await self._write(attempt, deadline)
        if attempt.refused:
            raise Conflict(ErrorCode.NOT_ACTIVE, attempt.refused, status="pending", option="")
        try:
            stored = await self._in_time(Deadline(self._parts.clock, REREAD_BUDGET), review_id)
        except TemporarilyUnavailable:
            self._look_later(review_id)
            raise
        if call is not None:
            _tell_agent(call, stored)
        if attempt.rule is not None and stored.review.rule_id == attempt.rule.rule_id:
            self._parts.bus.publish(RuleChanged(attempt.rule))
        await self._announcer.tell(review_id)
        outcome = _established(stored, choice, claim_token, call)
        if choice.remember is None:
            return outcome
        return replace(outcome, covered=await self._covered(stored.review.rule_id))

    async def _covered(self, rule_id: RuleId | None) -> tuple[Review, ...]:
        """Best effort: what was decided stands, and the list can be read again."""
        try:
            async with self._parts.database.reading(
                Deadline(self._parts.clock, REREAD_BUDGET)
            ) as tx:
                rule = None if rule_id is None else await policies.find(tx, rule_id)
                now = self._parts.clock.now()
                return () if rule is None else await covered_by(tx, rule, now, self.is_open)
        except AppError as error:
            _log.warning("what a rule covers is not known now: %s", error.detail)
            return ()

    def is_open(self, review: Review) -> bool:
        """What this desk carries out itself needs nobody who waits (T8.3)."""
        return review.owner is Owner.GATEWAY or self._waiting.is_open(review.review_id)

    async def _in_time(self, deadline: Deadline, review_id: ReviewId) -> reviews.Stored:
        try:
            return await within(deadline, self._read(review_id, deadline))
        except TimeoutError:
            raise _unavailable() from None

    async def _read(self, review_id: ReviewId, deadline: Deadline) -> reviews.Stored:
        async with self._parts.database.reading(deadline) as tx:
            stored = await tx.in_place(lambda tx: reviews.find(tx, review_id))
        if stored is None:
            raise NotFound(ErrorCode.NOT_FOUND, "no such request")
        return stored

    async def _write(self, attempt: _Attempt, deadline: Deadline) -> None:
        """Decide, unless somebody has; what holds can be read once it returns.

        Raises:
            TemporarilyUnavailable: not known to be decided; should it turn out that it was, the
                agent is told.
        """
        running = self._parts.supervisor.start(self._run(attempt, deadline), name="decide")
        try:
            done = await finished_by(deadline, running)
            if not done and attempt.written:
                done = await finished_by(Deadline(self._parts.clock, COMMIT_GRACE), running)
        finally:
            abandon(running)
        error = running.exception() if done else None
        if done and error is None:
            return
        lost = error if isinstance(error, TemporarilyUnavailable | StorageFailed) else None
        if error is not None and (lost is None or not attempt.written):
            raise error
        if not attempt.written:
            raise _unavailable()
        if not await self._holds(attempt.decision):
            # A COMMIT that is still under way may make it true after this look.
            self._look_later(attempt.decision.review_id)
            raise lost or _unavailable()

    async def _holds(self, decision: review_outcomes.Decision) -> bool:
        try:
            deadline = Deadline(self._parts.clock, REREAD_BUDGET)
            stored = await self._in_time(deadline, decision.review_id)
        except AppError:
            return False
        return stored.claim_id == decision.claim_id

    async def _run(self, attempt: _Attempt, deadline: Deadline) -> None:
        async with self._parts.database.writing(deadline, priority=Priority.CLAIM) as tx:
            await lock_sessions(tx, [attempt.seen.review.session_id])
            if self.is_open(attempt.seen.review):
                await tx.in_place(lambda tx: self._claim(tx, attempt))

    async def _claim(self, tx: Transaction, attempt: _Attempt) -> None:
        decision = attempt.decision
        stored = await reviews.find(tx, decision.review_id)
        if stored is None or stored.status != "pending":
            return
        if not same_digest(signed_digest(self._parts.signing_key, stored.signed), stored.digest):
            await review_outcomes.cancel(tx, stored, INVALIDATED, decision.now)
        elif over := await self._over(tx, stored):
            await review_outcomes.expire(tx, stored, over, decision.now)
        elif await self._is_ruled_out(tx, stored, attempt.choice):
            attempt.refused = "a rule or the policy of its tool denies it by now"
            return
        else:
            await self._settle(tx, stored, attempt)
        attempt.written = True

    async def _over(self, tx: Transaction, stored: reviews.Stored) -> str:
        """Why nobody can decide it any more, by the store's clock; empty while somebody can."""
        expires = stored.review.expires_at
        if expires is not None and expires <= await self._parts.store_now(tx):
            return review_outcomes.EXPIRED
        if expires is None and stored.review.owner is Owner.GATEWAY:
            return review_outcomes.EXPIRED
        closed = await reviews.is_closed(tx, stored.review.session_id)
        return review_outcomes.CLOSED if closed else ""

    async def _is_ruled_out(self, tx: Transaction, stored: reviews.Stored, choice: Choice) -> bool:
        """Whether what is to be allowed is denied by now (T5.2)."""
        if choice.verdict is not Verdict.ALLOW:
            return False
        now = self._parts.clock.now()
        ruled = await rule_call(tx, stored.facts, self._parts.default_policy, now)
        return ruled.ruling.decision is PolicyDecision.DENY

    async def _settle(self, tx: Transaction, stored: reviews.Stored, attempt: _Attempt) -> None:
        """The verdict and its rule, or neither (T5.1)."""
        decision, choice = attempt.decision, attempt.choice
        wanted = rule_of(choice, stored.review, stored.facts, decision.now)
        if wanted is not None:
            made = replace(wanted, rule_id=RuleId(new_id()))
            attempt.rule = await policies.keep(tx, made, decision.client_id)
            decision = replace(decision, rule_id=attempt.rule.rule_id)
            if attempt.rule.rule_id == made.rule_id:
                await rule_events.record_made(tx, made, stored, decision)
        elif choice.because is not None:
            rule = await policies.find(tx, choice.because)
            attempt.rule = await count_hit(tx, rule, decision.now)
            await rule_events.record_used(tx, stored, decision)
        await review_outcomes.decide(tx, stored, decision)

    def _look_later(self, review_id: ReviewId, failures: int = 0) -> None:
        self._parts.worker.try_again(
            f"look at permission {review_id}",
            failures,
            lambda: self._look(review_id, failures + 1),
        )

    async def _look(self, review_id: ReviewId, failures: int) -> None:
        """What became of a decision whose COMMIT had no result; its agent may be told by now."""
        try:
            # A COMMIT under way has ended when the next transaction begins.
            async with self._parts.database.writing(Deadline(self._parts.clock, WRITE_BUDGET)):
                pass
            stored = await self._read(review_id, Deadline(self._parts.clock, WRITE_BUDGET))
        except AppError as error:
            _log.warning("permission %s is looked at later: %s", review_id, error.detail)
            self._look_later(review_id, failures)
            return
        call = self._waiting.find(review_id)
        if call is not None:
            _tell_agent(call, stored)
        await self._announcer.tell(review_id)


def _tell_agent(call: WaitingCall, stored: reviews.Stored) -> None:
    """What was decided, by whomever; nothing to one that waits no more."""
    if stored.review.status in {ReviewStatus.APPROVED, ReviewStatus.DECLINED}:
        call.decide(stored.review)
    elif stored.review.status in {ReviewStatus.CANCELLED, ReviewStatus.EXPIRED}:
        call.close(stored.review.reason or INVALIDATED)


def _established(
    stored: reviews.Stored, choice: Choice, claim_token: ClaimId, call: WaitingCall | None
) -> ReviewOutcome:
    """What an attempt is told: its own decision, or the one that holds.

    Raises:
        Conflict: `not_active`, it was decided otherwise, or its agent waited no more.
    """
    review = stored.review
    if review.decided_at is None or review.status in {
        ReviewStatus.CANCELLED,
        ReviewStatus.EXPIRED,
    }:
        raise _not_active(review, "nobody waits for a decision any more")
    forgotten = choice.remember is not None and review.rule_id is None
    if review.chosen != choice.option_id or forgotten:
        raise _not_active(review, "it was decided otherwise")
    if call is not None and call.reason:
        raise _not_active(review, "the agent stopped waiting before it was told")
    return ReviewOutcome(review, winner=stored.claim_id == claim_token)


def _not_active(review: Review, detail: str) -> Conflict:
    return Conflict(ErrorCode.NOT_ACTIVE, detail, status=review.status.value, option=review.chosen)


def _unavailable() -> TemporarilyUnavailable:
    return TemporarilyUnavailable(
        ErrorCode.TEMPORARILY_UNAVAILABLE, "not known to be decided; the same may be sent again"
    )
