"""The edges of holding a call that no client can time."""

import asyncio
import contextlib

import pytest

from backend.clarification.ask_result import AskResult, AskStatus
from backend.clarification.asking import OpenAsk
from backend.errors import Conflict, ErrorCode, TemporarilyUnavailable
from backend.ids import PendingId, SessionId, Ticket
from backend.mcp.exchange import Exchange, Role
from backend.mcp.holding import AWAY_PAUSES, HeldCall, LiveCalls, Progress
from tests.helpers.clock import FakeClock
from tests.helpers.fake_asking import FakeAsking
from tests.helpers.waiting import until

OPENED = OpenAsk(PendingId("p1"), SessionId("s1"), Ticket("ticket-1"))


class _LastMoment(FakeAsking):
    """Hands its result over in the very moment it is told to stop waiting."""

    async def wait(self, pending_id: PendingId, *, limit: float | None = None) -> AskResult:
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.get_running_loop().create_future()
        return AskResult(pending_id, AskStatus.SKIPPED, ())


class _StoreAway(FakeAsking):
    """The store does not answer the first times a call looks for its result."""

    def __init__(self, times: int) -> None:
        super().__init__()
        self.times = times
        self.looks = 0

    async def wait(self, pending_id: PendingId, *, limit: float | None = None) -> AskResult:
        self.looks += 1
        if self.looks <= self.times:
            raise TemporarilyUnavailable(ErrorCode.STORE_UNREACHABLE, "the server is not there")
        return AskResult(pending_id, AskStatus.SKIPPED, ())


class _NoProgress(Progress):
    def __init__(self) -> None:
        self.beats = 0

    async def beat(self, ticket: Ticket | None = None) -> None:
        self.beats += 1


def held_call(asking: FakeAsking, clock: FakeClock, *, limit: float | None) -> HeldCall:
    return HeldCall(
        asking=asking,
        clock=clock,
        exchange=Exchange(Role.AGENT),
        progress=_NoProgress(),
        started_at=clock.monotonic(),
        limit=limit,
    )


@pytest.mark.parametrize("ending", ["patience", "drain"])
async def test_a_result_that_was_handed_over_while_the_call_gave_up_is_returned(
    ending: str,
) -> None:
    """The store says delivered: the agent must get it, not a ticket."""
    clock = FakeClock()
    asking = _LastMoment()
    call = held_call(asking, clock, limit=5.0)
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


async def test_a_call_whose_question_is_open_outlives_a_store_that_is_away() -> None:
    """architecture.md, The store: away later. An error would make the agent ask again."""
    clock = FakeClock()
    asking = _StoreAway(times=4)
    held = asyncio.ensure_future(held_call(asking, clock, limit=None).hold(OPENED))
    await until(lambda: asking.looks == 1)
    await clock.advance(sum(AWAY_PAUSES) - 1)
    assert asking.looks == 4
    assert not held.done()
    await clock.advance(1)
    result = await held
    assert result is not None
    assert result.status is AskStatus.SKIPPED
    assert asking.cuts == []
    assert clock.pending_timers == 0


@pytest.mark.parametrize("ending", ["patience", "drain"])
async def test_a_call_that_ends_while_the_store_is_away_ends_waiting(ending: str) -> None:
    """It gets the ticket, not the trouble of the store."""
    clock = FakeClock()
    asking = _StoreAway(times=1_000)
    held = asyncio.ensure_future(held_call(asking, clock, limit=5.0).hold(OPENED))
    await until(lambda: asking.looks == 1)
    if ending == "drain":
        asking.draining.set()
    else:
        await clock.advance(5)
    assert await held is None
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
