"""Agents that misbehave, each a real child process (agents.md, ACP)."""

import asyncio
import os
import sys
import time
from pathlib import Path

import pytest

from backend.agents import frames
from backend.agents.acp_translate import UpdateReader
from backend.agents.process import STDERR_TAIL
from backend.domain.agents import AgentCommand, TextChunk, UnknownUpdate
from backend.domain.hosted import AgentProblem
from backend.errors import AgentFailed
from tests.helpers.clock import FakeClock
from tests.helpers.launched import PATIENCE, Agents, run_prompt
from tests.helpers.scripted_agents import RecordingListener, scripted_command
from tests.helpers.waiting import until


async def refused(agents: Agents, command: AgentCommand, folder: str = "") -> AgentFailed:
    with pytest.raises(AgentFailed) as failed:
        await agents.launch(command, folder=folder)
    return failed.value


async def test_a_folder_that_is_gone_is_told(agents: Agents, tmp_path: Path) -> None:
    error = await refused(agents, scripted_command(), folder=str(tmp_path / "gone"))
    assert error.params["problem"] == AgentProblem.FOLDER_MISSING


@pytest.mark.parametrize("program", ["no-such-agent", "/no/such/agent", "./agent", ""])
async def test_a_command_that_is_not_there_is_told(agents: Agents, program: str) -> None:
    error = await refused(agents, AgentCommand((program,)))
    assert error.params["problem"] == AgentProblem.COMMAND_MISSING


async def test_a_program_that_cannot_run_is_told(agents: Agents, tmp_path: Path) -> None:
    script = tmp_path / "agent"
    script.write_text("#!/no/such/interpreter\n")
    script.chmod(0o755)
    error = await refused(agents, AgentCommand((str(script),)))
    assert error.params["problem"] == AgentProblem.COMMAND_MISSING


async def test_a_file_that_may_not_be_run_is_not_said_to_be_missing(
    agents: Agents, tmp_path: Path
) -> None:
    script = tmp_path / "agent"
    script.write_text("#!/bin/sh\n")
    error = await refused(agents, AgentCommand((str(script),)))
    assert error.params["problem"] == AgentProblem.START_FAILED
    assert error.detail == f"{script} is no program that may be run"


async def test_a_machine_that_cannot_start_a_program_has_it_all_the_same(agents: Agents) -> None:
    """That the command is missing would send its human looking for it."""
    error = await refused(agents, scripted_command({"LONG": "x" * 3_000_000}))
    assert error.params["problem"] == AgentProblem.START_FAILED
    assert "Argument list too long" in error.detail


async def test_an_agent_that_exits_at_once_is_told_with_its_own_words(agents: Agents) -> None:
    error = await refused(agents, scripted_command(start="exit"))
    assert error.params["problem"] == AgentProblem.EXITED
    assert error.detail == "cannot start: no configuration"


async def test_an_agent_that_opens_no_session_is_ended_and_its_words_told(agents: Agents) -> None:
    error = await refused(agents, scripted_command(start="refuse"))
    assert error.params["problem"] == AgentProblem.START_FAILED
    assert error.detail == "no model chosen"


async def test_an_agent_that_hangs_at_its_greeting_is_ended_after_a_minute(
    agents: Agents, listener: RecordingListener
) -> None:
    clock = FakeClock()
    launching = asyncio.create_task(
        agents.launch(scripted_command(start="hang", ignore=["eof"]), clock=clock)
    )
    await until(lambda: clock.pending_timers)
    await clock.advance(59)
    assert not launching.done()
    await clock.advance(2)
    with pytest.raises(AgentFailed) as failed:
        await asyncio.wait_for(launching, PATIENCE)
    assert failed.value.params["problem"] == AgentProblem.HANGS_AT_START
    # The fixture proves that nothing of it runs; its end was told by the error alone.
    assert listener.ends == 0


@pytest.mark.parametrize(
    "command",
    [
        scripted_command(start="not_acp"),
        AgentCommand((sys.executable, "-c", "print('usage: agent FILE')")),
        # It sends our own greeting back.
        AgentCommand(("cat",)),
    ],
    ids=["no sense", "prints its usage", "echoes"],
)
async def test_a_program_that_is_no_agent_is_told_as_such(
    agents: Agents, command: AgentCommand
) -> None:
    assert (await refused(agents, command)).params["problem"] == AgentProblem.NOT_ACP


async def test_lines_that_are_no_messages_are_passed_over(
    agents: Agents, listener: RecordingListener
) -> None:
    agent = await agents.launch(scripted_command(start="noise"))
    script = "\n".join(
        f"raw {line}"
        for line in (
            "not json",
            '{"jsonrpc": "2.0"',
            "[]",
            "7",
            '{"id": {"a": 1}, "result": 1}',
            '{"id": 4}',
            '{"id": 99, "result": null}',
            '{"id": 98, "error": "just words"}',
            '{"method": 5}',
            '{"id": 5, "method": "session/update"}',
            '{"method": "session/update", "params": [1]}',
            "[" * 5000 + "]" * 5000,
            '{"method": "x", "params": ' + '{"a":' * 900 + "1" + "}" * 900 + "}",
        )
    )
    await run_prompt(agent, f"say a\n{script}\nsay b")
    assert listener.text == "ab"


async def test_a_frame_of_twenty_megabytes_is_taken(
    agents: Agents, listener: RecordingListener
) -> None:
    agent = await agents.launch()
    await run_prompt(agent, "bytes 20000000\nsay end")
    first = listener.updates[0]
    assert isinstance(first, TextChunk)
    assert len(first.text) == 20_000_000


async def test_a_frame_beyond_the_limit_ends_the_agent_and_says_why(
    agents: Agents, listener: RecordingListener
) -> None:
    agent = await agents.launch()
    with pytest.raises(AgentFailed, match="more than 32 MiB") as failed:
        await run_prompt(agent, f"bytes {frames.MAX_FRAME}\nsay end")
    assert failed.value.params["problem"] == AgentProblem.NOT_ACP
    await until(lambda: listener.ends)


async def test_unknown_methods_are_refused_and_unknown_notifications_ignored(
    agents: Agents, listener: RecordingListener
) -> None:
    """Trap 11 of reference/agents.md: Qwen notifies of things of its own."""
    agent = await agents.launch()
    await run_prompt(
        agent, 'notify qwen/notify/tip {"a": 1}\nrequest fs/read_text_file {}\nrequest x/y {}'
    )
    assert listener.text.count('"code": -32601') == 2


async def test_an_unknown_update_is_shown_as_it_came(
    agents: Agents, listener: RecordingListener
) -> None:
    agent = await agents.launch()
    await run_prompt(agent, 'update {"sessionUpdate": "hologram", "x": [1]}\nupdate {"y": 2}')
    assert listener.updates == [
        UnknownUpdate("hologram", {"sessionUpdate": "hologram", "x": [1]}),
        UnknownUpdate("unknown", {"y": 2}),
    ]


async def test_what_comes_for_a_session_nobody_opened_is_ignored_and_cancelled(
    agents: Agents, listener: RecordingListener, caplog: pytest.LogCaptureFixture
) -> None:
    await run_prompt(await agents.launch(), "foreign a\nforeign b")
    assert listener.text == "permission: cancelledpermission: cancelled"
    assert not listener.asked
    told = [one for one in caplog.records if "update_of_unknown_session" in one.message]
    assert len(told) == 1


async def test_a_request_id_used_again_is_another_request(
    agents: Agents, listener: RecordingListener
) -> None:
    await run_prompt(await agents.launch(), "reuse Run it")
    assert len(listener.asked) == 2
    assert listener.text == "permission: allowpermission: allow"


async def test_an_agent_that_asks_without_end_is_refused_beyond_a_bound(
    agents: Agents, listener: RecordingListener
) -> None:
    listener.hold = asyncio.Event()
    agent = await agents.launch()
    request = (
        '{"jsonrpc": "2.0", "id": 500, "method": "session/request_permission", "params": '
        '{"sessionId": "scripted-session", "toolCall": {"toolCallId": "c"}, '
        '"options": [{"optionId": "a", "kind": "allow_once"}]}}'
    )
    await run_prompt(agent, "\n".join([f"raw {request}"] * 200))
    assert len(listener.asked) == 64


async def test_a_crash_in_a_prompt_is_told_with_its_code_and_withdraws_what_was_asked(
    agents: Agents, listener: RecordingListener
) -> None:
    """agents.md: the stderr tail is kept for the error card."""
    listener.hold = asyncio.Event()
    agent = await agents.launch()
    script = "stderr 100000\nsay last words\nexit 3"
    with pytest.raises(AgentFailed) as failed:
        await run_prompt(agent, script)
    assert failed.value.params["problem"] == AgentProblem.EXITED
    assert listener.text == "last words"
    assert listener.end is not None
    assert (listener.end.code, listener.end.wanted, listener.ends) == (3, False, 1)
    assert listener.end.stderr_tail.endswith("the last line")
    assert len(listener.end.stderr_tail) <= STDERR_TAIL
    with pytest.raises(AgentFailed):
        await agent.prompt("say more")


async def test_a_permission_that_is_open_when_its_agent_dies_is_taken_back(
    agents: Agents, listener: RecordingListener
) -> None:
    listener.hold = asyncio.Event()
    agent = await agents.launch()
    prompt = await agent.prompt("permission Run it")
    await until(lambda: listener.asked)
    os.kill(agent.mark.pid, 9)
    with pytest.raises(AgentFailed):
        await asyncio.wait_for(prompt.finished(), PATIENCE)
    assert listener.withdrawn == 1
    assert listener.end is not None
    assert listener.end.code is None


async def test_half_a_frame_at_the_end_is_no_frame(
    agents: Agents, listener: RecordingListener
) -> None:
    agent = await agents.launch()
    with pytest.raises(AgentFailed) as failed:
        await run_prompt(agent, 'say a\nhalf {"jsonrpc": "2.0", "method": "session/upd')
    assert failed.value.params["problem"] == AgentProblem.EXITED
    assert listener.text == "a"


async def test_an_exit_is_noticed_while_a_child_keeps_writing(
    agents: Agents, listener: RecordingListener
) -> None:
    """The one that was spoken to is gone; what it left behind is ended with it."""
    agent = await agents.launch()
    with pytest.raises(AgentFailed):
        await run_prompt(agent, "say a\norphan 600")
    assert listener.end is not None
    assert not listener.end.wanted


async def test_a_flood_on_stderr_neither_blocks_nor_piles_up(
    agents: Agents, listener: RecordingListener
) -> None:
    agent = await agents.launch(scripted_command(stderr=5_000_000))
    await run_prompt(agent, "stderr 20000000\nsay done")
    assert listener.text == "done"
    await agent.stop()
    assert listener.end is not None
    assert len(listener.end.stderr_tail) <= STDERR_TAIL


async def test_an_agent_that_ignores_a_cancel_is_still_stopped(
    agents: Agents, listener: RecordingListener
) -> None:
    agent = await agents.launch(scripted_command(ignore=["cancel", "eof", "term"]))
    prompt = await agent.prompt("say a\nwait")
    await until(lambda: listener.text == "a")
    await agent.cancel()
    began = time.monotonic()
    await agent.stop()
    assert time.monotonic() - began < 6
    with pytest.raises(AgentFailed):
        await prompt.finished()
    assert listener.end is not None
    assert listener.end.wanted


async def test_the_whole_group_is_stopped(agents: Agents, listener: RecordingListener) -> None:
    """Trap 9 of reference/agents.md: Gemini starts itself again. The fixture looks for the rest."""
    agent = await agents.launch(scripted_command(start="orphan"))
    await agent.stop()
    await agent.stop()
    assert listener.ends == 1


async def test_a_flood_of_one_agent_lets_another_talk(
    agents: Agents, listener: RecordingListener
) -> None:
    """Separate connections; nobody's frames keep the loop for long."""
    loud, quiet = await agents.launch(), RecordingListener()
    agent = await agents.launch(listener=quiet)
    flood = await loud.prompt("burst 200000 xxxxxxxxxx")
    await until(lambda: listener.updates)
    longest, loop = 0.0, asyncio.get_running_loop()
    talk = asyncio.create_task(run_prompt(agent, "stream 20 0.01 word"))
    while not talk.done():
        before = loop.time()
        await asyncio.sleep(0)
        longest = max(longest, loop.time() - before)
    assert quiet.text == "word" * 20
    assert longest < 0.25
    await flood.finished()


async def test_secrets_of_the_desk_stay_with_it(
    agents: Agents, listener: RecordingListener, monkeypatch: pytest.MonkeyPatch
) -> None:
    """agents.md, Security: children get their own session token only."""
    for name in ("KANDESK_HOME", "PGPASSWORD", "GNOME_KEYRING_CONTROL", "MY_VARIABLE"):
        monkeypatch.setenv(name, "x")
    agent = await agents.launch(scripted_command({"ADDED": "y"}))
    names = ["KANDESK_HOME", "PGPASSWORD", "GNOME_KEYRING_CONTROL", "MY_VARIABLE", "ADDED"]
    await run_prompt(agent, "\n".join(f"environment {name}" for name in names))
    assert listener.text == (
        "KANDESK_HOME unsetPGPASSWORD unsetGNOME_KEYRING_CONTROL unsetMY_VARIABLE=xADDED=y"
    )


@pytest.mark.parametrize("digits", [309, 4_000])
async def test_a_number_beyond_every_float_is_no_number(
    agents: Agents, listener: RecordingListener, digits: int
) -> None:
    agent = await agents.launch()
    number = "9" * digits
    usage = f'{{"sessionUpdate": "usage_update", "used": {number}, "cost": {{"amount": {number}}}}}'
    params = f'{{"sessionId": "scripted-session", "update": {usage}}}'
    frame = f'{{"jsonrpc": "2.0", "method": "session/update", "params": {params}}}'
    await run_prompt(agent, f"raw {frame}\nsay heard")
    assert listener.text == "heard"


async def test_an_agent_the_desk_fails_to_read_is_ended_and_not_waited_for(
    agents: Agents, listener: RecordingListener, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A defect of ours must not look like an agent that works on and on."""

    def broken(_self: UpdateReader, _update: object) -> None:
        message = "a defect"
        raise ArithmeticError(message)

    agent = await agents.launch()
    monkeypatch.setattr(UpdateReader, "read", broken)
    with pytest.raises(AgentFailed):
        await run_prompt(agent, "say a\nwait")
    assert listener.ends == 1
