"""Opens the window, or raises the one that runs, before anything of Qt is imported."""

import argparse
import os
import signal
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from app.launch_options import WindowOptions
from backend.cli.desk_client import RunningDesk
from backend.cli.second_start import raise_window, settled_desk, take_over
from backend.paths import Home, resolve_home


def run_window(arguments: Sequence[str]) -> int:
    """`kandesk`: exactly one window per home."""
    parsed = _parser("kandesk").parse_args(arguments)
    home = resolve_home(parsed.home)
    running = settled_desk(home)
    if running is not None and running.kind == "window":
        return _raise_running(running, parsed)
    if running is not None:
        refusal = take_over(running, home)
        if refusal:
            return _fail(refusal)
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
        return _fail(f"a window is open (process {running.pid}); close it first")
    if parsed.background:
        return 0
    refusal = raise_window(running, _activation_token())
    return _fail(refusal) if refusal else 0


def _fail(text: str) -> int:
    sys.stderr.write(f"kandesk: {text}\n")
    return 1


def _open(options: WindowOptions) -> int:
    _die_quietly_on_interrupt()
    from app import main

    return main.run(options)


def _die_quietly_on_interrupt() -> None:
    """Until the window's loop runs there is nothing to save: Ctrl+C ends it without a trace."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
