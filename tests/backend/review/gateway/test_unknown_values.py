"""Rows that say what this desk does not know, of a newer desk or a damaged store.

Each is still listed, keeps no start and no other row from its way, and lets nothing run.
"""

import asyncio

import pytest

from backend.domain.policy import RULE_UNREADABLE, PolicyDecision, Risk, RuleScope
from backend.domain.review import RECORD_UNREADABLE, Review, ReviewStatus
from backend.errors import AppError
from backend.review.gateway.calls import OpenedCall
from backend.review.gateway.results import ReplyKind
from backend.review.recovery import recover
from tests.helpers.gateway_case import GatewayCase
from tests.helpers.waiting import until


async def damaged(case: GatewayCase, column: str, value: str = "of another kind") -> OpenedCall:
    """One request with that value, and a sound one after it."""
    await case.add()
    opened = await case.open(path="a")
    await case.open(path="b")
    case.run(
        f"UPDATE tool_action_requests SET {column} = ? WHERE id = ?",  # noqa: S608
        value,
        opened.review_id,
    )
    return opened


async def started_again(case: GatewayCase) -> GatewayCase:
    await case.dies()
    await recover(case.parts.database, case.clock)
    return await case.again()


async def listed(case: GatewayCase) -> list[Review]:
    closed = await case.reviews.list_closed_reviews()
    return [*await case.reviews.list_open_reviews(), *closed.reviews]


async def test_an_unknown_risk_counts_as_the_greatest(case: GatewayCase) -> None:
    opened = await damaged(case, "risk_level")
    after = await started_again(case)
    assert len(await listed(after)) == 2
    found = await after.review(opened)
    assert (found.risk, found.scopes, found.status) == (Risk.DESTRUCTIVE, (), ReviewStatus.PENDING)


async def test_what_nobody_knows_who_carries_it_out_is_cancelled_at_a_start(
    case: GatewayCase,
) -> None:
    opened = await damaged(case, "owner")
    assert len(await listed(case)) == 1
    with pytest.raises(AppError):
        await case.decide(opened)
    after = await started_again(case)
    assert (await after.review(opened)).status is ReviewStatus.CANCELLED
    assert len(await listed(after)) == 2
    assert case.downstream.calls == []


async def test_an_unknown_status_is_shown_as_unknown_and_decided_by_nobody(
    case: GatewayCase,
) -> None:
    opened = await damaged(case, "status")
    after = await started_again(case)
    found = await after.review(opened)
    assert (found.status, found.error) == (ReviewStatus.OUTCOME_UNKNOWN, RECORD_UNREADABLE)
    assert len(await listed(after)) == 2
    with pytest.raises(AppError):
        await after.decide(opened)
    assert after.status(opened.review_id) == "of another kind"


async def test_options_nobody_can_read_offer_nothing_and_expire(case: GatewayCase) -> None:
    opened = await damaged(case, "options", "{")
    after = await started_again(case)
    assert (await after.review(opened)).options == ()
    with pytest.raises(AppError):
        await after.decide(opened)
    after.reviews.expiry.start()
    await after.clock.advance(3_601)
    await after.becomes(opened, "expired")


@pytest.mark.parametrize("column", ["decision", "scope"])
async def test_a_rule_nobody_can_read_is_listed_and_asks(case: GatewayCase, column: str) -> None:
    """T5.4: it neither allows nor forbids, whatever it was; its human decides and can revoke it."""
    server = await case.add()
    opened = await case.open(path="a")
    await case.decide(opened, remember=RuleScope.THIS_TOOL)
    await case.becomes(opened, "executed")
    await case.set_policy(server, "write", PolicyDecision.ALLOW)
    case.run(f"UPDATE tool_policies SET {column} = 'of another kind'")  # noqa: S608
    (rule,) = await case.reviews.rules.list_rules()
    assert rule.decision is PolicyDecision.ASK
    asked = await case.open(path="b")
    assert asked.asks
    reasons = [row["reason_code"] for row in case.table("tool_call_events")]
    assert RULE_UNREADABLE in reasons
    await case.reviews.rules.revoke_rule(rule.rule_id)
    assert not (await case.open(path="c")).asks


async def test_a_policy_nobody_can_read_asks(case: GatewayCase) -> None:
    server = await case.add()
    await case.set_policy(server, "write", PolicyDecision.ALLOW)
    case.run("UPDATE mcp_server_tools SET policy = 'of another kind'")
    after = await case.again()
    assert (await after.open(path="a")).asks


async def test_a_call_a_rule_allowed_ends_at_a_start_whoever_it_says_carries_it_out(
    case: GatewayCase,
) -> None:
    server = await case.add()
    await case.set_policy(server, "write", PolicyDecision.ALLOW)
    case.downstream.gate = asyncio.Event()
    opened = await case.open(path="a")
    await until(lambda: case.downstream.calls)
    await case.dies()
    case.run("UPDATE tool_invocations SET owner = 'of another kind'")
    await recover(case.parts.database, case.clock)
    after = await case.again()
    assert (await after.reply(opened)).kind is ReplyKind.UNKNOWN
