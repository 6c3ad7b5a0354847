"""Connections to servers over HTTP: their secret headers, and answers that are too large."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from backend.clock import SystemClock
from backend.domain.agents import ElicitationAction, ElicitationReply, Elicited
from backend.domain.gateway import ServerSettings, Transport
from backend.ids import ServerId, SessionId
from backend.review.gateway import results
from backend.review.gateway.loading import Connector
from backend.review.gateway.ports import ChildProcess, OpenConnection
from backend.review.gateway.results import CallEnd, ServerGone
from tests.helpers.ports import free_port, until_listening

S = SessionId("s1")
SESAME = "open"


class WebServer:
    """An MCP server that wants a header and does as its tools are called."""

    def __init__(self) -> None:
        self.heard: list[dict[str, str]] = []
        self.calls: list[str] = []

    async def answer(self, request: Request) -> Response:
        self.heard.append(dict(request.headers))
        if request.headers.get("x-token") != SESAME:
            return Response("no", 401)
        if request.method != "POST":
            return Response(status_code=405)
        message = json.loads(await request.body())
        if "id" not in message:
            return Response(status_code=202)
        result = await self._result(message["method"], message.get("params") or {})
        return JSONResponse({"jsonrpc": "2.0", "id": message["id"], "result": result})

    async def _result(self, method: str, params: dict[str, object]) -> dict[str, object]:
        if method == "initialize":
            return {
                "protocolVersion": params["protocolVersion"],
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "web", "version": "1"},
            }
        if method == "tools/list":
            names = ("echo", "huge", "hang")
            return {"tools": [{"name": each, "inputSchema": {"type": "object"}} for each in names]}
        self.calls.append(str(params["name"]))
        if params["name"] == "hang":
            await asyncio.sleep(60)
        text = "x" * 20_000_000 if params["name"] == "huge" else "hi"
        return {"content": [{"type": "text", "text": text}]}


@pytest.fixture
async def web() -> AsyncIterator[tuple[WebServer, str]]:
    server, port = WebServer(), free_port()
    app = Starlette(routes=[Route("/mcp", server.answer, methods=["GET", "POST", "DELETE"])])
    config = uvicorn.Config(app, port=port, log_level="critical", lifespan="off")
    serving = uvicorn.Server(config)
    running = asyncio.create_task(serving.serve())
    await until_listening(port)
    yield server, f"http://127.0.0.1:{port}/mcp"
    serving.should_exit = serving.force_exit = True
    await running


@asynccontextmanager
async def connected(url: str, secret: str = SESAME) -> AsyncIterator[OpenConnection]:
    settings = ServerSettings(ServerId("web"), "web", Transport.HTTP, url=url, secrets=("X-Token",))
    connection = await Connector(SystemClock(), _no_process, _nobody)(
        settings,
        {"X-Token": secret},
        on_tools_changed=lambda: None,
        on_closed=lambda _: None,
    )
    try:
        yield connection
    finally:
        await connection.close()


async def _no_process(command: object, folder: str) -> ChildProcess:
    raise AssertionError


async def _nobody(session_id: SessionId, elicited: Elicited) -> ElicitationReply:
    return ElicitationReply(ElicitationAction.DECLINE, {})


async def call(connection: OpenConnection, tool: str, seconds: float = 20.0) -> CallEnd:
    return await connection.call(S, tool, {}, seconds)


async def test_the_secret_header_is_sent_with_everything(web: tuple[WebServer, str]) -> None:
    server, url = web
    async with connected(url) as connection:
        end = await call(connection, "echo")
    assert end.result is not None
    assert end.result.summary == "hi"
    assert {each.get("x-token") for each in server.heard} == {SESAME}


async def test_a_server_that_refuses_the_secret_is_gone_and_the_secret_is_not_told(
    web: tuple[WebServer, str],
) -> None:
    _, url = web
    with pytest.raises(ServerGone) as refused:
        async with connected(url, "wrong-one"):
            pass
    assert "wrong-one" not in refused.value.detail


async def test_an_answer_of_twenty_megabytes_is_not_read_and_the_next_call_is_answered(
    web: tuple[WebServer, str],
) -> None:
    server, url = web
    async with connected(url) as connection:
        end = await call(connection, "huge")
        assert end.code == results.RESULT_TOO_LARGE
        assert "has run" in end.detail
        after = await call(connection, "echo")
        assert after.result is not None
    assert server.calls == ["huge", "echo"]


async def test_a_call_that_hangs_has_an_unknown_outcome_and_is_sent_once(
    web: tuple[WebServer, str],
) -> None:
    """T5.2: at its limit nobody knows whether it has taken effect."""
    server, url = web
    async with connected(url) as connection:
        end = await call(connection, "hang", 0.3)
        assert end.code == results.OUTCOME_UNKNOWN
    assert server.calls == ["hang"]
