"""A started port with a scripted desk behind it."""

from collections.abc import AsyncIterator

import pytest

from backend.clock import SystemClock
from tests.helpers.clock import FakeClock
from tests.helpers.door_client import Door, open_door


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
async def door(clock: FakeClock) -> AsyncIterator[Door]:
    """Its clock moves only when the test moves it."""
    async with open_door(clock) as opened:
        yield opened


@pytest.fixture
async def live_door() -> AsyncIterator[Door]:
    """Runs on the machine's clock."""
    async with open_door(SystemClock()) as opened:
        yield opened
