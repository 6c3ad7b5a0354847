"""Permissions of a fake desk: what is asked, decided and taken back, as a test wants it."""

import itertools
from collections.abc import Callable
from dataclasses import replace

from backend.clock import Nanoseconds
from backend.domain.agents import PermissionOption, ToolCallChange, ToolKind
from backend.domain.ledger import ReviewPage
from backend.domain.policy import RuleScope
from backend.domain.review import Door, Review, ReviewOutcome, ReviewStatus, Verdict, verdict_of
from backend.errors import AppError, Conflict, ErrorCode, InvalidInput, NotFound
from backend.events import Event, ReviewChanged, ReviewOpened
from backend.ids import ClaimId, ClientId, MessageId, ReviewId, RuleId, SessionId, TurnId

OPTIONS = (
    PermissionOption("once", "Yes, proceed", "allow_once"),
    PermissionOption(
        "always",
        "Yes, and don't ask again for commands that start with `npm run build`",
        "allow_always",
    ),
    PermissionOption("no", "No, and tell Codex what to do differently", "reject_once"),
)
_numbers = itertools.count(1)


def make_review(
    session: str = "s1",
    *,
    command: str = "npm run build",
    options: tuple[PermissionOption, ...] = OPTIONS,
    call: ToolCallChange | None = None,
    at: int = 1_790_000_000_000_000_000,
    **parts: object,
) -> Review:
    number = next(_numbers)
    asked = call or ToolCallChange(
        f"call-{number}",
        title=command,
        kind=ToolKind.EXECUTE,
        raw_input={"command": command, "cwd": "/home/ada/shop", "description": "Build the shop"},
    )
    values: dict[str, object] = {
        "review_id": ReviewId(f"review-{number}"),
        "session_id": SessionId(session),
        "turn_id": TurnId("t1"),
        "message_id": MessageId(f"message-{number}"),
        "agent_name": "Codex",
        "folder": "/home/ada/shop",
        "call": asked,
        "options": options,
        "status": ReviewStatus.PENDING,
        "asked_at": Nanoseconds(at + number),
        **parts,
    }
    return Review(**values)  # type: ignore[arg-type]


class FakeReviews:
    """Implements `ReviewApi`. `failures` are raised by the next decisions, one each.

    A rule that is made with a verdict covers every other open request with the same arguments.
    """

    def __init__(self, publish: Callable[[Event], None]) -> None:
        self._publish = publish
        self._reviews: dict[ReviewId, Review] = {}
        self.decisions: list[tuple[ReviewId, str, ClaimId]] = []
        self.remembered: dict[ReviewId, RuleScope] = {}
        self.remembered_for: dict[ReviewId, float | None] = {}
        self.failures: list[AppError] = []

    def ask(self, review: Review | None = None) -> Review:
        asked = review or make_review()
        self._reviews[asked.review_id] = asked
        self._publish(ReviewOpened(asked))
        return asked

    def all(self) -> tuple[Review, ...]:
        return tuple(self._reviews.values())

    def change(self, review: Review, status: ReviewStatus, **parts: object) -> Review:
        """Something else than this window has ended it, or it was carried out."""
        changed = replace(review, status=status, **parts)  # type: ignore[arg-type]
        self._reviews[review.review_id] = changed
        self._publish(ReviewChanged(changed))
        return changed

    async def list_open_reviews(self) -> tuple[Review, ...]:
        return tuple(
            review for review in self._reviews.values() if review.status is ReviewStatus.PENDING
        )

    async def get_review(self, review_id: ReviewId) -> Review:
        if review_id not in self._reviews:
            raise NotFound(ErrorCode.NOT_FOUND, "no such request")
        return self._reviews[review_id]

    async def decide(
        self,
        review_id: ReviewId,
        option_id: str,
        *,
        client_id: ClientId,
        claim_token: ClaimId,
        remember: RuleScope | None = None,
        remember_for: float | None = None,
        reason: str = "",
    ) -> ReviewOutcome:
        del client_id
        self.decisions.append((review_id, option_id, claim_token))
        if self.failures:
            raise self.failures.pop(0)
        review = await self.get_review(review_id)
        if review.status is not ReviewStatus.PENDING:
            raise Conflict(ErrorCode.NOT_ACTIVE, "decided", status=review.status.value)
        option = review.option(option_id)
        allowed = option is not None and verdict_of(option) is Verdict.ALLOW
        offered = review.scopes if allowed else review.decline_scopes
        if remember is not None and remember not in offered:
            raise InvalidInput(ErrorCode.INVALID, "it is not offered", field="remember")
        decided = replace(
            review,
            status=ReviewStatus.APPROVED if allowed else ReviewStatus.DECLINED,
            chosen=option_id,
            decided_at=review.asked_at,
            door=Door.WINDOW.value,
            rule_id=None if remember is None else RuleId(f"rule-{review_id}"),
            reason="" if allowed else reason,
        )
        self._reviews[review_id] = decided
        if remember is not None:
            self.remembered[review_id] = remember
            self.remembered_for[review_id] = remember_for
        self._publish(ReviewChanged(decided))
        return ReviewOutcome(decided, winner=True, covered=self.covered_by(decided))

    async def list_closed_reviews(
        self, *, after: ReviewId | None = None, limit: int = 100
    ) -> ReviewPage:
        closed = [
            review for review in self._reviews.values() if review.status is not ReviewStatus.PENDING
        ]
        closed.sort(key=lambda review: (review.asked_at, review.review_id), reverse=True)
        ids = [review.review_id for review in closed]
        start = 0 if after is None else ids.index(after) + 1
        page = closed[start : start + limit]
        more = len(closed) > start + limit
        return ReviewPage(tuple(page), page[-1].review_id if more else None)

    def covered_by(self, decided: Review) -> tuple[Review, ...]:
        if decided.rule_id is None:
            return ()
        return tuple(
            review
            for review in self._reviews.values()
            if review.status is ReviewStatus.PENDING
            and review.call.raw_input == decided.call.raw_input
        )
