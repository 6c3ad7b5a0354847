"""What becomes of calls nobody was asked about, and what an agent tells of what its tools return.

T1.2 and T8.3, owner=agent.
"""

import asyncio

from backend.domain.agents import ToolStatus, ToolText
from backend.domain.policy import RuleScope
from backend.review.recovery import recover
from tests.helpers.faults import Fault
from tests.helpers.reviewing import ReviewDesk, S, make_asked
from tests.helpers.waiting import until


async def allow_always(desk: ReviewDesk) -> None:
    waiting, review = await desk.ask_one()
    await desk.decide(review, "once", remember=RuleScope.THIS_CALL)
    assert await waiting == "once"
    desk.tool_ended()
    await desk.becomes("executed")


async def ruled(desk: ReviewDesk, call_id: str = "call-2") -> None:
    """A call that a rule allows, and its agent is told so."""
    await allow_always(desk)
    assert await desk.ask(make_asked(call_id)) == "once"


def last(desk: ReviewDesk) -> tuple[str, str, str]:
    row = desk.table("tool_invocations")[-1]
    return str(row["status"]), str(row["error_code"]), str(row["result_summary"] or "")


async def ends_as(desk: ReviewDesk, *wanted: str) -> None:
    await until(lambda: last(desk) == wanted)


async def test_the_end_of_an_allowed_call_is_written_once_with_its_result(
    desk: ReviewDesk,
) -> None:
    await ruled(desk)
    assert last(desk) == ("executing", "", "")
    desk.tool_ended(call_id="call-2", raw_output={"exit": 0})
    desk.tool_ended(ToolStatus.FAILED, call_id="call-2")
    await ends_as(desk, "succeeded", "", '{"exit": 0}')
    assert desk.ledger()[-1] == ("call_completed", "success", "")
    assert desk.ledger().count(("call_completed", "success", "")) == 2
    assert desk.table("tool_invocations")[-1]["completed_at"]


async def test_an_allowed_call_that_fails_says_so(desk: ReviewDesk) -> None:
    await ruled(desk)
    desk.tool_ended(ToolStatus.FAILED, call_id="call-2", content=(ToolText("no such file"),))
    await ends_as(desk, "failed", "tool_execution_failed", "no such file")
    assert desk.ledger()[-1] == ("call_failed", "failure", "tool_execution_failed")


async def test_the_end_of_another_call_is_not_taken_for_it(desk: ReviewDesk) -> None:
    await ruled(desk)
    desk.tool_ended(call_id="call-3")
    desk.tool_ended(ToolStatus.IN_PROGRESS, call_id="call-2")
    await desk.reviews.permissions.nobody_waits(S)
    await ends_as(desk, "failed", "tool_execution_outcome_unknown", "")


async def test_what_was_told_before_the_end_is_its_result(desk: ReviewDesk) -> None:
    """Some agents show what a tool put out first, and end the call with its status alone."""
    await ruled(desk)
    shown = (ToolText("40 tests passed"),)
    desk.tool_ended(ToolStatus.IN_PROGRESS, call_id="call-2", content=shown)
    desk.tool_ended(call_id="call-2")
    await ends_as(desk, "succeeded", "", "40 tests passed")


async def test_an_approved_call_keeps_its_result_within_bounds(desk: ReviewDesk) -> None:
    """T5.6."""
    waiting, review = await desk.ask_one()
    await desk.decide(review, "once")
    await waiting
    desk.tool_ended(content=(ToolText("x" * 10_000),))
    await desk.becomes("executed")
    result = (await desk.reviews.get_review(review.review_id)).result
    assert (len(result), result[-1]) == (4_000, "…")


async def test_after_a_restart_what_was_allowed_and_not_ended_is_unknown(desk: ReviewDesk) -> None:
    """T8.3: also where nobody was asked; it is settled once, and never told."""
    await ruled(desk)
    await desk.dies()
    desk.faults.refuse_writes = False
    assert await recover(desk.faults, desk.clock) == 1
    assert last(desk) == ("failed", "tool_execution_outcome_unknown", "")
    assert await recover(desk.faults, desk.clock) == 0


async def test_what_runs_in_this_process_is_left_alone(desk: ReviewDesk) -> None:
    await ruled(desk)
    live = desk.reviews.permissions.live()
    assert await recover(desk.faults, desk.clock, live=live) == 0
    assert last(desk)[0] == "executing"
    desk.tool_ended(call_id="call-2")
    await ends_as(desk, "succeeded", "", "")


async def test_an_allowed_call_that_is_taken_back_before_it_is_told_was_not_begun(
    desk: ReviewDesk,
) -> None:
    await allow_always(desk)
    slow = Fault("after commit")
    desk.faults.plan(slow)
    asking = desk.ask(make_asked("call-2"))
    await slow.reached.wait()
    asking.cancel()
    await asyncio.gather(asking, return_exceptions=True)
    slow.go_on.set()
    await ends_as(desk, "cancelled", "taken_back", "")
    assert desk.table("tool_invocations")[-1]["id"] not in desk.reviews.permissions.live()
