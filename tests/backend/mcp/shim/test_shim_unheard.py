"""A desk that dies with a call it never told the shim anything of (agents.md, Shim)."""

import contextlib
import os
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from urllib.parse import urlsplit

import pytest

from backend.endpoint import read_endpoint, write_endpoint
from backend.mcp import shim_texts, tools
from backend.mcp.shim_calls import CallRequest, OpenCall, OpenCalls
from backend.mcp.shim_desk import ClientInfo, DeskLink, Place
from backend.mcp.shim_forward import Forwarder, Waits
from backend.mcp.shim_start import DeskStarter, Permission, StartPlan
from backend.mcp.shim_stdio import Json, Output
from backend.paths import Home
from tests.backend.mcp.shim.conftest import StartDesk, StartShim
from tests.helpers.desk_process import DeskProcess
from tests.helpers.mcp_clients import question
from tests.helpers.scripted_desk import DeskCall, ScriptedDesk
from tests.helpers.shim_process import result_of, text_of

ASK = {"questions": [question("Which way?", "Left", "Right")]}
SOON = Waits(first=0.01, longest=0.05, grace=0.1, patience=0.1, unheard=0.6)


class Caller:
    """One call in this process, of a client that waits for ever."""

    def __init__(self, home: Home, permission: Permission, waits: Waits = SOON) -> None:
        reading, writing = os.pipe()
        self._ends = (reading, writing)
        calls = OpenCalls()
        starter = DeskStarter(home, StartPlan(()), permission)
        link = DeskLink(home, Place("instance", "", ""))
        params: Json = {"name": "ask_user_question", "arguments": {}}
        request = CallRequest(
            request_id=1,
            key="instance:1",
            tool="ask_user_question",
            params=params,
            client=ClientInfo(),
            modern=False,
            progress_token=1,
            patience=None,
        )
        self.call = OpenCall(request, Output(writing, lambda: None))
        self._forwarder = Forwarder(link, starter, calls, waits)

    def start(self) -> None:
        self._forwarder.start(self.call)

    def written(self) -> str:
        """Everything up to the result; it may still be on its way when the call has ended."""
        text = ""
        while '"result"' not in text or not text.endswith("\n"):
            text += os.read(self._ends[0], 1 << 16).decode()
        return text

    def close(self) -> None:
        self.call.end(None)
        for end in self._ends:
            os.close(end)


def die(desk: ScriptedDesk) -> None:
    desk.home.endpoint.unlink()
    desk.crash()


@pytest.mark.parametrize("reason", [shim_texts.NO_DESK, shim_texts.QUIT])
def test_a_call_that_may_be_held_ends_with_advice_when_no_desk_comes(
    home: Home, start_desk: StartDesk, reason: str
) -> None:
    """Never a hang: nobody promised this client that its question is kept."""
    desk = start_desk(DeskCall.wait_until_closed)
    forbidden = reason == shim_texts.NO_DESK
    caller = Caller(home, Permission.FORBIDDEN if forbidden else Permission.ALLOWED)
    try:
        caller.start()
        desk.wait_for_calls(1)
        if not forbidden:
            home.quit_marker.touch()
            # File times are coarser than the clock this client's start was read from.
            os.utime(home.quit_marker, (time.time() + 1, time.time() + 1))
        die(desk)
        assert caller.call.ended.wait(10)
        told = tools.UNCONFIRMED.format(reason=reason)
        written = caller.written()
        assert told.replace('"', '\\"') in written
        assert '"isError":true' in written
        assert written.count('"result"') == 1
    finally:
        caller.close()


def test_its_time_counts_from_the_death_of_the_desk_however_long_that_held_the_call(
    home: Home, start_desk: StartDesk
) -> None:
    """A desk that restarts takes the call up again; the wait before its death is not counted."""
    desk = start_desk(DeskCall.wait_until_closed)
    caller = Caller(home, Permission.FORBIDDEN, replace(SOON, unheard=3.0))
    try:
        caller.start()
        desk.wait_for_calls(1)
        assert not caller.call.ended.wait(3.5)
        die(desk)
        assert not caller.call.ended.wait(1)
        desk.script = lambda call: call.answer(status="answered")
        desk.start()
        assert caller.call.ended.wait(10)
        assert "answered" in caller.written()
    finally:
        caller.close()


def test_a_call_the_desk_has_told_of_is_never_given_up(home: Home, start_desk: StartDesk) -> None:
    """Its question is kept and its ticket is here: it waits for the next desk."""

    def script(call: DeskCall) -> None:
        call.progress(ticket="T-1")
        call.wait_until_closed()

    desk = start_desk(script)
    caller = Caller(home, Permission.FORBIDDEN)
    try:
        caller.start()
        while not caller.call.ticket:
            assert not caller.call.ended.wait(0.01)
        die(desk)
        assert not caller.call.ended.wait(SOON.unheard * 3)
    finally:
        caller.close()


@pytest.fixture
def desk_without_a_voice(home: Home) -> Iterator[DeskProcess]:
    """A real desk that hears everything; nothing it says on the agents' port arrives."""
    desk = DeskProcess(home)
    endpoint = read_endpoint(home)
    assert endpoint is not None
    port = urlsplit(endpoint.mcp).port
    assert port is not None
    deaf = socket.create_server(("127.0.0.1", 0))
    threading.Thread(target=_pass_on, args=(deaf, port), daemon=True).start()
    through = f"http://127.0.0.1:{deaf.getsockname()[1]}/mcp"
    write_endpoint(home, replace(endpoint, mcp=through))
    yield desk
    with contextlib.suppress(OSError):
        deaf.shutdown(socket.SHUT_RDWR)
    deaf.close()
    desk.stop()


def _pass_on(deaf: socket.socket, port: int) -> None:
    with contextlib.suppress(OSError):
        while True:
            line, _ = deaf.accept()
            threading.Thread(target=_one_way, args=(line, port), daemon=True).start()


def _one_way(line: socket.socket, port: int) -> None:
    with line, contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)) as desk:
        line.settimeout(0.2)
        while _desk_lives(desk):
            with contextlib.suppress(TimeoutError):
                desk.sendall(line.recv(1 << 16))


def _desk_lives(desk: socket.socket) -> bool:
    desk.settimeout(0.01)
    try:
        return bool(desk.recv(1 << 16))
    except TimeoutError:
        return True
    finally:
        desk.settimeout(None)


def inbox(desk: DeskProcess) -> list[Json]:
    bundles = desk.desk().request("GET", "/api/v1/clarification-inbox", seconds=10).body["bundles"]
    assert isinstance(bundles, list)
    return bundles


def test_a_question_stored_by_a_desk_that_died_unheard_is_kept_and_answered_once(
    home: Home, desk_without_a_voice: DeskProcess, start_shim: StartShim
) -> None:
    """Real processes: the agent is told what to do, does it, and gets the one answer (rule 4)."""
    shim = start_shim("--no-start")
    shim.initialize()
    shim.call(1, ASK, progress="p")
    desk_without_a_voice.wait_for_questions(1)
    desk_without_a_voice.process.kill()
    desk_without_a_voice.process.wait()
    first = shim.reply(1, seconds=30)
    assert result_of(first)["isError"] is True
    assert text_of(first) == tools.UNCONFIRMED.format(reason=shim_texts.NO_DESK)
    desk = DeskProcess(home)
    try:
        desk.wait_for_questions(1)
        (kept,) = inbox(desk)
        shim.call(2, ASK, progress="p")
        desk.wait_for_questions(2)
        (again,) = (found for found in inbox(desk) if found["pending_id"] != kept["pending_id"])
        body: Json = {"answers": [{"question_id": "q1", "selected_options": ["q1_opt1"]}]}
        path = f"/api/v1/clarification/{again['pending_id']}/respond"
        assert desk.desk().request("POST", path, body, seconds=20).status == 200
        assert result_of(shim.reply(2))["structuredContent"]["status"] == "answered"
        desk.wait_for_questions(0)
    finally:
        desk.stop()


def test_a_desk_that_is_back_in_time_goes_on_with_the_stored_question(
    home: Home, desk_without_a_voice: DeskProcess, start_shim: StartShim
) -> None:
    """clarification.md, rule 1: the same key, one question, one call that took longer."""
    shim = start_shim("--no-start")
    shim.initialize()
    shim.call(1, ASK, progress="p")
    desk_without_a_voice.wait_for_questions(1)
    (kept,) = inbox(desk_without_a_voice)
    desk_without_a_voice.process.kill()
    desk_without_a_voice.process.wait()
    shim.first(lambda message: shim_texts.AWAY_UNHEARD in str(message))
    desk = DeskProcess(home)
    try:
        shim.first(lambda message: tools.PROGRESS_TEXT in str(message))
        assert [found["pending_id"] for found in inbox(desk)] == [kept["pending_id"]]
        body: Json = {"answers": [{"question_id": "q1", "selected_options": ["q1_opt2"]}]}
        path = f"/api/v1/clarification/{kept['pending_id']}/respond"
        assert desk.desk().request("POST", path, body, seconds=20).status == 200
        assert result_of(shim.reply(1))["structuredContent"]["status"] == "answered"
    finally:
        desk.stop()
