"""Reviews and rules of a desk that runs for one command: no agent waits there."""

from collections.abc import Collection, Mapping

from backend.clock import Nanoseconds
from backend.domain.gateway import Server, ServerSettings
from backend.domain.ledger import LedgerPage, ReviewPage
from backend.domain.policy import PolicyDecision, Rule, RuleScope
from backend.domain.review import Review, ReviewOutcome
from backend.errors import Conflict, ErrorCode, NotFound
from backend.ids import ClaimId, ClientId, EventId, ReviewId, RuleId, ServerId, SessionId
from backend.review.callers import ToolCaller
from backend.review.prompt_answer import PromptAnswer, Prompted, PromptEnd


class NoReviews:
    """Implements `backend.review_api.ReviewApi`."""

    async def list_open_reviews(self) -> tuple[Review, ...]:
        return ()

    async def get_review(self, review_id: ReviewId) -> Review:
        raise NotFound(ErrorCode.NOT_FOUND, "no such request is open here")

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
        raise Conflict(ErrorCode.NOT_ACTIVE, "requests are decided in the window only")

    async def list_closed_reviews(
        self, *, after: ReviewId | None = None, limit: int = 100
    ) -> ReviewPage:
        raise _not_here()


class NoRules:
    """Implements `backend.review_api.RuleApi`."""

    async def list_rules(self) -> tuple[Rule, ...]:
        raise _not_here()

    async def revoke_rule(self, rule_id: RuleId, *, reason: str = "") -> Rule:
        raise _not_here()

    async def set_rule_expiry(self, rule_id: RuleId, expires_at: Nanoseconds | None) -> Rule:
        raise _not_here()

    async def list_covered(self, rule_id: RuleId) -> tuple[Review, ...]:
        raise _not_here()

    async def settle_covered(
        self, rule_id: RuleId, review_ids: Collection[ReviewId], *, client_id: ClientId
    ) -> tuple[Review, ...]:
        raise _not_here()

    async def ledger(
        self,
        *,
        session_id: SessionId | None = None,
        review_id: ReviewId | None = None,
        after: EventId | None = None,
        limit: int = 200,
    ) -> LedgerPage:
        raise _not_here()


class NoGateway:
    """Implements `backend.review_api.GatewayApi`."""

    async def list_servers(self) -> tuple[Server, ...]:
        raise _not_here()

    async def save_server(self, settings: ServerSettings, secrets: Mapping[str, str]) -> Server:
        raise _not_here()

    async def remove_server(self, server_id: ServerId) -> None:
        raise _not_here()

    async def refresh_server(self, server_id: ServerId) -> Server:
        raise _not_here()

    async def set_tool_policy(
        self, server_id: ServerId, tool: str, policy: PolicyDecision, *, definition_digest: str
    ) -> Server:
        raise _not_here()


class NoPrompts:
    """Implements `backend.review.prompt_door.PermissionDoor`: nobody is asked."""

    async def open(self, caller: ToolCaller, prompted: Prompted) -> PromptAnswer:
        del caller, prompted
        return PromptAnswer(PromptEnd.UNDECIDED, reason=ErrorCode.NOT_ACTIVE)


def _not_here() -> Conflict:
    return Conflict(ErrorCode.NOT_ACTIVE, "rules and the record are read in the window only")
