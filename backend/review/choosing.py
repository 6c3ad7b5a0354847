"""What a human has chosen of what a card offers, and what its agent is told of it (T8.4)."""

from dataclasses import dataclass
from typing import Final

from backend.clock import Nanoseconds
from backend.domain.permission_answer import ALLOW_ALWAYS, ALLOW_ONCE, allowing, declining
from backend.domain.policy import LONGEST_RULE, CallFacts, PolicyDecision, Rule, RuleScope
from backend.domain.review import Review, Verdict, verdict_of
from backend.domain.validation import check_text
from backend.errors import ErrorCode, InvalidInput
from backend.ids import RuleId
from backend.store.review_rows import one_line

MAX_REASON: Final = 2_000
NO_OPTION: Final = ""
"""Declines where the agent offers no option that does; it is told `cancelled`."""


@dataclass(frozen=True, slots=True)
class Choice:
    """`option_id` is what the agent is told; the verdict is the human's."""

    option_id: str
    verdict: Verdict
    remember: RuleScope | None = None
    remember_for: float | None = None
    """Seconds for which the rule holds; None without end."""
    reason: str = ""
    because: RuleId | None = None
    """The rule it follows, which the human has confirmed for this request."""


@dataclass(frozen=True, slots=True)
class Remembering:
    """What is to be remembered of a verdict, and for how many seconds; None without end."""

    scope: RuleScope
    seconds: float | None = None


def remembering(scope: RuleScope | None, seconds: float | None) -> Remembering | None:
    """Raises `InvalidInput`, which names the field."""
    if seconds is not None and (scope is None or not 0.0 < seconds <= LONGEST_RULE):
        raise _not_offered("remember_for")
    return None if scope is None else Remembering(scope, seconds)


def choose(review: Review, option_id: str, kept: Remembering | None, reason: str) -> Choice:
    """What it comes to; a rule stays ours, so that the agent is told of this once only.

    Raises:
        InvalidInput: it is not offered; names the field.
    """
    verdict = _verdict(review, option_id)
    check_text("reason", reason, MAX_REASON)
    if reason and verdict is Verdict.ALLOW:
        raise _not_offered("reason")
    if kept is None:
        return Choice(option_id, verdict, reason=reason.strip())
    remember, seconds = kept.scope, kept.seconds
    if verdict is Verdict.DECLINE:
        told = declining(review.options)
        if remember not in review.decline_scopes:
            raise _not_offered("remember")
        option_id = NO_OPTION if told is None else told.id
        return Choice(option_id, verdict, remember, seconds, reason.strip())
    told, chosen = allowing(review.options), review.option(option_id)
    known = chosen is not None and chosen.kind in {ALLOW_ONCE, ALLOW_ALWAYS}
    if remember not in review.scopes or told is None or not known:
        raise _not_offered("remember")
    return Choice(told.id, verdict, remember, seconds)


def rule_of(choice: Choice, review: Review, facts: CallFacts, now: Nanoseconds) -> Rule | None:
    """The rule that is made with the verdict, without its id."""
    if choice.remember is None:
        return None
    seconds = choice.remember_for
    exact = choice.remember is RuleScope.THIS_CALL
    allows = choice.verdict is Verdict.ALLOW
    return Rule(
        rule_id=RuleId(""),
        workspace_id=facts.workspace_id,
        decision=PolicyDecision.ALLOW if allows else PolicyDecision.DENY,
        scope=choice.remember,
        agent=facts.agent,
        agent_name=review.agent_name,
        folder=facts.folder,
        tool_name=facts.tool_name,
        sample=one_line(review.call),
        created_at=now,
        action_digest=facts.action_digest if exact else "",
        server_id=facts.server_id,
        definition_digest=facts.definition_digest,
        made_by=review.review_id,
        expires_at=None if seconds is None else Nanoseconds(now + int(seconds * 1e9)),
    )


def _verdict(review: Review, option_id: str) -> Verdict:
    option = review.option(option_id)
    if option is not None:
        return verdict_of(option)
    can_decline = any(verdict_of(each) is Verdict.DECLINE for each in review.options)
    if option_id != NO_OPTION or can_decline:
        raise _not_offered("option_id")
    return Verdict.DECLINE


def _not_offered(field: str) -> InvalidInput:
    return InvalidInput(ErrorCode.INVALID, "it is not offered", field=field)
