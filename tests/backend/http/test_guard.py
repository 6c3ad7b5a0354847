"""The gate: Host, Origin, token, role, size (product.md P12; agents.md, Security)."""

import asyncio
import json
from typing import Any

import pytest

from backend.errors import StorageFailed
from backend.http.auth import Caller, Tokens, may_call
from backend.ids import SessionId
from backend.mcp.exchange import Role
from tests.helpers.door_client import TOKENS, Door, connection, raw_exchange, raw_http

LIMIT = 1024 * 1024
EVERY_PATH = ["/api/v1/desk", "/mcp", "/mcp/operator", "/api/v1/clarification/x", "/nowhere", "/"]


def _head(
    path: str = "/api/v1/desk",
    *,
    method: str = "GET",
    host: str = "127.0.0.1",
    token: str = TOKENS.desk,
    more: str = "",
) -> bytes:
    return (
        f"{method} {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\n"
        f"Connection: close\r\n{more}\r\n"
    ).encode()


def _status(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1])


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.1:80", "localhost:1234", "LOCALHOST"])
async def test_loopback_hosts_are_served(live_door: Door, host: str) -> None:
    assert _status(await raw_exchange(live_door.port, _head(host=host))) == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "127.0.0.1.evil.example",
        "localhost.evil.example:80",
        "127.0.0.1@evil.example",
        "192.168.1.5",
        "10.0.0.1",
        "127.0.0.1:port",
        "[::1]",
    ],
)
async def test_a_foreign_host_is_refused(live_door: Door, host: str) -> None:
    assert _status(await raw_exchange(live_door.port, _head(host=host))) == 421


async def test_a_request_without_a_host_is_refused(live_door: Door) -> None:
    head = f"GET /api/v1/desk HTTP/1.0\r\nAuthorization: Bearer {TOKENS.desk}\r\n\r\n"
    assert _status(await raw_exchange(live_door.port, head.encode())) == 421


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "null", "http://127.0.0.1:1", "https://127.0.0.1:{port}", "file://"],
)
async def test_a_foreign_origin_is_refused(live_door: Door, origin: str) -> None:
    more = f"Origin: {origin.format(port=live_door.port)}\r\n"
    assert _status(await raw_exchange(live_door.port, _head(more=more))) == 403


async def test_our_own_origin_is_served_without_cors(live_door: Door) -> None:
    more = f"Origin: http://127.0.0.1:{live_door.port}\r\n"
    answer = await raw_exchange(live_door.port, _head(more=more))
    assert _status(answer) == 200
    assert b"access-control" not in answer.lower()


async def test_two_origins_do_not_hide_one_another(live_door: Door) -> None:
    more = f"Origin: http://127.0.0.1:{live_door.port}\r\nOrigin: http://evil.example\r\n"
    assert _status(await raw_exchange(live_door.port, _head(more=more))) == 403


@pytest.mark.parametrize(
    ("head", "status"),
    [
        (_head("/mcp", method="POST", host="evil.example", more="Content-Length: 900\r\n"), 421),
        (
            _head(
                "/mcp",
                method="POST",
                more="Origin: http://evil.example\r\nTransfer-Encoding: chunked\r\n",
            ),
            403,
        ),
    ],
)
async def test_host_and_origin_are_checked_before_a_byte_of_the_body_is_there(
    live_door: Door, head: bytes, status: int
) -> None:
    """issue, Bad input: before any parsing."""
    async with connection(live_door.port) as (reader, writer):
        writer.write(head)
        async with asyncio.timeout(2):
            answer = await reader.readuntil(b"\r\n")
        assert _status(answer) == status


@pytest.mark.parametrize("path", EVERY_PATH)
@pytest.mark.parametrize(
    "authorization",
    [
        "",
        "Authorization: Bearer\r\n",
        "Authorization: Bearer wrong\r\n",
        "Authorization: Basic ZGVzay10b2tlbg==\r\n",
        f"Authorization: {TOKENS.desk}\r\n",
        f"Authorization: Bearer {TOKENS.desk}x\r\n",
        f"Authorization: Bearer {TOKENS.desk}\r\nAuthorization: Bearer {TOKENS.agent}\r\n",
        "Authorization: Bearer \xe9\r\n",
    ],
)
async def test_without_the_token_every_path_answers_the_same(
    live_door: Door, path: str, authorization: str
) -> None:
    head = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{authorization}\r\n".encode("latin-1")
    answer = await raw_exchange(live_door.port, head)
    assert _status(answer) == 401
    assert answer.partition(b"\r\n\r\n")[2] == b'{"error": "a valid token is needed"}'


@pytest.mark.parametrize(
    ("path", "method", "as_agent", "as_desk"),
    [
        ("/mcp", "GET", 405, 405),
        ("/mcp/operator", "GET", 403, 405),
        ("/api/v1/desk", "GET", 403, 200),
        ("/api/v1/clarification-inbox", "GET", 403, 200),
        ("/api/v1/clarification/x", "GET", 403, 404),
        ("/api/v1/clarification/x/respond", "POST", 403, 404),
        ("/api/v1/desk/show", "POST", 403, 200),
        ("/api/v1/desk/hand-over", "POST", 403, 409),
        ("/nowhere", "GET", 403, 404),
        ("/mcp/", "GET", 403, 404),
        ("/mcp/../api/v1/desk", "GET", 403, 404),
        ("/mcp/%2e%2e/api/v1/desk", "GET", 403, 404),
        ("/mcp%2f..%2fapi/v1/desk", "GET", 403, 404),
        ("//api/v1/desk", "GET", 403, 404),
        ("/api/v1/clarification/..%2f..%2fdesk", "GET", 403, 404),
        ("/api/v1/desk", "DELETE", 403, 405),
    ],
)
async def test_what_each_token_may_do(
    live_door: Door, path: str, method: str, as_agent: int, as_desk: int
) -> None:
    """agents.md: an agent token reaches /mcp only, 403 elsewhere, unknown paths included.

    T6.2, 63: whoever has only that decides nothing.
    """
    more = "Content-Length: 0\r\n" if method == "POST" else ""
    for token, status in ((TOKENS.agent, as_agent), (TOKENS.desk, as_desk)):
        head = _head(path, method=method, token=token, more=more)
        answer = await raw_exchange(live_door.port, head)
        assert _status(answer) == status, (path, token, answer)
        body = json.loads(answer.partition(b"\r\n\r\n")[2])
        assert ("error" in body) == (status >= 400)


async def test_a_declared_size_over_the_limit_is_refused_unread(live_door: Door) -> None:
    more = f"Content-Length: {LIMIT + 1}\r\nContent-Type: application/json\r\n"
    async with connection(live_door.port) as (reader, writer):
        writer.write(_head("/mcp", method="POST", more=more))
        async with asyncio.timeout(2):
            answer = await reader.readuntil(b"\r\n")
        assert _status(answer) == 413


async def test_a_chunked_body_is_refused_as_soon_as_it_is_too_large(live_door: Door) -> None:
    async with connection(live_door.port) as (reader, writer):
        writer.write(_head("/mcp", method="POST", more="Transfer-Encoding: chunked\r\n"))
        chunk = b"x" * 65_536
        for _ in range(17):
            writer.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))
        async with asyncio.timeout(2):
            answer = await reader.readuntil(b"\r\n")
        assert _status(answer) == 413


async def test_a_client_that_sends_too_much_can_send_it_and_read_its_refusal(
    live_door: Door,
) -> None:
    """It is not lost in a connection reset."""
    more = f"Content-Length: {2 * LIMIT}\r\nContent-Type: application/json\r\n"
    async with connection(live_door.port) as (reader, writer):
        writer.write(_head("/mcp", method="POST", more=more))
        for _ in range(32):
            writer.write(b"x" * 65_536)
            await writer.drain()
        async with asyncio.timeout(2):
            answer = await reader.read()
    assert _status(answer) == 413
    async with raw_http(live_door) as http:
        assert (await http.post("/mcp", content=b"x" * (2 * LIMIT))).status_code == 413


async def test_a_body_of_exactly_the_limit_is_read(live_door: Door) -> None:
    async with raw_http(live_door) as http:
        reply = await http.post(
            "/mcp", content=b" " * LIMIT, headers={"Content-Type": "application/json"}
        )
    assert reply.status_code == 400


async def test_a_websocket_is_not_spoken(live_door: Door) -> None:
    more = "Upgrade: websocket\r\nSec-WebSocket-Key: AAAA\r\nSec-WebSocket-Version: 13\r\n"
    head = _head(more=more).replace(b"Connection: close", b"Connection: Upgrade")
    answer = await raw_exchange(live_door.port, head)
    assert _status(answer) == 200


async def test_preflights_get_no_permission(live_door: Door) -> None:
    more = "Origin: http://evil.example\r\nAccess-Control-Request-Method: POST\r\n"
    head = _head("/mcp", method="OPTIONS", more=more)
    answer = await raw_exchange(live_door.port, head)
    assert _status(answer) == 403
    assert b"access-control" not in answer.lower()


@pytest.mark.parametrize(
    ("headers", "role"),
    [
        ([b"Bearer d"], Role.DESK),
        ([b"bearer  a "], Role.AGENT),
        ([b"Bearer x"], None),
        ([], None),
        ([b"Bearer d", b"Bearer d"], None),
    ],
)
def test_tokens_tell_roles(headers: list[bytes], role: Any) -> None:
    caller = Tokens(desk="d", agent="a").caller_of(headers)
    assert (caller.role if caller else None) is role


def test_the_secret_of_a_running_agent_tells_its_session() -> None:
    """agents.md, Security: bound to that session, and worth nothing once the agent is gone."""
    alive = {b"s3cret": SessionId("s1")}
    tokens = Tokens(desk="d", agent="a", hosted=alive.get)
    assert tokens.caller_of([b"Bearer s3cret"]) == Caller(Role.AGENT, SessionId("s1"))
    alive.clear()
    assert tokens.caller_of([b"Bearer s3cret"]) is None


@pytest.mark.parametrize("path", [path for path in EVERY_PATH if path != "/mcp"])
def test_an_agent_of_this_desk_reaches_its_tools_only(path: str) -> None:
    assert not may_call(Role.AGENT, path)
    assert may_call(Role.AGENT, "/mcp")


def test_tokens_are_not_shown_by_repr() -> None:
    assert "secret" not in repr(Tokens(desk="secret-1", agent="secret-2"))


def test_an_empty_token_opens_nothing() -> None:
    assert Tokens(desk="", agent="").caller_of([b"Bearer "]) is None


def test_one_secret_for_both_roles_is_refused() -> None:
    """agents.md, Security: an agent cannot answer itself."""
    with pytest.raises(StorageFailed) as caught:
        Tokens(desk="same", agent="same")
    assert "same" in caught.value.detail
