from collections.abc import AsyncIterator

import pytest

from tests.helpers.clock import FakeClock
from tests.helpers.place import Place
from tests.helpers.reviewing import ReviewDesk, review_desk


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
async def desk(place: Place, clock: FakeClock) -> AsyncIterator[ReviewDesk]:
    """Every test runs on both dialects."""
    async with review_desk(place, clock) as running:
        yield running
