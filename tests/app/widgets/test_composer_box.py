"""The composer as a human uses it: keys, input methods, queue, trouble, choices, small windows."""

from functools import partial

import pytest
from PySide6.QtCore import QEvent, QPoint, QRect, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QComboBox,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QToolButton,
    QWidget,
)

from app.pseudo_locale import PSEUDO
from app.viewmodels.preferences import SendKey
from app.widgets.touch import TouchMode
from backend.clock import Nanoseconds
from backend.domain.agents import ConfigOption, OptionChoice, SessionMode, SlashCommand, Usage
from backend.domain.hosted import AgentProblem, AgentStatus, AgentTrouble, QueuedPrompt
from backend.domain.input_mode import InputMode
from backend.errors import Conflict, ErrorCode, TemporarilyUnavailable
from backend.ids import MessageId, QueueEntryId, SessionId
from tests.helpers.clock import settle
from tests.helpers.desk_builders import make_session
from tests.helpers.fake_backend import FakeBackend
from tests.helpers.fake_conversations import make_conversation
from tests.helpers.hosted_window import hosted_window
from tests.helpers.waiting import until
from tests.helpers.window import shown_window

BUSY = TemporarilyUnavailable(ErrorCode.TEMPORARILY_UNAVAILABLE, "busy")
WORKING = make_conversation(
    status=AgentStatus.WORKING,
    input=InputMode.QUEUE,
    queue=tuple(
        QueuedPrompt(QueueEntryId(f"e{place}"), text, place, Nanoseconds(1))
        for place, text in enumerate(("first", "second"))
    ),
)
RICH = make_conversation(
    modes=(SessionMode("ask", "Ask first"), SessionMode("code", "Edit by itself")),
    mode="ask",
    options=(
        ConfigOption("model", "Model", "big", (OptionChoice("big", "Big"), OptionChoice("s", "S"))),
        ConfigOption("think", "Thinking", "true"),
    ),
    commands=(SlashCommand("compact", "Shorten"), SlashCommand("commit", hint="message")),
    usage=Usage(context_used=50_000, context_size=200_000, cost=0.5, currency="USD"),
)


def texts(window: QWidget, name: str) -> list[str]:
    return [
        str(widget.property("text"))
        for widget in window.findChildren(QWidget, name)
        if widget.isVisible()
    ]


async def test_enter_sends_and_shift_enter_makes_a_new_line() -> None:
    """window.md, Composer; K8.7 case 108."""
    async with hosted_window() as window:
        await window.type("one")
        await window.press(Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
        await window.type("two")
        assert window.sent == []
        await window.press(Qt.Key.Key_Return)
        await until(lambda: window.sent == ["one\ntwo"])
        assert window.edit.toPlainText() == ""
        assert "Sent" in window.hint


async def test_with_the_other_setting_only_ctrl_enter_sends() -> None:
    """window.md, Composer: Enter or Ctrl+Enter to send, a setting."""
    async with hosted_window() as window:
        window.shown.desk.preferences.set_send_key(SendKey.CTRL_ENTER)
        await window.type("one")
        await window.press(Qt.Key.Key_Return)
        assert window.sent == []
        await window.press(Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
        await until(lambda: window.sent == ["one"])


async def test_a_held_enter_sends_nothing() -> None:
    """window.md, Hands: Enter auto-repeat is ignored."""
    async with hosted_window() as window:
        await window.type("one")
        held = QKeyEvent(
            QEvent.Type.KeyPress, Qt.Key.Key_Return, Qt.KeyboardModifier.NoModifier, "\r", True
        )
        QApplication.sendEvent(window.edit, held)
        await settle()
        assert window.sent == []


async def test_words_an_input_method_is_still_at_work_on_are_never_sent() -> None:
    """window.md, Composer: IME-safe."""
    async with hosted_window() as window:
        await window.type("a")
        await window.compose("zhong")
        assert not window.find("sendButton").isEnabled()
        await window.press(Qt.Key.Key_Return)
        await window.click("sendButton")
        assert window.sent == []
        await window.compose("", "中")
        await window.press(Qt.Key.Key_Return)
        await until(lambda: window.sent == ["a中"])


async def test_for_fingers_enter_makes_a_line_and_everything_is_large_enough() -> None:
    """K8.3.8; window.md, Hands: 44 px; K8.8 m: Enter newline + Send."""
    async with hosted_window(WORKING) as window:
        window.shown.touch.set_mode(TouchMode.ON)
        await window.type("one")
        await window.press(Qt.Key.Key_Return)
        assert window.sent == []
        await settle()
        QApplication.sendPostedEvents()
        for name in ("sendButton", "stopButton", "queuedSendNow", "queuedRemove", "autoRun"):
            assert window.find(name).height() >= 44, name
        assert window.edit.height() >= 44


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, "Sends now"),
        ({"status": AgentStatus.ABSENT}, "starts the agent"),
        ({"status": AgentStatus.WORKING, "input": InputMode.QUEUE}, "the agent is working"),
        ({"status": AgentStatus.STARTING, "input": InputMode.QUEUE}, "the agent is starting"),
        ({"input": InputMode.UNAVAILABLE}, "has ended"),
    ],
)
async def test_the_mode_is_said_in_words(changes: dict[str, object], words: str) -> None:
    """window.md, Composer: sends now, will be queued, session ended."""
    async with hosted_window(make_conversation("s1", **changes)) as window:
        assert words in window.hint


async def test_a_guest_has_a_line_instead_of_a_composer() -> None:
    backend = FakeBackend()
    backend.desk.conversations.guests.add(make_session().session_id)
    backend.desk.put_session(make_session())
    async with shown_window(backend) as shown:
        line = shown.find("guestLine")
        assert isinstance(line, QLabel)
        assert "not messaged" in line.text()
        assert not shown.find("composer").isVisible()


async def test_an_outcome_that_is_not_known_is_said_with_retry_and_keeps_the_words() -> None:
    """K8.3.6: other words than a refusal."""
    async with hosted_window() as window:
        for _ in range(2):
            window.hosted.fail("send", BUSY)
        await window.type("one")
        await window.press(Qt.Key.Key_Return)
        await until(lambda: "not known" in window.hint)
        assert window.edit.toPlainText() == "one"
        await window.click("retrySending")
        await until(lambda: window.sent == ["one"])


async def test_a_full_queue_is_said_and_keeps_the_words() -> None:
    """K8.3.6."""
    async with hosted_window(WORKING) as window:
        window.hosted.fail("send", Conflict(ErrorCode.QUEUE_FULL, "full", limit=10))
        await window.type("one")
        await window.press(Qt.Key.Key_Return)
        await until(lambda: "10 messages wait" in window.hint)
        assert window.edit.toPlainText() == "one"


async def test_queued_messages_are_shown_and_managed() -> None:
    """K8.8; kandev-app d.4: rows with send now, edit, move, remove and auto-run."""
    async with hosted_window(WORKING) as window:
        assert window.find("queueList").accessibleName() == "2 of 10 queued"
        await window.click("queuedDown")
        await until(lambda: _queue(window.hosted.known[SessionId("s1")]) == ["second", "first"])
        await window.click("queuedEdit")
        editor = window.find("queuedEditor")
        editor.setProperty("plainText", "changed")
        await window.click("queuedKeep")
        await until(lambda: _queue(window.hosted.known[SessionId("s1")]) == ["changed", "first"])
        await window.click("queuedRemove")
        await until(lambda: _queue(window.hosted.known[SessionId("s1")]) == ["first"])
        box = window.find("autoRun")
        assert isinstance(box, QCheckBox)
        box.click()
        await until(lambda: "set_auto_run" in window.hosted.calls)


async def test_what_is_being_edited_in_the_queue_stays_while_the_queue_changes() -> None:
    async with hosted_window(WORKING) as window:
        await window.click("queuedEdit")
        window.find("queuedEditor").setProperty("plainText", "half")
        window.hosted.change(auto_run=False)
        await settle()
        assert window.find("queuedEditor").property("plainText") == "half"


async def test_a_change_goes_with_its_message_when_the_one_before_it_leaves() -> None:
    async with hosted_window(WORKING) as window:
        window.shown.window.findChildren(QToolButton, "queuedEdit")[1].click()
        editor = window.find("queuedEditor")
        assert isinstance(editor, QPlainTextEdit)
        QTest.keyClicks(editor, " half")
        await window.click("queuedRemove")
        await until(lambda: window.find("queueList").accessibleName() == "1 of 10 queued")
        moved = window.find("queuedEditor")
        assert moved.property("plainText") == "second half"
        assert moved.hasFocus()
        await window.click("queuedKeep")
        await until(lambda: _queue(window.hosted.known[SessionId("s1")]) == ["second half"])
        assert not window.sees("queuedEditor")


async def test_a_change_whose_message_was_sent_meanwhile_is_kept_in_the_composer() -> None:
    async with hosted_window(WORKING) as window:
        await window.click("queuedEdit")
        editor = window.find("queuedEditor")
        assert isinstance(editor, QPlainTextEdit)
        QTest.keyClicks(editor, " and more")
        window.hosted.change(queue=())
        await until(lambda: window.edit.toPlainText() == "first and more")
        await window.press(Qt.Key.Key_E)
        await window.press(Qt.Key.Key_Return)
        assert window.sent == []
        assert "set_mode" not in window.hosted.calls


def _in_sight(widget: QWidget) -> bool:
    return widget.visibleRegion().boundingRect() == widget.rect()


@pytest.mark.parametrize(("place", "size"), [(4, (1180, 780)), (2, (800, 600))])
async def test_the_editor_of_a_queued_message_is_in_sight_whole(
    place: int, size: tuple[int, int]
) -> None:
    queue = tuple(
        QueuedPrompt(QueueEntryId(f"e{place}"), "text", place, Nanoseconds(1)) for place in range(5)
    )
    working = make_conversation(status=AgentStatus.WORKING, input=InputMode.QUEUE, queue=queue)
    async with hosted_window(working, size=size) as window:
        window.shown.window.findChildren(QToolButton, "queuedEdit")[place].click()
        for name in ("queuedEditor", "queuedKeep"):
            part = window.find(name)
            await until(partial(_in_sight, part))


async def test_what_waits_in_a_held_queue_is_not_said_to_be_sent_by_itself() -> None:
    async with hosted_window(WORKING) as window:
        await window.type("one")
        await window.press(Qt.Key.Key_Return)
        await until(lambda: "when the agent is free" in window.hint)
        window.hosted.change(auto_run=False)
        await until(lambda: window.hint == "Queued. It waits until you send it.")
        window.hosted.change(queue=(), auto_run=True)
        await until(lambda: "the agent is working" in window.hint)


async def test_stop_is_there_while_the_agent_works_and_works_once() -> None:
    async with hosted_window(WORKING) as window:
        await window.click("stopButton")
        await until(lambda: "cancel_turn" in window.hosted.calls)
        assert not window.find("stopButton").isEnabled()
        window.hosted.change(status=AgentStatus.READY, input=InputMode.DIRECT)
        await until(lambda: not window.sees("stopButton"))


async def test_commands_are_chosen_by_keys_without_leaving_the_editor() -> None:
    """window.md, Composer: slash commands offered by the agent."""
    async with hosted_window(RICH) as window:
        await window.type("/co")
        assert window.sees("commandList")
        await window.press(Qt.Key.Key_Down)
        await window.press(Qt.Key.Key_Return)
        assert window.edit.toPlainText() == "/commit "
        assert window.edit.hasFocus()
        assert window.sent == []
        window.edit.setPlainText("/")
        await window.press(Qt.Key.Key_Escape)
        assert not window.sees("commandList")
        assert window.edit.toPlainText() == "/"


async def test_a_choice_is_shown_when_the_agent_has_taken_it() -> None:
    async with hosted_window(RICH) as window:
        box = window.find("agentMode")
        assert isinstance(box, QComboBox)
        box.activated.emit(1)
        await until(lambda: ("mode", "code") in window.hosted.chosen)
        assert box.currentText() == "Edit by itself"
        window.hosted.fail("set_option", Conflict(ErrorCode.NOT_ACTIVE, "not now"))
        model = window.find("agentOption_model")
        assert isinstance(model, QComboBox)
        model.setCurrentIndex(1)
        model.activated.emit(1)
        await until(lambda: "not possible" in window.hint)
        assert model.currentText() == "Big"


async def test_usage_is_told_in_words() -> None:
    async with hosted_window(RICH) as window:
        assert texts(window.shown.window, "agentUsage") == ["Context: 25 % of 200 k · 0.50 USD"]


@pytest.mark.parametrize("problem", list(AgentProblem))
async def test_every_trouble_has_words_and_a_way_on(problem: AgentProblem) -> None:
    doubt = problem in {AgentProblem.SILENT, AgentProblem.IGNORES_CANCEL}
    status = AgentStatus.WORKING if doubt else AgentStatus.FAILED
    trouble = AgentTrouble(problem, "stderr: it went wrong")
    async with hosted_window(make_conversation(status=status, trouble=trouble)) as window:
        assert texts(window.shown.window, "troubleText")[0].strip()
        ways = ("resumeAgent", "startAnew", "endAgent")
        assert [name for name in ways if window.sees(name)]
        await window.click("troubleDetailsButton")
        assert window.find("troubleDetails").property("plainText") == "stderr: it went wrong"


async def test_a_message_that_was_not_sent_is_said_and_taken_back_by_a_press() -> None:
    """No session is held by words its agent cannot be given; also where no trouble is known."""
    waits = make_conversation(
        status=AgentStatus.FAILED,
        input=InputMode.QUEUE,
        unsent=MessageId("m1"),
        trouble=AgentTrouble(AgentProblem.COMMAND_MISSING, "no such file"),
    )
    async with hosted_window(waits) as window:
        window.hosted.unsent[MessageId("m1")] = "go on"
        assert "not sent" in str(window.find("troubleText").property("text"))
        assert window.sees("resumeAgent")
        window.hosted.change(status=AgentStatus.ABSENT, trouble=None)
        await settle()
        assert "not sent" in str(window.find("troubleText").property("text"))
        await window.click("takeMessageBack")
        assert window.edit.toPlainText() == "go on"
        assert not window.sees("troubleBar")


async def test_what_cannot_be_continued_is_started_anew_only_by_a_press() -> None:
    lost = AgentTrouble(AgentProblem.LOAD_FAILED)
    async with hosted_window(make_conversation(status=AgentStatus.FAILED, trouble=lost)) as window:
        assert "remembers nothing" in texts(window.shown.window, "troubleText")[0]
        await window.click("startAnew")
        await until(lambda: "resume anew" in window.hosted.calls)


@pytest.mark.parametrize("language", ["en", "zh_CN", PSEUDO])
@pytest.mark.parametrize("zoom", [1.0, 2.0])
async def test_at_800_by_600_what_is_needed_to_write_is_in_sight(
    language: str, zoom: float
) -> None:
    """K8.3.8; window.md, Layout: everything works at 800 x 600 at 200 %."""
    async with hosted_window(WORKING, size=(800, 600)) as window:
        window.shown.language.use(language)
        window.shown.theme.set_zoom(zoom)
        await settle()
        QApplication.sendPostedEvents()
        whole = window.shown.window.rect()
        for name in ("composerEdit", "sendButton"):
            part = window.find(name)
            place = QRect(part.mapTo(window.shown.window, QPoint(0, 0)), part.size())
            assert whole.contains(place), name
        button = window.find("sendButton")
        assert isinstance(button, QPushButton)
        assert button.width() >= button.sizeHint().width()


async def test_language_and_words_change_live() -> None:
    async with hosted_window() as window:
        await window.type("kept")
        window.shown.language.use("zh_CN")
        await settle()
        assert window.hint == "立即发送"
        assert window.edit.toPlainText() == "kept"


async def test_after_a_question_is_answered_the_keyboard_is_in_the_composer() -> None:
    """window.md, Hands: after closing, focus returns to the opener or to the composer."""
    async with hosted_window() as window:
        window.shown.view.focus_writing()
        assert window.edit.hasFocus()


def _queue(conversation: object) -> list[str]:
    return [entry.text for entry in getattr(conversation, "queue", ())]
