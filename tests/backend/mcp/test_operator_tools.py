"""What operators' tools list and answer (K3.5)."""

import base64

import pytest

from backend.clock import format_timestamp
from backend.domain.clarification import Answered, Skipped
from backend.domain.listing import PageQuery, Position
from backend.errors import Conflict, ErrorCode, InvalidInput
from backend.ids import PendingId
from backend.mcp.inbox_wire import ListToolIn, query_from_wire, write_cursor
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


async def test_a_page_is_asked_for_as_the_arguments_say(live_door: Door) -> None:
    """K3.5; K8.4 L7, L7a, L8, L9, L10, L14."""
    cursor = write_cursor(Position("2026-09-21T14:13:24.000000000", PendingId("p")))
    async with sdk_client(
        live_door, mode=MODERN, path="/mcp/operator", token=TOKENS.desk
    ) as operator:
        await operator.call_tool("list_pending_questions", {"workspace_id": "", "limit": 201})
        await operator.call_tool(
            "list_pending_questions",
            {
                "workspace_id": "/w",
                "created_since": "2026-09-21T14:13:24Z",
                "cursor": cursor,
                "limit": 1,
            },
        )
    assert live_door.desk.queries == [
        PageQuery(limit=200),
        PageQuery(
            "/w", moment(4), Position("2026-09-21T14:13:24.000000000", PendingId("p")), limit=1
        ),
    ]


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        (ListToolIn(limit=0), "limit"),
        (ListToolIn(limit=-3), "limit"),
        (ListToolIn(cursor="!!!"), "cursor"),
        (ListToolIn(cursor="AAAA"), "cursor"),
        (ListToolIn(cursor="/+8="), "cursor"),
        (ListToolIn(cursor=base64.urlsafe_b64encode(b"2026-09-21T14:13:24Z|p").decode()), "cursor"),
        (ListToolIn(cursor=base64.urlsafe_b64encode(b"|p").decode()), "cursor"),
        (
            ListToolIn(
                cursor=base64.urlsafe_b64encode(b"2026-09-21T14:13:24.000000000Z|\0").decode()
            ),
            "cursor",
        ),
        (ListToolIn(created_since="yesterday"), "created_since"),
        (ListToolIn(created_since="2026-02-31T00:00:00Z"), "created_since"),
        (ListToolIn(created_since="2026-02-01T00:00:00+99:99"), "created_since"),
    ],
)
def test_a_page_that_makes_no_sense_names_its_field(asked: ListToolIn, field: str) -> None:
    """K8.4 L13."""
    with pytest.raises(InvalidInput) as caught:
        query_from_wire(asked)
    assert caught.value.params["field"] == field


@pytest.mark.parametrize("text", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59.9-23:59"])
def test_a_time_beyond_every_year_is_still_a_time(text: str) -> None:
    since = query_from_wire(ListToolIn(created_since=text)).since
    assert since is not None
    assert format_timestamp(since)[:4] in {"0001", "9999"}
