"""What the shim answers by itself, to well-behaved clients and to others (agents.md, Shim)."""

import json

import pytest

from backend.mcp import tools
from tests.backend.mcp.shim.conftest import StartDesk, StartShim
from tests.helpers.scripted_desk import DeskCall
from tests.helpers.shim_process import Json, text_of

MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "modern client", "version": "3"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


def error_of(reply: Json) -> tuple[int, str]:
    error = reply["error"]
    assert isinstance(error, dict)
    return error["code"], error["message"]


@pytest.mark.parametrize(
    ("asked", "given"),
    [
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2024-11-05", "2024-11-05"),
        ("1999-01-01", "2025-11-25"),
    ],
)
def test_initialize_agrees_on_a_version_both_know(
    start_shim: StartShim, asked: str, given: str
) -> None:
    result = start_shim().initialize(version=asked)["result"]
    assert isinstance(result, dict)
    assert result["protocolVersion"] == given
    assert result["capabilities"] == {"tools": {"listChanged": True}}
    assert result["instructions"] == tools.INSTRUCTIONS


def test_the_tools_are_those_of_the_desk_and_none_for_operators(start_shim: StartShim) -> None:
    shim = start_shim()
    shim.send(id=1, method="tools/list")
    result = shim.reply(1)["result"]
    assert result == {"tools": [tool.to_wire() for tool in tools.AGENT_TOOLS]}
    names = [tool["name"] for tool in result["tools"]]
    assert not {tools.LIST_PENDING, tools.ANSWER} & set(names)


def test_a_stateless_client_discovers_and_lists_without_initialize(start_shim: StartShim) -> None:
    shim = start_shim()
    shim.send(id=1, method="server/discover", params={"_meta": MODERN})
    shim.send(id=2, method="tools/list", params={"_meta": MODERN})
    shim.send(id=3, method="ping", params={"_meta": MODERN})
    discovered, listed, pong = (shim.reply(number)["result"] for number in (1, 2, 3))
    for result in (discovered, listed, pong):
        assert isinstance(result, dict)
        assert result["resultType"] == "complete"
        assert result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "kandesk"
    assert "2026-07-28" in discovered["supportedVersions"]
    assert listed["ttlMs"] == 0


def test_an_unknown_stateless_version_is_told_what_is_known(start_shim: StartShim) -> None:
    shim = start_shim()
    meta = {**MODERN, "io.modelcontextprotocol/protocolVersion": "2031-01-01"}
    shim.send(id=1, method="server/discover", params={"_meta": meta})
    error = shim.reply(1)["error"]
    assert isinstance(error, dict)
    assert error["code"] == -32022
    assert error["data"]["requested"] == "2031-01-01"
    assert "2026-07-28" in error["data"]["supported"]


@pytest.mark.parametrize(
    ("line", "code", "request_id"),
    [
        (b"garbage", -32700, None),
        (b'{"jsonrpc":"2.0","id":1,', -32700, None),
        (b"\xff\xfe{}", -32700, None),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":NaN}}', -32700, None),
        (b"[" * 200_000, -32700, None),
        (b"[]", -32600, None),
        (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600, None),
        (b"7", -32600, None),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600, None),
        (b'{"jsonrpc":"1.0","id":4,"method":"ping"}', -32600, 4),
        (b'{"jsonrpc":"2.0","id":5}', -32600, 5),
        (b'{"jsonrpc":"2.0","id":6,"method":7}', -32600, 6),
        (b'{"jsonrpc":"2.0","id":7,"method":"ping","params":[]}', -32602, 7),
        (b'{"jsonrpc":"2.0","id":8,"method":"resources/list"}', -32601, 8),
        (b'{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{}}', -32602, 9),
        (b'{"jsonrpc":"2.0","id":10,"method":"tools/call","params":{"name":5}}', -32602, 10),
        (b'{"jsonrpc":"2.0","id":11,"method":"\\ud800"}', -32601, 11),
    ],
)
def test_a_bad_line_gets_an_error_and_the_next_line_is_served(
    start_shim: StartShim, line: bytes, code: int, request_id: int | None
) -> None:
    shim = start_shim()
    shim.write(line)
    shim.send(id="after", method="ping")
    assert shim.reply("after")["result"] == {}
    assert error_of(shim.reply(request_id))[0] == code


def test_what_asks_nothing_gets_no_reply(start_shim: StartShim) -> None:
    shim = start_shim()
    shim.write(b"")
    shim.send(method="notifications/initialized")
    shim.send(method="notifications/of/the/future", params=[1])
    shim.send(method="notifications/cancelled", params={"requestId": {"no": "id"}})
    shim.send(id=1, result={})
    shim.send(id=2, method="ping")
    shim.reply(2)
    assert len(shim.received) == 1


def test_a_lone_surrogate_is_refused_by_name(start_shim: StartShim) -> None:
    shim = start_shim()
    shim.call(1, {"questions": [{"prompt": "half \ud83d"}]})
    code, message = error_of(shim.reply(1))
    assert code == -32602
    assert "surrogate" in message


def test_a_client_name_with_a_lone_surrogate_does_no_harm(
    start_shim: StartShim, start_desk: StartDesk
) -> None:
    start_desk(lambda call: call.answer(status="answered"))
    shim = start_shim()
    shim.initialize(name="odd \udc00 name")
    shim.call(1)
    assert "answered" in text_of(shim.reply(1))


def test_a_line_of_twenty_megabytes_is_refused_for_its_own_request(start_shim: StartShim) -> None:
    shim = start_shim()
    shim.call(1, {"context": "x" * 20_000_000})
    assert "too large" in text_of(shim.reply(1))
    shim.send(id=2, method="ping")
    assert shim.reply(2)["result"] == {}


def test_an_endless_line_is_thrown_away(start_shim: StartShim) -> None:
    shim = start_shim()
    shim.write(b"x" * 70_000_000)
    assert error_of(shim.reply(None))[0] == -32600
    shim.send(id=2, method="ping")
    assert shim.reply(2)["result"] == {}


def test_ping_is_answered_while_a_question_waits(
    start_shim: StartShim, start_desk: StartDesk
) -> None:
    desk = start_desk(DeskCall.wait_until_closed)
    shim = start_shim()
    shim.call(1)
    desk.wait_for_calls(1)
    shim.send(id=2, method="ping")
    assert shim.reply(2)["result"] == {}


def test_an_id_that_is_still_open_is_refused_and_the_first_call_lives_on(
    start_shim: StartShim, start_desk: StartDesk
) -> None:
    desk = start_desk(DeskCall.wait_until_closed)
    shim = start_shim()
    shim.call(1)
    call = desk.wait_for_calls(1)[0]
    shim.call(1)
    assert error_of(shim.reply(1))[0] == -32600
    call.answer(status="answered")
    answered = shim.first(lambda message: "result" in message)
    assert answered["id"] == 1


@pytest.mark.parametrize("locale", ["C", "POSIX", "de_DE.ISO-8859-1", "no_SUCH.locale"])
def test_text_is_utf8_whatever_the_locale(
    start_shim: StartShim, start_desk: StartDesk, locale: str
) -> None:
    text = "数据库 مرحبا 🦀 ünïcode"
    start_desk(lambda call: call.answer(status="answered", echo=call.arguments["context"]))
    shim = start_shim(LC_ALL=locale, LANG=locale, PYTHONUTF8="0", PYTHONIOENCODING="ascii")
    shim.write(
        json.dumps(
            {
                "jsonrpc": "2.0",
                "id": "ключ",
                "method": "tools/call",
                "params": {"name": "ask_user_question", "arguments": {"context": text}},
            },
            ensure_ascii=False,
        ).encode()
    )
    result = shim.reply("ключ")["result"]
    assert result["structuredContent"]["echo"] == text
