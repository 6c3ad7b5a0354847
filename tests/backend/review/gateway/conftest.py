from collections.abc import AsyncIterator

import pytest

from tests.helpers.clock import FakeClock
from tests.helpers.gateway_case import GatewayCase, gateway_case
from tests.helpers.place import Place


@pytest.fixture
async def case(place: Place, clock: FakeClock) -> AsyncIterator[GatewayCase]:
    """Every test runs on both dialects."""
    async with gateway_case(place, clock) as running:
        yield running
