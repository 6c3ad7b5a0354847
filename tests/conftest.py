"""What every test relies on: no screen, none of the developer's own settings, and the stores."""

import asyncio
import gc
import itertools
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.helpers.clock import FakeClock
from tests.helpers.place import Place, open_store
from tests.helpers.postgres import PostgresServer, postgres_server

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.pop("KANDESK_HOME", None)


_FULL_EVERY = 20
_tests_run = itertools.count(1)


@pytest.fixture(autouse=True)
def _garbage_of_this_thread() -> Iterator[None]:
    """Qt objects are freed where they live, never by chance on a backend's thread.

    `GarbageCollector` does so in the program; what a test of the window leaves behind outlives it.
    """
    gc.disable()
    yield
    gc.disable()
    if next(_tests_run) % _FULL_EVERY:
        gc.collect(1)
    else:
        collect_and_spare()


def collect_and_spare() -> None:
    """Collect everything, and look at what is left no more: modules and tests stay to the end."""
    gc.collect()
    gc.freeze()


def pytest_collection_finish() -> None:
    collect_and_spare()


async def make_store(place: Place) -> None:
    await (await open_store(place, FakeClock())).close()


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """One server for all tests; where there is none, every test that asks for it fails."""
    with postgres_server() as server:
        yield server


@pytest.fixture
def postgres_url(postgres: PostgresServer) -> Iterator[str]:
    """A database of its own."""
    with postgres.database() as url:
        yield url


@pytest.fixture(scope="session")
def postgres_store(postgres: PostgresServer) -> Iterator[str]:
    """The name of a database with an empty store, to be copied and never opened."""
    with postgres.database() as url:
        asyncio.run(make_store(url))
        yield url.rsplit("/", 1)[1]


@pytest.fixture
def postgres_store_url(postgres: PostgresServer, postgres_store: str) -> Iterator[str]:
    """A database of its own, with an empty store: quicker than one that is still to be made."""
    with postgres.database(postgres_store) as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """Where the store of the test is: the test runs once on each dialect."""
    if request.param == "sqlite":
        return tmp_path / "kandesk.db"
    url: str = request.getfixturevalue("postgres_store_url")
    return url
