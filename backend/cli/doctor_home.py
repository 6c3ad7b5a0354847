"""Checks of what a desk keeps in its home beside the store. Nothing here changes a file."""

import os
import shutil
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from backend.cli.desk_client import DeskUnreachable, Json, RunningDesk, find_desk
from backend.cli.finding import Finding, ok, problem, warning
from backend.endpoint import read_endpoint
from backend.errors import StorageFailed
from backend.installation import version
from backend.metrics import RESPONSE_TIMEOUTS
from backend.paths import Home
from backend.process import process_lives
from backend.store.owner_lock import LockHolder, OwnerLock

_MEBIBYTE: Final = 1024 * 1024
_NO_ROOM: Final = 100 * _MEBIBYTE
_SPARE: Final = 64 * _MEBIBYTE
_SECONDS: Final = 5.0


def check_folder(home: Home) -> Iterator[Finding]:
    """The folder itself. No finding but a problem when nothing in it can be used."""
    try:
        found = home.root.stat()
    except FileNotFoundError:
        yield ok("home", f"{home.root} does not exist yet; the first start makes it")
        return
    except OSError as error:
        yield problem("home", f"{home.root} cannot be read: {error.strerror}", "choose another")
        return
    if not stat.S_ISDIR(found.st_mode):
        yield problem("home", f"{home.root} is not a folder", "choose another with --home")
    elif not os.access(home.root, os.R_OK | os.W_OK | os.X_OK):
        yield problem("home", f"{home.root} cannot be written", f"run: chmod u+rwx {home.root}")
    elif sys.platform != "win32" and found.st_uid != os.getuid():
        yield problem("home", f"{home.root} belongs to another user", "choose another with --home")
    elif sys.platform != "win32" and found.st_mode & 0o077:
        yield warning("home", f"{home.root} is open to others", f"run: chmod 700 {home.root}")
    else:
        yield ok("home", str(home.root))


def check_room(home: Home) -> Iterator[Finding]:
    """Room for the store to grow and for a copy of it before an upgrade."""
    if not home.root.is_dir():
        return
    free = shutil.disk_usage(home.root).free
    store = home.database.stat().st_size if home.database.exists() else 0
    text = f"{free // _MEBIBYTE:,} MiB free"
    if free < _NO_ROOM:
        yield problem("disk", text, "make room: answers cannot be kept on a full disk")
    elif free < store + _SPARE:
        yield warning("disk", text, "an upgrade would go on without a backup of the store")
    else:
        yield ok("disk", text)


def check_secrets(home: Home) -> Iterator[Finding]:
    """Files only their owner may read; their content is never shown."""
    for path in (home.desk_token, home.agent_token, home.ticket_key, home.endpoint, home.database):
        reason = unsafe_because(path)
        if reason:
            fix = f"delete {path}" if "link" in reason else f"run: chmod 600 {path}"
            advice = f"{fix}; then kandesk doctor --rotate-tokens"
            yield warning("files", f"{path} {reason}", advice if "token" in path.name else fix)
    if not any(
        unsafe_because(path) for path in (home.desk_token, home.agent_token, home.ticket_key)
    ):
        kept = [path.name for path in (home.desk_token, home.agent_token) if path.exists()]
        text = f"{' and '.join(kept)}, readable by their owner only"
        yield ok("tokens", text if kept else "none yet; the first start makes them")


def unsafe_because(path: Path) -> str:
    """Why this file should not be trusted; empty when it is private or not there."""
    try:
        found = path.lstat()
    except FileNotFoundError:
        return ""
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    if stat.S_ISLNK(found.st_mode) and path.suffix != ".db":
        return "is a symbolic link"
    if sys.platform == "win32":
        return ""
    if found.st_uid != os.getuid():
        return "belongs to another user"
    if not stat.S_ISLNK(found.st_mode) and found.st_mode & 0o077:
        return "can be read by others"
    return "" if found.st_size else "is empty"


def find_running(home: Home) -> RunningDesk | None:
    """The desk of this home, asked only where reading its files changes none of their modes."""
    if unsafe_because(home.endpoint) or unsafe_because(home.desk_token):
        return None
    return find_desk(home)


def check_desk(home: Home, desk: RunningDesk | None) -> Iterator[Finding]:
    """The endpoint file against what runs."""
    if desk is not None:
        yield from _check_reply(desk)
        return
    try:
        holder = _holder(home)
    except StorageFailed as error:
        yield problem("desk", error.detail, "put it in order; no desk can start until then")
        return
    if holder is not None:
        yield problem(
            "desk",
            f"process {holder.pid} ({holder.kind or 'unknown'}, since {holder.since or 'a moment'})"
            " holds the store and does not answer",
            "wait a moment; if it stays so, end that process and start Kandesk again",
        )
    elif home.endpoint.exists():
        endpoint = None if unsafe_because(home.endpoint) else read_endpoint(home)
        lives = endpoint is not None and process_lives(endpoint.pid)
        state = "of a process that is no desk" if lives else "of a desk that has ended"
        yield ok("desk", f"none runs; {home.endpoint.name} is {state}, the next start replaces it")
    else:
        yield ok("desk", "none runs")


def _check_reply(desk: RunningDesk) -> Iterator[Finding]:
    try:
        body = desk.request("GET", "/api/v1/desk", seconds=_SECONDS).body
    except DeskUnreachable as error:
        yield problem("desk", f"process {desk.pid} does not answer: {error}", "start it again")
        return
    found = str(body.get("version", "unknown"))
    where = f"{desk.kind} {found} on port {desk.port}, process {desk.pid}"
    if found != version():
        yield warning(
            "desk", f"{where}; this is {version()}", "end it and start Kandesk again to update it"
        )
    else:
        yield ok("desk", where)
    yield _check_counters(body)


def _check_counters(body: Json) -> Finding:
    counters = body.get("counters")
    phases = counters.get(RESPONSE_TIMEOUTS) if isinstance(counters, dict) else None
    if not isinstance(phases, dict):
        return warning("counters", "the desk tells none", "end it and start Kandesk again")
    late = {str(phase): number for phase, number in phases.items() if number}
    if not late:
        return ok("counters", "no answer has run out of its time since the desk started")
    told = ", ".join(f"{phase} {number}" for phase, number in sorted(late.items()))
    return warning(
        "counters",
        f"answers ran out of their time since the desk started: {told}",
        "the store's disk or server is slow, or another program keeps it locked",
    )


def _holder(home: Home) -> LockHolder | None:
    return OwnerLock.holder(home.database) if home.root.is_dir() else None
