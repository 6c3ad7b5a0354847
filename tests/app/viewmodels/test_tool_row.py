"""Tool rows: what their metadata says of a call."""

import pytest

from app.viewmodels.tool_row import Doing, read_tool
from tests.helpers.desk_builders import make_message


@pytest.mark.parametrize(
    "title",
    [
        "ask_user_question (kandesk-3f9a1c MCP Server)",
        "kandesk-3f9a1c_ask_user_question",
        "mcp.kandesk-3f9a1c.ask_user_question",
        "mcp__kandesk-3f9a1c2b__ask_user_question",
        "mcp_kandesk-3f9a1c2b_ask_user_question",
    ],
)
def test_a_call_of_our_own_tool_is_told_by_its_plain_name(title: str) -> None:
    """Titles as Gemini CLI, OpenCode, Codex and Claude Code write them."""
    row = read_tool(make_message("m", kind="tool_call", content=title, metadata={"title": title}))
    assert (row.doing, row.title) == (Doing.DESK, "ask_user_question")


@pytest.mark.parametrize(
    "title", ["ask_user_question", "mcp__kandesk-3f9a1c__delete_all", "Read kandesk-notes.md"]
)
def test_a_title_that_only_resembles_ours_stays_as_the_agent_wrote_it(title: str) -> None:
    row = read_tool(make_message("m", kind="tool_call", content=title, metadata={"title": title}))
    assert (row.doing, row.title) == (Doing.OTHER, title)
