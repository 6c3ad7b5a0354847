"""A human presses Submit or Skip while a script answers the same question over HTTP."""

import asyncio
import threading
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import pytest
from PySide6.QtWidgets import QLabel

from app.viewmodels.clarification_card import Card, Phase, Replied
from app.viewmodels.clarification_recovery import RecoveryKind, RecoveryState
from backend.cli.desk_client import RunningDesk, find_desk
from backend.clock import Nanoseconds, format_timestamp, parse_timestamp
from backend.domain.clarification import BundleStatus, ResponseOutcome
from backend.ids import new_id
from backend.paths import Home
from tests.helpers.client_process import ClientProcess, client_process
from tests.helpers.live_window import LiveWindow, live_window
from tests.helpers.mcp_clients import question
from tests.helpers.races import LABELS, LONG, Wish, seen, wishes
from tests.helpers.stored import stored_bundle
from tests.helpers.waiting import until

ROUNDS: Final = 500 if LONG else 24
_BY_HAND: Final = 8
"""Every so many rounds the controls themselves are pressed, which first stand still for a while."""
_STEP: Final = 0.001
_STEPS: Final = 8
_LAST: Final = (RecoveryKind.DELIVERED, RecoveryKind.ELSEWHERE)


class Script(threading.Thread):
    """Answers over HTTP from a thread of its own as soon as it is let go."""

    def __init__(self, desk: RunningDesk, pending_id: str, body: dict[str, Any]) -> None:
        super().__init__(name="script", daemon=True)
        self._desk = desk
        self._path = f"/api/v1/clarification/{pending_id}/respond"
        self._body = {**body, "client_id": "script", "claim_id": new_id()}
        self.go = threading.Event()
        self.done = threading.Event()
        self.status = 0
        self.reply: dict[str, Any] = {}
        self.start()

    def run(self) -> None:
        self.go.wait(30)
        self.status, self.reply = self.send()
        self.done.set()

    def send(self) -> tuple[int, dict[str, Any]]:
        reply = self._desk.request("POST", self._path, self._body, seconds=45)
        return reply.status, dict(reply.body)


@dataclass
class Match:
    """The window, the script's desk and the agent that asks."""

    window: LiveWindow
    desk: RunningDesk
    agent: ClientProcess
    won: Counter[str] = field(default_factory=Counter)

    async def play(self, number: int) -> None:
        self.agent.ask({"questions": [question(f"Round {number}?", *LABELS)]})
        card = await self.card(f"Round {number}?")
        ours, theirs = wishes(number)
        by_hand = number % _BY_HAND == 0
        await self.prepare(card, ours, by_hand=by_hand)
        script = Script(self.desk, card.pending_id, theirs.body(_on_wire(card)))
        await self.press(script, number, ours, by_hand=by_hand)
        await until(script.done.is_set, seconds=20)
        assert script.status == 200, script.reply
        winner = await self.check_window(card, script, ours, theirs)
        assert seen((await self.agent.reply()).result) == winner.result()
        self.check_rows(card.pending_id, script.reply["response"])
        status, again = await asyncio.to_thread(script.send)
        assert status == 200
        assert again["claimed"] is again["replayed"] is script.reply["claimed"]
        assert again["response"] == script.reply["response"]

    async def card(self, prompt: str) -> Card:
        view_model = self.window.parts.desk.clarification

        def shown() -> bool:
            card = view_model.card
            return card is not None and card.questions[0].prompt == prompt

        await until(shown, seconds=15)
        assert view_model.card is not None
        return view_model.card

    async def prepare(self, card: Card, wish: Wish, *, by_hand: bool) -> None:
        """Everything but the last press."""
        if by_hand:
            await self.window.shows_card(card.questions[0].prompt)
            await self.window.click(f"optionButton_{(wish.option or 0) + 1}")
            await self.window.shows("submitAnswers")
            return
        view_model = self.window.parts.desk.clarification
        if wish.option is not None:
            view_model.pick(0, card.questions[0].options[wish.option].id)
        if wish.words and not wish.skip:
            view_model.write(0, wish.words)

    async def press(self, script: Script, number: int, wish: Wish, *, by_hand: bool) -> None:
        """In turn the script and the hand come a little later than the other."""
        pause = number // 2 % _STEPS * _STEP
        view_model = self.window.parts.desk.clarification
        if number % 2:
            script.go.set()
            await asyncio.sleep(pause)
        if by_hand:
            await self.window.click("submitAnswers")
        elif wish.skip:
            view_model.skip(wish.words)
        else:
            view_model.submit()
        if not number % 2:
            await asyncio.sleep(pause)
            script.go.set()

    async def check_window(self, card: Card, script: Script, ours: Wish, theirs: Wish) -> Wish:
        """The card is resolved and tells the answer that was first, whoever gave it."""
        view_model = self.window.parts.desk.clarification
        await until(lambda: card.phase is Phase.RESOLVED, seconds=20)
        await until(lambda: view_model.recovery is not None and view_model.recovery.kind in _LAST)
        told = view_model.recovery
        assert told is not None
        assert told.pending_id == card.pending_id
        assert told.outcome is not None
        assert _as_wire(told.outcome) == script.reply["response"]
        replied = card.settlement
        pressed = isinstance(replied, Replied) and replied.outcome is not None
        if pressed:
            assert isinstance(replied, Replied)
            assert replied.outcome is not None
            assert replied.outcome.claimed is not script.reply["claimed"]
            assert _as_wire(replied.outcome) == script.reply["response"]
        elsewhere = told.kind is RecoveryKind.ELSEWHERE
        assert elsewhere is script.reply["claimed"]
        await self.check_words(told)
        self.won[
            "window" if not elsewhere else "http" if pressed else "http, before the press"
        ] += 1
        return theirs if elsewhere else ours

    async def check_words(self, told: RecoveryState) -> None:
        words = (await self.window.shows("statusText", QLabel)).text()
        assert told.outcome is not None
        if told.kind is RecoveryKind.DELIVERED:
            assert words.startswith(("Delivered.", "Skipped."))
        elif told.outcome.status is BundleStatus.REJECTED:
            assert words == "This question was skipped elsewhere."
        else:
            assert words.startswith("Answered elsewhere: ")

    def check_rows(self, pending_id: str, told: dict[str, Any]) -> None:
        stored = stored_bundle(self.window.home / "kandesk.db", pending_id)
        assert stored.status == ("rejected" if told["rejected"] else "answered")
        assert stored.settled
        assert stored.delivery["state"] == "delivered"
        claimed_at = parse_timestamp(stored.delivery["claimed_at"])
        assert format_timestamp(Nanoseconds(claimed_at)) == told["responded_at"]
        assert stored.responses == {
            answer["question_id"]: (tuple(answer["selected_options"]), answer["custom_text"])
            for answer in told["answers"]
        }


def _on_wire(card: Card) -> dict[str, Any]:
    (asked,) = card.questions
    options = [{"option_id": option.id} for option in asked.options]
    return {"questions": [{"question_id": asked.id, "options": options}]}


def _as_wire(outcome: ResponseOutcome) -> dict[str, Any]:
    return {
        "pending_id": outcome.pending_id,
        "answers": [
            {
                "question_id": answer.question_id,
                "selected_options": list(answer.selected_options),
                "custom_text": answer.custom_text,
            }
            for answer in outcome.answers
        ],
        "rejected": outcome.status is BundleStatus.REJECTED,
        "reject_reason": outcome.reject_reason,
        "responded_at": format_timestamp(outcome.responded_at),
    }


@pytest.mark.timeout(1800 if LONG else 120)
async def test_one_of_the_human_and_a_script_wins_and_the_window_shows_whose(
    tmp_path: Path,
) -> None:
    """K5.3, K5.4, K6.2: one winner; the card ends resolved with the winner's answer and time."""
    home = tmp_path / "home"
    async with live_window(home) as window:
        where = ("http", window.info.mcp_url, window.agent_token)
        desk = await asyncio.to_thread(find_desk, Home(home))
        assert desk is not None
        async with client_process(*where, home=home) as agent:
            match = Match(window, desk, agent)
            for number in range(ROUNDS):
                await match.play(number)
    print(f"rounds won: {dict(match.won)}")
    assert sum(match.won.values()) == ROUNDS
    assert min(match.won["window"], match.won["http"]) > 0, "one side never won: this was no race"
    met = match.won["window"] + match.won["http"]
    assert met >= ROUNDS / 2, "too often the script was there before the press"
