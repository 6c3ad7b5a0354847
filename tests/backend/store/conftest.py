from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from backend.store.database import Database
from tests.helpers.clock import FakeClock
from tests.helpers.place import Place, open_store
from tests.helpers.store import RowMaker


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The file of a test that is about SQLite."""
    return tmp_path / "kandesk.db"


@pytest.fixture
async def database(place: Place, clock: FakeClock) -> AsyncIterator[Database]:
    opened = await open_store(place, clock)
    yield opened
    await opened.close()


@pytest.fixture
def rows(database: Database, place: Place) -> RowMaker:
    """Rows of a hosted session s1 whose current turn is turn1."""
    maker = RowMaker(place)
    maker.session()
    maker.turn("turn1")
    return maker
