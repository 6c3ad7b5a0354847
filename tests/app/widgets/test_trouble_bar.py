"""What the bar says of an agent that cannot go on: in words, with what its program said."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget

from app.agent_text import problem_text, telling_line
from backend.domain.hosted import AgentProblem, AgentStatus, AgentTrouble
from tests.helpers.fake_conversations import make_conversation
from tests.helpers.hosted_window import HostedWindow, hosted_window

TRACE = 'Traceback (most recent call last):\n  File "a.py"\nValueError: no key\nNode v22'


def label(window: HostedWindow, name: str) -> QLabel:
    found = window.find(name)
    assert isinstance(found, QLabel)
    return found


def test_a_start_that_failed_and_an_end_are_told_apart() -> None:
    words = {
        problem_text(problem, "Codex")
        for problem in (AgentProblem.START_FAILED, AgentProblem.EXITED)
    }
    assert len(words) == 2
    assert "could not start" in problem_text(AgentProblem.START_FAILED, "Codex")
    assert "ended" not in problem_text(AgentProblem.START_FAILED, "Codex")


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("", ""),
        ("\n  \n", ""),
        ("exit code 3\nall is well", "all is well"),
        (TRACE, "ValueError: no key"),
        ("command not found\nbye", "command not found"),
        ("x" * 5_000, "x" * 299 + "…"),
    ],
)
def test_one_line_of_what_a_program_said_is_told(said: str, told: str) -> None:
    assert telling_line(said) == told


async def test_the_line_stands_in_the_bar_and_all_of_it_is_shown_on_demand() -> None:
    """Text of a program is never read as HTML."""
    said = f"<b>starting</b>\n{TRACE}\n<img src='x'> Error: <b>no configuration</b>"
    trouble = AgentTrouble(AgentProblem.START_FAILED, said)
    failed = make_conversation(status=AgentStatus.FAILED, trouble=trouble)
    async with hosted_window(failed) as window:
        reason = label(window, "troubleReason")
        assert reason.textFormat() is Qt.TextFormat.PlainText
        assert reason.text().startswith("<img src='x'> Error")
        assert not window.sees("troubleDetails")
        bar: QWidget = window.find("troubleBar")
        assert "no configuration" in bar.accessibleDescription()
        await window.click("troubleDetailsButton")
        assert window.find("troubleDetails").property("plainText") == said


async def test_a_long_line_is_elided_and_makes_nothing_wider() -> None:
    trouble = AgentTrouble(AgentProblem.EXITED, "error " * 2_000)
    failed = make_conversation(status=AgentStatus.FAILED, trouble=trouble)
    async with hosted_window(failed, size=(800, 600)) as window:
        assert label(window, "troubleReason").text().endswith("…")
        assert window.shown.window.width() == 800


async def test_where_nothing_was_said_no_line_stands() -> None:
    failed = make_conversation(
        status=AgentStatus.FAILED, trouble=AgentTrouble(AgentProblem.START_FAILED)
    )
    async with hosted_window(failed) as window:
        assert not window.sees("troubleReason")
