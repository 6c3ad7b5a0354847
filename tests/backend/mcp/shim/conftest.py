"""A home, shims on it and a scripted desk, all ended with the test."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from backend.paths import Home
from tests.helpers.scripted_desk import Script, ScriptedDesk
from tests.helpers.shim_process import ShimProcess

StartShim = Callable[..., ShimProcess]
StartDesk = Callable[[Script], ScriptedDesk]


@pytest.fixture
def home(tmp_path: Path) -> Home:
    found = Home(tmp_path / "home")
    found.create()
    return found


@pytest.fixture
def start_shim(home: Home) -> Iterator[StartShim]:
    started: list[ShimProcess] = []

    def start(*options: str, cwd: Path | None = None, **env: str) -> ShimProcess:
        started.append(ShimProcess(home, *(options or ("--no-start",)), cwd=cwd, **env))
        return started[-1]

    yield start
    for shim in started:
        shim.stop()
        assert shim.problems == [], "something that is not JSON-RPC on standard output"


@pytest.fixture
def start_desk(home: Home) -> Iterator[StartDesk]:
    started: list[ScriptedDesk] = []

    def start(script: Script) -> ScriptedDesk:
        desk = ScriptedDesk(home, script)
        started.append(desk)
        desk.start()
        return desk

    yield start
    for desk in started:
        desk.stop()
