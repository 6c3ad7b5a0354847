"""Which calls of real agents are equal to a rule, and which are not."""

import json
from dataclasses import replace
from pathlib import Path

from backend.domain.agents import ToolCallChange, ToolDiff, ToolKind, ToolLocation, ToolText
from backend.domain.policy import Risk
from backend.domain.reviewed_action import action_of

KEY = b"key"
BASH = ToolCallChange(
    "toolu_1",
    title="echo made",
    kind=ToolKind.EXECUTE,
    raw_input={"command": "echo made", "description": "Say made"},
    tool_name="Bash",
)
EDIT = ToolCallChange(
    "call_1",
    title="Edit files",
    kind=ToolKind.EDIT,
    content=(ToolDiff("/p/a", "new", "old"),),
    locations=(ToolLocation("/p/a"),),
)


def digest(call: ToolCallChange, announced: ToolCallChange | None = None) -> str:
    return action_of(call, announced, KEY).action_digest


def test_ids_titles_and_what_a_model_says_of_a_command_do_not_count() -> None:
    """Claude writes a description, Codex a reason and the ids of the moment."""
    again = replace(
        BASH,
        call_id="toolu_2",
        title="Terminal",
        raw_input={
            "command": "echo made",
            "description": "Make it so",
            "reason": "because",
            "call_id": "c",
            "turn_id": "t",
        },
    )
    assert digest(BASH) == digest(again) != ""


def test_whatever_else_is_different_is_another_call() -> None:
    others = [
        replace(BASH, raw_input={"command": "echo made; rm -r /"}),
        replace(BASH, raw_input={"command": "echo made", "cwd": "/q"}),
        replace(BASH, raw_input={"command": "echo made", "run_in_background": True}),
        replace(BASH, kind=ToolKind.OTHER),
        replace(BASH, tool_name="Shell"),
        replace(BASH, content=(ToolText("ssh access to example.org"),)),
    ]
    assert len({digest(call) for call in [BASH, *others]}) == len(others) + 1


def test_what_a_servers_tool_is_given_counts_whole() -> None:
    one = replace(BASH, tool_name="mcp__issues__make", raw_input={"command": "x", "reason": "a"})
    two = replace(one, raw_input={"command": "x", "reason": "b"})
    assert digest(one) != digest(two)


def test_a_folder_that_only_the_announcement_tells_counts() -> None:
    """OpenCode asks with the command alone."""
    here = replace(BASH, raw_input={"cwd": "/p"})
    there = replace(BASH, raw_input={"cwd": "/q"})
    assert digest(BASH, here) != digest(BASH, there)
    assert digest(BASH, replace(BASH, raw_input={})) == digest(BASH)


def test_an_edit_is_told_by_its_changes_if_it_shows_all_of_them() -> None:
    """Codex leaves out the changes of long files."""
    assert digest(EDIT) == digest(replace(EDIT, call_id="call_2", title="Edit"))
    assert digest(EDIT) != digest(replace(EDIT, content=(ToolDiff("/p/a", "other", "old"),)))
    more = (ToolLocation("/p/a"), ToolLocation("/p/b"))
    assert digest(replace(EDIT, locations=more)) == ""


def test_what_is_told_in_a_title_only_cannot_be_compared() -> None:
    """Gemini's commands are in titles; without a key nothing is compared either."""
    told = ToolCallChange("c", title="rm", kind=ToolKind.EXECUTE, content=(ToolText("[cwd /p]"),))
    assert digest(told) == ""
    assert action_of(BASH, None, b"").action_digest == ""


def test_nul_and_lone_surrogates_count_as_they_came() -> None:
    one = replace(BASH, raw_input={"command": "a\x00b\ud800"})
    two = replace(BASH, raw_input={"command": "a\ufffdb\ufffd"})
    assert digest(one) not in {"", digest(two)}


def test_risk_is_told_by_the_kind_of_the_tool() -> None:
    assert action_of(replace(BASH, kind=ToolKind.DELETE), None, KEY).risk is Risk.DESTRUCTIVE
    assert action_of(replace(BASH, kind=ToolKind.READ), None, KEY).risk is Risk.READ
    assert action_of(BASH, None, KEY).risk is Risk.WRITE


def test_real_commands_and_edits_can_be_compared() -> None:
    """Every recorded permission for a command that has arguments gives a digest of its own."""
    folder = Path(__file__).parents[1] / "agents" / "frames"
    found: dict[str, set[str]] = {}
    for path in folder.glob("*.jsonl"):
        for line in path.read_text(encoding="utf-8").splitlines():
            frame = json.loads(line)["frame"]
            call = frame.get("params", {}).get("toolCall", {})
            if frame.get("method") != "session/request_permission" or "rawInput" not in call:
                continue
            asked = ToolCallChange(
                call["toolCallId"],
                kind=ToolKind(call["kind"]),
                raw_input=call["rawInput"],
                tool_name=call.get("name", ""),
            )
            wanted = json.dumps(call["rawInput"], sort_keys=True) + asked.tool_name
            found.setdefault(wanted, set()).add(digest(asked))
    assert found
    assert all(len(digests) == 1 and "" not in digests for digests in found.values())
