"""The port itself: loopback, fall-back, slow and silent clients, quiet logs."""

import asyncio
import contextlib
import logging
import socket

import pytest

from backend.clock import SystemClock
from backend.domain.listing import BundlePage, PageQuery
from backend.http import guard, listener, server
from backend.http.open_files import FewComplaints
from tests.helpers.door_client import TOKENS, Door, connection, open_door, raw_http
from tests.helpers.waiting import until


async def test_it_listens_on_loopback_only(live_door: Door) -> None:
    """product.md P12."""
    async with raw_http(live_door, token=TOKENS.desk) as http:
        assert (await http.get("/api/v1/desk")).status_code == 200
    with socket.socket() as elsewhere:
        elsewhere.bind(("127.0.0.2", live_door.port))


async def test_a_taken_port_falls_back_to_a_free_one(live_door: Door) -> None:
    async with open_door(SystemClock(), port=live_door.port) as second:
        assert second.port not in {0, live_door.port}
        async with raw_http(second, token=TOKENS.desk) as http:
            assert (await http.get("/api/v1/desk")).json()["api"] == second.url


async def test_a_free_port_is_taken_as_asked() -> None:
    async with open_door(SystemClock()) as first:
        port = first.port
    async with open_door(SystemClock(), port=port) as again:
        assert again.port == port


@pytest.mark.parametrize("sent", [b"", b"GET /api/v1/desk HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "])
async def test_a_client_that_never_finishes_its_head_is_closed(
    live_door: Door, monkeypatch: pytest.MonkeyPatch, sent: bytes
) -> None:
    monkeypatch.setattr(listener, "_HEADER_SECONDS", 0.1)
    async with connection(live_door.port) as (reader, writer):
        writer.write(sent)
        async with asyncio.timeout(3):
            assert await reader.read() == b""


async def test_a_second_head_on_one_connection_has_to_come_in_time_too(
    live_door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listener, "_HEADER_SECONDS", 0.2)
    head = (
        f"GET /api/v1/desk HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {TOKENS.desk}\r\n"
    )
    async with connection(live_door.port) as (reader, writer):
        writer.write(f"{head}\r\n".encode())
        assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200")
        await reader.readuntil(b"}}}")
        writer.write(head.encode())
        async with asyncio.timeout(3):
            assert await reader.read() == b""


async def test_a_body_that_never_ends_is_refused(
    live_door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard, "_BODY_SECONDS", 0.1)
    monkeypatch.setattr(guard, "_LINGER_SECONDS", 0.1)
    async with connection(live_door.port) as (reader, writer):
        writer.write(
            f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {TOKENS.agent}\r\n"
            "Content-Length: 100\r\n\r\nonly this".encode()
        )
        async with asyncio.timeout(3):
            assert b" 408 " in await reader.readline()


async def test_requests_leave_no_trace_in_the_log(
    live_door: Door, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    async with raw_http(live_door, token=TOKENS.desk) as http:
        await http.get("/api/v1/desk")
        await http.get("/api/v1/clarification/secret-id")
    told = [record.getMessage() for record in caplog.records if not record.name.startswith("httpx")]
    assert not any("secret-id" in line or TOKENS.desk in line for line in told)


async def test_stopping_frees_the_port() -> None:
    async with open_door(SystemClock()) as door:
        port = door.port
    with socket.socket() as again:
        again.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        again.bind(("127.0.0.1", port))


async def test_one_connection_too_many_is_closed_and_the_others_are_served(
    live_door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_door.server._listener.config, "limit_concurrency", 4)
    async with contextlib.AsyncExitStack() as stack:
        http = await stack.enter_async_context(raw_http(live_door, token=TOKENS.desk))
        assert (await http.get("/api/v1/desk")).status_code == 200
        for _ in range(2):
            await stack.enter_async_context(connection(live_door.port))
        await until(lambda: live_door.open_connections == 3)
        reader, _ = await stack.enter_async_context(connection(live_door.port))
        async with asyncio.timeout(3):
            assert await reader.read() == b""
        assert (await http.get("/api/v1/desk")).status_code == 200
        await stack.aclose()
        await until(lambda: live_door.open_connections == 0)
        async with raw_http(live_door, token=TOKENS.desk) as http:
            assert (await http.get("/api/v1/desk")).status_code == 200


def test_the_loop_says_once_a_minute_that_it_can_take_nobody_in() -> None:
    sparing = FewComplaints()
    texts = ["socket.accept() out of system resource\nsocket: <3>"] * 3 + ["other", "other"]
    records = [logging.makeLogRecord({"msg": text, "exc_info": True}) for text in texts]
    records[2].created += 61
    assert [sparing.filter(record) for record in records] == [True, False, True, True, True]
    assert [record.exc_info is None for record in records[::2]] == [True, True, False]


async def test_small_pieces_leave_at_once(live_door: Door) -> None:
    """Without it each reply waits 40 ms for the acknowledgement of its own headers."""
    async with connection(live_door.port):
        await until(lambda: live_door.open_connections == 1)
        (served,) = live_door.server._listener.server_state.connections
        line = served.transport.get_extra_info("socket")
        assert line.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


async def never(_query: PageQuery) -> BundlePage:
    """A store that does not answer."""
    await asyncio.Event().wait()
    raise AssertionError


async def test_a_request_that_the_stop_cuts_off_is_told_that_it_may_come_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """clarification.md, Budgets: 503 with the body every answer of that kind has; never a 500."""
    monkeypatch.setattr(server, "_STOP_SECONDS", 1)
    async with open_door(SystemClock()) as door:
        monkeypatch.setattr(door.desk, "list_page", never)
        async with raw_http(door, token=TOKENS.desk) as http:
            reading = asyncio.create_task(http.get("/api/v1/clarification-inbox"))
            await until(lambda: door.open_requests == 1)
            await door.server.stop()
            reply = await reading
    assert reply.status_code == 503
    assert reply.json() == {
        "error": "clarification response is temporarily unavailable",
        "code": "temporarily_unavailable",
    }
