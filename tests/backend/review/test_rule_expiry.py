"""How long what a human has said once and for all holds (T5.4)."""

import math

import pytest

from backend.clock import Nanoseconds
from backend.domain.policy import LONGEST_RULE, Rule, RuleScope
from backend.errors import Conflict, InvalidInput, NotFound
from backend.events import RuleChanged
from backend.ids import RuleId
from tests.helpers.reviewing import ReviewDesk, make_asked

EXACT = RuleScope.THIS_CALL
HOUR = 3_600.0


async def always(desk: ReviewDesk, seconds: float | None) -> Rule:
    """Allow a call for so long, and go on once its agent has been told."""
    waiting, review = await desk.ask_one()
    outcome = await desk.decide(review, "once", remember=EXACT, remember_for=seconds)
    assert await waiting == "once"
    found = {rule.rule_id: rule for rule in await desk.reviews.rules.list_rules()}
    assert outcome.review.rule_id is not None
    return found[outcome.review.rule_id]


def near(moment: Nanoseconds | None, wanted: Nanoseconds) -> bool:
    """The clock of a test moves a little at each look."""
    return moment is not None and abs(moment - wanted) < 1_000_000_000


def at(desk: ReviewDesk, seconds: float) -> Nanoseconds:
    return Nanoseconds(desk.clock.now() + int(seconds * 1e9))


async def test_a_rule_holds_for_as_long_as_was_said_and_not_longer(desk: ReviewDesk) -> None:
    rule = await always(desk, HOUR)
    assert near(rule.expires_at, at(desk, HOUR))
    await desk.clock.advance(HOUR - 1)
    assert await desk.ask(make_asked("b")) == "once"
    await desk.clock.advance(2)
    waiting, review = await desk.ask_one()
    await desk.decide(review, "no")
    assert await waiting == "no"


async def test_without_a_length_it_holds_until_it_is_revoked(desk: ReviewDesk) -> None:
    assert (await always(desk, None)).expires_at is None
    await desk.clock.advance(100 * 24 * HOUR)
    assert await desk.ask(make_asked("b")) == "once"


@pytest.mark.parametrize("seconds", [0.0, -1.0, math.nan, math.inf, LONGEST_RULE + 1])
async def test_a_length_that_is_none_decides_nothing(desk: ReviewDesk, seconds: float) -> None:
    waiting, review = await desk.ask_one()
    with pytest.raises(InvalidInput) as refused:
        await desk.decide(review, "once", remember=EXACT, remember_for=seconds)
    assert refused.value.params["field"] == "remember_for"
    assert not waiting.done()
    await desk.decide(review, "no")


async def test_a_length_of_nothing_that_is_remembered_is_refused(desk: ReviewDesk) -> None:
    _, review = await desk.ask_one()
    with pytest.raises(InvalidInput):
        await desk.decide(review, "once", remember_for=HOUR)
    await desk.decide(review, "no")


async def test_its_end_can_be_set_later_and_taken_back(desk: ReviewDesk) -> None:
    rule = await always(desk, None)
    rules = desk.reviews.rules
    ends = at(desk, HOUR)
    assert (await rules.set_rule_expiry(rule.rule_id, ends)).expires_at == ends
    assert (await rules.set_rule_expiry(rule.rule_id, None)).expires_at is None
    assert (await rules.set_rule_expiry(rule.rule_id, ends)).expires_at == ends
    changed = [each.rule.expires_at for each in desk.events if isinstance(each, RuleChanged)]
    assert changed == [None, ends, None, ends]
    written = [row for row in desk.ledger() if row[0] == "trust_rule_changed"]
    assert len(written) == 3
    await desk.clock.advance(HOUR)
    _, review = await desk.ask_one()
    await desk.decide(review, "no")


async def test_a_rule_that_holds_no_more_is_not_brought_back(desk: ReviewDesk) -> None:
    """What is to be allowed again is put before its human again."""
    rules = desk.reviews.rules
    rule = await always(desk, HOUR)
    await desk.clock.advance(HOUR + 1)
    with pytest.raises(Conflict):
        await rules.set_rule_expiry(rule.rule_id, None)
    again = await always(desk, None)
    await rules.revoke_rule(again.rule_id)
    with pytest.raises(Conflict):
        await rules.set_rule_expiry(again.rule_id, at(desk, HOUR))
    with pytest.raises(NotFound):
        await rules.set_rule_expiry(RuleId("none"), None)


@pytest.mark.parametrize("seconds", [0.0, -1.0, LONGEST_RULE + 1])
async def test_an_end_that_has_passed_or_is_too_far_changes_nothing(
    desk: ReviewDesk, seconds: float
) -> None:
    rule = await always(desk, None)
    with pytest.raises(InvalidInput):
        await desk.reviews.rules.set_rule_expiry(rule.rule_id, at(desk, seconds))
    (kept,) = await desk.reviews.rules.list_rules()
    assert kept.expires_at is None


async def test_of_two_equal_rules_the_later_end_holds(desk: ReviewDesk) -> None:
    """Two cards of equal calls, each with its length: nobody has narrowed the other."""
    one, other = desk.ask(make_asked("a")), desk.ask(make_asked("b"))
    first, second = await desk.opened(2)
    await desk.decide(first, "once", remember=EXACT, remember_for=HOUR)
    await desk.decide(second, "once", remember=EXACT, remember_for=2 * HOUR)
    assert await one == await other == "once"
    (rule,) = await desk.reviews.rules.list_rules()
    assert near(rule.expires_at, at(desk, 2 * HOUR))
