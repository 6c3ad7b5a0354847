"""kill -9 of the desk at each point of a permission: nothing is answered twice (T8.3)."""

import asyncio
import sys
from pathlib import Path

import pytest

from backend.domain.review import ReviewStatus
from backend.errors import Conflict
from backend.ids import ReviewId
from backend.review.recovery import recover
from backend.store.review_rows import OUTCOME_UNKNOWN
from tests.crash.review_desk_that_dies import NEVER_DECIDED, POINTS, RULED
from tests.helpers.clock import FakeClock
from tests.helpers.place import open_store, raw
from tests.helpers.program import ROOT, environment
from tests.helpers.reviewing import build_review_desk, make_asked
from tests.helpers.store import RowMaker

pytestmark = pytest.mark.crash

LAST = "ending written, not committed"
"""What is declined does not run, and so does not end."""


async def die(store: Path, point: str, option: str) -> list[str]:
    """Run the desk until it is dead; what its agent was told."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.crash.review_desk_that_dies",
        str(store),
        point,
        option,
        cwd=ROOT,
        env=environment(store.parent),
        stdout=asyncio.subprocess.PIPE,
    )
    told, _ = await asyncio.wait_for(process.communicate(), 60)
    assert process.returncode == -9
    return told.decode().split("\n")[:-1]


def requests(store: Path) -> list[tuple[str, str, str]]:
    with raw(store) as connection:
        rows = connection.execute(
            "SELECT r.id, r.status, COALESCE(json_extract(m.metadata, '$.status'), '') AS card"
            " FROM tool_action_requests r"
            " LEFT JOIN task_session_messages m ON m.id = r.interaction_id"
        ).fetchall()
    return [(str(row["id"]), str(row["status"]), str(row["card"])) for row in rows]


@pytest.mark.parametrize(
    ("point", "option"),
    [*((point, "once") for point in POINTS), *((point, "no") for point in POINTS if point != LAST)],
)
async def test_a_desk_that_is_killed_answers_nothing_twice(
    tmp_path: Path, point: str, option: str
) -> None:
    """What was not decided is cancelled; what was allowed is done or has an unknown outcome."""
    store, clock = tmp_path / "kandesk.db", FakeClock()

    told = await die(store, point, option)

    assert told in ([], [f"told {option}"])
    before = requests(store)
    database = await open_store(store, clock)
    try:
        await recover(database, clock)
        after = requests(store)
        if point == "request written, not committed":
            assert before == after == []
            return
        ((review_id, status, card),) = after
        next_run = build_review_desk(database, store, clock, RowMaker(store))
        review = await next_run.reviews.get_review(ReviewId(review_id))
        if point in NEVER_DECIDED:
            assert (told, status, card) == ([], "cancelled", "expired")
            assert review.status is ReviewStatus.CANCELLED
        elif option == "no":
            assert (status, card) == ("rejected", "rejected")
        elif status == "executed":
            # The agent may have told how it ended while the one who decided was being told.
            assert (point, told, card) == ("decision done", [f"told {option}"], "approved")
        else:
            assert (status, card) == ("failed", "approved")
            assert review.status is ReviewStatus.OUTCOME_UNKNOWN
        assert await recover(database, clock) == 0
        assert await next_run.reviews.list_open_reviews() == ()
        with pytest.raises(Conflict):
            await next_run.decide(ReviewId(review_id), "always")
    finally:
        await database.close()


@pytest.mark.parametrize("point", RULED)
async def test_a_call_a_rule_allows_has_an_end_or_an_unknown_one(
    tmp_path: Path, point: str
) -> None:
    """T1.2, T8.3: nobody was asked, and nothing of it is told twice."""
    store, clock = tmp_path / "kandesk.db", FakeClock()

    told = await die(store, point, "ruled")

    assert told == (["told once"] if point == "its end written, not committed" else [])
    database = await open_store(store, clock)
    try:
        await recover(database, clock)
        next_run = build_review_desk(database, store, clock, RowMaker(store))
        first, *second = next_run.call_statuses()
        assert first == ("succeeded", "approved", "")
        ruling = point == "ruling written, not committed"
        assert second == ([] if ruling else [("failed", "not_required", OUTCOME_UNKNOWN)])
        assert await recover(database, clock) == 0
        again = next_run.ask(make_asked("call-3"))
        assert await asyncio.wait_for(again, 20) == "once"
        await next_run.supervisor.stop(1.0)
    finally:
        await database.close()
