"""Starts the desk for the first tool call, detached, and never against the human's will."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from backend.mcp import shim_texts
from backend.paths import Home

_ATTEMPTS = 2
_SETTLE_SECONDS = 5.0
"""Time for another desk to answer after ours has ended: two starts at once are normal."""


class NotStartable(Exception):
    """The desk stays away; the text says why and what the human can do."""


class Permission(Enum):
    """Whether a shim may start a desk at all."""

    ALLOWED = "allowed"
    FORBIDDEN = "--no-start"


@dataclass(frozen=True, slots=True)
class StartPlan:
    """How to start a desk on this machine, the best way first."""

    commands: tuple[tuple[str, ...], ...]


def plan_start(command: Sequence[str], home: Home) -> StartPlan:
    """With a window where there is a display, and without one as the way out."""
    at_home = ("--home", str(home.root))
    serve = (*command, "serve", *at_home)
    if has_display():
        return StartPlan(((*command, "--background", *at_home), serve))
    return StartPlan((serve, serve))


def has_display() -> bool:
    """Whether a window can be shown to the person who sits here."""
    if sys.platform in ("win32", "darwin"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


class DeskStarter:
    """One per shim; any call thread may ask."""

    def __init__(self, home: Home, plan: StartPlan, permission: Permission) -> None:
        self._home = home
        self._plan = plan
        self._permission = permission
        self._born = time.time()
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._attempts = 0
        self._ended_at = 0.0

    def ensure(self) -> None:
        """Have a desk on its way. Call it only while none answers.

        Raises:
            NotStartable: none will come by itself.
        """
        if self._permission is Permission.FORBIDDEN:
            raise NotStartable(shim_texts.NO_DESK)
        if self._was_quit():
            raise NotStartable(shim_texts.QUIT)
        with self._lock:
            self._ensure_started()

    def arrived(self) -> None:
        """A desk answers: the next time it is away counts from the beginning."""
        with self._lock:
            self._attempts = 0

    def _was_quit(self) -> bool:
        try:
            return self._home.quit_marker.stat().st_mtime >= self._born
        except OSError:
            return False

    def _ensure_started(self) -> None:
        if self._process is not None:
            if self._process.poll() is None:
                return
            self._process = None
            self._ended_at = time.monotonic()
        if self._attempts and time.monotonic() - self._ended_at < _SETTLE_SECONDS:
            return
        if self._attempts >= _ATTEMPTS:
            self._attempts = 0
            raise NotStartable(shim_texts.START_FAILED.format(reason=self._last_words()))
        try:
            self._process = _spawn(self._plan.commands[self._attempts], self._home)
        except OSError as error:
            raise NotStartable(shim_texts.START_FAILED.format(reason=error)) from error
        self._attempts += 1

    def _last_words(self) -> str:
        try:
            text = _start_log(self._home).read_text("utf-8", "replace")
        except OSError:
            text = ""
        lines = [line for line in text.splitlines() if line.strip()]
        return lines[-1][:500] if lines else "it ended at once"


def _spawn(command: Sequence[str], home: Home) -> "subprocess.Popen[bytes]":
    home.create()
    home.log_dir.mkdir(mode=0o700, exist_ok=True)
    with _start_log(home).open("wb") as log:
        return subprocess.Popen(  # noqa: S603
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=log,
            cwd=home.root,
            start_new_session=True,
            creationflags=_DETACHED,
        )


def _start_log(home: Home) -> Path:
    return home.log_dir / "start.log"


if sys.platform == "win32":
    _DETACHED = subprocess.DETACHED_PROCESS | subprocess.CREATE_NEW_PROCESS_GROUP
else:
    _DETACHED = 0
