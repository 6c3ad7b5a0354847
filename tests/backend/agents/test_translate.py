"""What an agent says, as values (agents.md, ACP: every kind; kandev-app.md c.4)."""

import base64
from typing import Any

import pytest

from backend.agents.acp_translate import (
    MOST_CHOICES,
    UpdateReader,
    read_capabilities,
    read_permission,
    read_prompt_end,
)
from backend.agents.content_text import content_text
from backend.agents.frames import JsonMap
from backend.agents.session_options import (
    MOST_OPTIONS,
    read_commands,
    read_model,
    read_modes,
    read_options,
)
from backend.agents.tool_calls import MAX_TERMINAL_TEXT
from backend.conversation.bounds import LIST_LIMIT, NAME_LIMIT
from backend.domain.agents import (
    AgentUpdate,
    CommandsChanged,
    ConfigOption,
    ModeChanged,
    OptionChoice,
    OptionsChanged,
    PlanChanged,
    PlanEntry,
    PlanText,
    SlashCommand,
    TextChunk,
    ThoughtChunk,
    TitleChanged,
    ToolCallChange,
    ToolDiff,
    ToolKind,
    ToolLocation,
    ToolStatus,
    ToolTerminal,
    ToolText,
    UnknownUpdate,
    Usage,
    UsageChanged,
    UserChunk,
)


def read(kind: str, /, **parts: Any) -> AgentUpdate | None:
    return UpdateReader().read({"sessionUpdate": kind, **parts})


def text(words: str) -> dict[str, str]:
    return {"type": "text", "text": words}


@pytest.mark.parametrize(
    ("kind", "parts", "expected"),
    [
        ("agent_message_chunk", {"content": text("a"), "messageId": "m"}, TextChunk("a", "m")),
        ("agent_thought_chunk", {"content": text("a")}, ThoughtChunk("a")),
        ("user_message_chunk", {"content": text("a")}, UserChunk("a")),
        ("agent_message_chunk", {"content": text("")}, None),
        ("plan", {"entries": [{"content": "a", "status": "completed", "priority": "low"}, 3]},
         PlanChanged((PlanEntry("a", "completed", "low"),))),
        ("plan_update", {"plan": {"type": "markdown", "planId": "p", "content": "# A"}},
         PlanText("# A")),
        ("plan_update", {"plan": {"type": "file", "planId": "p", "uri": "file:///a"}},
         PlanText("[file:///a](file:///a)")),
        ("plan_update", {"plan": {"type": "items", "planId": "p", "entries": [{"content": "b"}]}},
         PlanChanged((PlanEntry("b"),))),
        ("plan_removed", {"planId": "p"}, PlanChanged(())),
        ("available_commands_update",
         {"availableCommands": [{"name": "c", "input": {"hint": "h"}}, {"description": "x"}]},
         CommandsChanged((SlashCommand("c", "", "h"),))),
        ("current_mode_update", {"currentModeId": "code"}, ModeChanged("code")),
        ("session_info_update", {"title": "T"}, TitleChanged("T")),
        ("session_info_update", {"updatedAt": "2026"}, None),
        ("usage_update", {"used": 5, "size": 9, "cost": {"amount": 1, "currency": "USD"}},
         UsageChanged(Usage(context_used=5, context_size=9, cost=1.0, currency="USD"))),
        ("usage_update", {"used": "many", "size": -1}, UsageChanged(Usage())),
        ("usage_update", {"used": 10**30, "size": True}, UsageChanged(Usage())),
    ],
)  # fmt: skip
def test_each_kind_becomes_its_value(
    kind: str, parts: dict[str, Any], expected: AgentUpdate | None
) -> None:
    assert read(kind, **parts) == expected


@pytest.mark.parametrize(
    ("kind", "parts"),
    [
        ("hologram", {"x": 1}),
        ("tool_call", {"title": "without an id"}),
        ("agent_message_chunk", {}),
        ("plan_update", {"plan": {"type": "painting"}}),
    ],
)
def test_what_makes_no_sense_is_kept_as_it_came(kind: str, parts: dict[str, Any]) -> None:
    update: JsonMap = {"sessionUpdate": kind, **parts}
    assert UpdateReader().read(update) == UnknownUpdate(kind, update)


def test_a_tool_call_begins_with_all_it_has() -> None:
    change = read(
        "tool_call",
        toolCallId="c1",
        title="Edit a.py",
        kind="edit",
        rawInput={"path": "a.py"},
        locations=[{"path": "a.py", "line": 3}, {"line": 4}],
        content=[
            {"type": "content", "content": text("words")},
            {"type": "diff", "path": "a.py", "oldText": None, "newText": "new"},
            {"type": "terminal", "terminalId": "t1"},
            {"type": "content", "content": {"type": "hologram"}},
            "nothing",
        ],
        _meta={"claudeCode": {"toolName": "Edit", "parentToolUseId": "c0"}},
    )
    assert change == ToolCallChange(
        "c1",
        started=True,
        title="Edit a.py",
        kind=ToolKind.EDIT,
        status=ToolStatus.PENDING,
        content=(
            ToolText("words"),
            ToolDiff("a.py", "new", None),
            ToolTerminal("t1"),
            ToolText("[hologram]"),
        ),
        locations=(ToolLocation("a.py", 3),),
        raw_input={"path": "a.py"},
        parent_call_id="c0",
        tool_name="Edit",
    )


def test_what_a_change_does_not_tell_stays() -> None:
    change = read("tool_call_update", toolCallId="c1", status="failed")
    assert change == ToolCallChange("c1", status=ToolStatus.FAILED)


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ("error", ToolStatus.FAILED),
        ("running", ToolStatus.IN_PROGRESS),
        ("canceled", ToolStatus.CANCELLED),
        ("humming", None),
        (7, None),
    ],
)
def test_other_words_for_a_status_are_known(told: object, expected: ToolStatus | None) -> None:
    """kandev-app.md b.4: tool status values to accept."""
    change = read("tool_call_update", toolCallId="c1", status=told)
    assert isinstance(change, ToolCallChange)
    assert change.status is expected


def test_an_unknown_kind_of_tool_is_other() -> None:
    change = read("tool_call", toolCallId="c1", kind="divination")
    assert isinstance(change, ToolCallChange)
    assert change.kind is ToolKind.OTHER


def test_output_in_pieces_is_put_together() -> None:
    """The dialect of Claude and Codex: `_meta.terminal_output` and `terminal_exit`."""
    reader = UpdateReader()

    def piece(data: str, **parts: Any) -> ToolCallChange:
        meta = {"terminal_output": {"terminal_id": "t", "data": data}, **parts}
        change = reader.read(
            {"sessionUpdate": "tool_call_update", "toolCallId": "c", "_meta": meta}
        )
        assert isinstance(change, ToolCallChange)
        return change

    assert piece("one\n").content == (ToolText("```\none\n```"),)
    assert piece("two ```").content == (ToolText("````\none\ntwo ```\n````"),)
    last = piece("x" * 2 * MAX_TERMINAL_TEXT, terminal_exit={"exit_code": 1})
    assert last.raw_output == {"exit_code": 1}
    assert last.content is not None
    [shown] = last.content
    assert isinstance(shown, ToolText)
    assert len(shown.text) < MAX_TERMINAL_TEXT + 20


def test_a_tool_of_an_mcp_server_is_named_by_what_is_structured() -> None:
    """Claude tells the name, Codex server and tool; a title proves nothing."""
    claude = read(
        "tool_call", toolCallId="a", title="x", _meta={"claudeCode": {"toolName": "mcp__s__t"}}
    )
    given = {"server": "s", "tool": "t"}
    marked = {"is_mcp_tool_call": True}
    codex = read("tool_call", toolCallId="b", title="x", rawInput=given, _meta=marked)
    model = read("tool_call", toolCallId="c", title="mcp__s__t", rawInput=given)
    other = read("tool_call", toolCallId="d", title="x", rawInput={"server": "s"}, _meta=marked)
    calls = (claude, codex, model, other)
    names = [one.tool_name for one in calls if isinstance(one, ToolCallChange)]
    assert names == ["mcp__s__t", "mcp__s__t", "", ""]


def test_a_permission_is_read_with_the_call_it_is_for() -> None:
    """Codex: `_meta.is_mcp_tool_approval` and no more than an id."""
    reader = UpdateReader()
    given: JsonMap = {"server": "kandesk-1", "tool": "ask_user_question", "arguments": {}}
    call = {"toolCallId": "c", "title": "T", "kind": "execute", "rawInput": given}
    marked = {"is_mcp_tool_call": True}
    reader.read({"sessionUpdate": "tool_call", **call, "_meta": marked})
    params: JsonMap = {
        "toolCall": {"toolCallId": "c", "kind": "execute", "status": "pending"},
        "options": [{"optionId": "a", "name": "Allow", "kind": "allow_once"}, {"name": "b"}],
        "_meta": {"is_mcp_tool_approval": True},
    }
    asked = read_permission(params, reader.calls)
    assert asked.call.tool_name == "mcp__kandesk-1__ask_user_question"
    assert (asked.call.title, asked.call.raw_input) == ("T", given)
    assert asked.call.kind is ToolKind.OTHER
    assert asked.meta == {"is_mcp_tool_approval": True}
    assert [option.id for option in asked.options] == ["a"]


def test_content_that_is_no_text_is_named() -> None:
    picture = base64.b64encode(bytes(12_000)).decode()
    assert content_text({"type": "image", "mimeType": "image/png", "data": picture}) == (
        "[image/png, 12 kB]"
    )
    assert content_text({"type": "audio", "data": ""}) == "[audio, 0 bytes]"
    link = {"type": "resource_link", "name": "a [b]", "uri": "file:///a b)"}
    assert content_text(link) == "[a \\[b\\]](file:///a%20b%29)"
    whole = {"type": "resource", "resource": {"uri": "file:///a", "text": "x"}}
    assert content_text(whole) == "[file:///a](file:///a)\n\n```\nx\n```"
    blob = {"type": "resource", "resource": {"uri": "u:a", "blob": "AAAA", "mimeType": "a/b"}}
    assert content_text(blob) == "[u:a](u:a) [a/b, 3 bytes]"
    assert content_text([text("a"), text("b")]) == "a\n\nb"
    assert content_text(7) == ""


def test_options_in_groups_switches_and_what_makes_no_sense() -> None:
    told = [
        {
            "id": "model",
            "name": "Model",
            "category": "model",
            "currentValue": "a",
            "options": [
                {"group": "g", "name": "G", "options": [{"value": "a", "name": "A"}, {}]},
                {"value": "b"},
            ],
        },
        {"id": "fast", "type": "boolean", "currentValue": True},
        {"id": "alone", "currentValue": "x", "options": []},
        {"id": "broken", "currentValue": 3},
        {"name": "no id"},
    ]
    assert read_options(told) == (
        ConfigOption(
            "model",
            "Model",
            "a",
            (OptionChoice("a", "A", "", "G"), OptionChoice("b", "b")),
            category="model",
        ),
        ConfigOption("fast", "fast", "true"),
        ConfigOption("alone", "alone", "x", (OptionChoice("x", "x"),)),
    )
    assert read("config_option_update", configOptions=told[2:3]) == OptionsChanged(
        (ConfigOption("alone", "alone", "x", (OptionChoice("x", "x"),)),)
    )


def test_an_end_without_a_reason_is_none() -> None:
    assert read_prompt_end({}) is None
    assert read_prompt_end("end_turn") is None
    end = read_prompt_end({"stopReason": "end_turn", "usage": {"inputTokens": 1, "x": 2}})
    assert end is not None
    assert end.usage == Usage(input_tokens=1)


def test_capabilities_of_the_wrong_type_are_absent() -> None:
    found = read_capabilities(
        {"agentCapabilities": {"loadSession": "yes", "mcpCapabilities": [1]}, "agentInfo": 4}
    )
    assert not found.load_session
    assert not found.mcp_http


def test_what_is_kept_with_a_session_is_bounded() -> None:
    long = "x" * 1_000_000
    choice = {"value": "a", "name": long, "description": long}
    many = [{"value": f"v{number}", "name": long} for number in range(2_000)]
    option = {"id": "o", "name": long, "currentValue": "a", "options": [choice, *many]}
    command = {"name": "c", "description": long, "input": {"hint": long}}
    mode = {"id": "m", "name": long, "description": long}
    states = {
        "modes": {"availableModes": [mode, {"id": long}], "currentModeId": long},
        "models": {"availableModels": [{"modelId": long}, {"modelId": "k", "name": long}]},
    }
    modes, current = read_modes(states)
    (read,) = read_options([option, {"id": long, "currentValue": "a"}])
    model = read_model(states)
    commands = read_commands([command, {"name": long}, *[{"name": f"c{n}"} for n in range(2_000)]])
    assert [found.id for found in modes] == ["m"]
    assert current == ""
    assert model is not None
    assert [found.value for found in model.choices] == ["k"]
    assert len(read.choices) <= LIST_LIMIT
    assert len(commands) <= LIST_LIMIT
    assert len(repr((modes, read, model, commands))) < 2 * LIST_LIMIT * (NAME_LIMIT + 200)
    currency: JsonMap = {"sessionUpdate": "usage_update", "cost": {"currency": long}}
    assert len(repr(UpdateReader().read(currency))) < 2 * NAME_LIMIT
    told: JsonMap = {"sessionUpdate": "current_mode_update", "currentModeId": long}
    assert UpdateReader().read(told) == ModeChanged("")


def options(*told: tuple[str, str, str]) -> list[tuple[str, str]]:
    """Ids and kinds of what a human may choose of what an agent offers."""
    offered = [{"optionId": id_, "name": name, "kind": kind} for id_, name, kind in told]
    asked = read_permission(
        {"toolCall": {"toolCallId": "c"}, "options": offered}, UpdateReader().calls
    )
    return [(option.id, option.kind) for option in asked.options]


def test_no_permission_is_given_by_an_option_that_says_two_things() -> None:
    """An agent hears an id and nothing else: who pressed Reject would have allowed."""
    yes, no = ("x", "Allow", "allow_once"), ("x", "Reject", "reject_once")
    assert options(yes, no) == []
    assert options(yes, ("y", "Always", "allow_always"), no) == [("y", "allow_always")]
    assert options(yes, ("x", "Yes", "allow_once")) == [("x", "allow_once")]


def test_only_so_many_options_are_offered_and_none_whose_id_cannot_be_kept() -> None:
    told = [(f"o{number}", "n" * 3_000_000, "allow_once") for number in range(40)]
    asked = options(("i" * (NAME_LIMIT + 1), "Allow", "allow_once"), *told)
    assert len(asked) == MOST_CHOICES
    assert asked[0] == ("o0", "allow_once")


def test_what_is_offered_is_offered_once_for_each_id_and_never_more_than_there_is_room_for() -> (
    None
):
    """Of two with one id nobody could tell which is on, and one could not be chosen."""
    modes = [{"id": "a", "name": "Ask"}, {"id": "a", "name": "Other"}, {"id": "b", "name": "B"}]
    found, _ = read_modes({"modes": {"availableModes": modes}})
    assert [(mode.id, mode.name) for mode in found] == [("a", "Ask"), ("b", "B")]
    twice = [{"value": "x", "name": "1"}, {"value": "x", "name": "2"}]
    told = [{"id": f"o{n // 2}", "currentValue": "x", "options": twice} for n in range(100)]
    options_found = read_options(told)
    assert [option.id for option in options_found] == [f"o{n}" for n in range(MOST_OPTIONS)]
    assert [choice.name for choice in options_found[0].choices] == ["1"]
    commands = read_commands([{"name": "init"}, {"name": "init", "description": "again"}])
    assert commands == (SlashCommand("init"),)


def test_names_stand_in_one_line_and_hold_nothing_that_is_not_seen() -> None:
    """A name that turns the text around it would read as another one."""
    odd = "\u202eA\n\x1b[1mB\u2066 C"
    found, _ = read_modes({"modes": {"availableModes": [{"id": "a", "name": odd}]}})
    assert found[0].name == "A [1mB C"
    asked = read_permission(
        {"options": [{"optionId": "x", "name": odd}, {"optionId": "y", "name": "\u202e"}]},
        UpdateReader().calls,
    )
    assert [option.name for option in asked.options] == ["A [1mB C", "y"]
    assert read("session_info_update", title=odd) == TitleChanged("A [1mB C")
