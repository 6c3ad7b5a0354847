"""One HTTP request to the MCP endpoint, as the tool handlers see it.

The doors admit a request and put an `Exchange` into its ASGI scope; the transports tell it when
the caller is gone, the handlers tell it what may still be written.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final
from urllib.parse import unquote

from backend.ids import IdempotencyKey, SessionId
from backend.mcp.patience import PATIENCE_HEADER, patience_from_wire

SCOPE_KEY: Final = "kandesk.exchange"
MAX_BODY: Final = 1024 * 1024
"""Bytes of a request body (agents.md, Security)."""

_SHIM: Final = "x-kandesk-shim"
_FOLDER: Final = "x-kandesk-folder"
_GIT_ROOT: Final = "x-kandesk-git-root"
_CLIENT: Final = "x-kandesk-client"
_IDEMPOTENCY: Final = "idempotency-key"
_MAX_HEADER: Final = 4_096


class Role(StrEnum):
    """What a token may do (agents.md, Security)."""

    DESK = "desk"
    AGENT = "agent"


@dataclass(frozen=True, slots=True)
class Shim:
    """What the stdio shim proves about the agent that started it."""

    instance: str
    folder: str = ""
    git_root: str = ""
    client_name: str = ""
    client_version: str = ""
    patience: float | None = None
    """Seconds after which it ends the call by itself; None for never."""
    idempotency_key: IdempotencyKey | None = None


async def _nothing() -> None:
    """For transports whose headers leave by themselves."""


@dataclass(slots=True)
class Exchange:
    """The state one request shares between its transport and its handler."""

    role: Role
    shim: Shim | None = None
    hosted: SessionId | None = None
    """The session of the agent this desk runs, whose own secret came with the request."""
    session_id: str = ""
    """The MCP session; empty for stateless requests."""
    lost: asyncio.Event = field(default_factory=asyncio.Event)
    """Set while nobody reads the response although the request was not cancelled."""
    resumed: asyncio.Event = field(default_factory=asyncio.Event)
    """Set while somebody reads it; only transports that can resume ever set it again."""
    can_resume: bool = False
    silent: bool = False
    """Nothing may be written any more: the response ends without a result."""
    flush: Callable[[], Awaitable[None]] = _nothing
    """Send the response headers now; a comment where the stream needs a byte."""
    comment: Callable[[], Awaitable[None]] = _nothing
    """Send a comment that keeps the stream alive without a progress token."""

    def note_lost(self) -> None:
        self.resumed.clear()
        self.lost.set()

    def note_resumed(self) -> None:
        self.lost.clear()
        self.resumed.set()


def read_shim(headers: Mapping[str, str]) -> Shim | None:
    """The shim's own headers; None for any other client.

    An idempotency key counts only if it belongs to the instance that sends it.
    """
    instance = _plain(headers.get(_SHIM, ""))
    if not instance:
        return None
    name, _, version = headers.get(_CLIENT, "").partition("/")
    key = headers.get(_IDEMPOTENCY, "")
    client_name = _plain(name)
    usable = key.startswith(f"{instance}:") and len(key) <= _MAX_HEADER and key.isprintable()
    return Shim(
        instance=instance,
        folder=_plain(headers.get(_FOLDER, "")),
        git_root=_plain(headers.get(_GIT_ROOT, "")),
        client_name=client_name,
        client_version=_plain(version),
        patience=patience_from_wire(headers.get(PATIENCE_HEADER.lower(), ""), client_name),
        idempotency_key=IdempotencyKey(key) if usable else None,
    )


def _plain(value: str) -> str:
    """A percent-encoded UTF-8 header value, without what no text may hold."""
    return unquote(value[:_MAX_HEADER], errors="replace").replace("\0", "\ufffd")
