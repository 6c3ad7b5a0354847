"""The page that starts a conversation, and the panel of the Quick Chat, as a human uses them."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QFileDialog, QPlainTextEdit, QWidget

from app.pseudo_locale import PSEUDO
from backend.domain.agents import AgentCommand
from backend.domain.conversation import SessionKind
from backend.domain.hosted import AgentOffer
from backend.errors import ErrorCode, InvalidInput
from backend.ids import AgentKey, SessionId
from tests.helpers.clock import settle
from tests.helpers.desk_builders import make_session
from tests.helpers.fake_backend import FakeBackend
from tests.helpers.fake_conversations import make_conversation
from tests.helpers.hosted_window import HostedWindow
from tests.helpers.waiting import until
from tests.helpers.window import shown_window

OFFERS = (
    AgentOffer(AgentKey("codex"), "Codex", None, "npm install -g codex"),
    AgentOffer(AgentKey("claude"), "Claude Code", AgentCommand(("claude",))),
)


def desk() -> FakeBackend:
    backend = FakeBackend()
    backend.desk.conversations.offers = OFFERS
    backend.desk.conversations.guests.add(SessionId("s1"))
    backend.desk.put_session(make_session("s1", workspace="/home/ann/shop"))
    return backend


async def fill(window: HostedWindow, prompt: str) -> None:
    field = window.find("firstPrompt")
    assert isinstance(field, QPlainTextEdit)
    field.setPlainText(prompt)
    await settle()


@pytest.mark.parametrize("way", ["button", "keys", "welcome"])
async def test_a_conversation_is_started_and_shown(way: str) -> None:
    """window.md, Layout: from the side pane, Ctrl+N and the welcome page."""
    async with shown_window(desk()) as shown:
        window = HostedWindow(shown)
        if way == "button":
            await window.click("newSession")
        elif way == "keys":
            QTest.keyClick(shown.window, Qt.Key.Key_N, Qt.KeyboardModifier.ControlModifier)
        else:
            shown.view.show_welcome()
            await window.click("startFromWelcome")
        await until(lambda: window.sees("agentChoice_claude"))
        folder = window.find("sessionFolder")
        assert isinstance(folder, QComboBox)
        assert folder.currentText() == "/home/ann/shop"
        await fill(window, "Write it.")
        await window.click("startSession")
        await until(lambda: window.sees("composerEdit"))
        (start,) = window.hosted.started
        assert (start.agent, start.prompt) == ("claude", "Write it.")
        assert window.edit.hasFocus()


async def test_an_error_is_said_at_its_field() -> None:
    async with shown_window(desk()) as shown:
        window = HostedWindow(shown)
        await window.click("newSession")
        await until(lambda: window.sees("agentChoice_claude"))
        await fill(window, "Write it.")
        window.hosted.fail("start_session", InvalidInput(ErrorCode.INVALID, "", field="folder"))
        await window.click("startSession")
        await until(lambda: window.sees("problem_folder"))
        assert not window.sees("problem_agent")
        assert window.find("sessionFolder").hasFocus()
        await window.click("cancelNewSession")
        await window.click("newSession")
        assert window.find("firstPrompt").property("plainText") == "Write it."


async def test_without_a_folder_the_page_begins_at_it() -> None:
    backend = FakeBackend()
    backend.desk.conversations.offers = OFFERS
    async with shown_window(backend) as shown:
        window = HostedWindow(shown)
        await window.click("newSession")
        await until(lambda: window.sees("agentChoice_claude"))
        folder = window.find("sessionFolder")
        assert isinstance(folder, QComboBox)
        assert folder.hasFocus()
        edit = folder.lineEdit()
        assert edit is not None
        assert edit.placeholderText() == "The project's folder"


async def test_a_folder_is_chosen_without_stopping_the_window() -> None:
    async with shown_window(desk()) as shown:
        window = HostedWindow(shown)
        await window.click("newSession")
        await window.click("browseFolder")
        dialog = shown.window.findChild(QFileDialog, "folderDialog")
        assert isinstance(dialog, QFileDialog)
        dialog.fileSelected.emit("/home/ann/other")
        dialog.close()
        await settle()
        assert shown.desk.new_session.folder == "/home/ann/other"


@pytest.mark.parametrize("language", ["zh_CN", PSEUDO])
async def test_everything_is_named_and_reachable_at_800_by_600(language: str) -> None:
    async with shown_window(desk(), width=800, height=600) as shown:
        window = HostedWindow(shown)
        shown.language.use(language)
        shown.view.show_new_session()
        await until(lambda: window.sees("agentChoice_claude"))
        page = shown.view.pages.new_session
        QApplication.sendPostedEvents()
        assert page.horizontalScrollBar().maximum() == 0
        for name in ("startSession", "cancelNewSession", "browseFolder", "agentChoice_claude"):
            found = page.findChild(QWidget, name)
            assert isinstance(found, QWidget)
            assert found.height() >= 44, name


async def test_a_quick_chat_opens_beside_and_closes_with_the_keyboard_given_back() -> None:
    """window.md, Layout: a side panel with the same composer."""
    backend = desk()
    backend.desk.conversations.host(make_conversation("q", folder=""))
    quick = make_session("q", kind=SessionKind.HOSTED, workspace="", updated=7e6)
    async with shown_window(backend) as shown:
        shown.desk.open_session(SessionId("s1"))
        await until(lambda: shown.desk.settled)
        await HostedWindow(shown).click("quickChatButton")
        window = HostedWindow(shown)
        await until(lambda: window.sees("quickPrompt"))
        backend.desk.put_session(quick)
        panel = shown.view.quick.panel
        assert panel is not None
        panel.view_model.show_session(SessionId("q"))
        await until(lambda: window.sees("composerEdit"))
        await window.type("hello")
        await window.press(Qt.Key.Key_Return)
        await until(lambda: window.sent == ["hello"])
        assert shown.desk.sessions.current_id == "s1"
        shown.desk.open_session(SessionId("q"))
        await until(lambda: not window.sees("quickChat"))


async def test_in_a_narrow_window_the_quick_chat_takes_the_place_of_the_page() -> None:
    async with shown_window(desk(), width=800, height=600) as shown:
        window = HostedWindow(shown)
        shown.view.quick.toggle()
        await until(lambda: window.sees("quickPrompt"))
        assert not shown.view.pages.chat.isVisible()
        await window.click("closeQuickChat")
        await until(lambda: not window.sees("quickChat"))


async def test_agents_that_can_be_installed_push_nothing_out_of_sight() -> None:
    """window.md, Feedback people expect: how to install the others is one press away."""
    async with shown_window(desk()) as shown:
        window = HostedWindow(shown)
        await window.click("newSession")
        await until(lambda: window.sees("agentChoice_claude"))
        assert not window.sees("agentChoice_codex")
        await window.click("otherAgents")
        assert window.sees("agentChoice_codex")
        assert not window.find("agentChoice_codex").isEnabled()
        await window.click("otherAgents")
        assert not window.sees("agentChoice_codex")
