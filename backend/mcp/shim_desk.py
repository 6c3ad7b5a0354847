"""The shim's way to the desk: one POST per call, its replies as they come."""

import contextlib
import http
import http.client
import json
import os
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urlsplit

from backend.endpoint import SESSION_TOKEN_VARIABLE, read_endpoint
from backend.errors import StorageFailed
from backend.mcp.patience import PATIENCE_HEADER, patience_to_wire
from backend.mcp.shim_stdio import Json
from backend.paths import Home
from backend.process import process_lives
from backend.secrets import read_secret

PROTOCOL = "2026-07-28"
VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
CLIENT_KEY = "io.modelcontextprotocol/clientInfo"
CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"

MAX_BODY = 1024 * 1024
"""Bytes the desk takes (agents.md, Security)."""

_CONNECT_SECONDS = 5.0
_SILENCE_SECONDS = 45.0
"""A desk sends progress every 10 s; one that is silent this long is asked again."""

_LOOPBACK = {"127.0.0.1", "::1", "localhost"}


class DeskAway(Exception):
    """No desk, or it went away in the middle: the same call may be sent again.

    `held` says that it may have the call already.
    """

    def __init__(self, detail: str, *, held: bool = False) -> None:
        super().__init__(detail)
        self.held = held


class Refused(Exception):
    """The desk answered, and it was no."""


@dataclass(frozen=True, slots=True)
class ClientInfo:
    """What the client says of itself in `initialize` or in each request's `_meta`."""

    name: str = ""
    version: str = ""


@dataclass(frozen=True, slots=True)
class Place:
    """Where this process was started: the part of a guest's identity a model cannot claim."""

    instance: str
    folder: str
    git_root: str


class Exchange:
    """One POST under way; `close` from any thread ends it."""

    def __init__(self, connection: http.client.HTTPConnection, line: socket.socket) -> None:
        self._connection = connection
        self._line = line
        self.response: http.client.HTTPResponse | None = None

    def close(self) -> None:
        with contextlib.suppress(OSError):  # closed already
            self._line.shutdown(socket.SHUT_RDWR)

    def release(self) -> None:
        """Give the socket back; only for the thread that reads."""
        if self.response is not None:
            self.response.close()
        self._connection.close()
        self._line.close()

    def messages(self) -> Iterator[Json]:
        """Everything the desk says about this call until it ends.

        Raises:
            DeskAway: the connection broke, or the desk is stopping.
            Refused: a reply that is no JSON-RPC message.
        """
        try:
            self.response = response = self._connection.getresponse()
            if "text/event-stream" in response.headers.get("Content-Type", ""):
                yield from _events(response)
                raise DeskAway("the stream ended without a result", held=True)
            body = response.read()
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise DeskAway(str(error), held=True) from error
        yield _single(response.status, body)


class DeskLink:
    """Finds the desk afresh for every attempt; it may have come back on another port."""

    def __init__(self, home: Home, place: Place) -> None:
        self._home = home
        self._place = place

    def desk_lives(self) -> bool:
        """Whether the process of the endpoint file is alive, even if it does not answer."""
        endpoint = read_endpoint(self._home)
        return endpoint is not None and process_lives(endpoint.pid)

    def post(
        self,
        body: bytes,
        *,
        key: str,
        tool: str,
        client: ClientInfo,
        patience_left: float | None,
    ) -> Exchange:
        """Send one `tools/call`.

        `patience_left` is after how many seconds the shim ends it; None for never.

        Raises:
            DeskAway: nobody listens.
        """
        endpoint = read_endpoint(self._home)
        if endpoint is None or not process_lives(endpoint.pid):
            raise DeskAway("no desk is running")
        try:
            address = urlsplit(endpoint.mcp)
            if address.hostname not in _LOOPBACK:
                raise DeskAway("the endpoint file names no address of this machine")
            # The shim of an agent the desk runs speaks for that agent's session.
            token = os.environ.get(SESSION_TOKEN_VARIABLE) or read_secret(self._home.agent_token)
            connection = http.client.HTTPConnection(
                address.hostname, address.port, timeout=_CONNECT_SECONDS
            )
            connection.connect()
            line: socket.socket = connection.sock
            line.settimeout(_SILENCE_SECONDS)
            exchange = Exchange(connection, line)
            headers = self._headers(token=token, key=key, tool=tool, client=client)
            headers[PATIENCE_HEADER] = patience_to_wire(patience_left)
            connection.request("POST", address.path, body, headers)
        except (OSError, http.client.HTTPException, StorageFailed, ValueError) as error:
            raise DeskAway(str(error)) from error
        return exchange

    def _headers(self, *, token: str, key: str, tool: str, client: ClientInfo) -> dict[str, str]:
        return {
            "Authorization": f"Bearer {token}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "Connection": "close",
            "MCP-Protocol-Version": PROTOCOL,
            "Mcp-Method": "tools/call",
            "Mcp-Name": _header(tool),
            "Idempotency-Key": key,
            "X-Kandesk-Shim": self._place.instance,
            "X-Kandesk-Folder": percent(self._place.folder),
            "X-Kandesk-Git-Root": percent(self._place.git_root),
            "X-Kandesk-Client": f"{percent(client.name)}/{percent(client.version)}",
        }


def here(instance: str) -> Place:
    """The working folder of this process and the root of the git checkout around it."""
    try:
        folder = Path.cwd()
    except OSError:
        return Place(instance, "", "")
    roots = (parent for parent in (folder, *folder.parents) if os.path.lexists(parent / ".git"))
    return Place(instance, str(folder), str(next(roots, "")))


def percent(text: str) -> str:
    """Text as UTF-8 in percent-encoding, so that any path fits into a header."""
    return quote(text.encode("utf-8", "replace"), safe="")


def _header(value: str) -> str:
    """MCP's form for a header value that is not plain ASCII."""
    import base64

    plain = value.isascii() and value.isprintable() and value == value.strip()
    if plain and not value.startswith("=?base64?"):
        return value
    return f"=?base64?{base64.b64encode(value.encode()).decode('ascii')}?="


def _events(response: http.client.HTTPResponse) -> Iterator[Json]:
    data: list[bytes] = []
    while line := response.readline():
        text = line.rstrip(b"\r\n")
        if text.startswith(b"data:"):
            data.append(text[5:].removeprefix(b" "))
        elif not text and data:
            found = json.loads(b"\n".join(data))
            data.clear()
            if isinstance(found, dict):
                yield found


def _single(status: int, body: bytes) -> Json:
    try:
        found = json.loads(body)
    except ValueError:
        found = None
    if status >= http.HTTPStatus.INTERNAL_SERVER_ERROR or not body:
        raise DeskAway(f"the desk answered {status}")
    if isinstance(found, dict) and found.get("jsonrpc") == "2.0":
        return found
    raise Refused(f"the desk answered {status}")
