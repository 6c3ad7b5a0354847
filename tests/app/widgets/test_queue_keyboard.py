"""The keyboard in the queue: it is on a message, not on a place of the list."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolButton, QWidget

from app.widgets.queued_row import QueuedRow
from backend.clock import Nanoseconds
from backend.domain.hosted import AgentStatus, QueuedPrompt
from backend.domain.input_mode import InputMode
from backend.ids import QueueEntryId, SessionId
from tests.helpers.fake_conversations import make_conversation
from tests.helpers.hosted_window import HostedWindow, hosted_window
from tests.helpers.waiting import until

THREE = make_conversation(
    status=AgentStatus.WORKING,
    input=InputMode.QUEUE,
    queue=tuple(
        QueuedPrompt(QueueEntryId(f"e{place}"), text, place, Nanoseconds(1))
        for place, text in enumerate(("first", "second", "third"))
    ),
)


def press(window: HostedWindow, name: str, place: int) -> None:
    """With the keyboard, as somebody who uses no pointer."""
    button = window.shown.window.findChildren(QToolButton, name)[place]
    button.setFocus(Qt.FocusReason.TabFocusReason)
    QTest.keyClick(button, Qt.Key.Key_Space)


def waiting(window: HostedWindow) -> list[str]:
    return [entry.text for entry in window.hosted.known[SessionId("s1")].queue]


def held() -> tuple[str, str]:
    """The message whose button has the keyboard, and that button."""
    focus: QWidget | None = QApplication.focusWidget()
    assert focus is not None
    row = focus.parentWidget()
    while row is not None and not isinstance(row, QueuedRow):
        row = row.parentWidget()
    assert row is not None, focus.objectName()
    assert row.entry is not None
    return row.entry.text, focus.objectName()


@pytest.mark.parametrize(
    ("name", "place", "after", "button"),
    [
        ("queuedDown", 0, ["second", "first", "third"], "queuedDown"),
        ("queuedUp", 2, ["first", "third", "second"], "queuedUp"),
        # At an end of the queue there is no way on, only back.
        ("queuedUp", 1, ["second", "first", "third"], "queuedDown"),
        ("queuedDown", 1, ["first", "third", "second"], "queuedUp"),
    ],
)
async def test_the_keyboard_goes_with_the_message_that_is_moved(
    name: str, place: int, after: list[str], button: str
) -> None:
    async with hosted_window(THREE) as window:
        moved = waiting(window)[place]
        press(window, name, place)
        await until(lambda: waiting(window) == after)
        await until(lambda: held() == (moved, button))


async def test_it_goes_to_the_next_message_when_its_own_is_taken_out() -> None:
    async with hosted_window(THREE) as window:
        press(window, "queuedRemove", 1)
        await until(lambda: waiting(window) == ["first", "third"])
        await until(lambda: held() == ("third", "queuedRemove"))
        press(window, "queuedRemove", 1)
        await until(lambda: waiting(window) == ["first"])
        await until(lambda: held() == ("first", "queuedRemove"))


async def test_it_goes_into_the_composer_when_the_last_message_is_taken_out() -> None:
    async with hosted_window(THREE) as window:
        for left in (2, 1, 0):
            press(window, "queuedRemove", 0)
            await until(lambda left=left: len(waiting(window)) == left)  # type: ignore[misc]
        composer = window.find("composer")
        await until(
            lambda: (
                (focus := QApplication.focusWidget()) is not None
                and (focus is composer or composer.isAncestorOf(focus))
            )
        )
