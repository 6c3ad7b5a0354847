"""What a start does with the desk that runs already on the same home."""

import http
import threading
import time

from backend.cli.desk_client import DeskUnreachable, Json, RunningDesk, find_desk
from backend.errors import StorageFailed
from backend.paths import Home
from backend.store.owner_lock import OwnerLock

_SHOW_SECONDS = 5.0
_SETTLE_SECONDS = 15.0
_HAND_OVER_SECONDS = 50.0
_POLL_SECONDS = 0.05


def raise_window(running: RunningDesk, activation_token: str) -> str:
    """Bring the window to the front; what went wrong, or nothing."""
    body: Json = {"activation_token": activation_token} if activation_token else {}
    try:
        reply = running.request("POST", "/api/v1/desk/show", body, seconds=_SHOW_SECONDS)
    except DeskUnreachable as error:
        return f"process {running.pid} did not raise its window: {error}"
    if reply.status >= http.HTTPStatus.BAD_REQUEST:
        return f"process {running.pid} refused to raise its window ({reply.status})"
    return ""


def settled_desk(home: Home) -> RunningDesk | None:
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


def take_over(running: RunningDesk, home: Home) -> str:
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
