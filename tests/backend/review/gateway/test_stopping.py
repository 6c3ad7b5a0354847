"""The human stops a session: what it asked for and nobody has begun never runs (T1.2)."""

import asyncio

import pytest

from backend.domain.review import STOPPED_BY_HUMAN, ReviewStatus
from backend.errors import Conflict
from backend.ids import SessionId
from backend.mcp.gateway_tools import reply_to_wire
from backend.review.gateway.results import ReplyKind
from backend.store import owed_outcomes
from tests.helpers.gateway_case import GatewayCase, S
from tests.helpers.waiting import until


async def test_what_nobody_has_decided_is_cancelled_and_approving_it_late_runs_nothing(
    case: GatewayCase,
) -> None:
    """T1.2, pending to cancelled; product.md: nothing runs by accident."""
    await case.add()
    opened = await case.open(path="a")
    waiting = asyncio.ensure_future(case.reply(opened))
    await case.reviews.permissions.cancel_stopped(S)
    reply = await waiting
    assert (reply.kind, reply.detail) == (ReplyKind.CANCELLED, STOPPED_BY_HUMAN)
    review = await case.review(opened)
    assert (review.status, review.reason) == (ReviewStatus.CANCELLED, STOPPED_BY_HUMAN)
    with pytest.raises(Conflict):
        await case.decide(opened)
    assert case.downstream.calls == []


async def test_its_agent_reads_that_its_human_has_stopped_it(case: GatewayCase) -> None:
    await case.add()
    opened = await case.open(path="a")
    await case.reviews.permissions.cancel_stopped(S)
    told = str(reply_to_wire(await case.reply(opened), opened).content)
    assert "The user stopped you before this call of files__write ran." in told
    assert STOPPED_BY_HUMAN not in told


async def test_what_was_approved_and_not_begun_is_cancelled_and_wakes_nobody(
    case: GatewayCase,
) -> None:
    """T1.2, approved to cancelled: its server is still starting."""
    await case.add()
    opened = await case.open(path="a")
    await case.approve_unheard(opened)
    await case.reviews.permissions.cancel_stopped(S)
    assert case.status(opened.review_id) == "cancelled"
    assert opened.review_id is not None
    await case.reviews.tell(opened.review_id)
    after = await case.again()
    assert after.status(opened.review_id) == "cancelled"
    assert case.downstream.calls == []
    async with case.parts.database.reading() as tx:
        assert all(not each.due for each in await owed_outcomes.list_owed(tx))


async def test_what_is_being_carried_out_goes_on_to_its_end(case: GatewayCase) -> None:
    case.downstream.gate = asyncio.Event()
    await case.add()
    opened = await case.open(path="a")
    await case.decide(opened)
    await until(lambda: case.downstream.calls)
    await case.reviews.permissions.cancel_stopped(S)
    case.downstream.gate.set()
    assert (await case.reply(opened)).kind is ReplyKind.RAN
    await case.becomes(opened, "executed")


async def test_another_session_and_a_turn_that_merely_ends_cancel_nothing(
    case: GatewayCase,
) -> None:
    await case.add()
    opened = await case.open(path="a")
    await case.reviews.permissions.cancel_stopped(SessionId("another"))
    await case.reviews.permissions.nobody_waits(S)
    assert case.status(opened.review_id) == "pending"
