"""A claimed answer on its way, and how long it may take."""

from dataclasses import dataclass, replace
from typing import Final

from backend.clarification.announcer import outcome_for
from backend.clock import Clock, Deadline
from backend.domain.clarification import (
    Answer,
    Answered,
    Bundle,
    BundleQuestion,
    BundleStatus,
    Delivery,
    ResponseOutcome,
    Skipped,
)
from backend.ids import ClaimId, ClientId, MessageId, PendingId, QuestionId
from backend.store.claim_rows import Claim

PRE_CLAIM_BUDGET: Final = 5.0
DELIVERY_BUDGET: Final = 30.0
COMPENSATION_BUDGET: Final = 4.0
COMMIT_GRACE: Final = 2.0
"""Seconds after the deadline in which the result of a COMMIT that has started still counts."""
REREAD_BUDGET: Final = 2.0
"""Seconds for a look at what became of a write without a result."""
ANSWER_BUDGET: Final = PRE_CLAIM_BUDGET + DELIVERY_BUDGET + COMPENSATION_BUDGET
"""Within this the caller has an answer, whatever hangs (clarification.md, Budgets)."""


class ResponseBudget:
    """The deadlines of one attempt to respond, counted from its start."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.total = Deadline(clock, ANSWER_BUDGET)
        self.pre_claim = Deadline(clock, PRE_CLAIM_BUDGET)

    def delivery(self) -> Deadline:
        """Leaves room for the compensation, however long the claim took."""
        left = self.total.remaining() - COMPENSATION_BUDGET
        return Deadline(self._clock, max(0.0, min(DELIVERY_BUDGET, left)))

    def compensation(self) -> Deadline:
        return Deadline(self._clock, COMPENSATION_BUDGET)


@dataclass(frozen=True, slots=True)
class ClaimedAnswer:
    """A claim that is durable, and the bundle as it was just before."""

    claim: Claim
    bundle: Bundle
    kept: bool = False
    """It waits for its agent already, and does so again when it cannot be given."""

    @property
    def pending_id(self) -> PendingId:
        return self.claim.pending_id

    @property
    def message_ids(self) -> tuple[MessageId, ...]:
        """The rows that were claimed: those that were pending, in the order of the questions."""
        return tuple(
            item.message_id for item in self.bundle.questions if item.status is BundleStatus.PENDING
        )

    @property
    def rows(self) -> tuple[BundleQuestion, ...]:
        """Every question of the bundle as the claim has left it."""
        outcome = self.claim.outcome
        skipped = isinstance(outcome, Skipped)
        status = BundleStatus.REJECTED if skipped else BundleStatus.ANSWERED
        given = {} if isinstance(outcome, Skipped) else by_question(outcome.answers)
        return tuple(
            replace(item, status=status, answer=given.get(item.question.id))
            if item.status is BundleStatus.PENDING
            else item
            for item in self.bundle.questions
        )

    @property
    def answers(self) -> tuple[Answer, ...]:
        return tuple(row.answer for row in self.rows if row.answer is not None)

    def outcome(self, delivery: Delivery) -> ResponseOutcome:
        """What the winner is told, without another look at the store."""
        outcome, rows = self.claim.outcome, self.rows
        winners = (BundleStatus.ANSWERED, BundleStatus.REJECTED)
        claimed = replace(
            self.bundle,
            questions=rows,
            status=next(row.status for row in rows if row.status in winners),
            delivery=delivery,
            responded_at=self.claim.now,
            reject_reason=outcome.reason if isinstance(outcome, Skipped) else "",
        )
        return outcome_for(claimed, claimed=True)


def kept_answer(bundle: Bundle) -> ClaimedAnswer:
    """The answer that waits in this bundle, as it was when it was claimed."""
    answers = tuple(item.answer for item in bundle.questions if item.answer is not None)
    claim = Claim(
        pending_id=bundle.pending_id,
        outcome=Answered(answers),
        claim_id=bundle.claim_id or ClaimId(""),
        client_id=ClientId(""),
        payload_digest="",
        now=bundle.responded_at or bundle.updated_at,
    )
    asked = tuple(
        replace(item, status=BundleStatus.PENDING) if item.status is BundleStatus.ANSWERED else item
        for item in bundle.questions
    )
    return ClaimedAnswer(claim, replace(bundle, questions=asked), kept=True)


def by_question(answers: tuple[Answer, ...]) -> dict[QuestionId, Answer]:
    return {answer.question_id: answer for answer in answers}
