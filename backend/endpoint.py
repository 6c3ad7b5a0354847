"""Where a running desk listens, written by it and read by shims and commands."""

import json
from dataclasses import asdict, dataclass
from typing import Final

from backend.errors import StorageFailed
from backend.paths import Home
from backend.private_file import read_private, write_private

SESSION_TOKEN_VARIABLE: Final = "KANDESK_SESSION_TOKEN"  # noqa: S105 - the name of a variable
"""The secret of a running agent, for a shim it starts in place of an endpoint it cannot reach."""


@dataclass(frozen=True, slots=True)
class DeskEndpoint:
    """What `endpoint.json` says; it may be stale, only a request to it proves a desk."""

    api: str
    """`http://127.0.0.1:PORT` without a path."""
    mcp: str
    """The full URL of the MCP endpoint."""
    pid: int
    token_file: str
    kind: str
    """`window` or `serve`."""
    started_at: str


def read_endpoint(home: Home) -> DeskEndpoint | None:
    """The endpoint file of this home; None when there is none or it makes no sense."""
    try:
        found = json.loads(read_private(home.endpoint))
        return DeskEndpoint(
            api=str(found["api"]),
            mcp=str(found["mcp"]),
            pid=int(found["pid"]),
            token_file=str(found["token_file"]),
            kind=str(found["kind"]),
            started_at=str(found["started_at"]),
        )
    except (OSError, ValueError, TypeError, KeyError, OverflowError, RecursionError, StorageFailed):
        return None


def write_endpoint(home: Home, endpoint: DeskEndpoint) -> None:
    """Raises `OSError` when the home cannot be written."""
    write_private(home.endpoint, json.dumps(asdict(endpoint)) + "\n")


def remove_endpoint(home: Home, pid: int) -> None:
    """Remove the file if it is still the one of process `pid`."""
    found = read_endpoint(home)
    if found is not None and found.pid == pid:
        home.endpoint.unlink(missing_ok=True)
