import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.helpers.peer_agents import PROGRAMS
from tests.helpers.scripted_model import scripted_model


def agent_program(name: str) -> Path:
    program = PROGRAMS / name
    if not program.exists():
        pytest.fail(f"{name} is not installed; run packaging/dev/agents.sh")
    return program


@pytest.fixture
def opencode() -> Path:
    return agent_program("opencode")


@pytest.fixture
def codex_acp() -> Path:
    return agent_program("codex-acp")


@pytest.fixture
def model() -> Iterator[str]:
    with scripted_model() as url:
        yield url


@pytest.fixture
def agent_home(tmp_path: Path) -> Path:
    """The user folder of the agent: it must not see the developer's own settings."""
    home = tmp_path / "user"
    home.mkdir()
    return home


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder an agent works in; Gemini and Codex look for a repository around it."""
    folder = tmp_path / "project"
    folder.mkdir()
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    return folder
