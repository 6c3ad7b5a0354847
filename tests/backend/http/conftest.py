"""A started port with a scripted desk behind it, and one with a real store."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from backend.clock import SystemClock
from tests.helpers.clock import FakeClock
from tests.helpers.door_client import Door, open_door
from tests.helpers.http_desk import HttpDesk, open_http_desk
from tests.helpers.store import RowMaker


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


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "kandesk.db"


@pytest.fixture
async def desk(path: Path, clock: FakeClock) -> AsyncIterator[HttpDesk]:
    """A real store behind the port."""
    async with open_http_desk(path, clock) as opened:
        yield opened


@pytest.fixture
def rows(desk: HttpDesk, path: Path) -> RowMaker:
    """Rows of a hosted session s1 whose current turn is turn1."""
    maker = RowMaker(path)
    maker.session()
    maker.turn("turn1")
    return maker
