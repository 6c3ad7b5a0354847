"""Opens the window, or raises the one that runs, before anything of Qt is imported."""

import argparse
import http
import os
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from app.launch_options import WindowOptions
from backend.cli.desk_client import DeskUnreachable, RunningDesk, find_desk
from backend.errors import StorageFailed
from backend.paths import Home, resolve_home
from backend.store.owner_lock import OwnerLock

_SHOW_SECONDS = 5.0
_SETTLE_SECONDS = 15.0
_HAND_OVER_SECONDS = 50.0
_POLL_SECONDS = 0.05


def run_window(arguments: Sequence[str]) -> int:
    """`kandesk`: exactly one window per home."""
    parsed = _parser("kandesk").parse_args(arguments)
    home = resolve_home(parsed.home)
    running = _settled_desk(home)
    if running is not None and running.kind == "window":
        return _raise_running(running, parsed)
    if running is not None:
        refusal = _take_over(running, home)
        if refusal:
            sys.stderr.write(f"kandesk: {refusal}\n")
            return 1
    return _open(_options(parsed, home, demo=False))


def run_demo(arguments: Sequence[str]) -> int:
    """`kandesk demo`: a desk of its own, thrown away at the end unless a home is named."""
    parsed = _parser("kandesk demo").parse_args(arguments)
    if parsed.home:
        return _open(_options(parsed, resolve_home(parsed.home), demo=True))
    with tempfile.TemporaryDirectory(prefix="kandesk-demo-", ignore_cleanup_errors=True) as folder:
        return _open(_options(parsed, Home(Path(folder)), demo=True))


def _parser(program: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=program, allow_abbrev=False)
    parser.add_argument("--home", metavar="DIR", help="the data folder")
    parser.add_argument("--background", action="store_true", help="start without taking the focus")
    parser.add_argument("--screenshot", type=Path, metavar="FILE", help="write a picture and exit")
    parser.add_argument("--theme", choices=("light", "dark", "system"))
    parser.add_argument("--language", metavar="L", help="a locale name such as de or zh_CN")
    return parser


def _options(parsed: argparse.Namespace, home: Home, *, demo: bool) -> WindowOptions:
    return WindowOptions(
        home=home,
        demo=demo,
        background=parsed.background,
        screenshot=parsed.screenshot.absolute() if parsed.screenshot else None,
        theme=parsed.theme,
        language=parsed.language,
        activation_token=_activation_token(),
    )


def _activation_token() -> str:
    # Ours alone: a child that inherits it could raise the wrong window (XDG activation protocol).
    return os.environ.pop("XDG_ACTIVATION_TOKEN", "")


def _raise_running(running: RunningDesk, parsed: argparse.Namespace) -> int:
    if parsed.screenshot:
        sys.stderr.write(f"kandesk: a window is open (process {running.pid}); close it first\n")
        return 1
    if parsed.background:
        return 0
    token = _activation_token()
    body: dict[str, object] = {"activation_token": token} if token else {}
    try:
        reply = running.request("POST", "/api/v1/desk/show", body, seconds=_SHOW_SECONDS)
    except DeskUnreachable as error:
        sys.stderr.write(f"kandesk: process {running.pid} did not raise its window: {error}\n")
        return 1
    if reply.status >= http.HTTPStatus.BAD_REQUEST:
        sys.stderr.write(
            f"kandesk: process {running.pid} refused to raise its window ({reply.status})\n"
        )
        return 1
    return 0


def _settled_desk(home: Home) -> RunningDesk | None:
    """The desk that answers; waits for one that is just starting or stopping.

    None also when the store stays locked without anybody answering: opening it then says who.
    """
    ends_at = time.monotonic() + _SETTLE_SECONDS
    pause = threading.Event()
    while True:
        running = find_desk(home)
        if running is not None or not _is_owned(home) or time.monotonic() >= ends_at:
            return running
        pause.wait(_POLL_SECONDS)


def _is_owned(home: Home) -> bool:
    try:
        return OwnerLock.holder(home.database) is not None
    except StorageFailed:
        return False


def _take_over(running: RunningDesk, home: Home) -> str:
    """Ask a desk without a window to make room; what went wrong, or nothing."""
    try:
        reply = running.request("POST", "/api/v1/desk/hand-over", {}, seconds=_SHOW_SECONDS)
    except DeskUnreachable as error:
        return (
            f"the desk of process {running.pid} did not answer: {error}" if _is_owned(home) else ""
        )
    if reply.status >= http.HTTPStatus.BAD_REQUEST:
        return f"the desk of process {running.pid} refused to hand over ({reply.status})"
    ends_at = time.monotonic() + _HAND_OVER_SECONDS
    pause = threading.Event()
    while _is_owned(home):
        if time.monotonic() >= ends_at:
            return f"the desk of process {running.pid} has not stopped; stop it and start again"
        pause.wait(_POLL_SECONDS)
    return ""


def _open(options: WindowOptions) -> int:
    from app import main

    return main.run(options)
