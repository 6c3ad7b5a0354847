from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.helpers.clock import FakeClock
from tests.helpers.desk import TestDesk, open_desk


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def store_path(tmp_path: Path) -> Path:
    return tmp_path / "kandesk.db"


@pytest.fixture
async def desk(store_path: Path, clock: FakeClock) -> AsyncIterator[TestDesk]:
    async with open_desk(store_path, clock) as running:
        yield running
