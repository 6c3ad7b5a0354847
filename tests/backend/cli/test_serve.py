"""`kandesk serve` as a process (product.md, Commands)."""

import os
import signal
import socket
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from backend.endpoint import DeskEndpoint, read_endpoint, write_endpoint
from backend.mcp.tools import PROGRESS_TEXT
from backend.paths import Home
from tests.helpers.desk_process import DeskProcess, run_kandesk
from tests.helpers.shim_process import ShimProcess, result_of, text_of

STOPS_WITHIN = 15.0
StartDesk = Callable[..., DeskProcess]
StartShim = Callable[..., ShimProcess]

ASK = {"questions": [{"prompt": "Which?", "options": [{"label": "red"}, {"label": "blue"}]}]}


def test_it_tells_in_one_line_where_it_listens(start_desk: StartDesk, home: Home) -> None:
    serve = start_desk()
    assert set(serve.told) == {"api", "mcp", "token_file", "agent_token_file", "pid"}
    assert serve.told["pid"] == serve.process.pid
    assert serve.told["mcp"] == f"{serve.told['api']}/mcp"
    token = Path(serve.told["token_file"])
    assert serve.desk().token == token.read_text()
    assert stat.S_IMODE(token.stat().st_mode) == 0o600
    assert stat.S_IMODE(home.endpoint.stat().st_mode) == 0o600
    serve.process.send_signal(signal.SIGTERM)
    assert serve.process.wait(STOPS_WITHIN) == 0
    assert serve.rest_of_stdout() == b""
    assert "listening" in serve.stderr()
    assert token.read_text() not in serve.stderr()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_it_and_leaves_the_quit_mark(
    start_desk: StartDesk, home: Home, number: signal.Signals
) -> None:
    serve = start_desk()
    assert not home.quit_marker.exists()
    serve.process.send_signal(number)
    assert serve.process.wait(STOPS_WITHIN) == 0
    assert home.quit_marker.exists()
    assert read_endpoint(home) is None
    start_desk()
    assert not home.quit_marker.exists()


def test_a_second_one_exits_1_and_names_the_first(start_desk: StartDesk, home: Home) -> None:
    serve = start_desk()
    second = run_kandesk(home, "serve")
    assert second.returncode == 1
    assert second.stdout == ""
    assert str(serve.process.pid) in second.stderr
    assert len(second.stderr.splitlines()) == 1
    assert serve.desk().pid == serve.process.pid


def test_a_second_one_exits_1_although_the_lock_of_the_first_was_deleted(
    start_desk: StartDesk, home: Home
) -> None:
    serve = start_desk()
    Path(f"{home.database}.lock").unlink()
    second = run_kandesk(home, "serve")
    assert second.returncode == 1
    assert str(serve.process.pid) in second.stderr
    assert serve.desk().pid == serve.process.pid


@pytest.mark.parametrize("saved", ["99999", "-1", "²", "9" * 5_000])
def test_a_saved_port_that_is_none_does_not_keep_it_from_starting(
    start_desk: StartDesk, home: Home, saved: str
) -> None:
    first = start_desk()
    first.process.send_signal(signal.SIGTERM)
    first.process.wait(STOPS_WITHIN)
    with closing(sqlite3.connect(home.database)) as store, store:
        store.execute("UPDATE settings SET value = ? WHERE key = 'http.port'", (saved,))
    assert start_desk().told["api"].startswith("http://127.0.0.1:")


@pytest.mark.parametrize(
    "address", ["http://[::1", "http://127.0.0.1:99999", "http://127.0.0.1:x", "\0"]
)
def test_an_endpoint_file_without_an_address_keeps_nothing_from_working(
    start_desk: StartDesk, home: Home, address: str
) -> None:
    home.create()
    write_endpoint(home, DeskEndpoint(address, address, os.getpid(), "token", "serve", "now"))
    assert run_kandesk(home, "pending").returncode == 0
    assert start_desk().desk().port > 0


def test_the_port_stays_the_same_from_run_to_run(start_desk: StartDesk) -> None:
    first = start_desk()
    first.process.send_signal(signal.SIGTERM)
    first.process.wait(STOPS_WITHIN)
    assert start_desk().told["api"] == first.told["api"]


def test_hand_over_stops_it_without_the_quit_mark(start_desk: StartDesk, home: Home) -> None:
    serve = start_desk()
    reply = serve.desk().request("POST", "/api/v1/desk/hand-over", {}, seconds=5)
    assert reply.status == 200
    assert serve.process.wait(STOPS_WITHIN) == 0
    assert not home.quit_marker.exists()


@pytest.mark.parametrize(
    "words",
    [
        ("serve", "--port", "70000"),
        ("serve", "--port", "x"),
        ("serve", "--database", "postgresql://me:secret@db/kandesk"),
        ("serve", "--database", "postgresql://db"),
        ("serve", "--database", "sqlite:///x"),
        ("serve", "extra"),
    ],
)
def test_wrong_usage_exits_2_and_starts_nothing(home: Home, words: tuple[str, ...]) -> None:
    ended = run_kandesk(home, *words)
    assert ended.returncode == 2
    assert ended.stdout == ""
    assert words[1] in ended.stderr
    assert "secret" not in ended.stderr
    assert not home.root.exists()


def test_a_home_that_is_a_file_is_one_clear_line(home: Home) -> None:
    home.root.write_text("")
    ended = run_kandesk(home, "serve")
    assert ended.returncode == 1
    assert len(ended.stderr.splitlines()) == 1
    assert str(home.root) in ended.stderr


def test_a_call_through_the_shim_survives_kill_9_of_the_desk(
    start_desk: StartDesk, start_shim: StartShim, home: Home
) -> None:
    """product.md, P1: the original tool call returns the answer after the desk is back."""
    serve = start_desk()
    shim = start_shim("--no-start")
    shim.call(1, ASK, progress="p")
    serve.wait_for_questions(1)
    serve.process.kill()
    serve.process.wait()
    start_desk()
    answered = run_kandesk(home, "answer", only_id(home), "blue")
    assert answered.returncode == 0, answered.stderr
    selected = result_of(shim.reply(1))["structuredContent"]["answers"]["q1"]["selected"]
    assert [option["label"] for option in selected] == ["blue"]


def test_an_answer_given_while_no_desk_runs_reaches_the_call_when_one_is_back(
    start_desk: StartDesk, start_shim: StartShim, home: Home
) -> None:
    serve = start_desk()
    shim = start_shim("--no-start")
    shim.call(1, ASK, progress="p")
    serve.wait_for_questions(1)
    serve.process.kill()
    serve.process.wait()
    answered = run_kandesk(home, "answer", only_id(home), "red")
    assert answered.returncode == 0, answered.stderr
    assert "next contact" in answered.stdout
    start_desk()
    result = result_of(shim.reply(1))["structuredContent"]
    assert result["answers"]["q1"]["selected"][0]["label"] == "red"


def test_another_program_that_locks_the_store_holds_up_no_start_and_loses_no_answer(
    start_desk: StartDesk, start_shim: StartShim, home: Home
) -> None:
    serve = start_desk()
    shim = start_shim("--no-start")
    shim.call(1, ASK, progress="p")
    serve.wait_for_questions(1)
    serve.process.kill()
    serve.process.wait()
    with closing(sqlite3.connect(home.database, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        refused = run_kandesk(home, "answer", only_id(home), "red")
        assert refused.returncode == 1
        assert len(refused.stderr.splitlines()) == 1
        start_desk()
        other.execute("ROLLBACK")
    assert run_kandesk(home, "answer", only_id(home), "red").returncode == 0
    assert "red" in text_of(shim.reply(1))


def test_the_first_tool_call_starts_a_desk_where_none_runs(
    start_shim: StartShim, home: Home
) -> None:
    shim = start_shim("--home", str(home.root))
    assert read_endpoint(home) is None
    shim.call(1, ASK, progress="p")
    try:
        shim.first(lambda message: PROGRESS_TEXT in str(message), 30)
        assert run_kandesk(home, "answer", only_id(home), "1").returncode == 0
        assert "red" in text_of(shim.reply(1))
    finally:
        endpoint = read_endpoint(home)
        assert endpoint is not None
        os.kill(endpoint.pid, signal.SIGTERM)


def only_id(home: Home) -> str:
    listed = run_kandesk(home, "pending")
    assert listed.returncode == 0, listed.stderr
    return listed.stdout.split()[0]


def test_a_port_that_was_asked_for_and_is_taken_ends_the_start(home: Home) -> None:
    """An agent that was told this port must never talk to another program."""
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        done = run_kandesk(home, "serve", "--port", str(port))
    assert done.returncode == 1
    assert f"port {port} is taken" in done.stderr
    assert done.stdout == ""
    assert not home.endpoint.exists()
