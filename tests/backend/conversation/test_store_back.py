"""What waited for a store that was away goes on when it is back, not minutes after it."""

from pathlib import Path

from backend.domain.hosted import AgentStatus
from backend.errors import ErrorCode, StorageFailed
from backend.events import StoreAvailability
from tests.helpers.clock import FakeClock, settle
from tests.helpers.faults import Fault
from tests.helpers.place import Place
from tests.helpers.scripted_hosting import hosting
from tests.helpers.waiting import eventually, until

LONG_AWAY = (1, 5, 30)
"""Seconds between the tries that failed; the next would come after 300."""


async def test_an_agent_that_was_starting_is_ready_and_prompted_once(
    place: Place, clock: FakeClock, tmp_path: Path
) -> None:
    """K5.6 row 13; the store is there again without a restart of the desk."""
    async with hosting(place, clock, tmp_path) as hosted:
        faults = [Fault("before", StorageFailed(ErrorCode.STORE_FULL, "full")) for _ in range(4)]
        hosted.faults.plan(None, None, *faults)
        await hosted.start("go")
        for pause, fault in zip((*LONG_AWAY, 0), faults, strict=True):
            await until(fault.reached.is_set)
            await clock.advance(pause)
        await settle()
        assert hosted.launcher.given == []
        hosted.desk.services.bus.publish(StoreAvailability(available=True, detail=""))

        async def works() -> bool:
            await clock.advance(0.1)
            return (await hosted.seen()).status is AgentStatus.WORKING

        await eventually(works)
        assert hosted.launcher.given == ["go"]
