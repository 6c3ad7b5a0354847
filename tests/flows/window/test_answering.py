"""The main job in the real window: an agent asks, a human answers, the agent has the answer."""

import asyncio
from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel, QWidget

from backend.paths import Home
from tests.helpers.client_process import ClientProcess, client_process
from tests.helpers.live_window import LiveWindow, live_window
from tests.helpers.mcp_clients import question
from tests.helpers.shim_process import ShimProcess
from tests.helpers.waiting import until

WORDS = "要快 · بسرعة · 👩‍🚀 and é"

THREE = {
    "context": "Three decisions, please.",
    "questions": [
        question("Which language?", "Python", "Go", id="language"),
        question("Which checks?", "Tests", "Types", "Lint", id="checks", multi_select=True),
        {"prompt": "Which name?", "id": "name"},
    ],
}


async def answer_three(window: LiveWindow, client: ClientProcess) -> dict[str, object]:
    client.ask(THREE)
    await window.shows_card("Which language?")
    await window.click("optionButton_2")
    await window.stands_at(1)
    await window.click("optionButton_1")
    await window.click("optionButton_3")
    await window.type("customAnswer", "and a spell checker")
    await window.click("nextQuestion")
    await window.stands_at(2)
    await window.type("customAnswer", WORDS)
    await window.click("nextQuestion")
    await window.stands_at(3)
    await window.click("submitAnswers")
    return (await client.reply()).result


def check(result: dict[str, object]) -> None:
    assert result["status"] == "answered"
    answers = result["answers"]
    assert isinstance(answers, dict)
    assert list(answers) == ["language", "checks", "name"]
    assert answers["language"]["selected"] == [{"id": "q1_opt2", "label": "Go"}]
    assert [item["label"] for item in answers["checks"]["selected"]] == ["Tests", "Lint"]
    assert answers["checks"]["custom_text"] == "and a spell checker"
    assert answers["name"]["custom_text"] == WORDS


@pytest.mark.parametrize("transport", ["http", "shim"])
async def test_three_questions_are_answered_in_the_window(tmp_path: Path, transport: str) -> None:
    """clarification.md, improvement 7: ids and labels, in order, text in every script intact."""
    home = tmp_path / "home"
    async with live_window(home) as window:
        where = (
            ("http", window.info.mcp_url, window.agent_token)
            if transport == "http"
            else ("shim", str(home), str(tmp_path))
        )
        async with client_process(*where, home=home) as client:
            check(await answer_three(window, client))


@pytest.mark.parametrize(
    ("name", "token", "words"),
    [
        ("something-new", None, "The agent waits until"),
        ("something-new", "t", "There is no time limit."),
        ("codex-mcp-client", "t", "The agent waits until"),
    ],
)
async def test_the_card_says_until_when_the_client_behind_the_shim_waits(
    tmp_path: Path, name: str, token: str | None, words: str
) -> None:
    """agents.md, Patience: the overlay says, in words, which is true for this agent."""
    home = tmp_path / "home"
    async with live_window(home) as window:
        shim = ShimProcess(Home(home), "--no-start", cwd=tmp_path)
        try:
            await asyncio.to_thread(shim.initialize, name)
            shim.call(1, {"questions": [question("Which way?", "Left", "Right")]}, progress=token)
            await window.shows_card("Which way?")
            card: QWidget = await window.shows("clarificationOverlay")
            await until(lambda: words in " ".join(x.text() for x in card.findChildren(QLabel)))
        finally:
            await asyncio.to_thread(shim.stop)
