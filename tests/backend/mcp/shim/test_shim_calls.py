"""Calls through the shim: forwarded, kept alive, re-issued, cancelled (clarification.md)."""

import itertools
import threading
from pathlib import Path
from urllib.parse import unquote

from backend.mcp import shim_texts
from tests.backend.mcp.shim.conftest import StartDesk, StartShim
from tests.helpers.scripted_desk import DeskCall
from tests.helpers.shim_process import text_of


def answer_at_once(call: DeskCall) -> None:
    call.progress("seen", ticket="t-1")
    call.answer(status="answered", echo=call.arguments)


def test_a_call_carries_what_the_connection_proves(
    start_shim: StartShim, start_desk: StartDesk, tmp_path: Path
) -> None:
    folder = tmp_path / "dépôt" / "sub folder"
    folder.mkdir(parents=True)
    (tmp_path / "dépôt" / ".git").mkdir()
    desk = start_desk(answer_at_once)
    shim = start_shim(cwd=folder)
    shim.initialize(name="my/client")
    shim.call(7, {"questions": []}, progress="p")
    assert shim.reply(7)["result"]["structuredContent"]["status"] == "answered"
    call = desk.calls[0]
    assert call.key == f"{call.headers['X-Kandesk-Shim']}:7"
    assert unquote(call.headers["X-Kandesk-Folder"]) == str(folder)
    assert unquote(call.headers["X-Kandesk-Git-Root"]) == str(folder.parent)
    assert call.headers["X-Kandesk-Client"] == "my%2Fclient/1.2"
    assert call.headers["MCP-Protocol-Version"] == "2026-07-28"
    assert call.headers["Mcp-Method"] == "tools/call"
    assert call.headers["Mcp-Name"] == "ask_user_question"
    meta = call.params["_meta"]
    assert meta["io.modelcontextprotocol/protocolVersion"] == "2026-07-28"
    assert meta["io.modelcontextprotocol/clientInfo"] == {"name": "my/client", "version": "1.2"}
    assert meta["progressToken"] == call.key


def test_the_result_of_an_older_era_has_no_newer_keys(
    start_shim: StartShim, start_desk: StartDesk
) -> None:
    start_desk(answer_at_once)
    shim = start_shim()
    shim.call(1)
    assert set(shim.reply(1)["result"]) == {"content", "structuredContent"}


def test_an_error_of_the_desk_keeps_its_code(start_shim: StartShim, start_desk: StartDesk) -> None:
    error = {"code": -32602, "message": "questions is required"}
    start_desk(lambda call: call.status(400, {"jsonrpc": "2.0", "id": None, "error": error}))
    shim = start_shim()
    shim.call(1)
    assert shim.reply(1)["error"] == error


def test_progress_has_the_clients_token_comes_within_a_second_and_rises(
    start_shim: StartShim, start_desk: StartDesk
) -> None:
    def script(call: DeskCall) -> None:
        call.progress("first", ticket="t")
        call.progress("second")
        call.wait_until_closed()

    start_desk(script)
    shim = start_shim()
    shim.initialize()
    asked_at = shim.received[-1][0]
    shim.call(1, progress=99)
    first, second = shim.wait_for_progress(2, 5)
    assert first[0] - asked_at < 1
    assert [notice["progressToken"] for _, notice in (first, second)] == [99, 99]
    assert first[1]["progress"] < second[1]["progress"]
    assert [first[1]["message"], second[1]["message"]] == ["first", "second"]


def test_progress_goes_on_every_ten_seconds_when_the_desk_is_silent(
    start_shim: StartShim, start_desk: StartDesk
) -> None:
    """Agents give up after 60 s without it (reference/agents.md, section 2)."""
    start_desk(DeskCall.wait_until_closed)
    shim = start_shim()
    shim.initialize()
    asked_at = shim.received[-1][0]
    shim.call(1, progress="p")
    shim.call(2)
    moments = shim.wait_for_progress(2, 15)
    assert moments[0][0] - asked_at < 1
    assert 9 < moments[1][0] - moments[0][0] < 11
    assert [notice["progress"] for _, notice in moments] == [1, 2]
    assert {notice["progressToken"] for _, notice in moments} == {"p"}


def test_a_call_survives_a_crash_of_the_desk_under_the_same_key(
    start_shim: StartShim, start_desk: StartDesk
) -> None:
    """Clarification.md, Continue: the agent sees one call that took longer."""
    desk = start_desk(DeskCall.wait_until_closed)
    shim = start_shim()
    shim.call(1, {"n": 1}, progress="p")
    shim.call("1", {"n": 2})
    before = {call.key for call in desk.wait_for_calls(2)}
    desk.crash()
    desk.script = answer_at_once
    desk.start()
    replies = [shim.reply(1), shim.reply("1")]
    after = desk.calls[2:]
    assert len(before) == 2
    assert {call.key for call in after} == before
    echoed = [reply["result"]["structuredContent"]["echo"] for reply in replies]
    assert echoed == [{"n": 1}, {"n": 2}]


def test_a_draining_desk_closes_the_stream_and_gets_the_call_again(
    start_shim: StartShim, start_desk: StartDesk
) -> None:
    turns = itertools.count()

    def script(call: DeskCall) -> None:
        turn = next(turns)
        if turn == 0:
            call.progress(ticket="t")
        elif turn == 1:
            call.status(503)
        else:
            call.answer(status="answered")

    desk = start_desk(script)
    shim = start_shim()
    shim.call(1)
    assert "answered" in text_of(shim.reply(1))
    assert len({call.key for call in desk.calls}) == 1


def test_a_cut_in_the_middle_of_the_result_is_not_a_result(
    start_shim: StartShim, start_desk: StartDesk
) -> None:
    turns = itertools.count()

    def script(call: DeskCall) -> None:
        if next(turns) == 0:
            call.progress()
            half = b'event: message\r\ndata: {"jsonrpc":"2.0","result":{"con'
            call._handler.wfile.write(half)
        else:
            call.answer(status="answered", round=2)

    start_desk(script)
    shim = start_shim()
    shim.call(1)
    assert shim.reply(1)["result"]["structuredContent"]["round"] == 2


def test_cancelling_an_open_call_closes_its_post_and_sends_no_frame(
    start_shim: StartShim, start_desk: StartDesk
) -> None:
    desk = start_desk(DeskCall.wait_until_closed)
    shim = start_shim()
    shim.call(1, progress="p")
    call = desk.wait_for_calls(1)[0]
    shim.wait_for_progress(1, 5)
    shim.send(method="notifications/cancelled", params={"requestId": 1, "reason": "abort"})
    assert call.closed.wait(5)
    shim.send(id=2, method="ping")
    shim.reply(2)
    assert not any(message.get("id") == 1 for _, message in shim.received)
    assert len(desk.calls) == 1


def test_a_cancel_for_a_finished_call_is_ignored(
    start_shim: StartShim, start_desk: StartDesk
) -> None:
    """reference/agents.md, trap 4: OpenCode sends one after every call."""
    start_desk(answer_at_once)
    shim = start_shim()
    for number in (1, 2):
        shim.call(number)
        assert "answered" in text_of(shim.reply(number))
        shim.send(method="notifications/cancelled", params={"requestId": number})
    shim.send(id=3, method="ping")
    assert shim.reply(3)["result"] == {}


def test_a_request_id_used_again_never_gets_the_older_answer(
    start_shim: StartShim, start_desk: StartDesk
) -> None:
    desk = start_desk(answer_at_once)
    shim = start_shim()
    shim.call(1)
    shim.reply(1)
    shim.send(id=2, method="ping")
    shim.reply(2)
    shim.received.clear()
    shim.call(1)
    shim.reply(1)
    keys = [call.key for call in desk.calls]
    assert len(set(keys)) == 2


def test_fifty_calls_at_once_each_get_their_own_answer(
    start_shim: StartShim, start_desk: StartDesk
) -> None:
    everybody = threading.Barrier(50, timeout=20)

    def script(call: DeskCall) -> None:
        call.progress(ticket="t")
        everybody.wait()
        call.answer(status="answered", echo=call.arguments["n"])

    start_desk(script)
    shim = start_shim()
    for number in range(50):
        shim.call(number, {"n": number}, progress=number)
    for number in range(50):
        result = shim.reply(number)["result"]
        assert result["structuredContent"]["echo"] == number


def test_a_refused_token_ends_the_call_with_advice(
    start_shim: StartShim, start_desk: StartDesk
) -> None:
    desk = start_desk(answer_at_once)
    desk.accepted = "another"
    shim = start_shim()
    shim.call(1)
    assert "401" in text_of(shim.reply(1))


def test_a_desk_that_never_answered_is_not_asked_in_a_hurry(
    start_shim: StartShim, start_desk: StartDesk
) -> None:
    """Streams that open and close at once must not become a busy loop."""

    def script(call: DeskCall) -> None:
        call.open_stream()

    desk = start_desk(script)
    shim = start_shim()
    shim.call(1, progress="p")
    moments = shim.wait_for_progress(1, 5)
    desk.wait_for_calls(5)
    assert len(desk.calls) < 10
    assert moments
    desk.script = answer_at_once
    assert "answered" in text_of(shim.reply(1))


def test_a_call_the_desk_may_hold_is_not_given_up_when_the_human_quits(
    start_shim: StartShim, start_desk: StartDesk
) -> None:
    """product.md, Commands: shim calls stay open."""

    def script(call: DeskCall) -> None:
        call.progress(ticket="t")
        call.wait_until_closed()

    desk = start_desk(script)
    shim = start_shim("--home", str(desk.home.root))
    shim.initialize()
    shim.call(1, progress="p")
    shim.wait_for_progress(1, 5)
    desk.home.quit_marker.touch()
    desk.home.endpoint.unlink()
    desk.crash()
    shim.call(2)
    assert text_of(shim.reply(2)) == shim_texts.QUIT
    shim.first(lambda message: shim_texts.AWAY in str(message))
    desk.script = answer_at_once
    desk.home.quit_marker.unlink()
    desk.start()
    assert "answered" in text_of(shim.reply(1))
    assert desk.calls[0].key == desk.calls[-1].key
