"""How long each client waits for a tool call, and what resets its clock. Standard library only.

Rows are measurements (agents.md, Patience) unless the row says otherwise; a client that is not in
the table is taken for the common TypeScript client, which gives up after 60 s of silence.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

BEAT: Final = 10.0
"""Seconds between two progress events."""
MARGIN: Final = 20.0
"""Seconds before a client's limit at which the call is ended with a ticket."""

PATIENCE_HEADER: Final = "X-Kandesk-Patience"
"""In each call of a shim: the seconds after which it ends the call by itself, or `none`."""
_NO_LIMIT: Final = "none"
_SECONDS: Final = re.compile(r"[0-9]{1,7}(\.[0-9]{1,6})?")


class Transport(StrEnum):
    HTTP = "http"
    SHIM = "shim"


@dataclass(frozen=True, slots=True)
class Patience:
    """What one client does while a call is open. Times are seconds; None is no limit."""

    client: str
    """Prefix of the name the client gives itself, in lower case."""
    silent: float | None
    """Gives up after this time without a progress notification."""
    hard: float | None = None
    """Gives up after this time whatever is sent."""
    hard_http: float | None = None
    """The same, over HTTP only."""
    resumes: bool = False
    """Comes back with Last-Event-ID when its response stream breaks."""


UNKNOWN: Final = Patience("", silent=60.0)

TABLE: Final[tuple[Patience, ...]] = (
    Patience("opencode", silent=60.0, resumes=True),
    Patience("codex", silent=300.0, hard=300.0),
    # Measured to 330 s with progress; users report an end at 352 s over HTTP.
    Patience("claude", silent=300.0, hard_http=350.0),
    # 600 s by its own bundle; measured to 330 s.
    Patience("gemini", silent=600.0, hard=600.0),
    Patience("qwen", silent=300.0, resumes=True),
)


def patience_of(client: str) -> Patience:
    """The row of a client by the name it gave in `initialize` or in the request envelope."""
    name = client.strip().lower()
    return next((row for row in TABLE if name.startswith(row.client)), UNKNOWN)


def waiting_limit(client: str, transport: Transport, *, has_token: bool) -> float | None:
    """Seconds after which a call must return `waiting`; None if it may stay open for ever."""
    row = patience_of(client)
    limits = [row.hard]
    if transport is Transport.HTTP:
        limits.append(row.hard_http)
    if not has_token:
        limits.append(row.silent)
    known = [limit for limit in limits if limit is not None]
    return min(known) - MARGIN if known else None


def patience_to_wire(left: float | None) -> str:
    """The value of `PATIENCE_HEADER`."""
    return _NO_LIMIT if left is None else f"{left:.3f}"


def patience_from_wire(value: str, client: str) -> float | None:
    """Seconds until the shim of this client ends the call; None for never.

    A value that is missing (older shims) or cannot be read counts as the shortest this client can
    have: it only tells the human until when to answer, and may promise too little, not too much.
    """
    if value == _NO_LIMIT:
        return None
    if _SECONDS.fullmatch(value):
        return float(value)
    return waiting_limit(client, Transport.SHIM, has_token=False)
