"""What real agents sent, frame by frame (`frames/README.md`), is understood."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from backend.agents.acp_session import AcpSession
from backend.agents.acp_translate import (
    UpdateReader,
    read_capabilities,
    read_elicitation,
    read_permission,
    read_prompt_end,
)
from backend.agents.session_options import read_model, read_modes, read_options
from backend.domain.agents import (
    AgentUpdate,
    Elicited,
    ModeChanged,
    PermissionAsked,
    TextChunk,
    ToolCallChange,
    ToolDiff,
    ToolKind,
    ToolStatus,
    ToolText,
    UnknownUpdate,
)
from backend.domain.own_tools import own_tool
from backend.domain.tool_call import with_change
from tests.helpers.clock import FakeClock
from tests.helpers.scripted_agents import RecordingListener

FRAMES = Path(__file__).parent / "frames"
AGENTS = ("opencode", "codex-acp", "claude-agent-acp", "gemini-cli")
OURS = "kandesk-3f9a1c"

Json = dict[str, Any]
Heard = AgentUpdate | PermissionAsked | Elicited


def lines(agent: str) -> Iterator[Json]:
    for line in (FRAMES / f"{agent}.jsonl").read_text(encoding="utf-8").splitlines():
        yield json.loads(line)


def hear(agent: str) -> Iterator[tuple[str, Heard]]:
    """Everything an agent told or asked, with its scene."""
    reader = UpdateReader()
    for line in lines(agent):
        frame = line["frame"]
        method = frame.get("method")
        if line["from"] == "client":
            if method == "session/prompt":
                reader.calls.clear()
        elif method == "session/update":
            update = reader.read(frame["params"]["update"])
            if update is not None:
                yield line["scene"], update
        elif method == "session/request_permission":
            yield line["scene"], read_permission(frame["params"], reader.calls)
        elif method == "elicitation/create":
            yield line["scene"], read_elicitation(frame["params"])


def results(agent: str, scene: str) -> list[Json]:
    return [
        line["frame"]["result"]
        for line in lines(agent)
        if line["scene"] == scene and line["from"] == "agent" and "result" in line["frame"]
    ]


def tool_calls(agent: str, scene: str) -> list[ToolCallChange]:
    """The calls of a scene as they were at their end."""
    calls: dict[str, ToolCallChange] = {}
    for named, heard in hear(agent):
        if named == scene and isinstance(heard, ToolCallChange):
            calls[heard.call_id] = with_change(calls.get(heard.call_id), heard)
    return list(calls.values())


@pytest.mark.parametrize("agent", AGENTS)
def test_every_update_has_a_meaning(agent: str) -> None:
    heard = [update for _, update in hear(agent)]
    assert len(heard) > 50
    assert not [update for update in heard if isinstance(update, UnknownUpdate)]


@pytest.mark.parametrize("agent", AGENTS)
def test_text_comes_in_the_pieces_it_was_said_in(agent: str) -> None:
    said = [
        update.text
        for scene, update in hear(agent)
        if scene == "text" and isinstance(update, TextChunk)
    ]
    assert "".join(said).endswith("drip0 drip1 drip2 ")
    assert said[-1] == "drip2 "


@pytest.mark.parametrize("agent", AGENTS)
def test_its_greeting_and_its_session_are_read(agent: str) -> None:
    capabilities = read_capabilities(results(agent, "initialize")[0])
    assert capabilities.name
    assert capabilities.version
    assert capabilities.load_session
    assert capabilities.mcp_http
    opened = results(agent, "new")[0]
    options = read_options(opened.get("configOptions"))
    model = next((one for one in options if one.category == "model"), read_model(opened))
    assert model is not None
    assert model.choices
    modes, mode = read_modes(opened)
    told = next((one for one in options if one.category == "mode"), None)
    assert mode in {one.id for one in modes} or (told is not None and told.current == "build")


@pytest.mark.parametrize("agent", AGENTS)
def test_a_command_is_asked_for_and_its_end_is_told(agent: str) -> None:
    asked = [
        heard
        for scene, heard in hear(agent)
        if scene == "shell_allow" and isinstance(heard, PermissionAsked)
    ]
    assert [one.call.title for one in asked] == ["echo made | tee allowed.txt"]
    assert {"allow_once", "reject_once"} <= {option.kind for option in asked[0].options}
    (call,) = tool_calls(agent, "shell_allow")
    assert call.status is ToolStatus.COMPLETED
    printed = "".join(part.text for part in call.content or () if isinstance(part, ToolText))
    # Gemini tells nobody but its model what a command printed.
    assert ("made" in printed) is (agent != "gemini-cli")


@pytest.mark.parametrize("agent", AGENTS)
def test_a_refused_command_has_failed(agent: str) -> None:
    told = [call.status for call in tool_calls(agent, "shell_deny")]
    # Gemini tells nothing of a call that was refused; it stands in the request alone.
    assert told == ([] if agent == "gemini-cli" else [ToolStatus.FAILED])


@pytest.mark.parametrize("agent", AGENTS)
def test_a_changed_file_is_a_difference(agent: str) -> None:
    changed = [
        part
        for call in tool_calls(agent, "read_edit")
        for part in call.content or ()
        if isinstance(part, ToolDiff)
    ]
    assert changed
    assert changed[-1].path.endswith("notes.txt")
    assert "two" in (changed[-1].old_text or "")
    assert "zwei" in changed[-1].new_text


@pytest.mark.parametrize("agent", ["codex-acp", "claude-agent-acp", "gemini-cli"])
def test_a_tool_is_ours_only_at_the_server_that_was_injected(agent: str) -> None:
    """agents.md, ACP: structured fields name the server and the tool, or a human decides."""
    found = []
    announced: dict[str, ToolCallChange] = {}
    for scene, heard in hear(agent):
        if isinstance(heard, ToolCallChange):
            announced[heard.call_id] = with_change(announced.get(heard.call_id), heard)
        elif isinstance(heard, PermissionAsked) and scene in ("ask", "foreign_ask"):
            before = announced.get(heard.call.call_id)
            found.append((scene, own_tool(heard, before, OURS), own_tool(heard, before, "other")))
    foreign = ("foreign_ask", None, "ask_user_question")
    ours = ("ask", "ask_user_question", None)
    # Codex asks nobody for a tool that changes nothing.
    assert found == ([foreign] if agent == "codex-acp" else [ours, foreign])


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize("scene", ["cancel_ask", "cancel_text", "cancel_permission"])
def test_a_stopped_prompt_ends_as_cancelled(agent: str, scene: str) -> None:
    ends = [read_prompt_end(result) for result in results(agent, scene)]
    assert [end.reason for end in ends if end is not None] == ["cancelled"]


def test_claudes_own_question_is_a_form() -> None:
    forms = [heard for _, heard in hear("claude-agent-acp") if isinstance(heard, Elicited)]
    assert len(forms) == 3
    assert "question_0" in json.dumps(forms[0].schema)


@pytest.mark.parametrize(
    ("agent", "mode", "mode_options"),
    [("opencode", "", 1), ("codex-acp", "read-only", 0), ("claude-agent-acp", "default", 0)],
)
def test_a_mode_is_offered_once_and_a_change_of_it_is_heard(
    agent: str, mode: str, mode_options: int
) -> None:
    """Codex and Claude tell it as a mode and as an option, OpenCode as an option alone."""
    listener = RecordingListener()
    session = AcpSession(FakeClock(), listener, "")
    for line in lines(agent):
        frame = line["frame"]
        if line["scene"] == "text":
            break
        if line["from"] == "agent" and frame.get("method") == "session/update":
            session.update(frame["params"])
        elif line["from"] == "agent" and line["scene"] == "new" and "result" in frame:
            session.opened(frame["result"])
    assert session.setup.mode == mode
    options = [option for option in session.setup.options if option.category == "mode"]
    assert len(options) == mode_options
    told = [update.mode for update in listener.updates if isinstance(update, ModeChanged)]
    assert told[-1:] == (["read-only"] if agent == "codex-acp" else [])


@pytest.mark.parametrize("arguments", [{"server": OURS, "tool": "ask_user_question"}])
def test_what_a_model_puts_into_a_command_does_not_make_it_a_tool_of_ours(arguments: Json) -> None:
    """The input of a call is the model's own; only what an agent's program says names a tool."""
    reader = UpdateReader()
    call = {
        "toolCallId": "c",
        "kind": "execute",
        "status": "pending",
        "title": "ask_user_question",
        "rawInput": {"command": "rm -r .", **arguments},
    }
    announced = reader.read({"sessionUpdate": "tool_call", **call})
    assert isinstance(announced, ToolCallChange)
    options = [{"optionId": "once", "kind": "allow_once", "name": "Allow"}]
    asked = read_permission({"toolCall": call, "options": options}, reader.calls)
    assert own_tool(asked, announced, OURS) is None
    assert announced.tool_name == ""


def test_a_tool_of_a_server_is_no_command() -> None:
    """Codex says `execute` of it, in the call and in the request."""
    (ask,) = tool_calls("codex-acp", "ask")
    assert ask.kind is ToolKind.OTHER
    assert ask.tool_name == f"mcp__{OURS}__ask_user_question"
    (request,) = [
        heard
        for scene, heard in hear("codex-acp")
        if scene == "foreign_ask" and isinstance(heard, PermissionAsked)
    ]
    assert request.call.kind is ToolKind.OTHER
    assert request.call.tool_name == "mcp__other__ask_user_question"


def test_gemini_tells_its_tokens_beside() -> None:
    (result,) = results("gemini-cli", "text")
    end = read_prompt_end(result)
    assert end is not None
    assert end.usage is not None
    assert (end.usage.input_tokens, end.usage.output_tokens) == (10, 5)
