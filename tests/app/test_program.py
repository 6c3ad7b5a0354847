"""The window as a whole process: pictures, refusals, and a clean end."""

import os
import signal
import sqlite3
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from PySide6.QtGui import QImage

from app.windows.welcome import AGENTS
from backend.agents import catalog
from tests.helpers.program import KANDESK, environment

_PATIENCE = 60


def _run(home: Path, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*KANDESK, *arguments],
        env=environment(home, **env),
        capture_output=True,
        text=True,
        timeout=_PATIENCE,
        check=False,
    )


def _lines(result: subprocess.CompletedProcess[str]) -> list[str]:
    noise = ("This plugin does not support", "QStandardPaths")
    return [line for line in result.stderr.splitlines() if line and not line.startswith(noise)]


@contextmanager
def _window(home: Path) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen([*KANDESK], env=environment(home), stderr=subprocess.PIPE, text=True)
    try:
        ends_at, pause = time.monotonic() + _PATIENCE, threading.Event()
        while not (home / "endpoint.json").exists():
            assert process.poll() is None, process.stderr and process.stderr.read()
            assert time.monotonic() < ends_at
            pause.wait(0.05)
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def test_a_picture_of_the_demo_shows_its_question(tmp_path: Path) -> None:
    picture = tmp_path / "demo.png"
    result = _run(tmp_path / "home", "demo", "--screenshot", str(picture), "--theme", "dark")
    assert result.returncode == 0, result.stderr
    assert _lines(result) == []
    image = QImage(str(picture))
    assert (image.width(), image.height()) == (1180, 780)
    assert image.pixelColor(1170, 300).lightness() < 60
    assert not (tmp_path / "home" / "endpoint.json").exists()


def test_a_picture_needs_no_display(tmp_path: Path) -> None:
    picture = tmp_path / "window.png"
    env = environment(tmp_path / "home")
    del env["QT_QPA_PLATFORM"]
    result = subprocess.run(
        [*KANDESK, "--screenshot", str(picture)],
        env=env,
        capture_output=True,
        text=True,
        timeout=_PATIENCE,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert not QImage(str(picture)).isNull()


def test_without_a_display_the_window_is_refused_in_one_line(tmp_path: Path) -> None:
    env = environment(tmp_path / "home")
    del env["QT_QPA_PLATFORM"]
    result = subprocess.run(
        [*KANDESK], env=env, capture_output=True, text=True, timeout=_PATIENCE, check=False
    )
    assert result.returncode == 1
    assert len(_lines(result)) == 1
    assert "display" in result.stderr


def test_a_picture_that_cannot_be_written_is_told_in_one_line(tmp_path: Path) -> None:
    target = tmp_path / "no" / "such" / "folder.png"
    result = _run(tmp_path / "home", "--screenshot", str(target))
    assert result.returncode == 1
    assert len(_lines(result)) == 1
    assert "folder.png" in result.stderr


def test_a_damaged_store_is_told_and_left_alone(tmp_path: Path) -> None:
    """Bad input: one clear message, nothing overwritten."""
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    store = home / "kandesk.db"
    with closing(sqlite3.connect(store)) as connection:
        connection.execute("CREATE TABLE elsewhere (x)")
        connection.commit()
    damaged = store.read_bytes()[:60] + b"\xff" * 4000
    store.write_bytes(damaged)
    result = _run(home, "--screenshot", str(tmp_path / "x.png"))
    assert result.returncode == 1
    assert len(_lines(result)) == 1
    assert store.read_bytes() == damaged


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_the_window_cleanly(tmp_path: Path, number: signal.Signals) -> None:
    home = tmp_path / "home"
    with _window(home) as process:
        process.send_signal(number)
        assert process.wait(_PATIENCE) == 0
    assert not (home / "endpoint.json").exists()
    assert (home / "window.ini").exists()


def test_a_second_start_raises_the_first_window(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with _window(home) as process:
        second = _run(home)
        assert second.returncode == 0
        assert process.poll() is None
        os.kill(process.pid, signal.SIGTERM)
        assert process.wait(_PATIENCE) == 0


def test_the_welcome_page_knows_the_agents_that_can_be_connected() -> None:
    assert [(agent.name, agent.key) for agent in catalog.AGENTS] == list(AGENTS)
