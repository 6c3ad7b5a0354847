"""What becomes of calls when the desk ends between their steps (T1.2, owner=gateway)."""

import asyncio

import pytest

from backend.domain.policy import PolicyDecision
from backend.domain.review import ReviewStatus
from backend.review.gateway.results import ReplyKind
from tests.helpers.gateway_case import GatewayCase
from tests.helpers.waiting import until

HOUR = 3_600.0


async def test_a_pending_request_waits_on_and_runs_once_it_is_approved(case: GatewayCase) -> None:
    """T1.2: nothing is lost that nobody has decided."""
    await case.add()
    opened = await case.open(path="a")
    await case.dies()
    after = await case.again()
    again = await after.open(path="a")
    assert again.review_id == opened.review_id
    await after.decide(again)
    assert (await after.reply(again)).kind is ReplyKind.RAN
    assert len(case.downstream.calls) == 1


async def test_an_approved_call_nobody_has_claimed_runs_at_the_next_start(
    case: GatewayCase,
) -> None:
    """T1.2: its expiry is ahead and every check still holds."""
    await case.add()
    opened = await case.open(path="a")
    await case.approve_unheard(opened)
    await case.dies()
    after = await case.again()
    await after.becomes(opened, "executed")
    assert case.downstream.calls == [("write", {"path": "a"})]


async def test_an_approved_call_whose_hour_is_over_expires_at_the_next_start(
    case: GatewayCase,
) -> None:
    await case.add()
    opened = await case.open(path="a")
    await case.approve_unheard(opened)
    await case.dies()
    await case.clock.advance(HOUR + 1)
    after = await case.again()
    assert after.status(opened.review_id) == "expired"
    assert (await after.review(opened)).status is ReviewStatus.EXPIRED
    assert case.downstream.calls == []


async def test_a_call_that_was_under_way_has_an_unknown_outcome_at_once_and_never_runs_again(
    case: GatewayCase,
) -> None:
    """T6.2 57."""
    await case.add()
    case.downstream.gate = asyncio.Event()
    opened = await case.open(path="a")
    await case.decide(opened)
    await until(lambda: case.downstream.calls)
    await case.dies()
    case.downstream.gate = None
    after = await case.again()
    assert (await after.review(opened)).status is ReviewStatus.OUTCOME_UNKNOWN
    reply = await after.call(path="a")
    assert reply.kind is ReplyKind.UNKNOWN
    assert len(case.downstream.calls) == 1


async def test_an_allowed_call_that_was_under_way_is_not_run_again_for_the_same_caller(
    case: GatewayCase,
) -> None:
    await case.set_policy(await case.add(), "write", PolicyDecision.ALLOW)
    case.downstream.gate = asyncio.Event()
    await case.open("files__write", "instance:1", path="a")
    await until(lambda: case.downstream.calls)
    await case.dies()
    case.downstream.gate = None
    after = await case.again()
    again = await after.open("files__write", "instance:1", path="a")
    assert (await after.reply(again)).kind is ReplyKind.UNKNOWN
    assert len(case.downstream.calls) == 1


async def test_a_result_is_told_by_its_summary_after_a_restart(case: GatewayCase) -> None:
    """T6.2 39."""
    await case.add()
    opened = await case.open(path="a")
    await case.decide(opened)
    await case.becomes(opened, "executed")
    await case.dies()
    after = await case.again()
    reply = await after.call(path="a")
    assert (reply.kind, reply.shortened) == (ReplyKind.RAN, True)
    assert reply.result is not None
    assert reply.result.content == ({"type": "text", "text": "done"},)


@pytest.mark.parametrize("times", [2])
async def test_an_approval_that_is_told_twice_runs_once(case: GatewayCase, times: int) -> None:
    """T6.2 42."""
    await case.add()
    case.downstream.gate = asyncio.Event()
    opened = await case.open(path="a")
    await case.decide(opened)
    assert opened.review_id is not None
    for _ in range(times):
        await case.reviews.tell(opened.review_id)
    case.downstream.gate.set()
    await case.becomes(opened, "executed")
    assert len(case.downstream.calls) == 1


@pytest.mark.parametrize("approved", [False, True])
async def test_what_waits_for_a_server_that_was_removed_is_cancelled_at_the_next_start(
    case: GatewayCase,
    approved: bool,  # noqa: FBT001
) -> None:
    """The desk ended between the two: nobody is left with a card that nobody can carry out."""
    await case.add()
    opened = await case.open(path="a")
    if approved:
        await case.approve_unheard(opened)
    case.run("DELETE FROM mcp_servers")
    await case.dies()
    after = await case.again()
    review = await after.review(opened)
    assert (review.status, review.reason) == (ReviewStatus.CANCELLED, "server_removed")
    assert await after.reviews.list_open_reviews() == ()
    assert case.downstream.calls == []
