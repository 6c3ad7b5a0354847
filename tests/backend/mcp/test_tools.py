"""The tools as data (agents.md, MCP endpoint)."""

import subprocess
import sys

import pytest

from backend.domain.clarification import (
    MAX_CONTEXT,
    MAX_OPTIONS,
    MAX_PROMPT,
    MAX_QUESTIONS,
    MAX_TEXT,
)
from backend.mcp import tools
from backend.mcp.inbox_wire import AnswerIn, AnswerToolIn

_IMPORTS_ONLY_STDLIB = """
import sys
import backend.mcp.tools, backend.mcp.patience
loaded = {name.partition(".")[0] for name in sys.modules}
print(sorted(loaded - set(sys.stdlib_module_names) - {"backend", "__main__"}))
"""


def test_the_tools_need_nothing_outside_the_standard_library() -> None:
    """agents.md, Shim: it imports the standard library only."""
    found = subprocess.run(
        [sys.executable, "-S", "-c", _IMPORTS_ONLY_STDLIB],
        capture_output=True,
        text=True,
        check=True,
        cwd=_root(),
    )
    assert found.stdout.strip() == "[]"


def _root() -> str:
    from pathlib import Path

    return str(Path(tools.__file__).parents[2])


def test_agents_see_no_tool_that_could_answer_a_question() -> None:
    """T6.2, 63: nor one that could decide a permission, which no operator has either."""
    assert [spec.name for spec in tools.AGENT_TOOLS] == [
        "ask_user_question",
        "ask_user_question_kandev",
        "get_answer",
        "send_note",
        "request_permission",
    ]
    assert {spec.name for spec in tools.OPERATOR_TOOLS} == {
        "list_pending_questions",
        "answer_question",
    }


@pytest.mark.parametrize("name", ["ask_user_question", "ask_user_question_kandev"])
def test_an_allow_rule_cannot_skip_the_human(name: str) -> None:
    """peers.md section 0, requiresUserInteraction."""
    spec = next(spec for spec in tools.AGENT_TOOLS if spec.name == name)
    assert spec.to_wire()["_meta"] == {"anthropic/requiresUserInteraction": True}


def test_the_schema_tells_the_limits_the_domain_keeps() -> None:
    ask = tools.AGENT_TOOLS[0].input_schema["properties"]
    assert isinstance(ask, dict)
    questions = ask["questions"]
    question = questions["items"]["properties"]
    assert questions["maxItems"] == MAX_QUESTIONS
    assert question["options"]["maxItems"] == MAX_OPTIONS
    assert question["prompt"]["maxLength"] == MAX_PROMPT
    assert ask["context"]["maxLength"] == MAX_CONTEXT
    assert "timeout" not in ask


def test_the_schema_of_a_question_says_what_must_be_there() -> None:
    """K8.6 87."""
    for spec in tools.AGENT_TOOLS[:2]:
        ask = spec.input_schema
        assert ask["required"] == ["questions"]
        questions = ask["properties"]["questions"]  # type: ignore[index]
        assert (questions["minItems"], questions["maxItems"]) == (1, MAX_QUESTIONS)
        assert questions["items"]["required"] == ["prompt"]
        assert questions["items"]["properties"]["options"]["items"]["required"] == ["label"]


def test_the_schema_of_an_answer_is_that_of_the_other_doors() -> None:
    """K8.4 N9: what it names is what is read, with the limits that are kept."""
    spec = next(spec for spec in tools.OPERATOR_TOOLS if spec.name == tools.ANSWER)
    assert spec.input_schema["required"] == ["pending_id"]
    properties = spec.input_schema["properties"]
    assert isinstance(properties, dict)
    assert set(properties) == set(AnswerToolIn.model_fields)
    entry = properties["answers"]["items"]
    assert set(entry["properties"]) == set(AnswerIn.model_fields)
    assert entry["required"] == ["question_id"]
    assert entry["properties"]["custom_text"]["maxLength"] == MAX_TEXT
    assert properties["reject_reason"]["maxLength"] == MAX_TEXT
    assert not set(properties) & {"task_id", "session_id", "workspace_id"}


def test_the_waiting_sentence_names_the_tool_and_the_ticket() -> None:
    assert 'get_answer with {"ticket": "t-1"}' in tools.waiting_text("t-1")
