"""Odd and hostile requests at the MCP endpoint, in both eras."""

import json
from typing import Any

import pytest

from backend.mcp import callers
from tests.helpers.door_client import (
    ONE_QUESTION,
    TOKENS,
    Door,
    legacy_call,
    modern_call,
    open_session,
    post_stream,
    raw_http,
)
from tests.helpers.waiting import until


async def _post_raw(door: Door, era: str, text: str) -> Any:
    async with raw_http(door) as http:
        headers = modern_call("ask_user_question", {})[1]
        if era == "legacy":
            headers = await open_session(http)
        return await http.post(
            "/mcp",
            content=text.encode("utf-8", "surrogatepass"),
            headers={**headers, "Content-Type": "application/json"},
        )


def _body(era: str, arguments: dict[str, Any]) -> dict[str, Any]:
    if era == "legacy":
        return legacy_call("ask_user_question", arguments, call_id=9)
    return modern_call("ask_user_question", arguments, call_id=9)[0]


def _message(reply: Any) -> dict[str, Any]:
    for line in reply.text.splitlines():
        if line.startswith("data:"):
            message: dict[str, Any] = json.loads(line[5:])
            return message
    found: dict[str, Any] = reply.json()
    return found


ERAS = pytest.mark.parametrize("era", ["legacy", "modern"])


@ERAS
async def test_an_escaped_lone_surrogate_gets_a_tool_error_for_its_id(
    live_door: Door, era: str
) -> None:
    """issue, Bad input: the bare SDK drops such a frame in silence."""
    text = json.dumps(_body(era, {"questions": [{"prompt": "half \ud83d"}]}))
    assert "\\ud83d" in text
    message = _message(await _post_raw(live_door, era, text))
    assert message["id"] == 9
    assert message["result"]["isError"]
    assert message["result"]["content"][0]["text"].startswith(
        "questions[0].prompt holds a lone surrogate"
    )
    assert not live_door.asking.asked


@ERAS
async def test_a_surrogate_where_no_text_is_read_breaks_nothing(live_door: Door, era: str) -> None:
    body = _body(era, ONE_QUESTION)
    body["params"]["_meta"] = {**body["params"].get("_meta", {}), "progressToken": "\udc00"}
    reply = await _post_raw(live_door, era, json.dumps({**body, "method": "to\ud800ls"}))
    assert "error" in _message(reply)
    name = json.dumps({**body, "params": {**body["params"], "name": "a\ud800"}})
    assert (
        "error" in (told := _message(await _post_raw(live_door, era, name)))
        or told["result"]["isError"]
    )


@ERAS
@pytest.mark.parametrize(
    ("text", "status"),
    [("{", 400), ("[]", 400), ('"x"', 400), ("[" * 50_000, 400), ('{"jsonrpc":"2.0"}', 400)],
)
async def test_what_is_no_message_is_refused(
    live_door: Door, era: str, text: str, status: int
) -> None:
    assert (await _post_raw(live_door, era, text)).status_code == status


@ERAS
async def test_bytes_that_are_no_utf8_are_refused(live_door: Door, era: str) -> None:
    text = json.dumps(_body(era, {"questions": [{"prompt": "MARK"}]})).replace("MARK", "\ud83d")
    reply = await _post_raw(live_door, era, text)
    told = _message(reply)
    assert reply.status_code == 400 or told["result"]["isError"]
    assert not live_door.asking.asked


async def test_ping_is_answered_while_a_question_waits(live_door: Door) -> None:
    """issue, Bad input. The stateless era has no ping."""
    async with raw_http(live_door) as http:
        headers = await open_session(http)
        body = legacy_call("ask_user_question", ONE_QUESTION, call_id=1, progress="t")
        async with post_stream(http, body, headers) as stream:
            await until(lambda: live_door.asking.asked)
            ping = {"jsonrpc": "2.0", "id": "p", "method": "ping"}
            reply = await http.post("/mcp", json=ping, headers=headers)
            assert _message(reply) == {"jsonrpc": "2.0", "id": "p", "result": {}}
            live_door.asking.answer(1, options=("pg",))
            await stream.result()


@pytest.mark.parametrize("again", [1, "1"])
async def test_a_second_request_under_an_open_id_is_refused_and_the_first_gets_its_own_answer(
    live_door: Door, again: int | str
) -> None:
    """clarification.md, When the call is gone: an answer only reaches its own question."""
    async with raw_http(live_door) as http:
        session = await open_session(http)
        call = legacy_call("ask_user_question", ONE_QUESTION, call_id=1)
        async with post_stream(http, call, session) as stream:
            await until(lambda: live_door.asking.asked)
            other = {"questions": [{"prompt": "Something else?"}]}
            second = legacy_call("ask_user_question", other, call_id=again)
            reply = await http.post("/mcp", json=second, headers=session)
            assert (reply.status_code, reply.json()["id"]) == (400, None)
            assert len(live_door.asking.asked) == 1
            live_door.asking.answer()
            assert (await stream.result())["id"] == 1


async def test_a_session_belongs_to_the_token_that_opened_it(live_door: Door) -> None:
    async with raw_http(live_door) as agent, raw_http(live_door, token=TOKENS.desk) as desk:
        headers = await open_session(agent)
        ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        assert (await desk.post("/mcp", json=ping, headers=headers)).status_code == 404
        assert (await agent.post("/mcp", json=ping, headers=headers)).status_code == 200


async def test_a_session_nobody_knows_is_not_found(live_door: Door) -> None:
    """So that a client shakes hands again after a restart of the desk."""
    async with raw_http(live_door) as http:
        headers = {"Mcp-Session-Id": "gone", "MCP-Protocol-Version": "2025-11-25"}
        ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        assert (await http.post("/mcp", json=ping, headers=headers)).status_code == 404
        assert (await http.post("/mcp", json=ping)).status_code == 400


async def test_a_failed_handshake_leaves_no_session(live_door: Door) -> None:
    async with raw_http(live_door) as http:
        broken = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}}
        reply = await http.post("/mcp", json=broken)
    assert reply.status_code == 400
    assert "error" in reply.json()
    assert "mcp-session-id" not in reply.headers


async def test_no_standalone_stream_is_offered(live_door: Door) -> None:
    """product.md P10: an open stream per agent would wake a quiet desk."""
    async with raw_http(live_door) as http:
        headers = await open_session(http)
        reply = await http.get("/mcp", headers=headers)
        assert reply.status_code == 405
        unknown = await http.get("/mcp", headers={**headers, "Last-Event-ID": "7-7"})
        assert unknown.status_code == 400


async def test_a_client_without_the_version_header_is_served(live_door: Door) -> None:
    """reference/agents.md section 2: Gemini never sends it."""
    async with raw_http(live_door) as http:
        headers = await open_session(http, name="gemini-cli-mcp-client", version="2025-06-18")
        del headers["MCP-Protocol-Version"]
        body = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
        message = _message(await http.post("/mcp", json=body, headers=headers))
    assert message["result"]["tools"][0]["name"] == "ask_user_question"


async def test_more_waiting_calls_than_a_connection_may_hold_are_refused(
    live_door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    """agents.md, Security: beyond the limit a clear error, and nothing is asked."""
    monkeypatch.setattr(callers, "MAX_PER_CONNECTION", 2)
    async with raw_http(live_door) as http, raw_http(live_door) as other:
        headers = await open_session(http)
        fresh = await open_session(other)
        calls = [
            legacy_call("ask_user_question", ONE_QUESTION, call_id=number) for number in (1, 2, 3)
        ]
        async with (
            post_stream(http, calls[0], headers) as one,
            post_stream(http, calls[1], headers),
        ):
            await until(lambda: len(live_door.asking.asked) == 2)
            refused = _message(await http.post("/mcp", json=calls[2], headers=headers))
            assert refused["result"]["isError"]
            assert "the limit is 2" in refused["result"]["content"][0]["text"]
            assert len(live_door.asking.asked) == 2
            async with post_stream(other, calls[0], fresh):
                await until(lambda: len(live_door.asking.asked) == 3)
            live_door.asking.answer(1, options=("pg",))
            await one.result()
            async with post_stream(http, calls[2], headers):
                await until(lambda: len(live_door.asking.asked) == 4)


async def test_stateless_calls_share_the_limit_of_their_token(
    live_door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(callers, "MAX_STATELESS", 1)
    async with raw_http(live_door) as http:
        body, headers = modern_call("ask_user_question", ONE_QUESTION, progress="t")
        async with post_stream(http, body, headers):
            await until(lambda: live_door.asking.asked)
            refused = _message(await http.post("/mcp", json=body, headers=headers))
    assert "the limit is 1" in refused["result"]["content"][0]["text"]
