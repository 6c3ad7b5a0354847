"""kill -9 of the desk at each point of a permission asked for over MCP (T1.2, owner = agent)."""

import asyncio
import sys
from pathlib import Path

import pytest

from backend.domain.review import ReviewStatus
from backend.errors import Conflict
from backend.ids import ReviewId
from backend.review.prompt_answer import PromptEnd
from backend.review.recovery import recover
from tests.crash.prompt_desk_that_dies import GIVEN_UP, KEY, NEVER_DECIDED, POINTS
from tests.crash.test_review_kill import requests
from tests.helpers.clock import FakeClock
from tests.helpers.program import ROOT, environment
from tests.helpers.prompting import guest, prompt_case

pytestmark = pytest.mark.crash

ALLOWED_ONLY = "ending written, not committed"
"""What is declined does not run, and so has no end."""


async def die(store: Path, point: str, option: str) -> list[str]:
    """Run the desk until it is dead; what its agent was told."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.crash.prompt_desk_that_dies",
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


@pytest.mark.parametrize(
    ("point", "option"),
    [
        *((point, "allow") for point in POINTS),
        *((point, "deny") for point in POINTS if point not in {ALLOWED_ONLY, *GIVEN_UP}),
    ],
)
async def test_a_desk_that_is_killed_gives_no_approval_to_a_call_sent_again(
    tmp_path: Path, point: str, option: str
) -> None:
    """tool-review.md, owner = agent; T8.3, app restart: the same call comes to the next desk."""
    store, clock = tmp_path / "kandesk.db", FakeClock()
    told = await die(store, point, option)
    assert told in ([], ["told ALLOWED" if option == "allow" else "told DECLINED"])
    before = requests(store)
    async with prompt_case(store, clock, make_rows=False) as case:
        assert await recover(case.desk.faults, clock) in {0, 1}
        assert await recover(case.desk.faults, clock) == 0
        prompt, again = await case.ask(guest(call=KEY))
        if point == "request written, not committed":
            assert before == []
            await case.desk.opened()
            return
        review_id = ReviewId(before[0][0])
        found = await case.desk.reviews.get_review(review_id)
        if point in NEVER_DECIDED:
            assert found.status is ReviewStatus.CANCELLED
            (fresh,) = await case.desk.opened()
            assert fresh.review_id != review_id
            assert not again.done()
        elif option == "deny":
            assert found.status is ReviewStatus.DECLINED
            assert (await again).end is PromptEnd.DECLINED
        else:
            assert found.status is ReviewStatus.OUTCOME_UNKNOWN
            assert (await again).end is PromptEnd.UNKNOWN
        prompt.leave()
        with pytest.raises(Conflict):
            await case.decide(found, "allow" if option == "deny" else "deny")
