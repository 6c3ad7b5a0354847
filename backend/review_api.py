"""The part of the front door that is about what agents may do."""

from collections.abc import Collection, Mapping
from typing import Protocol

from backend.clock import Nanoseconds
from backend.domain.gateway import Server, ServerSettings
from backend.domain.ledger import LedgerPage, ReviewPage
from backend.domain.policy import PolicyDecision, Rule, RuleScope
from backend.domain.review import Review, ReviewOutcome
from backend.ids import ClaimId, ClientId, EventId, ReviewId, RuleId, ServerId, SessionId


class ReviewApi(Protocol):
    """What agents want to do and may not do unasked."""

    async def list_open_reviews(self) -> tuple[Review, ...]:
        """Every request that waits for a decision, of all sessions, oldest first."""
        ...

    async def get_review(self, review_id: ReviewId) -> Review:
        """Raises `NotFound`."""
        ...

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
        """Choose one of the request's options, once, through the one decision transaction.

        `remember`, one of its `scopes`, makes a rule of the verdict in the same transaction: if it
        cannot be kept, nothing is decided. The rule holds for `remember_for` seconds, or without
        end; where one that says the same holds already, the later end of both. `reason` is why
        it is declined, for the agent as well.
        `claim_token` is fresh for each new attempt and the same for a retry of it.

        Raises:
            InvalidInput: no such option, or nothing like it may be remembered; names the field.
            NotFound: no such request.
            Conflict: `not_active`, it can no longer be decided, or was decided otherwise.
            TemporarilyUnavailable: not known to be decided; retry is safe.
        """
        ...

    async def list_closed_reviews(
        self, *, after: ReviewId | None = None, limit: int = 100
    ) -> ReviewPage:
        """What nobody can decide any more; `after` is the last of the page before."""
        ...


class RuleApi(Protocol):
    """Rules that decide calls without asking, and the record of every decision."""

    async def list_rules(self) -> tuple[Rule, ...]:
        """Those that hold first, newest first; then those that were revoked or have expired."""
        ...

    async def revoke_rule(self, rule_id: RuleId, *, reason: str = "") -> Rule:
        """It matches nothing from now on, and stays in the list. Revoking twice changes nothing.

        Raises `NotFound`.
        """
        ...

    async def set_rule_expiry(self, rule_id: RuleId, expires_at: Nanoseconds | None) -> Rule:
        """Let a rule that holds end at this moment, or None: hold until it is revoked (T5.4).

        Raises:
            NotFound: no such rule.
            Conflict: `not_active`, it holds no more; what is to be allowed again is asked about.
            InvalidInput: the moment has passed or is too far ahead; names the field.
        """
        ...

    async def list_covered(self, rule_id: RuleId) -> tuple[Review, ...]:
        """Open requests the rule would have decided, had it been there before them.

        Raises `NotFound`.
        """
        ...

    async def settle_covered(
        self, rule_id: RuleId, review_ids: Collection[ReviewId], *, client_id: ClientId
    ) -> tuple[Review, ...]:
        """Decide these as the rule says, because the human has confirmed them; those it covers no
        longer are left as they are. Returns them as they are then.
        """
        ...

    async def ledger(
        self,
        *,
        session_id: SessionId | None = None,
        review_id: ReviewId | None = None,
        after: EventId | None = None,
        limit: int = 200,
    ) -> LedgerPage: ...


class GatewayApi(Protocol):
    """Servers whose tools agents reach through this desk."""

    async def list_servers(self) -> tuple[Server, ...]: ...

    async def save_server(self, settings: ServerSettings, secrets: Mapping[str, str]) -> Server:
        """Add a server, or change the one of this id, and read its tools.

        `secrets` has the values of `settings.secrets` that are new; they are never read back.

        Raises:
            InvalidInput: names the field and the limit.
            Conflict: another server has the name.
            StorageFailed: the secrets cannot be kept.
        """
        ...

    async def remove_server(self, server_id: ServerId) -> None:
        """Its open requests are cancelled; what it did stays in the record. Raises `NotFound`."""
        ...

    async def refresh_server(self, server_id: ServerId) -> Server:
        """Connect and read its tools again. Raises `NotFound`."""
        ...

    async def set_tool_policy(
        self, server_id: ServerId, tool: str, policy: PolicyDecision, *, definition_digest: str
    ) -> Server:
        """Say what agents may do with a tool as it is defined now.

        Raises:
            NotFound: no such server or tool.
            InvalidInput: a destructive tool can be denied or asked about, never allowed unasked.
            Conflict: its definition is another one by now.
        """
        ...
