"""What a human sees and does of how long a Quick Chat is kept (window.md, Layout)."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QMenu, QToolButton

from backend.domain.conversation import SessionKind, SessionSummary
from backend.ids import SessionId
from tests.helpers.clock import settle
from tests.helpers.desk_builders import make_session
from tests.helpers.fake_backend import FakeBackend
from tests.helpers.fake_conversations import make_conversation
from tests.helpers.hosted_window import HostedWindow
from tests.helpers.waiting import until
from tests.helpers.window import shown_window

AGES_TO_COME = 500 * 24 * 3600.0
"""So that no machine of the tests finds it old."""


def chat(*, pinned: bool = False) -> SessionSummary:
    return make_session(
        "q",
        title="Monads",
        kind=SessionKind.HOSTED,
        workspace="",
        updated=AGES_TO_COME,
        quick_chat=True,
        pinned=pinned,
    )


@asynccontextmanager
async def window_with_chat() -> AsyncIterator[HostedWindow]:
    backend = FakeBackend()
    backend.desk.conversations.host(make_conversation("q", folder=""))
    backend.desk.put_session(chat())
    async with shown_window(backend) as shown:
        yield HostedWindow(shown)


async def test_the_pin_of_the_panel_says_what_it_does_and_until_when_the_chat_is_kept() -> None:
    async with window_with_chat() as window:
        await window.click("quickChatButton")
        await until(lambda: window.sees("pinQuickChat"))
        pin = window.find("pinQuickChat")
        assert isinstance(pin, QToolButton)
        assert not pin.isChecked()
        assert pin.accessibleName().startswith("Pin")
        assert "Kept until" in pin.toolTip()
        await window.click("pinQuickChat")
        assert window.hosted.pinned == [("q", True)]
        assert not pin.isChecked(), "it shows what is so"
        window.shown.backend.desk.put_session(chat(pinned=True))
        await until(pin.isChecked)
        assert pin.accessibleName().startswith("Unpin")


async def test_nothing_can_be_pinned_before_there_is_a_chat() -> None:
    async with shown_window(FakeBackend()) as shown:
        window = HostedWindow(shown)
        await window.click("quickChatButton")
        await until(lambda: window.sees("quickPrompt"))
        assert not window.sees("pinQuickChat")


async def test_the_header_says_until_when_it_is_kept() -> None:
    async with window_with_chat() as window:
        page = window.shown.view.pages.chat
        words = [label.text() for label in page.findChildren(QLabel)]
        assert any("Kept until" in text for text in words)


@pytest.mark.qt_log_ignore("This plugin does not support")
async def test_the_list_offers_the_pin_in_a_menu_of_the_row() -> None:
    async with window_with_chat() as window:
        sidebar = window.shown.view.sidebar
        index = sidebar.list.model().index(1, 0)
        assert "Kept until" in str(index.data(Qt.ItemDataRole.ToolTipRole))
        assert "Kept until" in str(index.data(Qt.ItemDataRole.AccessibleTextRole))
        sidebar.list.customContextMenuRequested.emit(sidebar.list.visualRect(index).center())
        await settle()
        menu = sidebar.list.findChild(QMenu, "sessionMenu")
        assert isinstance(menu, QMenu)
        QTest.keyClick(menu, Qt.Key.Key_Down)
        QTest.keyClick(menu, Qt.Key.Key_Return)
        await until(lambda: window.hosted.pinned == [(SessionId("q"), True)])
