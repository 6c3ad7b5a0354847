"""The side of a permission that faces the human; decided in the window only."""

from typing import Final

from backend.clock import Deadline
from backend.domain.ledger import ReviewPage
from backend.domain.policy import RuleScope
from backend.domain.review import Review, ReviewOutcome
from backend.errors import ErrorCode, NotFound
from backend.ids import ClaimId, ClientId, ReviewId
from backend.review.announcing import ReviewAnnouncer
from backend.review.callers import Places
from backend.review.choosing import remembering
from backend.review.deciding import Deciding
from backend.review.expiry import ReviewExpiry
from backend.review.parts import ReviewParts
from backend.review.permissions import Permissions
from backend.review.prompting import Prompting
from backend.review.rules import Rules
from backend.review.settling import ReviewSettler
from backend.review.waiting import WaitingCalls
from backend.store import ledger, reviews

READ_BUDGET: Final = 5.0


class Reviews:
    """Implements `backend.review_api.ReviewApi`, and `rules` the `RuleApi` beside it.

    `permissions` is for whoever runs the agents.
    """

    def __init__(self, parts: ReviewParts) -> None:
        self._parts = parts
        self._waiting = WaitingCalls()
        announcer = ReviewAnnouncer(parts)
        self.tell = announcer.tell
        self._deciding = Deciding(parts, self._waiting, announcer)
        self._announcer = announcer
        self._settler = settler = ReviewSettler(parts, self._waiting, announcer)
        self.permissions = Permissions(parts, self._waiting, announcer, settler)
        self.rules = Rules(parts, self._deciding)
        self.expiry = ReviewExpiry(parts, self._waiting, announcer)

    def prompting(self, places: Places) -> Prompting:
        """The side that faces agents which ask over MCP."""
        return Prompting(self._parts, self._waiting, self._announcer, self._settler, places)

    async def list_open_reviews(self) -> tuple[Review, ...]:
        async with self._parts.database.reading(self._deadline()) as tx:
            found = await tx.in_place(reviews.list_pending)
        return tuple(each.review for each in found if self._deciding.is_open(each.review))

    async def get_review(self, review_id: ReviewId) -> Review:
        async with self._parts.database.reading(self._deadline()) as tx:
            stored = await tx.in_place(lambda tx: reviews.find(tx, review_id))
        if stored is None:
            raise NotFound(ErrorCode.NOT_FOUND, "no such request")
        return stored.review

    async def list_closed_reviews(
        self, *, after: ReviewId | None = None, limit: int = 100
    ) -> ReviewPage:
        async with self._parts.database.reading(self._deadline()) as tx:
            return await tx.in_place(lambda tx: ledger.closed_page(tx, after, limit))

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
        kept = remembering(remember, remember_for)
        return await self._deciding.decide(
            review_id, option_id, client_id, claim_token, remember=kept, reason=reason
        )

    def _deadline(self) -> Deadline:
        return Deadline(self._parts.clock, READ_BUDGET)
