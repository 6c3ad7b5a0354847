from collections.abc import AsyncIterator

import pytest

from backend.store.database import Database
from tests.helpers.clock import FakeClock
from tests.helpers.place import Place, open_store
from tests.helpers.sending import Sending


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
async def database(place: Place, clock: FakeClock) -> AsyncIterator[Database]:
    opened = await open_store(place, clock)
    yield opened
    await opened.close()


@pytest.fixture
def sending(database: Database, clock: FakeClock, place: Place) -> Sending:
    """The way from a human to agents, on each dialect."""
    return Sending(database, clock, place)
