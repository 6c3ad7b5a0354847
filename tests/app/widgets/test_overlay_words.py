"""Skip and Close: what the agent gets, what becomes of the question (clarification.md, Words)."""

import dataclasses

import pytest
from PySide6.QtWidgets import QPushButton

from tests.helpers.desk_builders import make_bundle
from tests.helpers.overlay_window import overlay_window


@pytest.mark.parametrize(("calls", "when"), [(1, "at once"), (0, "once it calls again")])
async def test_skip_says_that_the_agent_is_told_and_when(calls: int, when: str) -> None:
    async with overlay_window(make_bundle(waiting_calls=calls)) as shown:
        skip = shown.find(QPushButton, "skipQuestions")
        assert skip.text() == "Skip and tell agent…"
        assert when in skip.toolTip()
        assert "skipped" in skip.toolTip()
        assert skip.accessibleDescription() == skip.toolTip()


async def test_close_says_that_the_agent_is_sent_nothing_and_the_question_is_withdrawn() -> None:
    bundle = dataclasses.replace(make_bundle(waiting_calls=0), detached=True)
    async with overlay_window(bundle) as shown:
        close = shown.find(QPushButton, "closeQuestion")
        assert close.text() == "Close as withdrawn…"
        assert "sent nothing" in close.toolTip()
        assert "withdrew" in close.toolTip()
        assert close.accessibleDescription() == close.toolTip()
