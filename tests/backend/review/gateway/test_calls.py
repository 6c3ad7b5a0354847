"""Calls of agents for tools of other servers: ruled, asked about, run once, replayed."""

import asyncio

import pytest

from backend.domain.policy import PolicyDecision, RuleScope
from backend.domain.review import ReviewOutcome, ReviewStatus
from backend.errors import Conflict, InvalidInput, NotFound, TemporarilyUnavailable
from backend.ids import ServerId, SessionId
from backend.review.callers import ToolCaller
from backend.review.gateway.results import CallEnd, ReplyKind, ToolResult
from backend.store import gateway_calls, reviews
from tests.helpers.gateway_case import AGENT, DELETE, READ, WRITE, GatewayCase, build, told
from tests.helpers.store import RowMaker
from tests.helpers.waiting import until

UNKNOWN = "tool_execution_outcome_unknown"
HOUR = 3_600.0


async def test_an_allowed_call_runs_at_once_and_is_written_down_before_and_after(
    case: GatewayCase,
) -> None:
    await case.set_policy(await case.add(), "write", PolicyDecision.ALLOW)
    case.downstream.gate = asyncio.Event()
    opened = await case.open(path="a")
    await until(lambda: case.downstream.calls)
    (attempt,) = case.table("tool_invocations")
    assert (attempt["status"], attempt["owner"]) == ("executing", "gateway")
    case.downstream.gate.set()
    reply = await case.reply(opened)
    assert (reply.kind, reply.result) == (ReplyKind.RAN, told().result)
    await case.clock.advance(1)
    await until(lambda: case.table("tool_invocations")[0]["status"] == "succeeded")
    assert case.downstream.calls == [("write", {"path": "a"})]
    assert [row["event_type"] for row in case.table("tool_call_events")] == [
        "policy_decision",
        "call_completed",
    ]
    assert not case.opened_reviews


async def test_a_call_whose_row_could_not_be_made_durable_is_not_sent(case: GatewayCase) -> None:
    """T5.2: unless it only reads, in which case nobody hears of what it read."""
    server = await case.add()
    await case.set_policy(server, "write", PolicyDecision.ALLOW)
    await case.set_policy(server, "read", PolicyDecision.ALLOW)
    with case.commits_fail():
        for tool in ("files__write", "files__read"):
            with pytest.raises(TemporarilyUnavailable):
                await case.open(tool, path="a")
    assert {tool for tool, _ in case.downstream.calls} <= {"read"}
    assert case.table("tool_invocations") == []


async def test_what_only_reads_runs_beside_the_commit_and_once(case: GatewayCase) -> None:
    await case.set_policy(await case.add(), "read", PolicyDecision.ALLOW)
    reply = await case.call("files__read", path="a")
    assert (reply.kind, reply.result) == (ReplyKind.RAN, told().result)
    assert case.downstream.calls == [("read", {"path": "a"})]
    assert len(case.table("tool_invocations")) == 1


async def test_a_denied_call_runs_nothing_and_opens_no_card(case: GatewayCase) -> None:
    await case.set_policy(await case.add(), "write", PolicyDecision.DENY)
    assert (await case.call(path="a")).kind is ReplyKind.DENIED
    assert case.downstream.calls == []
    assert case.table("tool_action_requests") == []


async def test_an_approved_call_runs_exactly_once_with_what_was_signed(case: GatewayCase) -> None:
    """T6.1 1; T6.2 60: it is given a minute, which is written down."""
    await case.add()
    opened = await case.open(path="a", text="nul\0 and\ttab")
    assert (await case.review(opened)).status is ReviewStatus.PENDING
    assert case.downstream.calls == []
    await case.decide(opened)
    reply = await case.reply(opened)
    assert reply.kind is ReplyKind.RAN
    assert case.downstream.calls == [("write", {"path": "a", "text": "nul\0 and\ttab"})]
    await case.becomes(opened, "executed")
    started = [row for row in case.table("tool_call_events") if row["event_type"] == "call_started"]
    assert '"timeout_ms":60000' in str(started[0]["metadata"])
    assert case.downstream.limits == [60.0]
    review = await case.review(opened)
    assert (review.status, review.result) == (ReviewStatus.EXECUTED, "done")


async def test_a_declined_call_stays_declined_for_an_equal_one(case: GatewayCase) -> None:
    """T6.2 49."""
    await case.add()
    opened = await case.open(path="a")
    await case.decide(opened, "decline")
    assert (await case.reply(opened)).kind is ReplyKind.DECLINED
    assert (await case.call(path="a")).kind is ReplyKind.DECLINED
    assert case.opened_reviews == 1
    assert case.downstream.calls == []


async def test_two_equal_calls_before_a_decision_are_one_request(case: GatewayCase) -> None:
    """T6.2 37."""
    await case.add()
    one, other = await asyncio.gather(case.open(path="a"), case.open(path="a"))
    third = await case.open(path="b")
    assert one.review_id == other.review_id != third.review_id
    await case.decide(one)
    assert (await case.reply(one)).kind is (await case.reply(other)).kind is ReplyKind.RAN
    assert case.downstream.calls == [("write", {"path": "a"})]


async def test_an_equal_call_after_the_run_is_told_the_stored_result(case: GatewayCase) -> None:
    """T6.2 39."""
    await case.add()
    opened = await case.open(path="a")
    await case.decide(opened)
    await case.reply(opened)
    again = await case.open(path="a")
    assert again.replayed
    assert (await case.reply(again)).result == told().result
    assert len(case.downstream.calls) == 1


async def test_after_its_hour_an_equal_call_asks_anew(case: GatewayCase) -> None:
    await case.add()
    opened = await case.open(path="a")
    await case.decide(opened)
    await case.reply(opened)
    await case.clock.advance(HOUR + 1)
    again = await case.open(path="a")
    assert again.review_id != opened.review_id
    assert len(case.downstream.calls) == 1


async def test_what_only_reads_is_asked_about_again_once_its_result_was_handed_over(
    case: GatewayCase,
) -> None:
    """A second look at a file must not show what it held before."""
    await case.add()
    opened = await case.open("files__read", path="a")
    await case.decide(opened)
    await case.becomes(opened, "executed")
    uncollected = await case.open("files__read", path="a")
    assert uncollected.review_id == opened.review_id
    await case.reply(uncollected)
    await until(lambda: case.table("tool_invocations")[0]["collected_at"])
    assert (await case.open("files__read", path="a")).review_id != opened.review_id


async def test_a_failure_nobody_was_told_of_is_told_to_the_next_equal_call_and_only_once(
    case: GatewayCase,
) -> None:
    await case.add()
    case.downstream.end = CallEnd(code=UNKNOWN, detail="the server ended")
    opened = await case.open(path="a")
    await case.decide(opened)
    await case.becomes(opened, "failed")
    assert (await case.review(opened)).status is ReviewStatus.OUTCOME_UNKNOWN
    reply = await case.call(path="a")
    assert (reply.kind, reply.detail) == (ReplyKind.UNKNOWN, "the server ended")
    await until(lambda: case.table("tool_invocations")[0]["collected_at"])
    assert (await case.open(path="a")).review_id != opened.review_id
    assert len(case.downstream.calls) == 1


async def test_an_error_of_the_tool_itself_is_handed_on_and_stored_as_failed(
    case: GatewayCase,
) -> None:
    await case.add()
    result = ToolResult(({"type": "text", "text": "no such folder"},), is_error=True)
    case.downstream.end = CallEnd(result, "tool_execution_failed", "no such folder")
    opened = await case.open(path="a")
    await case.decide(opened)
    assert (await case.reply(opened)).result == result
    await case.becomes(opened, "failed")
    assert (await case.review(opened)).error == "no such folder"


async def test_a_destructive_tool_is_asked_about_every_time(case: GatewayCase) -> None:
    server = await case.add()
    with pytest.raises(InvalidInput):
        await case.set_policy(server, "delete", PolicyDecision.ALLOW)
    opened = await case.open("files__delete", path="a")
    review = await case.review(opened)
    assert review.scopes == ()
    for scope in RuleScope:
        with pytest.raises(InvalidInput):
            await case.decide(opened, remember=scope)
    assert case.status(opened.review_id) == "pending"


async def test_a_changed_definition_asks_until_it_is_confirmed(case: GatewayCase) -> None:
    """T6.2 58."""
    server = await case.set_policy(await case.add(), "write", PolicyDecision.ALLOW)
    case.downstream.tools = [{**WRITE, "description": "Now writes anywhere."}, READ, DELETE]
    server = await case.gateway.api.refresh_server(server.settings.server_id)
    assert next(tool for tool in server.tools if tool.name == "write").changed
    assert (await case.open(path="a")).asks
    server = await case.set_policy(server, "write", PolicyDecision.ALLOW)
    assert not (await case.open(path="b")).asks


async def test_a_tool_redefined_after_its_approval_was_asked_for_does_not_run(
    case: GatewayCase,
) -> None:
    await case.add()
    opened = await case.open(path="a")
    case.downstream.tools = [{**WRITE, "description": "Now writes anywhere."}]
    await case.gateway.api.refresh_server(ServerId("id-files"))
    await case.decide(opened)
    reply = await case.reply(opened)
    assert (reply.kind, case.status(opened.review_id)) == (ReplyKind.FAILED, "failed")
    assert case.downstream.calls == []


async def test_arguments_changed_in_the_store_after_the_approval_do_not_run(
    case: GatewayCase,
) -> None:
    """T6.2 48: what is run is what was signed, or nothing."""
    await case.add()
    case.downstream.gone = "it does not start"
    for connection in case.downstream.connections:
        connection.closed = True
    opened = await case.open(path="a")
    case.run(
        "UPDATE tool_action_requests SET signed_arguments ="
        ' replace(signed_arguments, \'"path":"a"\', \'"path":"b"\')'
    )
    case.downstream.gone = ""
    with pytest.raises(Exception, match=r"decision|decided|invalid|sign"):
        await case.decide(opened)
    assert case.downstream.calls == []
    assert case.status(opened.review_id) in {"cancelled", "failed"}


async def test_a_session_that_ended_after_the_approval_runs_nothing(case: GatewayCase) -> None:
    """T6.2 43."""
    await case.add()
    opened = await case.open(path="a")
    await case.approve_unheard(opened)
    case.run("UPDATE task_sessions SET state = 'COMPLETED'")
    assert opened.review_id is not None
    await case.reviews.tell(opened.review_id)
    await case.becomes(opened, "expired")
    assert case.downstream.calls == []


async def test_a_server_that_cannot_be_reached_fails_the_call_before_it_begins(
    case: GatewayCase,
) -> None:
    await case.add()
    opened = await case.open(path="a")
    case.downstream.connections[-1].closed = True
    case.downstream.gone = "there is no such program"
    await case.decide(opened)
    reply = await case.reply(opened)
    assert (reply.kind, reply.detail) == (ReplyKind.FAILED, "there is no such program")
    assert case.downstream.calls == []


async def test_a_lone_surrogate_is_refused_before_anything_is_written(case: GatewayCase) -> None:
    await case.add()
    with pytest.raises(InvalidInput):
        await case.open(path="\ud800")
    assert case.table("tool_invocations") == []


async def test_a_ticket_is_for_its_own_session_only(case: GatewayCase) -> None:
    """T6.2 41."""
    await case.add()
    opened = await case.open(path="a")
    assert (await case.gateway.calls.redeem(AGENT, opened.ticket)).review_id == opened.review_id
    stranger = ToolCaller(AGENT.identity, hosted=None)
    with pytest.raises(NotFound):
        await case.gateway.calls.redeem(AGENT, "call-nothing")
    other = ToolCaller(AGENT.identity, hosted="s2")  # type: ignore[arg-type]
    with pytest.raises(NotFound):
        await case.gateway.calls.redeem(other, opened.ticket)
    assert stranger.hosted is None


async def test_a_call_that_comes_again_with_its_own_key_does_not_run_twice(
    case: GatewayCase,
) -> None:
    await case.set_policy(await case.add(), "write", PolicyDecision.ALLOW)
    first = await case.open("files__write", "instance:1", path="a")
    await case.reply(first)
    again = await case.open("files__write", "instance:1", path="a")
    assert (await case.reply(again)).result == told().result
    await case.open("files__write", "instance:2", path="a")
    await until(lambda: len(case.downstream.calls) == 2)


async def test_of_a_removed_server_open_requests_are_cancelled(case: GatewayCase) -> None:
    server = await case.add()
    opened = await case.open(path="a")
    waiting = asyncio.ensure_future(case.reply(opened))
    await case.gateway.api.remove_server(server.settings.server_id)
    assert (await waiting).kind is ReplyKind.CANCELLED
    assert case.status(opened.review_id) == "cancelled"
    assert not case.gateway.calls.knows("files__write")


async def test_without_a_signing_secret_nothing_is_asked_and_nothing_runs(
    case: GatewayCase,
) -> None:
    """T6.2 46: no pending leftovers."""
    await case.add()
    unsigned = build(
        case.parts.database, case.place, case.clock, case.downstream, case.secrets, key=b""
    )
    await unsigned.gateway.begin()
    reply = await unsigned.call(path="a")
    assert (reply.kind, reply.detail) == (ReplyKind.NOT_ASKED, "signing_secret_unconfigured")
    assert case.table("tool_action_requests") == []
    assert case.downstream.calls == []


async def test_whoever_has_not_the_claim_settles_nothing(case: GatewayCase) -> None:
    """T6.2 45."""
    await case.add()
    case.downstream.gate = asyncio.Event()
    opened = await case.open(path="a")
    await case.decide(opened)
    await until(lambda: case.downstream.calls)
    assert opened.review_id is not None
    async with case.parts.database.writing() as tx:
        stored = await reviews.find(tx, opened.review_id)
        call = await gateway_calls.find_by_request(tx, opened.review_id)
        assert stored is not None
        assert call is not None
        end = gateway_calls.End("tool_execution_failed", "stale")
        assert not await gateway_calls.settle(tx, stored, call, end, "stale", case.clock.now())
        assert not await gateway_calls.claim(tx, stored, "second", case.clock.now())
    case.downstream.gate.set()
    await case.becomes(opened, "executed")


async def test_other_arguments_are_another_request_and_never_use_an_approval(
    case: GatewayCase,
) -> None:
    """T6.2 38."""
    await case.add()
    opened = await case.open(path="a")
    await case.decide(opened)
    await case.reply(opened)
    other = await case.open(path="b")
    assert other.review_id != opened.review_id
    assert case.status(other.review_id) == "pending"
    assert case.downstream.calls == [("write", {"path": "a"})]


async def test_two_approvals_at_once_run_one_call(case: GatewayCase) -> None:
    """T6.2 42 and 58."""
    await case.add()
    opened = await case.open(path="a")
    both = await asyncio.gather(case.decide(opened), case.decide(opened), return_exceptions=True)
    assert [outcome for outcome in both if isinstance(outcome, ReviewOutcome) and outcome.winner]
    await case.becomes(opened, "executed")
    assert len(case.downstream.calls) == 1


async def test_always_allow_holds_for_the_scope_that_was_reviewed(case: GatewayCase) -> None:
    """T6.2 58: changed arguments pass, a changed definition asks again."""
    await case.add()
    opened = await case.open(path="a")
    assert RuleScope.THIS_TOOL in (await case.review(opened)).scopes
    await case.decide(opened, remember=RuleScope.THIS_TOOL)
    await case.reply(opened)
    assert (await case.call(path="b")).kind is ReplyKind.RAN
    case.downstream.tools = [{**WRITE, "description": "Now writes anywhere."}]
    await case.gateway.api.refresh_server(ServerId("id-files"))
    assert (await case.open(path="c")).asks


async def test_an_approval_of_one_session_is_none_of_another(case: GatewayCase) -> None:
    """T6.2 41: an equal call of another session asks, whatever was approved before."""
    rows = RowMaker(case.place)
    rows.session("s2")
    rows.turn("turn of s2", "s2")
    await case.add()
    opened = await case.open(path="a")
    await case.approve_unheard(opened)
    other = ToolCaller(AGENT.identity, hosted=SessionId("s2"))
    asked = await case.gateway.calls.open(other, "files__write", {"path": "a"})
    assert asked.review_id != opened.review_id
    assert case.status(asked.review_id) == "pending"
    assert case.status(opened.review_id) == "approved"
    assert case.downstream.calls == []


async def test_a_call_from_no_session_is_told_that_there_is_nobody_to_ask(
    case: GatewayCase,
) -> None:
    """T6.2 47: no card, and no call."""
    await case.set_policy(await case.add(), "read", PolicyDecision.ALLOW)
    nowhere = ToolCaller(AGENT.identity, hosted=SessionId("gone"))
    for tool in ("files__write", "files__read"):
        with pytest.raises(NotFound, match="approval_path_missing"):
            await case.gateway.calls.open(nowhere, tool, {"path": "a"})
    assert case.table("tool_invocations") == case.downstream.calls == []
    assert not case.opened_reviews


async def test_of_two_opposite_decisions_at_once_one_holds(case: GatewayCase) -> None:
    """Bad input: the call runs, or it does not, as whoever was first has said."""
    await case.add()
    for number in range(4):
        opened = await case.open(path=f"a{number}")
        order = ("approve", "decline") if number % 2 else ("decline", "approve")
        both = [case.decide(opened, option) for option in order]
        told = await asyncio.gather(*both, return_exceptions=True)
        won = [each for each in told if isinstance(each, ReviewOutcome)]
        lost = [each for each in told if isinstance(each, Conflict)]
        assert (len(won), len(lost)) == (1, 1)
        runs = won[0].review.chosen == "approve"
        reply = await case.reply(opened)
        assert reply.kind is (ReplyKind.RAN if runs else ReplyKind.DECLINED)
        ran = [arguments["path"] for _, arguments in case.downstream.calls]
        assert (f"a{number}" in ran) is runs


@pytest.mark.parametrize("signed", ["{", "[]", ""])
async def test_what_was_signed_and_cannot_be_read_any_more_is_cancelled_by_its_decision(
    case: GatewayCase, signed: str
) -> None:
    """Bad input, a corrupt signature: it is listed, ends, and runs nothing."""
    await case.add()
    opened = await case.open(path="a")
    case.run("UPDATE tool_action_requests SET signed_arguments = ?", signed)
    assert len(await case.reviews.list_open_reviews()) == 1
    with pytest.raises(Conflict):
        await case.decide(opened)
    assert case.status(opened.review_id) == "cancelled"
    assert (await case.reply(opened)).kind is ReplyKind.CANCELLED
    assert case.downstream.calls == []


async def test_fifty_calls_of_six_sessions_are_fifty_cards_and_no_verdict(
    case: GatewayCase,
) -> None:
    """Bad input: none is decided by itself, and none runs."""
    await case.add()
    rows = RowMaker(case.place)
    for number in range(2, 7):
        rows.session(f"s{number}")
        rows.turn(f"turn of s{number}", f"s{number}")
    sessions = [SessionId(f"s{number % 6 + 1}") for number in range(50)]
    opened = await asyncio.gather(
        *(
            case.gateway.calls.open(
                ToolCaller(AGENT.identity, session), "files__write", {"path": f"file {number}"}
            )
            for number, session in enumerate(sessions)
        )
    )
    assert len({each.review_id for each in opened}) == 50
    assert [(await case.review(each)).session_id for each in opened] == sessions
    assert {row["status"] for row in case.table("tool_action_requests")} == {"pending"}
    assert len(await case.reviews.list_open_reviews()) == 50
    assert case.downstream.calls == []
