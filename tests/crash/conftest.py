from collections.abc import Iterator

import pytest

from tests.crash.forks import ForkServer, fork_server


@pytest.fixture(scope="session")
def forks() -> Iterator[ForkServer]:
    with fork_server() as server:
        yield server
