"""Agents in child processes, ended behind each test."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from backend.agents.process_marks import group_lives
from tests.helpers.launched import Agents
from tests.helpers.scripted_agents import RecordingListener


@pytest.fixture
async def agents(tmp_path: Path) -> AsyncIterator[Agents]:
    agents = Agents(tmp_path)
    yield agents
    await agents.stop()
    assert not any(group_lives(mark.group) for mark in agents.listener.marks)


@pytest.fixture
def listener(agents: Agents) -> RecordingListener:
    return agents.listener
