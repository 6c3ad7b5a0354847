"""What operators' tools list and answer (K3.5)."""

import pytest

from backend.domain.clarification import Answered, Skipped
from backend.errors import Conflict, ErrorCode, InvalidInput
from backend.mcp.inbox_wire import ListToolIn, page_to_wire
from tests.helpers.desk_builders import make_bundle, moment
from tests.helpers.door_client import MODERN, TOKENS, Door, sdk_client, text_of
from tests.helpers.fake_asking import answer_of


async def test_an_operator_answers_for_the_human(live_door: Door) -> None:
    live_door.desk.bundles = [make_bundle("p1")]
    async with sdk_client(
        live_door, mode=MODERN, path="/mcp/operator", token=TOKENS.desk
    ) as operator:
        listed = await operator.call_tool("list_pending_questions", {})
        answered = await operator.call_tool(
            "answer_question",
            {
                "pending_id": "p1",
                "answers": [{"question_id": "q1", "selected_options": ["o1"], "custom_text": "好"}],
            },
        )
        skipped = await operator.call_tool(
            "answer_question", {"pending_id": "p1", "rejected": True, "reject_reason": "no"}
        )
    assert listed.structured_content["bundles"][0]["pending_id"] == "p1"
    assert answered.structured_content["claimed"] is True
    assert answered.structured_content["status"] == "answered"
    assert skipped.structured_content["response"]["reject_reason"] == "no"
    outcomes = [(response[1], response[2]) for response in live_door.desk.responses]
    assert outcomes == [
        (Answered((answer_of("q1", "o1", text="好"),)), "mcp-operator"),
        (Skipped("no"), "mcp-operator"),
    ]


async def test_what_cannot_be_answered_is_a_tool_error(live_door: Door) -> None:
    live_door.desk.bundles = [make_bundle("p1")]
    async with sdk_client(
        live_door, mode="legacy", path="/mcp/operator", token=TOKENS.desk
    ) as operator:
        mixed = await operator.call_tool(
            "answer_question",
            {"pending_id": "p1", "rejected": True, "answers": [{"question_id": "q1"}]},
        )
        broken = await operator.call_tool("answer_question", {"pending_id": "p1", "answer": "x"})
        live_door.desk.fail = Conflict(ErrorCode.NOT_ACTIVE, "it is no longer active")
        gone = await operator.call_tool("answer_question", {"pending_id": "p1", "rejected": True})
    assert text_of(mixed).startswith("answers must be empty")
    assert text_of(broken) == "answer is not a known field"
    assert (gone.is_error, text_of(gone)) == (True, "it is no longer active")


def test_pages_are_ordered_by_time_and_id_and_join_without_gap_or_repeat() -> None:
    bundles = [
        make_bundle(name, created=created)
        for name, created in (("b", 2), ("d", 3), ("a", 2), ("c", 1), ("e", 3))
    ]
    seen: list[str] = []
    cursor = None
    for _ in range(3):
        page = page_to_wire(bundles, ListToolIn(cursor=cursor, limit=2), moment(10))
        found = page["bundles"]
        assert isinstance(found, list)
        assert page["count"] == len(found)
        seen += [bundle["pending_id"] for bundle in found]
        cursor = str(page["next_cursor"])
    assert seen == ["c", "a", "b", "d", "e"]
    assert cursor == ""


def test_only_newer_ones_can_be_asked_for() -> None:
    bundles = [make_bundle("old", created=1), make_bundle("new", created=5)]
    asked = ListToolIn(created_since="2026-09-21T14:13:24Z")
    found = page_to_wire(bundles, asked, moment(10))["bundles"]
    assert isinstance(found, list)
    assert [bundle["pending_id"] for bundle in found] == ["new"]
    assert found[0]["age_seconds"] == 5


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        (ListToolIn(limit=0), "limit"),
        (ListToolIn(limit=-3), "limit"),
        (ListToolIn(cursor="!!!"), "cursor"),
        (ListToolIn(cursor="AAAA"), "cursor"),
        (ListToolIn(created_since="yesterday"), "created_since"),
    ],
)
def test_a_page_that_makes_no_sense_names_its_field(asked: ListToolIn, field: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        page_to_wire([], asked, moment(0))
    assert caught.value.params["field"] == field
