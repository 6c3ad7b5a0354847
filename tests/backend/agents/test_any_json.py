"""Whatever JSON an agent sends, reading it ends in values and never in an error."""

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from backend.agents.acp_session import AcpSession
from backend.agents.acp_translate import (
    UpdateReader,
    read_capabilities,
    read_elicitation,
    read_permission,
    read_prompt_end,
)
from backend.agents.frames import parse_frame
from tests.helpers.clock import FakeClock
from tests.helpers.scripted_agents import RecordingListener

KINDS = [
    "agent_message_chunk",
    "agent_thought_chunk",
    "user_message_chunk",
    "tool_call",
    "tool_call_update",
    "plan",
    "plan_update",
    "plan_removed",
    "available_commands_update",
    "current_mode_update",
    "config_option_update",
    "session_info_update",
    "usage_update",
    "hologram",
]
NAMES = [
    "sessionUpdate",
    "content",
    "text",
    "type",
    "data",
    "uri",
    "title",
    "toolCallId",
    "kind",
    "status",
    "locations",
    "path",
    "line",
    "rawInput",
    "rawOutput",
    "_meta",
    "claudeCode",
    "toolName",
    "terminal_output",
    "terminal_exit",
    "exit_code",
    "entries",
    "plan",
    "availableCommands",
    "name",
    "input",
    "hint",
    "currentModeId",
    "configOptions",
    "id",
    "currentValue",
    "options",
    "value",
    "group",
    "used",
    "size",
    "cost",
    "amount",
    "currency",
    "resource",
    "blob",
    "mimeType",
    "oldText",
    "newText",
    "server",
    "tool",
    "toolCall",
    "optionId",
    "modes",
    "availableModes",
    "models",
    "availableModels",
    "modelId",
    "currentModelId",
    "agentInfo",
    "agentCapabilities",
    "promptCapabilities",
    "mcpCapabilities",
    "authMethods",
    "stopReason",
    "usage",
    "inputTokens",
    "message",
    "requestedSchema",
    "mode",
    "sessionId",
    "update",
    "messageId",
    "parentToolUseId",
]
WORDS = st.one_of(st.sampled_from([*KINDS, "text", "image", "diff", "terminal", "s"]), st.text())
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), WORDS),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(NAMES), inner, max_size=5)
    ),
    max_leaves=25,
)
OBJECTS = st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=8)


def as_sent(value: dict[str, Any]) -> dict[str, Any]:
    return parse_frame(json.dumps(value).encode())


@given(st.sampled_from(KINDS), OBJECTS)
@settings(max_examples=400, deadline=None)
def test_an_update_is_read(kind: str, update: dict[str, Any]) -> None:
    update = as_sent({**update, "sessionUpdate": kind})
    reader = UpdateReader()
    reader.read(update)
    found = reader.read(update)
    assert found is None or repr(found).encode()


@given(OBJECTS)
@settings(max_examples=300, deadline=None)
def test_answers_and_requests_are_read(value: dict[str, Any]) -> None:
    value = as_sent(value)
    read_capabilities(value)
    read_permission(value, UpdateReader().calls)
    read_elicitation(value)
    read_prompt_end(value)
    session = AcpSession(FakeClock(), RecordingListener(), "")
    session.update({"sessionId": "s", "update": value})
    session.opened({**value, "sessionId": "s"})
    session.update({"sessionId": "s", "update": value})
    session.options_told(value.get("options"))
