"""Two agents in two folders ask 50 ms apart; the first is answered after the second appeared.

Each gets its own answer, whichever asks first and whichever is answered first.
"""

import asyncio
import json
import os
import random
from contextlib import suppress
from pathlib import Path
from typing import Final

import pytest
from PySide6.QtWidgets import QWidget

from backend.ids import SessionId
from tests.helpers.hosted_live import HostedLive
from tests.helpers.live_window import LiveWindow, live_window
from tests.helpers.waiting import until

APART: Final = 0.05
ROUNDS: Final = 20 if os.environ.get("KANDESK_LONG") else 2
NAMES: Final = ("north", "south")


def asks(name: str, number: int) -> str:
    options = [{"label": f"{name} {side}", "id": f"{name}-{side}"} for side in ("left", "right")]
    return "ask " + json.dumps(
        {"questions": [{"id": "q", "prompt": f"Which way, {name} {number}?", "options": options}]}
    )


async def _both_ask(hosted: HostedLive, order: tuple[str, str], number: int) -> None:
    """Both questions are open when this returns."""
    inbox = hosted.window.parts.desk.inbox
    for name in order:
        await hosted.send(SessionId(name), asks(name, number))
        await asyncio.sleep(APART)
    await until(lambda: len(inbox.content.open) == len(order), seconds=20)


async def _answer(window: LiveWindow, name: str, number: int, choice: int) -> None:
    bundle = next(
        one for one in window.parts.desk.inbox.content.open if one.session_id == SessionId(name)
    )
    window.parts.desk.open_bundle(bundle)
    await window.shows_card(f"Which way, {name} {number}?")
    submit: QWidget = await window.shows("submitAnswers")
    while not submit.isEnabled():
        # A card that moved a moment ago swallows the press, as it should; a human presses again.
        await window.click(f"optionButton_{choice}")
        with suppress(AssertionError):
            await until(submit.isEnabled, seconds=1)
    await window.click("submitAnswers")


async def _heard(hosted: HostedLive, name: str) -> str:
    """The last thing its agent said."""
    session = SessionId(name)
    await hosted.ready(session)
    await hosted.open(session)
    await until(lambda: hosted.said[-1:] and hosted.said[-1].startswith("agent: answer"))
    return hosted.said[-1]


@pytest.mark.timeout(300)
async def test_each_agent_gets_its_own_answer(tmp_path: Path) -> None:
    """Both orders first, then any."""
    chance = random.Random(7)  # noqa: S311 - chances of a test, the same every time
    orders = [NAMES, NAMES[::-1]]
    rounds = [(asked, answered) for asked in orders for answered in orders]
    rounds += [(chance.choice(orders), chance.choice(orders)) for _ in range(ROUNDS)]
    async with live_window(tmp_path / "home") as window:
        hosted = HostedLive(window, tmp_path)
        for name in NAMES:
            (tmp_path / name).mkdir()
            await hosted.ready(await hosted.start(session=name, folder=tmp_path / name))
        for number, (asked, answered) in enumerate(rounds):
            choices = {name: chance.choice((1, 2)) for name in NAMES}
            await _both_ask(hosted, asked, number)
            for name in answered:
                await _answer(window, name, number, choices[name])
            for name in NAMES:
                side = ("left", "right")[choices[name] - 1]
                heard = await _heard(hosted, name)
                assert f'"id": "{name}-{side}"' in heard
                assert json.loads(heard.removeprefix("agent: answer: "))["status"] == "answered"
        assert not window.parts.desk.inbox.content.open
