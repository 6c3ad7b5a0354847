"""Permissions of a fake desk: what is asked, decided and taken back, as a test wants it."""

import itertools
from collections.abc import Callable
from dataclasses import replace

from backend.clock import Nanoseconds
from backend.domain.agents import PermissionOption, ToolCallChange, ToolKind
from backend.domain.review import Door, Review, ReviewOutcome, ReviewStatus, Verdict, verdict_of
from backend.errors import AppError, Conflict, ErrorCode, NotFound
from backend.events import Event, ReviewChanged, ReviewOpened
from backend.ids import ClaimId, ClientId, MessageId, ReviewId, SessionId, TurnId

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
    """Implements `ReviewApi`. `failures` are raised by the next decisions, one each."""

    def __init__(self, publish: Callable[[Event], None]) -> None:
        self._publish = publish
        self._reviews: dict[ReviewId, Review] = {}
        self.decisions: list[tuple[ReviewId, str, ClaimId]] = []
        self.failures: list[AppError] = []

    def ask(self, review: Review | None = None) -> Review:
        asked = review or make_review()
        self._reviews[asked.review_id] = asked
        self._publish(ReviewOpened(asked))
        return asked

    def change(self, review: Review, status: ReviewStatus) -> Review:
        """Something else than this window has ended it."""
        changed = replace(review, status=status)
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
        self, review_id: ReviewId, option_id: str, *, client_id: ClientId, claim_token: ClaimId
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
        decided = replace(
            review,
            status=ReviewStatus.APPROVED if allowed else ReviewStatus.DECLINED,
            chosen=option_id,
            decided_at=review.asked_at,
            door=Door.WINDOW.value,
        )
        self._reviews[review_id] = decided
        self._publish(ReviewChanged(decided))
        return ReviewOutcome(decided, winner=True)
