"""Requests nobody decides in time, and those that can be decided no more."""

import pytest

from backend.domain.policy import Risk
from backend.domain.review import Owner, Review, ReviewStatus
from backend.domain.reviewed_action import ReviewedAction
from backend.errors import Conflict
from backend.events import ReviewChanged, ReviewOpened
from backend.review.new_request import NewRequest, Opened
from backend.review.opening import Opening
from tests.helpers.place import raw
from tests.helpers.reviewing import OPTIONS, TURN, ReviewDesk, S, make_call
from tests.helpers.waiting import until

LIFETIME = 3_600.0


async def open_one(desk: ReviewDesk, *, key: str | None = "equal") -> Opened:
    """A call this desk carries out itself, as the gateway opens it."""
    opened = await Opening(desk.parts).open(
        NewRequest(
            session_id=S,
            turn_id=TURN,
            owner=Owner.GATEWAY,
            call=make_call(),
            options=OPTIONS,
            action=ReviewedAction("files__write", Risk.WRITE, "digest"),
            lifetime=LIFETIME,
            idempotency_key=key,
        )
    )
    assert opened is not None
    return opened


async def asked(desk: ReviewDesk) -> Review:
    opened = await open_one(desk)
    assert opened.review is not None
    desk.parts.bus.publish(ReviewOpened(opened.review))
    return opened.review


def key(desk: ReviewDesk) -> object:
    return desk.table("tool_invocations")[0]["idempotency_key"]


async def test_a_request_expires_by_itself_at_its_moment(desk: ReviewDesk) -> None:
    """T1.2: by the nearest deadline; its key is free (T8.6)."""
    review = await asked(desk)
    assert key(desk) == "equal"
    await desk.clock.advance(LIFETIME - 60)
    assert desk.status() == "pending"

    await desk.clock.advance(61)

    await desk.becomes("expired")
    assert key(desk) is None
    assert desk.call_statuses() == [("failed", "expired", "action_expired")]
    assert desk.ledger()[-1] == ("approval_resolved", "timeout", "action_expired")
    assert (await desk.reviews.get_review(review.review_id)).status is ReviewStatus.EXPIRED
    await until(lambda: bool(desk.heard(ReviewChanged)))
    assert desk.cards()[0]["status"] == "expired"


async def test_a_late_approval_expires_it_and_grants_nothing(desk: ReviewDesk) -> None:
    """T5.1, T6.3 case 67: in one transaction, with an event whose outcome is timeout."""
    opened = await open_one(desk)
    assert opened.review is not None
    await desk.clock.advance(LIFETIME + 1)
    assert desk.status() == "pending"

    with pytest.raises(Conflict) as refused:
        await desk.decide(opened.review, "once")

    assert refused.value.params["status"] == "expired"
    assert desk.status() == "expired"
    assert desk.ledger()[-1] == ("approval_resolved", "timeout", "action_expired")
    assert key(desk) is None


async def test_what_expired_while_nothing_ran_expires_at_the_start(desk: ReviewDesk) -> None:
    await open_one(desk)
    await desk.clock.advance(LIFETIME + 1)
    desk.reviews.expiry.start()
    await desk.becomes("expired")


async def test_two_equal_calls_are_one_request(desk: ReviewDesk) -> None:
    """T6.2 case 37: one request, one card."""
    first, second = await open_one(desk), await open_one(desk)
    assert first.review == second.review
    assert (first.equal, second.equal) == (False, True)
    assert len(desk.cards()) == 1


async def test_after_an_expired_call_an_equal_one_is_asked_anew(desk: ReviewDesk) -> None:
    """T6.2 case 50: the old one expired, the new one pending."""
    await open_one(desk)
    await desk.clock.advance(LIFETIME + 1)

    again = await open_one(desk)

    assert not again.equal
    statuses = [row["status"] for row in desk.table("tool_action_requests")]
    assert sorted(statuses) == ["expired", "pending"]


async def test_a_declined_call_keeps_its_key(desk: ReviewDesk) -> None:
    """T6.2 case 49, T8.6: an equal call is told that it was declined, without a new card."""
    review = await asked(desk)
    await desk.decide(review, "no")

    again = await open_one(desk)

    assert again.equal
    assert again.review is not None
    assert again.review.status is ReviewStatus.DECLINED
    assert len(desk.cards()) == 1


@pytest.mark.parametrize(
    "ended",
    [
        "UPDATE task_sessions SET state = 'COMPLETED'",
        "UPDATE tasks SET archived_at = '2026-01-01T00:00:00Z'",
    ],
)
async def test_nothing_is_approved_for_what_has_ended(desk: ReviewDesk, ended: str) -> None:
    """T5.2, T6.2 case 43: the task or the session is closed."""
    review = await asked(desk)
    with raw(desk.place) as connection:
        connection.execute(ended)

    with pytest.raises(Conflict):
        await desk.decide(review, "once")

    assert desk.status() == "expired"
    assert desk.ledger()[-1] == ("approval_resolved", "timeout", "action_issue_closed")


async def test_what_was_decided_in_time_does_not_expire(desk: ReviewDesk) -> None:
    review = await asked(desk)
    await desk.decide(review, "once")
    await desk.clock.advance(LIFETIME + 1)
    assert desk.status() == "approved"


async def test_a_hundred_requests_that_say_what_nobody_knows_expire_with_the_others(
    desk: ReviewDesk,
) -> None:
    """T6.2 case 56: they come first, and cost nothing more once they were looked at."""
    *_, opened = [await open_one(desk, key=None) for _ in range(101)]
    assert opened.review is not None
    with raw(desk.place) as connection:
        connection.execute(
            "UPDATE tool_action_requests SET risk_level = 'of another kind' WHERE id <> ?",
            (opened.review.review_id,),
        )
    desk.parts.bus.publish(ReviewOpened(opened.review))

    await desk.clock.advance(LIFETIME + 1)

    await desk.becomes("expired", review_id=opened.review.review_id)
    await desk.clock.advance(60)
    assert desk.clock.pending_timers == 0
    assert {row["status"] for row in desk.table("tool_action_requests")} == {"expired"}
