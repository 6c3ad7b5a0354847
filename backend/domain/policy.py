"""Which calls of agents are allowed, refused, or put before their human (T5.4).

Deny always wins, an unknown tool asks, and what destroys is asked about every time.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from backend.clock import Nanoseconds
from backend.ids import AgentKey, ReviewId, RuleId, ServerId


class PolicyDecision(StrEnum):
    ALLOW = "allow"
    ASK = "ask"
    DENY = "deny"


class Risk(StrEnum):
    READ = "read"
    WRITE = "write"
    DESTRUCTIVE = "destructive"


class RuleScope(StrEnum):
    """How much of what was reviewed a rule remembers; it is always of one agent in one folder."""

    THIS_CALL = "this_call"
    """The same tool with the same arguments."""
    THIS_TOOL = "this_tool"
    """The same tool, whatever its arguments."""


@dataclass(frozen=True, slots=True)
class CallFacts:
    """What rules look at; all of it told in structured fields, nothing of it written by a model.

    `action_digest` is empty where two calls cannot be compared: no rule is made of such a call, and
    none for exact arguments matches it. `server_id` is None for the agent's own tools.
    """

    workspace_id: str
    agent: AgentKey
    folder: str
    tool_name: str
    risk: Risk
    action_digest: str = ""
    server_id: ServerId | None = None
    definition_digest: str = ""
    """Of the tool's description and schema, where a server tells them."""


@dataclass(frozen=True, slots=True)
class Rule:
    """Made by a human, with a verdict or on its own; revoked rules are kept and match nothing."""

    rule_id: RuleId
    workspace_id: str
    decision: PolicyDecision
    scope: RuleScope
    agent: AgentKey
    agent_name: str
    folder: str
    tool_name: str
    sample: str
    """What was reviewed, in one line, for the list of rules."""
    created_at: Nanoseconds
    action_digest: str = ""
    server_id: ServerId | None = None
    definition_digest: str = ""
    made_by: ReviewId | None = None
    expires_at: Nanoseconds | None = None
    revoked_at: Nanoseconds | None = None
    revoked_because: str = ""
    hits: int = 0
    last_hit_at: Nanoseconds | None = None

    def holds(self, now: Nanoseconds) -> bool:
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)


LONGEST_RULE: Final = 10 * 366 * 86_400.0
"""Seconds for which a rule with an end may hold."""


@dataclass(frozen=True, slots=True)
class Ruling:
    """What is done with a call, and why: `reason` is a code for the ledger."""

    decision: PolicyDecision
    reason: str
    rule_id: RuleId | None = None


BY_RULE: Final = "rule"
BY_DEFAULT: Final = "default"
DESTRUCTIVE_ASKS: Final = "destructive_asks"
RULE_UNREADABLE: Final = "rule_unreadable"
CHANGED_TOOL: Final = "requires_review_changed_tool"


def rule_on(
    facts: CallFacts, rules: Iterable[Rule], now: Nanoseconds, *, default: PolicyDecision
) -> Ruling:
    """Decide a call; `default` is the policy of its tool.

    A rule that denies wins over everything, then a default that denies, then a rule that allows.
    A rule that asks says what nobody can read any more: its human decides. A rule of a definition
    that has changed since matches no call that is to be allowed.
    """
    matching = [rule for rule in rules if rule.holds(now) and matches(rule, facts)]
    denying = next((rule for rule in matching if rule.decision is PolicyDecision.DENY), None)
    if denying is not None:
        return Ruling(PolicyDecision.DENY, BY_RULE, denying.rule_id)
    if default is PolicyDecision.DENY:
        return Ruling(PolicyDecision.DENY, BY_DEFAULT)
    if any(rule.decision is PolicyDecision.ASK for rule in matching):
        return Ruling(PolicyDecision.ASK, RULE_UNREADABLE)
    if facts.risk is Risk.DESTRUCTIVE:
        return Ruling(PolicyDecision.ASK, DESTRUCTIVE_ASKS)
    allowing = [rule for rule in matching if rule.decision is PolicyDecision.ALLOW]
    current = [rule for rule in allowing if rule.definition_digest == facts.definition_digest]
    if current:
        return Ruling(PolicyDecision.ALLOW, BY_RULE, current[0].rule_id)
    if allowing:
        return Ruling(PolicyDecision.ASK, CHANGED_TOOL)
    return Ruling(default, BY_DEFAULT)


def matches(rule: Rule, facts: CallFacts) -> bool:
    """Whether the rule is about this call, whatever its tool's definition is by now."""
    if (rule.workspace_id, rule.agent, rule.folder, rule.server_id, rule.tool_name) != (
        facts.workspace_id,
        facts.agent,
        facts.folder,
        facts.server_id,
        facts.tool_name,
    ):
        return False
    if rule.scope is RuleScope.THIS_TOOL:
        return True
    return bool(rule.action_digest) and rule.action_digest == facts.action_digest


def scopes_offered(facts: CallFacts) -> tuple[RuleScope, ...]:
    """What "Always allow" may remember of a call, the narrowest first.

    Nothing of what destroys. A whole tool only where a server defines it: an agent's own tools,
    such as its shell, do anything.
    """
    return () if facts.risk is Risk.DESTRUCTIVE else decline_scopes_offered(facts)


def decline_scopes_offered(facts: CallFacts) -> tuple[RuleScope, ...]:
    """What "Decline always" may remember of a call, of what destroys as well."""
    if not facts.tool_name:
        return ()
    exact = (RuleScope.THIS_CALL,) if facts.action_digest else ()
    whole = (RuleScope.THIS_TOOL,) if facts.server_id else ()
    return exact + whole
