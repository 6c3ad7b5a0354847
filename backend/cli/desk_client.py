"""A running desk over HTTP, for commands that must start fast. Standard library only."""

import http
import http.client
import json
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from backend.endpoint import read_endpoint
from backend.errors import StorageFailed
from backend.paths import Home
from backend.process import process_lives
from backend.secrets import read_secret

_PROBE_SECONDS = 5.0
_LOOPBACK = {"127.0.0.1", "::1", "localhost"}

Json = dict[str, object]


class DeskUnreachable(Exception):
    """No desk answered; `sent` says whether the request may have arrived."""

    def __init__(self, detail: str, *, sent: bool) -> None:
        super().__init__(detail)
        self.sent = sent


@dataclass(frozen=True, slots=True)
class Reply:
    status: int
    body: Json


@dataclass(frozen=True, slots=True)
class RunningDesk:
    """A desk that answered a moment ago."""

    host: str
    port: int
    token: str
    pid: int
    kind: str

    def request(self, method: str, path: str, body: Json | None = None, *, seconds: float) -> Reply:
        """One exchange with at most `seconds` of silence.

        Raises:
            DeskUnreachable: no reply, or one that is not a JSON object.
        """
        connection = http.client.HTTPConnection(self.host, self.port, timeout=seconds)
        headers = {"Authorization": f"Bearer {self.token}", "Accept": "application/json"}
        payload = None
        if body is not None:
            payload = json.dumps(body).encode()
            headers["Content-Type"] = "application/json"
        sent = False
        try:
            connection.connect()
            sent = True
            connection.request(method, path, payload, headers)
            response = connection.getresponse()
            found = json.loads(response.read() or b"{}")
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise DeskUnreachable(str(error) or type(error).__name__, sent=sent) from error
        finally:
            connection.close()
        if not isinstance(found, dict):
            raise DeskUnreachable("the reply is not a JSON object", sent=True)
        return Reply(response.status, found)


def find_desk(home: Home) -> RunningDesk | None:
    """The desk that runs on `home` and answers; None when there is none.

    The token is sent only where a live process of the endpoint file listens on loopback.
    """
    endpoint = read_endpoint(home)
    if endpoint is None or not process_lives(endpoint.pid):
        return None
    try:
        address = urlsplit(endpoint.api)
        if address.hostname not in _LOOPBACK or address.port is None:
            return None
        token = read_secret(Path(endpoint.token_file))
        desk = RunningDesk(address.hostname, address.port, token, endpoint.pid, endpoint.kind)
        reply = desk.request("GET", "/api/v1/desk", seconds=_PROBE_SECONDS)
    except (OSError, ValueError, StorageFailed, DeskUnreachable):
        return None
    return desk if reply.status == http.HTTPStatus.OK else None
