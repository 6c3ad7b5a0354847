from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from backend.store.sqlite import SqliteDatabase
from tests.helpers.clock import FakeClock
from tests.helpers.store import RowMaker


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "kandesk.db"


@pytest.fixture
async def database(path: Path, clock: FakeClock) -> AsyncIterator[SqliteDatabase]:
    opened = await SqliteDatabase.open(path, clock)
    yield opened
    await opened.close()


@pytest.fixture
def rows(database: SqliteDatabase, path: Path) -> RowMaker:
    """Rows of a hosted session s1 whose current turn is turn1."""
    maker = RowMaker(path)
    maker.session()
    maker.turn("turn1")
    return maker
