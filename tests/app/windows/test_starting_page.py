"""What a start shows that takes long: words, a bar that fills, and a way out."""

from itertools import pairwise

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QProgressBar, QPushButton

from app.step_text import step_text
from backend.events import StoreProgress, StoreStep
from tests.helpers.fake_backend import FakeBackend
from tests.helpers.waiting import until
from tests.helpers.window import Shown, shown_window

BUILD = StoreProgress(StoreStep.BUILD_INDEX, 250_000, 1_000_000, "idx_x", 3, 25)


def label(shown: Shown, name: str) -> QLabel:
    found = shown.find(name)
    assert isinstance(found, QLabel)
    return found


def bar(shown: Shown) -> QProgressBar:
    found = shown.find("startingPage").findChild(QProgressBar)
    assert isinstance(found, QProgressBar)
    return found


async def test_a_start_that_is_over_at_once_shows_nothing_of_itself(backend: FakeBackend) -> None:
    async with shown_window(backend, load=False) as shown:
        backend.publish(StoreProgress(StoreStep.CREATE_TABLES, 0, 0, number=1, count=2))
        assert not label(shown, "startingStep").isVisible()
        assert not bar(shown).isVisible()


async def test_a_long_step_is_named_and_its_bar_fills_to_the_end(backend: FakeBackend) -> None:
    async with shown_window(backend, load=False) as shown:
        filled = []
        for done in (0, 250_000, 999_999, 1_000_000):
            backend.publish(StoreProgress(BUILD.step, done, BUILD.total, BUILD.subject, 3, 25))
            filled.append(bar(shown).value() / bar(shown).maximum())
        await until(lambda: label(shown, "startingStep").isVisible())
        assert "index" in label(shown, "startingStep").text()
        assert label(shown, "startingPosition").text() == "Step 3 of 25"
        assert all(before <= after for before, after in pairwise(filled))
        assert (filled[0], filled[1], filled[-1]) == (0.0, 0.25, 1.0)


async def test_more_rows_than_a_bar_can_count_are_shown_all_the_same(backend: FakeBackend) -> None:
    async with shown_window(backend, load=False) as shown:
        backend.publish(StoreProgress(StoreStep.BACK_UP, 3 << 40, 4 << 40))
        assert bar(shown).value() == bar(shown).maximum() * 3 // 4


async def test_a_backup_that_was_left_out_stays_told(backend: FakeBackend) -> None:
    async with shown_window(backend, load=False) as shown:
        backend.publish(StoreProgress(StoreStep.BACKUP_SKIPPED, 0, 0))
        backend.publish(BUILD)
        await until(lambda: label(shown, "startingWarning").isVisible())
        assert "without" in label(shown, "startingWarning").text()


async def test_quit_is_large_enough_asks_once_and_says_that_nothing_is_lost(
    backend: FakeBackend,
) -> None:
    async with shown_window(backend, width=800, height=600, load=False) as shown:
        asked: list[bool] = []
        shown.view.pages.starting.quit_wanted.connect(lambda: asked.append(True))
        backend.publish(BUILD)
        button = shown.find("quitStarting")
        assert isinstance(button, QPushButton)
        await until(button.isVisible)
        assert button.text() == "Quit"
        assert min(button.width(), button.height()) >= 44
        assert "Nothing is lost" in label(shown, "startingText").text()
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)
        assert asked == [True]
        assert "Stopping" in label(shown, "startingText").text()
        backend.publish(BUILD)
        assert "Stopping" in label(shown, "startingText").text()


async def test_another_start_begins_with_an_empty_page(backend: FakeBackend) -> None:
    async with shown_window(backend, load=False) as shown:
        backend.publish(BUILD)
        await until(lambda: label(shown, "startingStep").isVisible())
        shown.view.show_starting()
        assert not label(shown, "startingStep").isVisible()
        assert shown.find("quitStarting").isEnabled()


async def test_the_words_change_with_the_language(backend: FakeBackend) -> None:
    async with shown_window(backend, load=False) as shown:
        backend.publish(BUILD)
        shown.language.use("zh_CN")
        position = label(shown, "startingPosition")
        await until(lambda: position.text() == "第 3 步，共 25 步")  # noqa: RUF001
        assert "索引" in label(shown, "startingStep").text()


@pytest.mark.parametrize("step", [*StoreStep, "a step of a later version"])
def test_every_step_has_words(step: str) -> None:
    assert step_text(StoreProgress(step, 0, 0))
