"""Our own tools are allowed by what an agent's program says, never by what its model says."""

from dataclasses import replace

import pytest

from backend.domain.agents import PermissionAsked, PermissionOption, ToolCallChange, ToolKind
from backend.domain.own_tools import OWN_TOOLS, own_tool
from backend.domain.permission_answer import once
from backend.mcp import tools

SERVER = "kandesk-0a1b2c3d"
NAME = f"mcp__{SERVER}__ask_user_question"
ONCE = PermissionOption("once", "Allow", "allow_once")
ALWAYS = PermissionOption("always", "Always", "allow_always")
OF_A_SERVER = PermissionOption("proceed_always_server", "All of it", "allow_always")


def claude(name: str = NAME, server: str = SERVER, **call: object) -> PermissionAsked:
    """As claude-agent-acp 0.101 asks."""
    meta = {"claudeCode": {"toolName": name, "mcpServer": {"name": server, "source": "dynamic"}}}
    asked = ToolCallChange("toolu_1", title=name, kind=ToolKind.OTHER, tool_name=name)
    return PermissionAsked(replace(asked, **call), (ONCE,), meta)  # type: ignore[arg-type]


def codex(
    server: str = SERVER, tool: str = "ask_user_question", *, announced: bool = True
) -> tuple[PermissionAsked, ToolCallChange]:
    """As codex-acp 2.6 asks: by the id alone of a call that it has announced."""
    called = ToolCallChange(
        "call_1",
        title=f"mcp.{server}.{tool}",
        kind=ToolKind.EXECUTE,
        raw_input={"server": server, "tool": tool, "arguments": {}},
    )
    asked = ToolCallChange("call_1", kind=ToolKind.EXECUTE)
    meta = {"is_mcp_tool_approval": True}
    return PermissionAsked(asked if announced else called, (ONCE, ALWAYS), meta), called


def gemini(server: str = SERVER, tool: str = "ask_user_question") -> PermissionAsked:
    """As gemini-cli 0.61 asks."""
    call = ToolCallChange(
        f"mcp_{server}_{tool}__mcp_{server}_{tool}_1796062715360_0",
        title=f"{tool} ({server} MCP Server)",
        kind=ToolKind.OTHER,
        locations=(),
    )
    return PermissionAsked(call, (OF_A_SERVER, ONCE))


def test_what_is_ours_is_what_agents_are_offered() -> None:
    """The list says nothing of the tools of operators."""
    offered = {tool.name for tool in tools.AGENT_TOOLS}
    assert offered == OWN_TOOLS
    assert tools.ANSWER not in OWN_TOOLS


def test_claude_names_the_tool_in_meta() -> None:
    assert own_tool(claude(), None, SERVER) == "ask_user_question"


def test_qwen_names_the_tool_in_meta() -> None:
    asked = PermissionAsked(ToolCallChange("c", title="x"), (ONCE,), {"toolName": NAME})
    assert own_tool(asked, None, SERVER) == "ask_user_question"


def test_codex_names_server_and_tool_of_the_call_it_announced() -> None:
    asked, called = codex()
    assert own_tool(asked, called, SERVER) == "ask_user_question"
    merged, _ = codex(announced=False)
    assert own_tool(merged, None, SERVER) == "ask_user_question"


def test_gemini_names_the_tool_in_the_calls_id() -> None:
    assert own_tool(gemini(), None, SERVER) == "ask_user_question"


@pytest.mark.parametrize("server", ["kandesk-ffffffff", "other", "", None])
def test_a_name_that_was_not_given_to_this_session_is_not_ours(server: str | None) -> None:
    asked, called = codex()
    assert own_tool(claude(), None, server) is None
    assert own_tool(asked, called, server) is None
    assert own_tool(gemini(), None, server) is None


def test_another_tool_of_that_server_is_not_ours() -> None:
    asked, called = codex(tool="answer_question")
    assert own_tool(claude(f"mcp__{SERVER}__answer_question"), None, SERVER) is None
    assert own_tool(asked, called, SERVER) is None
    assert own_tool(gemini(tool="answer_question"), None, SERVER) is None


@pytest.mark.parametrize("title", [NAME, f"mcp.{SERVER}.ask_user_question", "ask_user_question"])
def test_a_title_alone_proves_nothing(title: str) -> None:
    """agents.md, ACP: a matching title alone opens a card."""
    call = ToolCallChange("c", title=title, kind=ToolKind.EXECUTE)
    assert own_tool(PermissionAsked(call, (ONCE,)), None, SERVER) is None


def test_arguments_that_name_our_tool_prove_nothing() -> None:
    """A model writes arguments: only Codex's own mark makes server and tool the program's words."""
    call = ToolCallChange(
        "c",
        title="run_elsewhere",
        raw_input={"server": SERVER, "tool": "ask_user_question", "command": "rm -rf ~"},
        tool_name=NAME,
    )
    assert own_tool(PermissionAsked(call, (ONCE,)), call, SERVER) is None


def test_a_name_that_is_contradicted_proves_nothing() -> None:
    asked, called = codex()
    elsewhere = replace(called, raw_input={"server": "other", "tool": "ask_user_question"})
    assert own_tool(asked, elsewhere, SERVER) is None
    assert own_tool(asked, None, SERVER) is None
    assert own_tool(claude(server="other"), None, SERVER) is None
    assert own_tool(claude(tool_name="Bash"), None, SERVER) is None


def test_a_command_dressed_up_as_geminis_tool_is_not_ours() -> None:
    """Its title is what the model wants to run; only a tool of a server has the server's option."""
    asked = gemini()
    command = replace(asked, options=(ONCE,))
    assert own_tool(command, None, SERVER) is None
    executes = replace(asked, call=replace(asked.call, kind=ToolKind.EXECUTE))
    assert own_tool(executes, None, SERVER) is None
    titled = replace(asked, call=replace(asked.call, call_id="run_shell_command__1"))
    assert own_tool(titled, None, SERVER) is None


def test_only_what_allows_once_is_chosen_for_anybody() -> None:
    assert once((ALWAYS, ONCE)) == ONCE
    assert once((ALWAYS,)) is None
    assert once(()) is None
