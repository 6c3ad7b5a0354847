"""Rules of a fake desk, what they cover, and the record, as a test wants it."""

import itertools
from collections.abc import Callable, Collection
from dataclasses import replace

from backend.clock import Nanoseconds
from backend.domain.ledger import LedgerEntry, LedgerPage
from backend.domain.policy import PolicyDecision, Rule, RuleScope
from backend.domain.review import Door, Review, ReviewStatus, Verdict, verdict_of
from backend.errors import Conflict, ErrorCode, NotFound
from backend.events import Event, RuleChanged
from backend.ids import AgentKey, ClientId, EventId, ReviewId, RuleId, SessionId
from tests.helpers.clock import START
from tests.helpers.fake_calls import FakeCalls
from tests.helpers.fake_reviews import FakeReviews

_numbers = itertools.count(1)


def make_rule(name: str = "", **parts: object) -> Rule:
    number = next(_numbers)
    values: dict[str, object] = {
        "rule_id": RuleId(name or f"rule-{number}"),
        "workspace_id": "w1",
        "decision": PolicyDecision.ALLOW,
        "scope": RuleScope.THIS_CALL,
        "agent": AgentKey("codex"),
        "agent_name": "Codex",
        "folder": "/home/ada/shop",
        "tool_name": "shell",
        "sample": "npm run build",
        "created_at": Nanoseconds(START + number),
        "action_digest": "digest",
        **parts,
    }
    return Rule(**values)  # type: ignore[arg-type]


def make_entry(event_type: str = "approval_requested", **parts: object) -> LedgerEntry:
    number = next(_numbers)
    values: dict[str, object] = {
        "event_id": EventId(f"event-{number:04}"),
        "event_type": event_type,
        "at": Nanoseconds(START + number),
        "session_id": SessionId("s1"),
        "actor": "agent",
        "tool_name": "shell",
        **parts,
    }
    return LedgerEntry(**values)  # type: ignore[arg-type]


class FakeRules(FakeCalls):
    """Implements `RuleApi`. A rule made with a verdict covers what `FakeReviews` says it does."""

    def __init__(self, reviews: FakeReviews, publish: Callable[[Event], None]) -> None:
        super().__init__()
        self._reviews = reviews
        self._publish = publish
        self.rules: dict[RuleId, Rule] = {}
        self.entries: list[LedgerEntry] = []
        self.settled: list[tuple[RuleId, frozenset[ReviewId]]] = []
        self.now = Nanoseconds(START)

    def add(self, *rules: Rule) -> None:
        for rule in rules:
            self.rules[rule.rule_id] = rule
            self._publish(RuleChanged(rule))

    def record(self, *entries: LedgerEntry) -> None:
        self.entries.extend(entries)

    async def list_rules(self) -> tuple[Rule, ...]:
        await self._enter("list_rules")
        newest = sorted(self.rules.values(), key=lambda rule: rule.created_at, reverse=True)
        return tuple(sorted(newest, key=lambda rule: not rule.holds(self.now)))

    async def revoke_rule(self, rule_id: RuleId, *, reason: str = "") -> Rule:
        await self._enter("revoke_rule")
        rule = self._rule(rule_id)
        if rule.revoked_at is None:
            self.add(replace(rule, revoked_at=self.now, revoked_because=reason))
        return self.rules[rule_id]

    async def set_rule_expiry(self, rule_id: RuleId, expires_at: Nanoseconds | None) -> Rule:
        await self._enter("set_rule_expiry")
        rule = self._rule(rule_id)
        if not rule.holds(self.now):
            raise Conflict(ErrorCode.NOT_ACTIVE, "the rule holds no more")
        self.add(replace(rule, expires_at=expires_at))
        return self.rules[rule_id]

    async def list_covered(self, rule_id: RuleId) -> tuple[Review, ...]:
        await self._enter("list_covered")
        made_by = next(
            (each for each in self._reviews.all() if each.rule_id == rule_id),
            None,
        )
        if made_by is None:
            raise _not_found("rule")
        return self._reviews.covered_by(made_by)

    async def settle_covered(
        self, rule_id: RuleId, review_ids: Collection[ReviewId], *, client_id: ClientId
    ) -> tuple[Review, ...]:
        await self._enter("settle_covered")
        del client_id
        self.settled.append((rule_id, frozenset(review_ids)))
        made_by = next(each for each in self._reviews.all() if each.rule_id == rule_id)
        allowed = made_by.verdict is Verdict.ALLOW
        wanted = Verdict.ALLOW if allowed else Verdict.DECLINE
        for review in self._reviews.covered_by(made_by):
            if review.review_id in review_ids:
                option = next(each for each in review.options if verdict_of(each) is wanted)
                self._reviews.change(
                    review,
                    ReviewStatus.APPROVED if allowed else ReviewStatus.DECLINED,
                    chosen=option.id,
                    door=Door.RULE.value,
                )
        found = {each.review_id: each for each in self._reviews.all()}
        return tuple(found[review_id] for review_id in review_ids)

    async def ledger(
        self,
        *,
        session_id: SessionId | None = None,
        review_id: ReviewId | None = None,
        after: EventId | None = None,
        limit: int = 200,
    ) -> LedgerPage:
        await self._enter("ledger")
        found = [
            entry
            for entry in sorted(self.entries, key=lambda each: each.event_id, reverse=True)
            if session_id in (None, entry.session_id) and review_id in (None, entry.review_id)
        ]
        ids = [entry.event_id for entry in found]
        start = 0 if after is None else ids.index(after) + 1
        page = found[start : start + limit]
        more = len(found) > start + limit
        return LedgerPage(tuple(page), page[-1].event_id if more else None)

    def _rule(self, rule_id: RuleId) -> Rule:
        if rule_id not in self.rules:
            raise _not_found("rule")
        return self.rules[rule_id]


def _not_found(what: str) -> NotFound:
    return NotFound(ErrorCode.NOT_FOUND, f"no such {what}")
