"""A home, and desks and shims on it that end with the test."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from backend.paths import Home
from tests.helpers.desk_process import DeskProcess
from tests.helpers.shim_process import ShimProcess


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


@pytest.fixture
def start_desk(home: Home) -> Iterator[Callable[..., DeskProcess]]:
    started: list[DeskProcess] = []

    def start(*options: str) -> DeskProcess:
        started.append(DeskProcess(home, *options))
        return started[-1]

    yield start
    for desk in started:
        desk.stop()


@pytest.fixture
def start_shim(home: Home, tmp_path: Path) -> Iterator[Callable[..., ShimProcess]]:
    started: list[ShimProcess] = []

    def start(*options: str) -> ShimProcess:
        started.append(ShimProcess(home, *options, cwd=tmp_path))
        started[-1].initialize()
        return started[-1]

    yield start
    for shim in started:
        shim.stop()
        assert shim.problems == []
