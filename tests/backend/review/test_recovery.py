"""Permissions of a desk that ended: nothing is answered twice (T8.3)."""

from collections.abc import Awaitable, Callable

import pytest

from backend.domain.review import ReviewStatus
from backend.errors import Conflict
from backend.ids import ReviewId
from backend.review.recovery import recover
from tests.helpers.clock import FakeClock
from tests.helpers.faults import Fault, unavailable
from tests.helpers.place import Place, open_store
from tests.helpers.reviewing import ReviewDesk, build_review_desk
from tests.helpers.store import RowMaker

Steps = Callable[[ReviewDesk], Awaitable[ReviewId]]


async def asked(desk: ReviewDesk) -> ReviewId:
    _, review = await desk.ask_one()
    return review.review_id


async def approved(desk: ReviewDesk) -> ReviewId:
    """Decided, and the process ends before it is written that the agent is told."""
    _, review = await desk.ask_one()
    desk.faults.plan(None, Fault("before", unavailable()))
    await desk.decide(review)
    return review.review_id


async def told(desk: ReviewDesk) -> ReviewId:
    _, review = await desk.ask_one()
    await desk.decide(review)
    await desk.becomes("executing")
    return review.review_id


async def executed(desk: ReviewDesk) -> ReviewId:
    review_id = await told(desk)
    desk.tool_ended()
    await desk.becomes("executed")
    return review_id


async def declined(desk: ReviewDesk) -> ReviewId:
    _, review = await desk.ask_one()
    await desk.decide(review, "no")
    return review.review_id


@pytest.mark.parametrize(
    ("steps", "status", "settled"),
    [
        (asked, ReviewStatus.CANCELLED, 1),
        (approved, ReviewStatus.OUTCOME_UNKNOWN, 1),
        (told, ReviewStatus.OUTCOME_UNKNOWN, 1),
        (executed, ReviewStatus.EXECUTED, 0),
        (declined, ReviewStatus.DECLINED, 0),
    ],
)
async def test_a_start_settles_what_the_last_run_left(
    place: Place,
    clock: FakeClock,
    steps: Steps,
    status: ReviewStatus,
    settled: int,
) -> None:
    """T8.3, app restart: unanswered is cancelled, answered without an outcome is unknown."""
    before = await open_store(place, clock)
    rows = RowMaker(place)
    rows.session()
    rows.turn("turn1")
    desk = build_review_desk(before, place, clock, rows)
    review_id = await steps(desk)
    await desk.dies()
    await before.close()

    database = await open_store(place, clock)
    try:
        assert await recover(database, clock) == settled
        assert await recover(database, clock) == 0
        next_run = build_review_desk(database, place, clock, RowMaker(place))
        assert (await next_run.reviews.get_review(review_id)).status is status
        assert await next_run.reviews.list_open_reviews() == ()
        with pytest.raises(Conflict):
            await next_run.decide(review_id, "always")
    finally:
        await database.close()


async def test_what_agents_of_this_process_wait_for_is_left_alone(desk: ReviewDesk) -> None:
    """A store that was lost and is back: its agents wait as before."""
    waiting, review = await desk.ask_one()

    assert await recover(desk.faults, desk.clock, live=desk.reviews.permissions.live()) == 0

    await desk.decide(review)
    assert await waiting == "once"
