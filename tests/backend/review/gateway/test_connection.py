"""Connections to servers that are real processes and behave badly: each call has one clear end."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import psutil
import pytest

from backend.agents.process import AgentProcess
from backend.clock import SystemClock
from backend.domain.agents import AgentCommand, ElicitationAction, ElicitationReply, Elicited
from backend.domain.gateway import ServerSettings, Transport
from backend.ids import ServerId, SessionId
from backend.review.gateway import results
from backend.review.gateway.loading import Connector
from backend.review.gateway.ports import OpenConnection
from backend.review.gateway.results import CallEnd, ServerGone

S = SessionId("s1")
PROGRAM = Path(__file__).resolve().parents[3] / "helpers" / "rough_server.py"


class Rough:
    """The rough server behind a connector; `forms` are what it asked of whom."""

    def __init__(self) -> None:
        self.forms: list[tuple[SessionId, Elicited]] = []
        self.closed: list[str] = []
        self.processes: list[AgentProcess] = []
        self.delay = 0.0

    async def start(self, command: AgentCommand, folder: str) -> AgentProcess:
        process = await AgentProcess.start(command, folder)
        self.processes.append(process)
        return process

    async def elicit(self, session_id: SessionId, elicited: Elicited) -> ElicitationReply:
        self.forms.append((session_id, elicited))
        await asyncio.sleep(self.delay)
        return ElicitationReply(ElicitationAction.ACCEPT, {"name": "Ada"})

    @asynccontextmanager
    async def connected(self, *options: str, **parts: object) -> AsyncIterator[OpenConnection]:
        settings = ServerSettings(
            ServerId("rough"),
            "rough",
            Transport.STDIO,
            (sys.executable, str(PROGRAM), *options),
            **parts,  # type: ignore[arg-type]
        )
        connection = await Connector(SystemClock(), self.start, self.elicit)(
            settings,
            {"TOKEN": "s3cret"},
            on_tools_changed=lambda: None,
            on_closed=self.closed.append,
        )
        try:
            yield connection
        finally:
            await connection.close()


@pytest.fixture
def rough() -> Rough:
    return Rough()


async def call(connection: OpenConnection, tool: str, seconds: float = 20.0) -> CallEnd:
    return await connection.call(S, tool, {"message": "hi"}, seconds)


def said(end: CallEnd) -> str:
    assert end.result is not None, end
    return str(end.result.content[0]["text"])


async def test_twenty_megabytes_are_refused_and_the_next_call_is_answered(rough: Rough) -> None:
    async with rough.connected("--noisy") as connection:
        end = await call(connection, "huge")
        assert end.code == results.RESULT_TOO_LARGE
        assert "has run" in end.detail
        assert said(await call(connection, "echo")) == "hi"


async def test_what_is_no_message_is_passed_over(rough: Rough) -> None:
    async with rough.connected() as connection:
        assert said(await call(connection, "garbage")) == "hi"


async def test_a_result_that_is_none_is_told_as_such(rough: Rough) -> None:
    async with rough.connected() as connection:
        assert (await call(connection, "invalid")).code == results.RESULT_INVALID


async def test_of_a_server_that_crashes_the_outcome_is_unknown(rough: Rough) -> None:
    async with rough.connected() as connection:
        end = await call(connection, "crash")
        assert (end.code, end.result) == (results.OUTCOME_UNKNOWN, None)
        assert connection.closed
        later = await call(connection, "echo")
        assert later.code == results.SERVER_UNAVAILABLE


async def test_a_call_that_hangs_ends_at_its_limit_and_leaves_nothing_behind(rough: Rough) -> None:
    async with rough.connected() as connection:
        end = await call(connection, "hang", 0.2)
        assert end.code == results.OUTCOME_UNKNOWN
        assert "within" in end.detail
    assert not psutil.pid_exists(rough.processes[0].mark.pid)


async def test_a_form_is_asked_of_the_session_whose_call_runs_and_costs_no_time(
    rough: Rough,
) -> None:
    """T6.2 61."""
    rough.delay = 0.6
    async with rough.connected() as connection:
        end = await call(connection, "form", 0.4)
    assert json.loads(said(end)) == {"action": "accept", "content": {"name": "Ada"}}
    assert [(session, form.message) for session, form in rough.forms] == [(S, "Who?")]


async def test_a_form_nobody_can_be_asked_for_is_refused(rough: Rough) -> None:
    """T6.2 61: of two sessions whose calls run, none is guessed."""
    async with rough.connected() as connection:
        other = asyncio.ensure_future(connection.call(SessionId("s2"), "hang", {}, 20.0))
        end = await call(connection, "form")
        other.cancel()
        await asyncio.wait([other])
    assert "elicitation_not_supported" in said(end)
    assert rough.forms == []


async def test_a_server_finds_its_own_variables_and_none_of_the_desk(
    rough: Rough, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KANDESK_SECRET", "x")
    monkeypatch.setenv("PGPASSWORD", "x")
    async with rough.connected(environment={"ROOT": "/srv"}) as connection:
        found = json.loads(said(await call(connection, "env")))
    assert (found["ROOT"], found["TOKEN"]) == ("/srv", "s3cret")
    assert not {"KANDESK_SECRET", "PGPASSWORD"} & found.keys()
    assert rough.processes[0].mark.group == rough.processes[0].mark.pid != os.getpgrp()


async def test_a_server_that_says_nothing_is_given_up(
    rough: Rough, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("backend.review.gateway.connection.CONNECT_TIMEOUT", 0.3)
    with pytest.raises(ServerGone, match="did not answer"):
        async with rough.connected("--silent"):
            pass
    assert not psutil.pid_exists(rough.processes[0].mark.pid)


async def test_a_program_that_is_not_there_is_named(rough: Rough) -> None:
    settings = ServerSettings(ServerId("x"), "x", Transport.STDIO, ("no-such-program",))
    with pytest.raises(ServerGone, match="no-such-program"):
        await Connector(SystemClock(), rough.start, rough.elicit)(
            settings, {}, on_tools_changed=lambda: None, on_closed=rough.closed.append
        )
