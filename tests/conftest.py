"""What every test relies on: no screen, none of the developer's own settings, and the stores."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.helpers.place import Place
from tests.helpers.postgres import PostgresServer, postgres_server

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.pop("KANDESK_HOME", None)


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


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """Where the store of the test is: the test runs once on each dialect."""
    if request.param == "sqlite":
        return tmp_path / "kandesk.db"
    url: str = request.getfixturevalue("postgres_url")
    return url
