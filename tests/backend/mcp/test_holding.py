"""The edges of holding a call that no client can time."""

import asyncio
import contextlib

import pytest

from backend.clarification.ask_result import AskResult, AskStatus
from backend.clarification.asking import OpenAsk
from backend.errors import Conflict
from backend.ids import PendingId, SessionId, Ticket
from backend.mcp.exchange import Exchange, Role
from backend.mcp.holding import HeldCall, LiveCalls, Progress
from tests.helpers.clock import FakeClock
from tests.helpers.fake_asking import FakeAsking

OPENED = OpenAsk(PendingId("p1"), SessionId("s1"), Ticket("ticket-1"))


class _LastMoment(FakeAsking):
    """Hands its result over in the very moment it is told to stop waiting."""

    async def wait(self, pending_id: PendingId, *, limit: float | None = None) -> AskResult:
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.get_running_loop().create_future()
        return AskResult(pending_id, AskStatus.SKIPPED, ())


class _NoProgress(Progress):
    def __init__(self) -> None:
        self.beats = 0

    async def beat(self, ticket: Ticket | None = None) -> None:
        self.beats += 1


@pytest.mark.parametrize("ending", ["patience", "drain"])
async def test_a_result_that_was_handed_over_while_the_call_gave_up_is_returned(
    ending: str,
) -> None:
    """The store says delivered: the agent must get it, not a ticket."""
    clock = FakeClock()
    asking = _LastMoment()
    call = HeldCall(
        asking=asking,
        clock=clock,
        exchange=Exchange(Role.AGENT),
        progress=_NoProgress(),
        started_at=clock.monotonic(),
        limit=5.0,
    )
    held = asyncio.ensure_future(call.hold(OPENED))
    await asyncio.sleep(0)
    if ending == "drain":
        asking.draining.set()
    await clock.advance(5)
    result = await held
    assert result is not None
    assert result.status is AskStatus.SKIPPED
    assert asking.cuts == []
    assert clock.pending_timers == 0


def test_places_are_given_back_and_each_connection_has_its_own() -> None:
    live = LiveCalls()
    with live.enter(("a", 1), ("all", 2)):
        with pytest.raises(Conflict, match="limit is 1"), live.enter(("a", 1), ("all", 2)):
            pass
        with (
            live.enter(("b", 1), ("all", 2)),
            pytest.raises(Conflict, match="limit is 2"),
            live.enter(("c", 1), ("all", 2)),
        ):
            pass
        assert (live.count("a"), live.count("b"), live.count("all")) == (1, 0, 1)
    assert (live.count("a"), live.count("all")) == (0, 0)
