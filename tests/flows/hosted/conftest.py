"""A desk that runs scripted agents in child processes."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.helpers.hosting_desk import HostingDesk, hosting_desk


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[HostingDesk]:
    async with hosting_desk(tmp_path) as running:
        yield running
