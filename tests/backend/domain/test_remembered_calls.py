"""What is remembered of tool calls that run: by its size, whatever agents send."""

from dataclasses import replace

import pytest

from backend.agents.acp_translate import UpdateReader
from backend.agents.frames import JsonMap
from backend.domain.agents import ToolCallChange, ToolStatus, ToolText
from backend.domain.tool_call import MOST_REMEMBERED, REMEMBERED, RememberedCalls
from backend.ids import SessionId
from backend.review.heard_calls import HeardCalls
from tests.helpers.held_text import held_text

BIG = 500_000


def call(number: int, **parts: object) -> ToolCallChange:
    change = ToolCallChange(f"c{number}", started=True, status=ToolStatus.IN_PROGRESS)
    return replace(change, **parts)  # type: ignore[arg-type]


def test_running_calls_take_a_bounded_room_however_many_and_large() -> None:
    calls = RememberedCalls()
    for number in range(400):
        calls.change(call(number, raw_input={"text": "x" * BIG}))
    assert REMEMBERED - 2 * BIG < held_text(calls) <= REMEMBERED
    assert calls.find("c399") is not None
    assert calls.find("c0") is None


def test_one_call_is_remembered_whole_whatever_its_size() -> None:
    """A human is shown all of what is asked for, or is not asked."""
    calls = RememberedCalls()
    calls.change(call(0, content=(ToolText("x" * (REMEMBERED + 1)),)))
    calls.change(ToolCallChange("c0", title="later"))
    found = calls.find("c0")
    assert found is not None
    assert found.content == (ToolText("x" * (REMEMBERED + 1)),)
    assert found.title == "later"


def test_output_is_not_part_of_what_is_asked_for_and_not_remembered() -> None:
    calls = RememberedCalls()
    calls.change(call(0, raw_output={"text": "x" * BIG}))
    assert held_text(calls) < 10_000


def test_small_calls_are_bounded_in_their_number() -> None:
    calls = RememberedCalls()
    for number in range(MOST_REMEMBERED + 10):
        calls.change(call(number))
    assert calls.find("c9") is None
    assert calls.find("c10") is not None


def test_what_ends_is_forgotten_and_takes_no_room() -> None:
    calls = RememberedCalls()
    calls.change(call(0, raw_input="x" * BIG))
    calls.change(ToolCallChange("c0", status=ToolStatus.COMPLETED))
    assert calls.find("c0") is None
    assert held_text(calls) < 100


def test_a_call_that_begins_anew_has_nothing_of_the_one_before() -> None:
    calls = RememberedCalls()
    calls.change(call(0, raw_input="before"))
    calls.change(call(0, title="again"))
    assert calls.find("c0") == call(0, title="again")


@pytest.mark.parametrize("where", ["connection", "review"])
def test_both_ends_of_an_agent_remember_no_more_than_that(where: str) -> None:
    reader, heard = UpdateReader(), HeardCalls()
    for number in range(400):
        update: JsonMap = {
            "sessionUpdate": "tool_call",
            "toolCallId": f"c{number}",
            "rawInput": "x" * BIG,
        }
        change = reader.read(update)
        assert isinstance(change, ToolCallChange)
        heard.heard(SessionId("s1"), change)
    held = held_text(reader if where == "connection" else heard)
    assert held <= 1.1 * REMEMBERED


def test_terminals_that_never_end_take_a_bounded_room() -> None:
    reader = UpdateReader()
    for number in range(1_000):
        meta = {"terminal_output": {"terminal_id": "t", "data": "x" * 64 * 1024}}
        call_id = f"c{number}"
        reader.read({"sessionUpdate": "tool_call_update", "toolCallId": call_id, "_meta": meta})
    assert held_text(reader) <= 2 * REMEMBERED
