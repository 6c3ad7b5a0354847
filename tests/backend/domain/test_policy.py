"""Which rule decides a call (T5.4)."""

from dataclasses import replace

from backend.clock import Nanoseconds
from backend.domain.policy import (
    BY_DEFAULT,
    BY_RULE,
    CHANGED_TOOL,
    DESTRUCTIVE_ASKS,
    CallFacts,
    PolicyDecision,
    Risk,
    Rule,
    RuleScope,
    rule_on,
    scopes_offered,
)
from backend.ids import AgentKey, RuleId, ServerId

NOW = Nanoseconds(1_000)
ASK, ALLOW, DENY = PolicyDecision.ASK, PolicyDecision.ALLOW, PolicyDecision.DENY
FACTS = CallFacts(
    "w", AgentKey("codex"), "/p", "files__write", Risk.WRITE, "args", ServerId("files"), "def-1"
)
RULE = Rule(
    RuleId("r"),
    "w",
    ALLOW,
    RuleScope.THIS_TOOL,
    AgentKey("codex"),
    "Codex",
    "/p",
    "files__write",
    "",
    NOW,
    server_id=ServerId("files"),
    definition_digest="def-1",
)
DENIES = replace(RULE, rule_id=RuleId("d"), decision=DENY)


def test_a_changed_definition_asks_again() -> None:
    """T6.2 case 58: what allows does so for what was reviewed; what denies goes on denying."""
    changed = replace(FACTS, definition_digest="def-2")
    assert rule_on(FACTS, [RULE], NOW, default=ASK).decision is ALLOW
    ruling = rule_on(changed, [RULE], NOW, default=ASK)
    assert (ruling.decision, ruling.reason) == (ASK, CHANGED_TOOL)
    assert rule_on(changed, [RULE, DENIES], NOW, default=ASK).decision is DENY


def test_denying_wins_over_everything() -> None:
    """T6.2 case 58: an explicit block, by a rule or by the tool's own policy."""
    assert rule_on(FACTS, [RULE, DENIES], NOW, default=ALLOW).rule_id == DENIES.rule_id
    ruling = rule_on(FACTS, [RULE], NOW, default=DENY)
    assert (ruling.decision, ruling.reason) == (DENY, BY_DEFAULT)


def test_what_destroys_is_asked_about_whatever_a_rule_says() -> None:
    facts = replace(FACTS, risk=Risk.DESTRUCTIVE)
    ruling = rule_on(facts, [RULE], NOW, default=ALLOW)
    assert (ruling.decision, ruling.reason) == (ASK, DESTRUCTIVE_ASKS)
    assert scopes_offered(facts) == ()


def test_a_rule_ends_at_its_moment_and_with_its_revocation() -> None:
    for over in (replace(RULE, expires_at=NOW), replace(RULE, revoked_at=NOW)):
        assert rule_on(FACTS, [over], NOW, default=ASK).decision is ASK
    before = replace(RULE, expires_at=Nanoseconds(NOW + 1))
    ruling = rule_on(FACTS, [before], NOW, default=ASK)
    assert (ruling.decision, ruling.reason) == (ALLOW, BY_RULE)


def test_calls_that_cannot_be_compared_match_no_rule_of_exact_arguments() -> None:
    exact = replace(RULE, scope=RuleScope.THIS_CALL, action_digest="")
    facts = replace(FACTS, action_digest="")
    assert rule_on(facts, [exact], NOW, default=ASK).decision is ASK
