"""Answers that are kept for an agent, at the next start of the desk (K5.7)."""

from pathlib import Path

import pytest

from backend.clarification.asking import OpenAsk
from backend.clock import SystemClock
from backend.domain.clarification import (
    BundleStatus,
    Delivery,
)
from backend.domain.hosted import AgentStatus
from backend.errors import AgentFailed, Conflict, ErrorCode
from tests.helpers.kept import Kept
from tests.helpers.place import Place
from tests.helpers.scripted_hosting import hosting
from tests.helpers.scripted_launcher import ScriptedLauncher


async def _kept_and_killed(place: Place, folder: Path) -> OpenAsk:
    async with hosting(place, SystemClock(), folder) as hosted:
        await hosted.start("go")
        await hosted.works()
        desk = Kept(hosted)
        asked = await desk.ask()
        await desk.respond(asked)
    return asked


async def test_a_desk_that_starts_again_gives_it_to_a_new_agent_once(
    place: Place, tmp_path: Path
) -> None:
    """K5.7: the agent is gone with the desk; the kept answer is the detached resume."""
    asked = await _kept_and_killed(place, tmp_path)
    async with hosting(place, SystemClock(), tmp_path) as hosted:
        again = Kept(hosted)
        await again.prompted(1)
        assert "PostgreSQL" in again.given[0]
        await again.arrives(asked)
        await hosted.done()
        assert len(again.given) == 1
    async with hosting(place, SystemClock(), tmp_path) as hosted:
        assert (await Kept(hosted).bundle(asked.pending_id)).delivery is Delivery.DELIVERED
        assert hosted.launcher.given == []


async def test_a_desk_whose_agent_does_not_start_shows_it_as_not_collected(
    place: Place, tmp_path: Path
) -> None:
    asked = await _kept_and_killed(place, tmp_path)
    launcher = ScriptedLauncher()
    launcher.error = AgentFailed(ErrorCode.AGENT_FAILED, "not there")
    async with hosting(place, SystemClock(), tmp_path, launcher) as hosted:
        await hosted.status(AgentStatus.FAILED)
        (left,) = await hosted.desk.desk.list_uncollected()
        assert (left.pending_id, left.status) == (asked.pending_id, BundleStatus.ANSWERED)
        await hosted.desk.desk.discard_stored_answer(asked.pending_id)
        with pytest.raises(Conflict):
            await hosted.desk.desk.discard_stored_answer(asked.pending_id)
