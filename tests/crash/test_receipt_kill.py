"""kill -9 of the desk at each point of a delivery: no outcome is told twice (T1.4)."""

import asyncio
import sys
from pathlib import Path

import pytest

from backend.clarification.recovery import recover
from tests.crash.receipt_desk_that_dies import BY_CALL, NOTHING_OWED, POINTS
from tests.helpers.clock import FakeClock
from tests.helpers.gateway_case import S, gateway_case
from tests.helpers.place import open_store
from tests.helpers.program import ROOT, environment
from tests.helpers.receipts import ScriptedPrompter, continuing, receipts_of

pytestmark = pytest.mark.crash

TOLD_AGAIN = frozenset(
    {
        "owed",
        "turn reserved, not committed",
        "receipt moved, not committed",
        "hand-over written, not committed",
    }
)
"""Points at which its agent was certainly told nothing."""
UNKNOWN = frozenset({"attempt committed", "prompt taken", "arrival written, not committed"})


async def die(store: Path, point: str) -> list[str]:
    """Run the desk until it is dead; what its agent was told."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.crash.receipt_desk_that_dies",
        str(store),
        point,
        cwd=ROOT,
        env=environment(store.parent),
        stdout=asyncio.subprocess.PIPE,
    )
    told, _ = await asyncio.wait_for(process.communicate(), 60)
    assert process.returncode == -9
    return told.decode().split("\n")[:-1]


async def settle(store: Path, clock: FakeClock) -> None:
    """The start of the next desk, killed after its recovery and begun anew."""
    for _ in range(2):
        database = await open_store(store, clock)
        await recover(database, clock, lambda _event: None)
        await database.close()


@pytest.mark.parametrize("point", POINTS)
async def test_an_outcome_is_told_once_at_most_and_a_receipt_says_which(
    tmp_path: Path, point: str
) -> None:
    """T1.4, T6.2 54: told again only where it is certain that nobody was told."""
    store, clock = tmp_path / "kandesk.db", FakeClock()

    told = await die(store, point)

    await settle(store, clock)
    prompter = ScriptedPrompter()
    async with gateway_case(store, clock, make_rows=False) as case:
        receipts = continuing(case, prompter)
        waiting = await receipts.waiting_sessions()
        for session_id in waiting:
            await receipts.give_next(session_id)
        await receipts.give_next(S)
        assert await receipts.waiting_sessions() == ()
    if point in TOLD_AGAIN:
        assert (told, len(prompter.given)) == ([], 1)
        assert receipts_of(store) == ["delivered"]
    elif point == "outcome written, not committed":
        # It was begun and is not begun again; its agent is told that nobody knows its end.
        assert (told, len(prompter.given)) == ([], 1)
    elif point in NOTHING_OWED:
        assert (told, prompter.given) == ([], [])
        assert receipts_of(store) in ([], [""])
    elif point in UNKNOWN:
        assert prompter.given == []
        assert receipts_of(store) == ["unknown"]
    else:
        assert len(told) == (point != "hand-over committed")
        assert told in ([], ["call" if point in BY_CALL else "prompt"])
        assert prompter.given == []
        assert receipts_of(store) == ["delivered"]
