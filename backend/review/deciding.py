"""The one decision of a permission, whatever becomes of its COMMIT (T5)."""

import logging
from dataclasses import dataclass
from typing import Final

from backend.clock import Deadline
from backend.domain.digest import same_digest, signed_digest
from backend.domain.review import (
    Door,
    Owner,
    Review,
    ReviewOutcome,
    ReviewStatus,
    Verdict,
    verdict_of,
)
from backend.errors import (
    AppError,
    Conflict,
    ErrorCode,
    InvalidInput,
    NotFound,
    StorageFailed,
    TemporarilyUnavailable,
)
from backend.ids import ClaimId, ClientId, ReviewId
from backend.review.announcing import ReviewAnnouncer
from backend.review.parts import WRITE_BUDGET, ReviewParts
from backend.review.waiting import WaitingCall, WaitingCalls
from backend.store import review_outcomes, reviews
from backend.store.database import Priority, Transaction
from backend.store.locks import lock_sessions
from backend.work.budget import abandon, finished_by, within

DECISION_BUDGET: Final = 5.0
"""Seconds until it is decided, or not known to be."""
COMMIT_GRACE: Final = 2.0
"""Seconds after the deadline in which the result of a COMMIT that has started still counts."""
REREAD_BUDGET: Final = 2.0
INVALIDATED: Final = "action_request_invalidated"
NO_OPTION: Final = ""
"""Declines where the agent offers no option that does; it is told `cancelled`."""

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Attempt:
    decision: review_outcomes.Decision
    seen: reviews.Stored
    written: bool = False
    """Only COMMIT is left."""


class Deciding:
    """Decides at most once; a retry is always safe."""

    def __init__(
        self, parts: ReviewParts, waiting: WaitingCalls, announcer: ReviewAnnouncer
    ) -> None:
        self._parts = parts
        self._waiting = waiting
        self._announcer = announcer

    async def decide(
        self, review_id: ReviewId, option_id: str, client_id: ClientId, claim_token: ClaimId
    ) -> ReviewOutcome:
        """Raises as `ReviewApi.decide`; goes on to its end when the caller is cancelled."""
        deciding = self._decide(review_id, option_id, client_id, claim_token)
        return await self._parts.supervisor.run_to_end(deciding, name="decide permission")

    async def _decide(
        self, review_id: ReviewId, option_id: str, client_id: ClientId, claim_token: ClaimId
    ) -> ReviewOutcome:
        deadline = Deadline(self._parts.clock, DECISION_BUDGET)
        seen = await self._in_time(deadline, review_id)
        verdict = _verdict(seen.review, option_id)
        if seen.review.status is not ReviewStatus.PENDING:
            return _established(seen, option_id, claim_token, self._waiting.find(review_id))
        call = self._waiting.find(review_id)
        if seen.review.owner is Owner.AGENT and (call is None or call.answer.done()):
            raise _not_active(seen.review, "the agent does not wait for it any more")
        decision = review_outcomes.Decision(
            review_id=review_id,
            option_id=option_id,
            status="approved" if verdict is Verdict.ALLOW else "rejected",
            claim_id=claim_token,
            client_id=client_id,
            door=Door.WINDOW,
            now=self._parts.clock.now(),
        )
        await self._write(_Attempt(decision, seen), deadline)
        try:
            stored = await self._in_time(Deadline(self._parts.clock, REREAD_BUDGET), review_id)
        except TemporarilyUnavailable:
            self._look_later(review_id)
            raise
        if call is not None:
            _tell_agent(call, stored)
        await self._announcer.tell(review_id)
        return _established(stored, option_id, claim_token, call)

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
            by_agent = attempt.seen.review.owner is Owner.AGENT
            if by_agent and not self._waiting.is_open(attempt.decision.review_id):
                return
            await tx.in_place(lambda tx: self._claim(tx, attempt))

    async def _claim(self, tx: Transaction, attempt: _Attempt) -> None:
        decision = attempt.decision
        stored = await reviews.find(tx, decision.review_id)
        if stored is None or stored.status != "pending":
            return
        if not same_digest(signed_digest(self._parts.signing_key, stored.signed), stored.digest):
            await review_outcomes.cancel(tx, stored, INVALIDATED, decision.now)
        else:
            await review_outcomes.decide(tx, stored, decision)
        attempt.written = True

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
    elif stored.review.status is ReviewStatus.CANCELLED:
        call.close(INVALIDATED)


def _established(
    stored: reviews.Stored, option_id: str, claim_token: ClaimId, call: WaitingCall | None
) -> ReviewOutcome:
    """What an attempt is told: its own decision, or the one that holds.

    Raises:
        Conflict: `not_active`, it was decided otherwise, or its agent waited no more.
    """
    review = stored.review
    if review.decided_at is None or review.status is ReviewStatus.CANCELLED:
        raise _not_active(review, "nobody waits for a decision any more")
    if review.chosen != option_id:
        raise _not_active(review, "it was decided otherwise")
    if call is not None and call.reason:
        raise _not_active(review, "the agent stopped waiting before it was told")
    return ReviewOutcome(review, winner=stored.claim_id == claim_token)


def _verdict(review: Review, option_id: str) -> Verdict:
    option = review.option(option_id)
    if option is not None:
        return verdict_of(option)
    can_decline = any(verdict_of(each) is Verdict.DECLINE for each in review.options)
    if option_id != NO_OPTION or can_decline:
        raise InvalidInput(ErrorCode.INVALID, "no such option is offered", field="option_id")
    return Verdict.DECLINE


def _not_active(review: Review, detail: str) -> Conflict:
    return Conflict(ErrorCode.NOT_ACTIVE, detail, status=review.status.value, option=review.chosen)


def _unavailable() -> TemporarilyUnavailable:
    return TemporarilyUnavailable(
        ErrorCode.TEMPORARILY_UNAVAILABLE, "not known to be decided; the same may be sent again"
    )
