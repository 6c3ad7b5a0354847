"""An answer that could not be settled for long is settled as soon as somebody asks about it."""

from pathlib import Path

import pytest

from backend.domain.clarification import Delivery
from backend.errors import ErrorCode, StorageFailed
from tests.helpers.builders import make_draft
from tests.helpers.clock import FakeClock, settle
from tests.helpers.desk import HUMAN, make_caller, new_token, open_desk
from tests.helpers.faults import Fault, FaultyDatabase
from tests.helpers.store import YES
from tests.helpers.waiting import eventually, until

pytestmark = pytest.mark.faults


async def test_a_retry_ends_the_long_pause_of_a_store_that_was_full(tmp_path: Path) -> None:
    """K5.7 step 2 in the running desk: 1, 5, 30, 300 s, and at once when it matters to somebody."""
    clock = FakeClock()
    made: list[FaultyDatabase] = []

    def wrap(database: object) -> FaultyDatabase:
        made.append(FaultyDatabase(database))  # type: ignore[arg-type]
        return made[0]

    async with open_desk(tmp_path / "kandesk.db", clock, wrap=wrap) as desk:
        opened = await desk.asking.open(make_caller(), make_draft())
        token = new_token()
        faults = [Fault("before", StorageFailed(ErrorCode.STORE_FULL, "full")) for _ in range(4)]
        made[0].plan(None, *faults)
        said = await desk.desk.respond(opened.pending_id, YES, client_id=HUMAN, claim_token=token)
        assert said.delivery is Delivery.UNKNOWN
        for pause, fault in zip((1, 5, 30), faults[1:], strict=True):
            await clock.advance(pause)
            await until(fault.reached.is_set)
            await settle()
        again = await desk.desk.respond(opened.pending_id, YES, client_id=HUMAN, claim_token=token)
        assert again.replayed
        await clock.advance(1)

        async def kept() -> bool:
            bundle = await desk.desk.get_bundle(opened.pending_id)
            return bundle.delivery is Delivery.WAITING_FOR_AGENT

        await eventually(kept)
