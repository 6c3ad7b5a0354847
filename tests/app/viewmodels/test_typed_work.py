"""What would be lost if the window closed now."""

import asyncio

import pytest

from app.viewmodels.messages import SendPhase
from app.viewmodels.typed_work import Unsaved
from backend.errors import ErrorCode, TemporarilyUnavailable
from backend.ids import SessionId
from tests.helpers.clock import settle
from tests.helpers.desk_builders import make_bundle
from tests.helpers.fake_conversations import make_conversation
from tests.helpers.hosted_window import hosted_window
from tests.helpers.waiting import until

AWAY = TemporarilyUnavailable(ErrorCode.STORE_BUSY, "the store is away")
ONE = SessionId("s1")


async def test_nothing_is_lost_where_the_store_takes_it() -> None:
    async with hosted_window(make_conversation()) as window:
        desk, hosted = window.shown.desk, window.hosted
        desk.messages.write(ONE, "half a thought")
        assert await desk.typed.unsaved() == frozenset()
        assert hosted.drafts[ONE].text == "half a thought"


async def test_a_message_the_store_does_not_take_is_told_and_tried_again() -> None:
    async with hosted_window(make_conversation()) as window:
        desk, hosted = window.shown.desk, window.hosted
        desk.messages.write(ONE, "half a thought")
        hosted.fail("save_message_draft", AWAY)
        assert await desk.typed.unsaved() == {Unsaved.TYPED}
        assert ONE not in hosted.drafts
        await until(lambda: ONE in hosted.drafts)
        assert await desk.typed.unsaved() == frozenset()


async def test_a_message_on_its_way_is_kept_before_it_is_sent() -> None:
    """K8.3.4: quitting meanwhile loses neither its words nor its identity."""
    async with hosted_window(make_conversation()) as window:
        desk, hosted = window.shown.desk, window.hosted
        gate = hosted.hold("save_message_draft")
        desk.messages.write(ONE, "half a thought")
        desk.messages.send(ONE)
        await settle()
        for _ in range(2):
            hosted.fail("save_message_draft", AWAY)
        looking = asyncio.ensure_future(desk.typed.unsaved())
        await settle()
        gate.set()
        assert await looking == {Unsaved.TYPED}
        await until(lambda: desk.messages.writing(ONE).phase is SendPhase.IDLE)


async def test_an_answer_the_store_does_not_take_is_told() -> None:
    async with hosted_window(make_conversation()) as window:
        desk, backend = window.shown.desk, window.shown.backend
        backend.desk.open(make_bundle("p1"))
        await until(lambda: desk.clarification.card is not None)
        desk.clarification.write(0, "in my own words")
        backend.desk.fail("save_draft", AWAY)
        assert await desk.typed.unsaved() == {Unsaved.TYPED}


async def test_what_agents_said_and_the_store_has_not_taken_is_told() -> None:
    async with hosted_window(make_conversation()) as window:
        window.hosted.fail("flush", AWAY)
        assert await window.shown.desk.typed.unsaved() == {Unsaved.SAID}


@pytest.mark.parametrize("quick", [False, True])
async def test_the_first_message_of_a_session_that_was_not_started_is_told(quick: bool) -> None:  # noqa: FBT001
    async with hosted_window(make_conversation()) as window:
        desk = window.shown.desk
        start = desk.new_session
        if quick:
            window.shown.view.quick.toggle()
            panel = window.shown.view.quick.panel
            assert panel is not None
            start = panel.view_model.new_session
        start.set_prompt("Make it so")
        assert await desk.typed.unsaved() == {Unsaved.NOT_STARTED}
