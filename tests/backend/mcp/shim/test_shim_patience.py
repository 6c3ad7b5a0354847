"""A client that will not wait for ever gets a ticket in time (agents.md, Patience)."""

import json
import os
import re
from collections.abc import Iterator

import pytest

from backend.mcp import shim_texts
from backend.mcp.listing_file import ListingFile
from backend.mcp.shim_calls import OpenCalls
from backend.mcp.shim_desk import DeskLink, Place
from backend.mcp.shim_forward import Forwarder, Waits
from backend.mcp.shim_server import ShimServer
from backend.mcp.shim_start import DeskStarter, Permission, StartPlan
from backend.mcp.shim_stdio import Output, read_lines
from backend.paths import Home
from tests.backend.mcp.shim.conftest import StartDesk
from tests.helpers.scripted_desk import DeskCall
from tests.helpers.shim_process import Json

LIMIT = 0.4
ASK = {"name": "ask_user_question", "arguments": {}}


class Client:
    """A shim in this process, whose client waits `LIMIT` seconds at most."""

    def __init__(self, home: Home) -> None:
        self.asked: list[tuple[str, bool]] = []
        self.limit: float | None = LIMIT
        reading, writing = os.pipe()
        self._ends = (reading, writing)
        self._lines: Iterator[bytes | None] = read_lines(reading)
        calls = OpenCalls()
        starter = DeskStarter(home, StartPlan(()), Permission.FORBIDDEN)
        link = DeskLink(home, Place("instance", "", ""))
        forwarder = Forwarder(link, starter, calls, Waits(grace=60.0, patience=60.0))
        self._server = ShimServer(
            Output(writing, lambda: None),
            forwarder,
            calls,
            instance="instance",
            version="0",
            patience=self._patience,
            others=ListingFile(home.agent_tools),
        )

    def send(self, **message: object) -> None:
        self._server.receive(json.dumps({"jsonrpc": "2.0", **message}).encode())

    def read(self) -> Json:
        line = next(self._lines)
        assert line is not None
        found: Json = json.loads(line)
        return found

    def close(self) -> None:
        for end in self._ends:
            os.close(end)

    def _patience(self, client: str, *, has_token: bool) -> float | None:
        self.asked.append((client, has_token))
        return self.limit


@pytest.fixture
def client(home: Home) -> Iterator[Client]:
    found = Client(home)
    yield found
    found.close()


def test_the_call_ends_waiting_with_the_ticket_of_the_desk(
    client: Client, start_desk: StartDesk
) -> None:
    def script(call: DeskCall) -> None:
        call.progress(ticket="T-77")
        call.wait_until_closed()

    desk = start_desk(script)
    info = {"name": "codex-mcp-client", "version": "1"}
    client.send(id=0, method="initialize", params={"clientInfo": info})
    client.read()
    client.send(id=1, method="tools/call", params=ASK)
    result = client.read()["result"]
    assert isinstance(result, dict)
    structured = result["structuredContent"]
    assert structured["status"] == "waiting"
    assert structured["ticket"] == "T-77"
    assert "get_answer" in structured["message"]
    assert json.loads(result["content"][0]["text"]) == structured
    assert client.asked == [("codex-mcp-client", False)]
    assert desk.calls[0].closed.wait(5), "the desk learns that this call waits no longer"


def test_a_stateless_client_is_named_by_its_request(client: Client, start_desk: StartDesk) -> None:
    start_desk(DeskCall.wait_until_closed)
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "claude-code", "version": "2"},
        "progressToken": 3,
    }
    client.send(id=1, method="tools/call", params={**ASK, "_meta": meta})
    while "result" not in (reply := client.read()):
        assert reply["method"] == "notifications/progress"
    assert reply["result"]["resultType"] == "complete"
    assert client.asked == [("claude-code", True)]


@pytest.mark.parametrize(("limit", "told"), [(LIMIT, r"0\.[1-4]\d*"), (None, "none")])
def test_the_desk_is_told_how_long_the_client_waits(
    client: Client, start_desk: StartDesk, limit: float | None, told: str
) -> None:
    """window.md: the card says until when the agent waits, and only the shim knows."""
    desk = start_desk(lambda call: call.answer(status="answered"))
    client.limit = limit
    client.send(id=1, method="tools/call", params=ASK)
    client.read()
    assert re.fullmatch(told, desk.calls[0].headers["X-Kandesk-Patience"])


def test_a_desk_that_comes_back_is_told_what_is_left_of_the_patience(
    client: Client, start_desk: StartDesk
) -> None:
    """The client's clock runs on while the desk is away."""
    client.limit = 30.0
    desk = start_desk(lambda call: call.answer(status="answered") if len(desk.calls) > 1 else None)
    client.send(id=1, method="tools/call", params=ASK)
    client.read()
    first, second = (float(call.headers["X-Kandesk-Patience"]) for call in desk.calls)
    assert 29.0 < second < first <= 30.0


def test_without_a_ticket_the_client_is_told_that_nothing_was_answered(
    client: Client, start_desk: StartDesk
) -> None:
    start_desk(DeskCall.wait_until_closed)
    client.send(id=1, method="tools/call", params=ASK)
    result = client.read()["result"]
    assert result == {
        "content": [{"type": "text", "text": shim_texts.GAVE_UP}],
        "isError": True,
    }


PROMPT = {"name": "request_permission", "arguments": {"tool_name": "Bash", "input": {}}}


def told_to_claude(client: Client) -> Json:
    """The one text its program reads, which is an allow or a deny."""
    result = client.read()["result"]
    assert isinstance(result, dict)
    assert result["isError"] is False
    assert "structuredContent" not in result
    (block,) = result["content"]
    reply: Json = json.loads(block["text"])
    return reply


def test_a_permission_the_desk_does_not_decide_in_time_is_a_deny_nobody_has_made(
    client: Client, start_desk: StartDesk
) -> None:
    """tool-review.md, owner = agent: never a ticket, and nothing else its program cannot read."""

    def hold(call: DeskCall) -> None:
        call.progress("seen")
        call.wait_until_closed()

    start_desk(hold)
    client.send(id=1, method="tools/call", params=PROMPT)
    reply = told_to_claude(client)
    assert reply["behavior"] == "deny"
    assert str(reply["message"]).startswith("NOT DECIDED (nobody said no): ask again")


def test_a_permission_without_a_desk_is_a_deny_that_says_why(client: Client) -> None:
    client.send(id=1, method="tools/call", params=PROMPT)
    reply = told_to_claude(client)
    assert reply["behavior"] == "deny"
    assert shim_texts.NO_DESK in str(reply["message"])
