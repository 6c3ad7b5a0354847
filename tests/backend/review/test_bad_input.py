"""Requests nobody would send who means well."""

import asyncio
import json

from backend.domain.agents import (
    PermissionAsked,
    PermissionOption,
    ToolCallChange,
    ToolDiff,
    ToolLocation,
)
from backend.domain.review import ReviewStatus
from backend.ids import SessionId, TurnId
from backend.store.review_rows import SHOWN
from tests.helpers.place import Place
from tests.helpers.reviewing import OPTIONS, ReviewDesk, make_asked

ODD = "a\x00b\ud800c"


async def test_a_session_that_was_never_announced_is_answered_cancelled(
    desk: ReviewDesk,
) -> None:
    assert await desk.ask(session=SessionId("nobody")) is None
    assert await desk.ask(turn=TurnId("no such turn")) is None
    assert desk.cards() == []


async def test_fifty_requests_of_six_sessions_are_fifty_cards(desk: ReviewDesk) -> None:
    """None is decided by itself, none is lost, and each agent hears its own."""
    for number in range(2, 7):
        desk.rows.session(f"s{number}")
        desk.rows.turn(f"turn{number}", f"s{number}")
    asked = [
        desk.ask(
            make_asked("call-1"),
            session=SessionId(f"s{number % 6 + 1}"),
            turn=TurnId(f"turn{number % 6 + 1}"),
        )
        for number in range(50)
    ]

    opened = await desk.opened(50)

    assert len(desk.cards()) == len({review.review_id for review in opened}) == 50
    assert not any(waiting.done() for waiting in asked)
    assert {row["status"] for row in desk.table("tool_action_requests")} == {"pending"}
    listed = await desk.reviews.list_open_reviews()
    assert [review.asked_at for review in listed] == sorted(review.asked_at for review in listed)
    for number in range(1, 7):
        await desk.reviews.permissions.nobody_waits(SessionId(f"s{number}"))
    assert await asyncio.gather(*asked) == [None] * 50


async def test_what_no_text_may_hold_is_signed_as_it_came_and_shown_as_unreadable(
    desk: ReviewDesk,
) -> None:
    """NUL and lone surrogates: the digest is over what the agent sent."""
    waiting = desk.ask(make_asked(raw_input={"command": ODD, ODD: 1}))
    (review,) = await desk.opened()

    assert review.call.raw_input == {"command": "a\ufffdb\ufffdc", "a\ufffdb\ufffdc": 1}
    signed = json.loads(str(desk.table("tool_action_requests")[0]["signed_arguments"]))
    assert signed["raw_input"] == {"command": ODD, ODD: 1}
    assert (await desk.decide(review)).review.status is ReviewStatus.APPROVED
    assert await waiting == "once"


async def test_an_option_is_told_by_the_id_the_agent_gave_it(desk: ReviewDesk) -> None:
    """Also one that no store can hold."""
    options = (PermissionOption(ODD, "Odd", "allow_once"), OPTIONS[2])
    waiting = desk.ask(make_asked(options=options))
    (review,) = await desk.opened()

    await desk.decide(review, review.options[0].id)

    assert await waiting == ODD


async def test_a_megabyte_is_kept_whole_and_its_row_stays_small(desk: ReviewDesk) -> None:
    long = "x" * 1_000_000
    waiting = desk.ask(make_asked(raw_input={"command": "echo", "text": long}))
    (review,) = await desk.opened()

    (card,) = desk.cards()
    assert len(json.dumps(card)) < 3 * SHOWN
    whole = (await desk.reviews.get_review(review.review_id)).call.raw_input
    assert isinstance(whole, dict)
    assert whole["text"] == long
    await desk.decide(review, "no")
    assert await waiting == "no"


async def test_arguments_nested_beyond_reading_are_refused(desk: ReviewDesk, place: Place) -> None:
    """Nobody can be shown them, so nobody can allow them."""
    deep: object = []
    for _ in range(100_000):
        deep = [deep]

    assert await desk.ask(make_asked(raw_input=deep)) is None

    assert desk.cards() == []
    assert desk.ledger() == [("policy_decision", "denied", "arguments_unreadable")]


async def test_a_request_with_nothing_in_it_is_shown_all_the_same(desk: ReviewDesk) -> None:
    waiting = desk.ask(PermissionAsked(ToolCallChange(""), OPTIONS))
    (review,) = await desk.opened()
    assert desk.cards()[0]["action_type"] == "other"
    await desk.decide(review, "no")
    assert await waiting == "no"


async def test_a_change_to_a_file_is_kept_whole(desk: ReviewDesk) -> None:
    call = ToolCallChange(
        "c",
        title="Edit",
        content=(ToolDiff("/p/a.py", "new", None),),
        locations=(ToolLocation("/p/a.py", 3),),
    )
    waiting = desk.ask(PermissionAsked(call, OPTIONS))
    (review,) = await desk.opened()

    assert review.call.content == call.content
    assert review.call.locations == call.locations
    details = desk.cards()[0]["action_details"]
    assert isinstance(details, dict)
    assert details["path"] == "/p/a.py"
    await desk.decide(review, "no")
    await waiting
