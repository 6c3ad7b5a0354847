from collections.abc import AsyncIterator

import pytest

from tests.helpers.clock import FakeClock
from tests.helpers.desk import TestDesk, open_desk
from tests.helpers.hosted import HostedDesk, hosted_desk
from tests.helpers.place import Place


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def store_path(place: Place) -> Place:
    """Where the desk keeps its rows; every test runs on both dialects."""
    return place


@pytest.fixture
async def desk(store_path: Place, clock: FakeClock) -> AsyncIterator[TestDesk]:
    async with open_desk(store_path, clock) as running:
        yield running


@pytest.fixture
async def hosted(store_path: Place, clock: FakeClock) -> AsyncIterator[HostedDesk]:
    async with hosted_desk(store_path, clock) as running:
        yield running
