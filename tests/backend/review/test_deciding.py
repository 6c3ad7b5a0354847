"""One decision of one permission, told to its agent once."""

import asyncio
from typing import Any

import pytest

from backend.clock import Deadline
from backend.domain.agents import PermissionOption, ToolStatus
from backend.domain.conversation import PendingAction
from backend.domain.review import Door, ReviewStatus, Verdict
from backend.errors import Conflict, ErrorCode, InvalidInput, NotFound, TemporarilyUnavailable
from backend.events import MessagesChanged, ReviewChanged, SessionChanged
from backend.ids import ReviewId
from backend.store import reviews as stored_reviews
from tests.helpers.faults import Fault, unavailable
from tests.helpers.place import raw
from tests.helpers.reviewing import OPTIONS, ReviewDesk, make_asked, new_token
from tests.helpers.waiting import until


async def test_a_request_is_a_row_of_the_transcript_and_waits(desk: ReviewDesk) -> None:
    """kandev-app.md b.4: the keys of a permission's row; its status is absent while it waits."""
    waiting, review = await desk.ask_one()

    (card,) = desk.cards()
    assert card["request_id"] == card["pending_id"] == review.review_id
    assert card["tool_call_id"] == "call-1"
    assert card["options"] == [
        {"option_id": option.id, "name": option.name, "kind": option.kind} for option in OPTIONS
    ]
    assert card["action_type"] == "execute"
    details = card["action_details"]
    assert isinstance(details, dict)
    assert details["command"] == "rm -r build"
    assert details["cwd"] == "/home/ada/p"
    assert details["raw_input"] == {"command": "rm -r build", "cwd": "/home/ada/p"}
    assert "status" not in card
    assert (review.agent_name, review.folder) == ("Codex", "/home/a/p")
    assert not waiting.done()


async def test_the_session_needs_its_human_while_a_request_is_open(desk: ReviewDesk) -> None:
    """K4.4: pending_action is permission, under the number of the session's line."""
    _, review = await desk.ask_one()

    line = [event.session for event in desk.events if isinstance(event, SessionChanged)][-1]
    rows = [event for event in desk.events if isinstance(event, MessagesChanged)][-1]
    assert line.pending_action is rows.pending_action is PendingAction.PERMISSION
    assert rows.projected == line.projected

    await desk.decide(review)

    line = [event.session for event in desk.events if isinstance(event, SessionChanged)][-1]
    assert line.pending_action is None


async def test_the_agent_is_told_what_was_chosen(desk: ReviewDesk) -> None:
    """T8.3, T8.4; T6.1 case 1: approved once, told once."""
    waiting, review = await desk.ask_one()

    outcome = await desk.decide(review)

    assert await waiting == "once"
    assert outcome.winner
    assert outcome.review.status is ReviewStatus.APPROVED
    assert (outcome.review.verdict, outcome.review.door) == (Verdict.ALLOW, Door.WINDOW)
    await desk.becomes("executing")
    desk.tool_ended()
    await desk.becomes("executed")
    assert desk.call_statuses() == [("succeeded", "approved", "")]
    assert desk.ledger() == [
        ("approval_requested", "pending", "default"),
        ("approval_resolved", "success", ""),
        ("call_started", "pending", "told"),
        ("call_completed", "success", ""),
    ]
    (card,) = desk.cards()
    assert card["status"] == "approved"
    resolution = card["permission_resolution"]
    assert isinstance(resolution, dict)
    assert (resolution["option_id"], resolution["result"]) == ("once", "accepted")


async def test_declining_runs_nothing(desk: ReviewDesk) -> None:
    """T5.1: request rejected, call denied; the agent is told the option that says so."""
    waiting, review = await desk.ask_one()

    outcome = await desk.decide(review, "no")

    assert await waiting == "no"
    assert outcome.review.status is ReviewStatus.DECLINED
    await until(lambda: desk.ledger()[-1] == ("call_denied", "denied", "told"))
    assert desk.status() == "rejected"
    assert desk.call_statuses() == [("denied", "rejected", "action_declined")]
    assert desk.cards()[0]["status"] == "rejected"


async def test_a_failed_tool_stays_approved(desk: ReviewDesk) -> None:
    """T5.1: what came of it never turns an approval into anything else."""
    waiting, review = await desk.ask_one()
    await desk.decide(review)
    await waiting

    desk.tool_ended(ToolStatus.FAILED)

    await desk.becomes("executed")
    assert desk.call_statuses() == [("failed", "approved", "tool_execution_failed")]
    assert (await desk.reviews.get_review(review.review_id)).status is ReviewStatus.EXECUTED


async def test_arguments_that_differ_at_the_end_are_told(desk: ReviewDesk) -> None:
    """T6.3, 68: arguments_drifted, in the ledger and on the card."""
    waiting, review = await desk.ask_one()
    await desk.decide(review)
    await waiting

    desk.tool_ended(raw_input={"command": "rm -r /"})

    await desk.becomes("executed")
    assert desk.ledger()[-1] == ("call_completed", "success", "arguments_drifted")
    assert (await desk.reviews.get_review(review.review_id)).drifted


async def test_an_option_that_is_not_offered_decides_nothing(desk: ReviewDesk) -> None:
    waiting, review = await desk.ask_one()

    for option in ("other", "", "\x00"):
        with pytest.raises(InvalidInput):
            await desk.decide(review, option)

    assert desk.status() == "pending"
    assert not waiting.done()


async def test_declining_without_an_option_for_it_is_told_as_cancelled(desk: ReviewDesk) -> None:
    """T8.4: no suitable option is offered; the verdict is stored all the same."""
    waiting = desk.ask(make_asked(options=OPTIONS[:1]))
    (review,) = await desk.opened()

    outcome = await desk.decide(review, "")

    assert await waiting is None
    assert outcome.review.status is ReviewStatus.DECLINED
    await desk.becomes("rejected")


async def test_the_same_decision_again_is_the_same(desk: ReviewDesk) -> None:
    """T5.1: repeating is no second decision; with the same token it is the winner's own."""
    waiting, review = await desk.ask_one()
    token = new_token()

    first = await desk.decide(review, token=token)
    again = await desk.decide(review, token=token)
    other = await desk.decide(review)

    assert await waiting == "once"
    assert first.winner
    assert again.winner
    assert not other.winner
    assert desk.ledger().count(("approval_resolved", "success", "")) == 1


async def test_another_decision_is_refused_and_told_what_holds(desk: ReviewDesk) -> None:
    """T5.1, T6.2 case 49: the opposite decision is a conflict."""
    waiting, review = await desk.ask_one()
    await desk.decide(review, "no")

    with pytest.raises(Conflict) as refused:
        await desk.decide(review, "once")

    assert refused.value.code is ErrorCode.NOT_ACTIVE
    assert refused.value.params == {"status": "declined", "option": "no"}
    assert await waiting == "no"


async def test_of_two_opposite_decisions_at_once_one_wins(desk: ReviewDesk) -> None:
    """T5.2: whoever comes second is told what holds; the agent hears one of them."""
    waiting, review = await desk.ask_one()

    told = await asyncio.gather(
        desk.decide(review, "once"), desk.decide(review, "no"), return_exceptions=True
    )

    won = [each for each in told if not isinstance(each, BaseException)]
    lost = [each for each in told if isinstance(each, Conflict)]
    assert (len(won), len(lost)) == (1, 1)
    assert await waiting == won[0].review.chosen
    resolved = [row for row in desk.ledger() if row[0] == "approval_resolved"]
    assert len(resolved) == 1


async def test_an_unknown_request_is_not_found(desk: ReviewDesk) -> None:
    with pytest.raises(NotFound):
        await desk.decide(ReviewId("nobody"))
    with pytest.raises(NotFound):
        await desk.reviews.get_review(ReviewId("nobody"))


async def test_a_decision_whose_commit_result_is_lost_is_found(desk: ReviewDesk) -> None:
    """As a claim: the store is looked at again, and the agent is told (K5.6)."""
    waiting, review = await desk.ask_one()
    desk.faults.plan(Fault("after commit", unavailable()))

    outcome = await desk.decide(review)

    assert outcome.winner
    assert await waiting == "once"


async def test_a_decision_that_was_not_made_may_be_made_again(desk: ReviewDesk) -> None:
    waiting, review = await desk.ask_one()
    desk.faults.plan(Fault("before", unavailable()))

    with pytest.raises(TemporarilyUnavailable):
        await desk.decide(review)

    assert desk.status() == "pending"
    assert (await desk.decide(review, "no")).winner
    assert await waiting == "no"


async def test_a_decision_that_comes_true_late_is_told_to_the_agent(desk: ReviewDesk) -> None:
    """A COMMIT without a result, and a store that cannot be read for a while."""
    waiting, review = await desk.ask_one()
    desk.faults.plan(Fault("after commit", unavailable()))
    token = new_token()
    real = desk.faults.reading
    first = iter([True])

    def breaking(*args: object, **kwargs: object) -> object:
        if not next(first, False):
            desk.faults.reads = Fault("before", unavailable())
        return real(*args, **kwargs)  # type: ignore[arg-type]

    desk.faults.reading = breaking  # type: ignore[method-assign, assignment]
    with pytest.raises(TemporarilyUnavailable):
        await desk.decide(review, token=token)
    assert not waiting.done()

    desk.faults.reading = real  # type: ignore[method-assign]
    desk.faults.reads = None
    await desk.clock.advance(2)

    assert await waiting == "once"
    assert (await desk.decide(review, token=token)).winner


async def test_a_decision_that_hangs_ends_within_its_budget(desk: ReviewDesk) -> None:
    """As a claim: 5 s, and 2 s more where only COMMIT is left; then it is not known."""
    waiting, review = await desk.ask_one()
    stuck = Fault("before")
    desk.faults.plan(stuck)
    deciding = asyncio.create_task(desk.decide(review))
    await stuck.reached.wait()

    await desk.clock.advance(5.1)

    with pytest.raises(TemporarilyUnavailable):
        await deciding
    stuck.go_on.set()
    assert desk.status() == "pending"
    assert not waiting.done()


async def test_arguments_that_were_changed_in_the_store_are_never_allowed(
    desk: ReviewDesk,
) -> None:
    """T6.2 case 48, T5.3: the digest is over all of what was shown."""
    waiting, review = await desk.ask_one()
    with raw(desk.place) as connection:
        connection.execute(
            "UPDATE tool_action_requests"
            " SET signed_arguments = REPLACE(signed_arguments, 'build', '/')"
        )

    with pytest.raises(Conflict):
        await desk.decide(review)

    assert await waiting is None
    await desk.becomes("cancelled")
    assert desk.call_statuses() == [("cancelled", "expired", "action_request_invalidated")]


async def test_open_requests_are_listed_oldest_first(desk: ReviewDesk) -> None:
    desk.ask(make_asked("a"))
    await desk.opened(1)
    desk.ask(make_asked("b"))
    _, second = await desk.opened(2)

    listed = await desk.reviews.list_open_reviews()

    assert [review.call.call_id for review in listed] == ["a", "b"]
    await desk.decide(second)
    assert [review.call.call_id for review in await desk.reviews.list_open_reviews()] == ["a"]


async def test_the_agents_other_options_are_passed_on_by_their_ids(desk: ReviewDesk) -> None:
    """T8.4: extra options, also of unknown kinds, are the agent's own."""
    options = (*OPTIONS, PermissionOption("amend", "Yes, for commands like it", "amend_policy"))
    waiting = desk.ask(make_asked(options=options))
    (review,) = await desk.opened()

    outcome = await desk.decide(review, "amend")

    assert await waiting == "amend"
    assert outcome.review.verdict is Verdict.ALLOW


async def test_the_window_hears_where_a_request_stands(desk: ReviewDesk) -> None:
    _, review = await desk.ask_one()
    await desk.decide(review)
    changed = [event.review.status for event in desk.events if isinstance(event, ReviewChanged)]
    assert changed[0] is ReviewStatus.APPROVED


async def test_a_request_reads_the_same_when_it_is_read_again(desk: ReviewDesk) -> None:
    _, review = await desk.ask_one()
    async with desk.faults.reading() as tx:
        found = await stored_reviews.find(tx, review.review_id)
    assert found is not None
    assert found.review == review


async def test_the_id_of_another_card_decides_nothing(desk: ReviewDesk) -> None:
    """T6.2 case 40: a request is decided by its own id alone, and both wait on."""
    first, review = await desk.ask_one()
    second = desk.ask(make_asked("call-2", raw_input={"command": "ls"}))
    _, other = await desk.opened(2)
    rows = desk.table("tool_action_requests")
    for wrong in (review.message_id, *(str(row["invocation_id"]) for row in rows)):
        with pytest.raises(NotFound):
            await desk.decide(ReviewId(wrong))
    assert {row["status"] for row in desk.table("tool_action_requests")} == {"pending"}
    await desk.decide(other)
    assert await second == "once"
    assert desk.status(review.review_id) == "pending"
    assert not first.done()


async def test_who_saw_it_open_while_another_decided_it_is_told_what_holds(
    desk: ReviewDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same verdict from two places, the later of which has read before."""
    waiting, review = await desk.ask_one()
    deciding = desk.reviews._deciding
    before = await deciding._read(review.review_id, Deadline(desk.clock, 5))
    assert (await desk.decide(review)).winner
    assert await waiting == "once"
    await desk.becomes("executing")
    read = deciding._read

    async def late(*arguments: Any) -> stored_reviews.Stored:
        monkeypatch.setattr(deciding, "_read", read)
        return before

    monkeypatch.setattr(deciding, "_read", late)
    assert not (await desk.decide(review)).winner
