"""A window that shows a hosted conversation on a fake desk, used as a human would."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from PySide6.QtCore import Qt
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPlainTextEdit, QWidget

from backend.domain.conversation import SessionKind
from backend.domain.hosted import Conversation
from backend.ids import SessionId
from tests.helpers.clock import settle
from tests.helpers.desk_builders import make_session
from tests.helpers.fake_backend import FakeBackend
from tests.helpers.fake_conversations import FakeConversations, make_conversation
from tests.helpers.waiting import until
from tests.helpers.window import Shown, shown_window


class HostedWindow:
    """Finds what is visible by its automation name."""

    def __init__(self, shown: Shown) -> None:
        self.shown = shown
        self.hosted: FakeConversations = shown.backend.desk.conversations

    @property
    def edit(self) -> QPlainTextEdit:
        found = self.find("composerEdit")
        assert isinstance(found, QPlainTextEdit)
        return found

    @property
    def sent(self) -> list[str]:
        return [message.text for message in self.hosted.sent]

    @property
    def hint(self) -> str:
        return str(self.find("composerHint").property("text"))

    def sees(self, name: str) -> bool:
        return any(w.isVisible() for w in self.shown.window.findChildren(QWidget, name))

    def find(self, name: str) -> QWidget:
        found = self.shown.window.findChildren(QWidget, name)
        visible = [widget for widget in found if widget.isVisible()]
        assert visible, f"nobody sees {name}"
        return visible[0]

    async def click(self, name: str) -> None:
        QApplication.sendPostedEvents()
        QTest.mouseClick(self.find(name), Qt.MouseButton.LeftButton)
        await settle()

    async def type(self, text: str) -> None:
        self.edit.setFocus()
        QTest.keyClicks(self.edit, text)
        await settle()

    async def press(
        self, key: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier
    ) -> None:
        QTest.keyClick(QApplication.focusWidget() or self.edit, key, modifiers)
        await settle()

    async def compose(self, preedit: str, commit: str = "") -> None:
        event = QInputMethodEvent(preedit, [])
        if commit:
            event.setCommitString(commit)
        QApplication.sendEvent(self.edit, event)
        await settle()


@asynccontextmanager
async def hosted_window(
    conversation: Conversation | None = None,
    *,
    pending: int = 0,
    size: tuple[int, int] = (1180, 780),
) -> AsyncIterator[HostedWindow]:
    """Shown and active, with the session open."""
    backend = FakeBackend()
    shown_conversation = conversation or make_conversation()
    backend.desk.conversations.host(shown_conversation)
    backend.desk.put_session(
        make_session(
            shown_conversation.session_id,
            kind=SessionKind.HOSTED,
            title="Shop",
            pending=pending,
        )
    )
    async with shown_window(backend, width=size[0], height=size[1]) as shown:
        shown.desk.open_session(SessionId(shown_conversation.session_id))
        window = HostedWindow(shown)
        await until(lambda: window.sees("composer"))
        await until(shown.window.isActiveWindow)
        yield window
