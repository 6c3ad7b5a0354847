"""What is told of a turn the desk interrupted: its agent worked, or waited for its human."""

import asyncio
from pathlib import Path

import pytest

from backend.clock import SystemClock
from backend.domain.hosted import AgentStatus
from tests.helpers.place import Place
from tests.helpers.reviewing import make_asked
from tests.helpers.scripted_hosting import Hosted, S, hosting
from tests.helpers.waiting import eventually


async def _nothing(*_arguments: object) -> None:
    """As if the desk had been killed."""


def _killed(hosted: Hosted) -> None:
    """Nobody hears of the agent's end, and nothing is written down."""
    hosted.agent.listener.ended = lambda _end: None  # type: ignore[assignment,method-assign]
    assert hosted.desk.services.hosting is not None
    hosted.desk.services.hosting._life.stop_all = _nothing  # type: ignore[method-assign]
    hosted.desk.services.hosting._turns.all_ended = _nothing  # type: ignore[assignment]
    hosted.faults.refuse_writes = True


async def _notices(hosted: Hosted) -> list[object]:
    page = await hosted.desk.desk.list_messages(S)
    own = [row.metadata.get("kandesk") for row in page.messages]
    told = [part.get("notice") for part in own if isinstance(part, dict)]
    return [word for word in told if str(word).startswith("desk_ended")]


@pytest.mark.parametrize("end", ["closed", "killed"])
@pytest.mark.parametrize("waits", [True, False])
async def test_a_turn_the_desk_interrupts_says_whether_its_agent_waited_for_a_permission(
    place: Place, tmp_path: Path, *, end: str, waits: bool
) -> None:
    async with hosting(place, SystemClock(), tmp_path) as first:
        await first.start("go")
        await first.works()
        asking: asyncio.Future[str | None] | None = None
        if waits:
            asking = asyncio.ensure_future(first.agent.listener.permission_asked(make_asked()))

            async def asked() -> bool:
                return bool(await first.desk.desk.reviews.list_open_reviews())

            await eventually(asked)
        if end == "killed":
            _killed(first)
    if asking is not None:
        asking.cancel()
    async with hosting(place, SystemClock(), tmp_path) as second:
        await second.status(AgentStatus.ABSENT)
        assert await _notices(second) == ["desk_ended_waiting" if waits else "desk_ended"]
