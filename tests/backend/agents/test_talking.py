"""A whole conversation with an agent in a child process (agents.md, ACP)."""

import asyncio
import json
from pathlib import Path

import pytest

from backend.conversation.agent_port import InjectedTools
from backend.domain.agents import (
    AgentCommand,
    CommandsChanged,
    ConfigOption,
    ElicitationAction,
    ElicitationReply,
    ModeChanged,
    OptionChoice,
    OptionsChanged,
    SessionMode,
    SlashCommand,
    TextChunk,
    ToolCallChange,
    ToolStatus,
)
from backend.errors import AgentFailed
from tests.helpers.launched import Agents, run_prompt
from tests.helpers.scripted_agents import RecordingListener, scripted_command
from tests.helpers.waiting import until

MODES = {
    "modes": {
        "currentModeId": "ask",
        "availableModes": [{"id": "ask", "name": "Ask"}, {"id": "code", "name": "Code"}],
    }
}
MODELS = {
    "models": {
        "currentModelId": "small",
        "availableModels": [
            {"modelId": "small", "name": "Small"},
            {"modelId": "big", "name": "Big", "description": "slow"},
        ],
    }
}
OPTIONS = {
    "configOptions": [
        {
            "id": "effort",
            "name": "Effort",
            "type": "select",
            "currentValue": "low",
            "category": "thought_level",
            "options": [{"value": "low", "name": "Low"}, {"value": "high", "name": "High"}],
        },
        {"id": "fast", "name": "Fast", "type": "boolean", "currentValue": False},
    ]
}


async def test_an_agent_is_greeted_without_our_files_and_terminals(
    agents: Agents, tmp_path: Path
) -> None:
    """agents.md, ACP: fs and terminal off, forms on, who we are; mcpServers is never absent."""
    log = tmp_path / "log"
    agent = await agents.launch(scripted_command(log=str(log)))
    greeting, opening = (json.loads(line) for line in log.read_text().splitlines())
    capabilities = greeting["params"]["clientCapabilities"]
    assert capabilities["fs"] == {"readTextFile": False, "writeTextFile": False}
    assert capabilities["terminal"] is False
    assert capabilities["elicitation"] == {"form": {}}
    assert greeting["params"]["clientInfo"]["name"] == "kandesk"
    assert opening["method"] == "session/new"
    assert opening["params"] == {"cwd": str(tmp_path), "mcpServers": []}
    assert (agent.capabilities.name, agent.capabilities.load_session) == ("scripted", True)
    assert agent.setup.agent_session_id == "scripted-session"


async def test_its_mark_is_told_before_it_is_spoken_to(
    agents: Agents, listener: RecordingListener
) -> None:
    agent = await agents.launch()
    assert listener.marks == [agent.mark]
    assert agent.mark.group == agent.mark.pid
    assert agent.mark.started_at


async def test_all_of_a_prompt_is_heard_before_it_is_finished(
    agents: Agents, listener: RecordingListener
) -> None:
    """agents.md: updates of a turn are applied before the turn is reported complete."""
    agent = await agents.launch()
    for _ in range(5):
        listener.updates.clear()
        end = await run_prompt(agent, "burst 3000 x\nend max_tokens")
        assert end.reason == "max_tokens"
        assert len(listener.updates) == 3000


async def test_a_prompt_longer_than_the_pipe_is_handed_over_whole(
    agents: Agents, listener: RecordingListener, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    agent = await agents.launch(scripted_command(log=str(log)))
    await run_prompt(agent, "note " + "é" * 300_000)
    sent = json.loads(log.read_text().splitlines()[-1])
    assert len(sent["params"]["prompt"][0]["text"]) == 300_005


async def test_a_permission_is_answered_with_the_option_that_was_chosen(
    agents: Agents, listener: RecordingListener
) -> None:
    agent = await agents.launch()
    await run_prompt(agent, 'tool c1 npm test\npermission {"toolCall": {"toolCallId": "c1"}}')
    [asked] = listener.asked
    assert [option.kind for option in asked.options] == [
        "allow_once",
        "allow_always",
        "reject_once",
    ]
    assert listener.text == "permission: allow"
    # Codex tells in the permission no more than the id of the call before it.
    assert asked.call.title == "npm test"
    assert asked.call.raw_input == {"command": "npm test"}


@pytest.mark.parametrize("choice", [None, "not-offered"])
async def test_no_choice_and_a_choice_that_was_not_offered_are_cancelled(
    agents: Agents, listener: RecordingListener, choice: str | None
) -> None:
    """kandev-app.md c.5: nobody there never means approval."""
    listener.choose = choice
    await run_prompt(await agents.launch(), "permission Run it")
    assert listener.text == "permission: cancelled"


async def test_a_permission_without_options_is_cancelled_unasked(
    agents: Agents, listener: RecordingListener
) -> None:
    """kandev-app.md c.5."""
    await run_prompt(
        await agents.launch(), 'permission {"toolCall": {"toolCallId": "c"}, "options": []}'
    )
    assert listener.text == "permission: cancelled"
    assert not listener.asked


async def test_cancelling_answers_every_pending_permission_cancelled_once(
    agents: Agents, listener: RecordingListener
) -> None:
    """agents.md: `session/cancel` answers every pending permission exactly once."""
    listener.hold = asyncio.Event()
    agent = await agents.launch()
    prompt = await agent.prompt("twice Run it\nwait")
    await until(lambda: len(listener.asked) == 2)
    await agent.cancel()
    assert (await prompt.finished()).reason == "cancelled"
    assert listener.text == "permission: cancelledpermission: cancelled"
    assert listener.withdrawn == 2


async def test_what_is_asked_after_a_cancel_is_cancelled_and_after_a_new_prompt_asked(
    agents: Agents, listener: RecordingListener
) -> None:
    agent = await agents.launch(scripted_command(ignore=["cancel"]))
    prompt = await agent.prompt("say go\nsleep 0.2\npermission Late")
    await until(lambda: listener.text == "go")
    await agent.cancel()
    await prompt.finished()
    assert listener.text == "gopermission: cancelled"
    assert not listener.asked
    await run_prompt(agent, "permission Again")
    assert len(listener.asked) == 1


async def test_a_permission_the_agent_takes_back_is_withdrawn(
    agents: Agents, listener: RecordingListener
) -> None:
    """The others stay open."""
    listener.hold = asyncio.Event()
    agent = await agents.launch()
    prompt = await agent.prompt("twice Run it")
    await until(lambda: len(listener.asked) == 2)
    taking_back = await agent.prompt('notify $/cancel_request {"requestId": 1}')
    await taking_back.finished()
    await until(lambda: listener.withdrawn == 1)
    listener.hold.set()
    await prompt.finished()
    assert listener.text == "permission: cancelledpermission: allow"


async def test_cancelling_ends_an_open_form(agents: Agents, listener: RecordingListener) -> None:
    listener.hold = asyncio.Event()
    agent = await agents.launch()
    prompt = await agent.prompt('elicit {"message": "Colour?", "requestedSchema": {}}')
    await until(lambda: listener.forms)
    await agent.cancel()
    await prompt.finished()
    assert listener.text.startswith("elicitation: cancel ")
    assert listener.withdrawn == 1


async def test_a_form_is_accepted_or_declined(agents: Agents, listener: RecordingListener) -> None:
    """agents.md: decline is not cancel."""
    schema = {"type": "object", "properties": {"colour": {"type": "string"}}}
    script = "elicit " + json.dumps({"message": "Which?", "requestedSchema": schema})
    agent = await agents.launch()
    listener.reply = ElicitationReply(ElicitationAction.ACCEPT, {"colour": "red"})
    await run_prompt(agent, script)
    listener.reply = ElicitationReply(ElicitationAction.DECLINE)
    await run_prompt(agent, script)
    assert listener.text == 'elicitation: accept {"colour": "red"}elicitation: decline null'
    assert listener.forms[0].schema == schema


async def test_modes_models_and_options_are_offered_and_chosen(
    agents: Agents, listener: RecordingListener
) -> None:
    """kandev-app.md c.2: the model of the older way is an option like any other."""
    agent = await agents.launch(scripted_command(session={**MODES, **MODELS, **OPTIONS}))
    assert agent.setup.modes == (SessionMode("ask", "Ask"), SessionMode("code", "Code"))
    assert agent.setup.mode == "ask"
    effort, fast, model = agent.setup.options
    assert (effort.current, effort.category) == ("low", "thought_level")
    assert fast.is_switch
    assert model == ConfigOption(
        "model",
        "Model",
        "small",
        (OptionChoice("small", "Small"), OptionChoice("big", "Big", "slow")),
        category="model",
    )
    await agent.set_mode("code")
    await agent.set_option("model", "big")
    await agent.set_option("effort", "high")
    assert agent.setup.mode == "code"
    assert [option.current for option in agent.setup.options] == ["high", "false", "big"]
    assert ModeChanged("code") in listener.updates
    told = [update for update in listener.updates if isinstance(update, OptionsChanged)]
    assert told[-1].options == agent.setup.options
    await agent.set_option("fast", "true")
    assert agent.setup.options[1].current == "true"


async def test_a_refused_mode_is_an_error_and_changes_nothing(agents: Agents) -> None:
    agent = await agents.launch(scripted_command(session=MODES))
    with pytest.raises(AgentFailed, match="no such mode"):
        await agent.set_mode("refused")
    assert agent.setup.mode == "ask"


async def test_what_is_told_at_the_start_is_heard(
    agents: Agents, listener: RecordingListener
) -> None:
    """Commands come right behind the answer that first tells the session's id."""
    told = {
        "sessionUpdate": "available_commands_update",
        "availableCommands": [{"name": "review", "description": "r", "input": {"hint": "what"}}],
    }
    await agents.launch(scripted_command(on_start=[told]))
    await until(lambda: listener.updates)
    assert listener.updates == [CommandsChanged((SlashCommand("review", "r", "what"),))]


async def test_a_loaded_session_tells_nothing_of_its_past_but_what_is_so_now(
    agents: Agents, listener: RecordingListener
) -> None:
    """agents.md: lazy resume, replay suppressed until a barrier, which is the first prompt."""
    past = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "old"}}
    mode = {"sessionUpdate": "current_mode_update", "currentModeId": "code"}
    command = scripted_command(replay=[past, past, mode], session=MODES, load="late")
    agent = await agents.launch(command, load="earlier")
    assert agent.setup.agent_session_id == "earlier"
    await until(lambda: listener.updates.count(ModeChanged("code")) == 2)
    await run_prompt(agent, "say new")
    assert [one for one in listener.updates if isinstance(one, TextChunk)] == [TextChunk("new")]


@pytest.mark.parametrize(
    "command",
    [scripted_command(load="refuse"), scripted_command(capabilities={"loadSession": False})],
    ids=["refused", "not able to"],
)
async def test_a_session_that_cannot_be_loaded_is_told(
    agents: Agents, command: AgentCommand
) -> None:
    with pytest.raises(AgentFailed) as failed:
        await agents.launch(command, load="earlier")
    assert failed.value.params["problem"] == "load_failed"


async def test_a_login_that_is_needed_is_told_with_its_ways(agents: Agents) -> None:
    with pytest.raises(AgentFailed) as failed:
        await agents.launch(scripted_command(start="auth"))
    assert failed.value.params["problem"] == "auth_required"
    assert failed.value.detail == "Authentication required (Log in)"


async def test_a_refused_prompt_is_an_error_and_the_next_one_works(
    agents: Agents, listener: RecordingListener
) -> None:
    agent = await agents.launch()
    with pytest.raises(AgentFailed, match="overloaded"):
        await run_prompt(agent, "say a\nfail overloaded")
    assert (await run_prompt(agent, "say b")).reason == "end_turn"
    assert listener.text == "ab"


async def test_ids_of_calls_that_come_again_are_new_calls(
    agents: Agents, listener: RecordingListener
) -> None:
    """agents.md: request ids repeat across turns."""
    agent = await agents.launch()
    await run_prompt(agent, "tool c1 first")
    await run_prompt(agent, 'permission {"toolCall": {"toolCallId": "c1", "kind": "other"}}')
    assert listener.asked[0].call.title is None


async def test_a_written_file_is_told_as_a_change_before_and_after(
    agents: Agents, listener: RecordingListener, tmp_path: Path
) -> None:
    await run_prompt(await agents.launch(), f"edit {tmp_path / 'a.txt'} new words")
    change = listener.updates[0]
    assert isinstance(change, ToolCallChange)
    assert change.status is ToolStatus.COMPLETED
    assert (tmp_path / "a.txt").read_text() == "new words"


def tools(command: AgentCommand) -> InjectedTools:
    return InjectedTools("kandesk-1a2b", "http://127.0.0.1:9/mcp", "secret", command)


async def test_our_tools_are_injected_over_http_with_the_sessions_secret(
    agents: Agents, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    shim = AgentCommand(("kandesk", "mcp"))
    await agents.launch(scripted_command(log=str(log)), tools=tools(shim))
    [server] = json.loads(log.read_text().splitlines()[1])["params"]["mcpServers"]
    assert server == {
        "type": "http",
        "name": "kandesk-1a2b",
        "url": "http://127.0.0.1:9/mcp",
        "headers": [{"name": "Authorization", "value": "Bearer secret"}],
    }


async def test_an_agent_without_http_gets_the_shim_with_the_secret_in_its_environment(
    agents: Agents, tmp_path: Path
) -> None:
    """agents.md, Security: never in argv."""
    log = tmp_path / "log"
    command = scripted_command(log=str(log), capabilities={"mcpCapabilities": {}})
    shim = AgentCommand(("/usr/bin/kandesk", "mcp", "--no-start"), {"KANDESK_HOME": "/h"})
    await agents.launch(command, tools=tools(shim))
    [server] = json.loads(log.read_text().splitlines()[1])["params"]["mcpServers"]
    assert (server["command"], server["args"]) == ("/usr/bin/kandesk", ["mcp", "--no-start"])
    assert {one["name"]: one["value"] for one in server["env"]} == {
        "KANDESK_HOME": "/h",
        "KANDESK_SESSION_TOKEN": "secret",
    }


async def test_an_agent_is_not_read_while_there_is_no_room_for_what_it_says(
    agents: Agents, listener: RecordingListener
) -> None:
    """Its pipe fills instead of the desk's memory; nothing of it is lost."""
    agent = await agents.launch(scripted_command())
    listener.has_room.clear()
    prompt = await agent.prompt(f"burst 3000 {'x' * 1_000}")
    heard = len(listener.updates)
    finished = asyncio.create_task(prompt.finished())
    await until(lambda: listener.waits_for_room)
    # One piece of the pipe was being read already.
    assert len(listener.updates) - heard < 200
    assert not finished.done()
    listener.has_room.set()
    await finished
    assert len(listener.text) == 3_000_000
