"""Reviews of a desk that runs for one command: no agent waits there."""

from backend.domain.review import Review, ReviewOutcome
from backend.errors import Conflict, ErrorCode, NotFound
from backend.ids import ClaimId, ClientId, ReviewId


class NoReviews:
    """Implements `backend.review_api.ReviewApi`."""

    async def list_open_reviews(self) -> tuple[Review, ...]:
        return ()

    async def get_review(self, review_id: ReviewId) -> Review:
        raise NotFound(ErrorCode.NOT_FOUND, "no such request is open here")

    async def decide(
        self, review_id: ReviewId, option_id: str, *, client_id: ClientId, claim_token: ClaimId
    ) -> ReviewOutcome:
        raise Conflict(ErrorCode.NOT_ACTIVE, "requests are decided in the window only")
