"""The form for an earlier question: from the transcript, with its own way back (K6.5)."""

import dataclasses

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPlainTextEdit, QPushButton

from app.models.transcript_model import TranscriptRole
from app.widgets.message_delegate import MessageDelegate
from app.widgets.row_layout import AnswerLate
from app.widgets.status_banner import StatusBanner
from backend.domain.clarification import Bundle, BundleStatus, Delivery
from backend.domain.hosted import AgentStatus
from backend.domain.input_mode import InputMode
from backend.errors import ErrorCode, TemporarilyUnavailable
from backend.ids import MessageId, PendingId
from tests.helpers.clock import settle
from tests.helpers.desk_builders import make_bundle, make_question, question_messages
from tests.helpers.fake_conversations import make_conversation
from tests.helpers.hosted_window import HostedWindow, hosted_window
from tests.helpers.waiting import until

BUSY = TemporarilyUnavailable(ErrorCode.TEMPORARILY_UNAVAILABLE, "busy")


def expired(*prompts: str) -> Bundle:
    questions = [
        make_question(prompt, name=f"q{number}") for number, prompt in enumerate(prompts, start=1)
    ]
    bundle = make_bundle("p1", questions, status=BundleStatus.EXPIRED)
    return dataclasses.replace(bundle, hosted=True)


async def open_form(window: HostedWindow, bundle: Bundle) -> None:
    """As from the transcript: its row asks for the form."""
    desk = window.shown.backend.desk
    desk.bundles[bundle.pending_id] = bundle
    desk.add_messages(*question_messages(bundle))
    await settle()
    window.shown.view.pages.chat.transcript.late_answer_wanted.emit(bundle.pending_id)
    await until(lambda: window.sees("lateAnswerForm"))


async def arm(window: HostedWindow, name: str = "sendAsNewMessage") -> None:
    """Nothing that answers works before it has stood still for a moment."""
    form = window.shown.view.pages.chat.foot.late
    await until(lambda: form.guard.accepts(window.find(name)), seconds=3)


def banner(window: HostedWindow) -> str:
    return str(window.find("statusText").property("text"))


async def test_an_earlier_unanswered_question_offers_it_once_in_its_row() -> None:
    """LC.4."""
    async with hosted_window() as window:
        bundle = expired("One?", "Two?")
        window.shown.backend.desk.add_messages(*question_messages(bundle))
        transcript = window.shown.view.pages.chat.transcript
        model = transcript.model()
        await until(lambda: model.rowCount() == 2)
        delegate = transcript.itemDelegate()
        assert isinstance(delegate, MessageDelegate)
        layouts = [delegate.row_layout(model.index(row, 0)) for row in (0, 1)]
        offered = [
            target.action
            for layout in layouts
            for target in layout.targets
            if isinstance(target.action, AnswerLate)
        ]
        assert offered == [AnswerLate(PendingId("p1"))]


async def test_an_answer_that_is_not_confirmed_offers_in_its_row_to_be_sent_again() -> None:
    """Answered, and nobody knows whether the agent has it; a delivered one offers nothing."""
    async with hosted_window() as window:
        asked = expired("Which database?")
        rows = tuple(
            dataclasses.replace(row, status=BundleStatus.ANSWERED) for row in asked.questions
        )
        bundle = dataclasses.replace(asked, questions=rows, status=BundleStatus.ANSWERED)
        (message,) = question_messages(bundle)
        delivered = dataclasses.replace(
            message, message_id=MessageId("m-other"), delivery=Delivery.DELIVERED
        )
        unconfirmed = dataclasses.replace(message, delivery=Delivery.UNKNOWN)
        window.shown.backend.desk.add_messages(unconfirmed, delivered)
        transcript = window.shown.view.pages.chat.transcript
        model = transcript.model()
        await until(lambda: model.rowCount() == 2)
        delegate = transcript.itemDelegate()
        assert isinstance(delegate, MessageDelegate)
        offered = {
            model.index(row, 0).data(TranscriptRole.MESSAGE).delivery: [
                target.name for target in delegate.row_layout(model.index(row, 0)).targets
            ]
            for row in (0, 1)
        }
        assert offered[Delivery.UNKNOWN] == ["Send again as new message"]
        assert offered[Delivery.DELIVERED] == []


async def test_it_is_filled_in_and_sent_as_a_new_message() -> None:
    """LC.4, LC.5; no option sends by itself."""
    async with hosted_window() as window:
        await open_form(window, expired("Which database?"))
        await arm(window)
        await window.click("optionButton_2")
        assert window.sent == []
        await window.click("optionButton_2")
        assert window.sent == []
        await arm(window)
        await window.click("sendAsNewMessage")
        await until(lambda: len(window.sent) == 1)
        assert window.sent[0].endswith("Answer: PostgreSQL")
        await until(lambda: not window.sees("lateAnswerForm"))
        assert banner(window).startswith("Sent as a new message")
        assert window.shown.view.pages.chat.transcript.hasFocus()


async def test_it_says_close_and_send_and_offers_no_skip() -> None:
    """LC.4; K6.5, late mode: Close instead of Skip, "Send as new message"."""
    async with hosted_window() as window:
        await open_form(window, expired("Which database?"))
        form = window.find("lateAnswerForm")
        words = [
            button.text() for button in form.findChildren(QPushButton) if button.isVisibleTo(form)
        ]
        assert "Close" in words
        assert "Send as new message" in words
        assert not [text for text in words if "Skip" in text or text == "Submit"]


async def test_where_its_row_has_left_the_keyboard_goes_to_the_composer() -> None:
    """K6.5; seed: to the transcript opener, or to the composer."""
    async with hosted_window() as window:
        await open_form(window, expired("Which database?"))
        form = window.shown.view.pages.chat.foot.late
        form.set_opener(None)
        wanted: list[bool] = []
        form.focus_wanted.connect(lambda: wanted.append(True))
        await window.click("closeLateAnswer")
        await until(lambda: not window.sees("lateAnswerForm"))
        assert wanted == [True]
        assert window.edit.hasFocus()


async def test_its_words_are_in_the_humans_language_and_stay_while_they_are_retried() -> None:
    """K8.7 case 105; K6.5: labels are localized; the same identity is the same payload in another
    language too.
    """
    async with hosted_window() as window:
        window.shown.language.use("zh_CN")
        await open_form(window, expired("Which database?"))
        window.hosted.lose_reply("send", BUSY)
        window.hosted.fail("find_admission", BUSY)
        await arm(window)
        await window.click("optionButton_1")
        await arm(window)
        await window.click("sendAsNewMessage")
        await until(lambda: window.sees("retryButton"))
        assert window.sent == ["问题 1\nWhich database?\n回答: SQLite"]
        window.shown.language.use("en")
        await settle()
        said = window.find("statusBanner")
        assert isinstance(said, StatusBanner)
        await until(lambda: said.guard.accepts(window.find("retryButton")), seconds=3)
        await window.click("retryButton")
        await until(lambda: banner(window).startswith("Sent as a new message"))
        assert len(window.sent) == 1


async def test_queued_is_said_in_other_words() -> None:
    """LC.9."""
    busy = make_conversation(status=AgentStatus.WORKING, input=InputMode.QUEUE)
    async with hosted_window(busy) as window:
        await open_form(window, expired("Which database?"))
        await arm(window)
        await window.click("optionButton_1")
        await arm(window)
        await window.click("sendAsNewMessage")
        await until(lambda: banner(window).startswith("Queued as a new message"))


@pytest.mark.parametrize("way", ["Close", "Esc"])
async def test_closing_it_sends_nothing_and_gives_the_keyboard_back(way: str) -> None:
    """LC.6; seed: return focus to the transcript opener or composer after closing."""
    async with hosted_window() as window:
        await open_form(window, expired("Which database?"))
        await arm(window)
        await window.click("optionButton_1")
        if way == "Close":
            await window.click("closeLateAnswer")
        else:
            form = window.find("lateAnswerForm")
            QTest.keyClick(QApplication.focusWidget() or form, Qt.Key.Key_Escape)
            await settle()
        await until(lambda: not window.sees("lateAnswerForm"))
        assert window.sent == []
        assert window.shown.view.pages.chat.transcript.hasFocus()


async def test_a_failure_is_said_with_retry_and_keeps_what_was_put_in() -> None:
    """K6.5: on failure keep the draft, show Retry, the same identity."""
    async with hosted_window() as window:
        await open_form(window, expired("Which database?"))
        field = window.find("customAnswer")
        assert isinstance(field, QPlainTextEdit)
        field.setPlainText("DuckDB")
        for _ in range(2):
            window.hosted.fail("send", BUSY)
        await arm(window)
        await window.click("sendAsNewMessage")
        await until(lambda: "not known" in banner(window))
        assert window.sees("lateAnswerForm")
        said = window.find("statusBanner")
        assert isinstance(said, StatusBanner)
        await until(lambda: said.guard.accepts(window.find("retryButton")), seconds=3)
        await window.click("retryButton")
        await until(lambda: len(window.sent) == 1)
        assert window.sent[0].endswith("Answer: DuckDB")


async def test_several_questions_are_stepped_through() -> None:
    async with hosted_window() as window:
        await open_form(window, expired("One?", "Two?"))
        await arm(window)
        await window.click("optionButton_1")
        await window.click("nextQuestion")
        assert window.sees("missingAnswers")
        await arm(window, "optionButton_2")
        await window.click("optionButton_2")
        assert not window.sees("missingAnswers")


async def test_it_fits_at_800_by_600() -> None:
    async with hosted_window(size=(800, 600)) as window:
        await open_form(window, expired("Which database?"))
        QApplication.sendPostedEvents()
        whole = window.shown.window.rect()
        for name in ("closeLateAnswer", "sendAsNewMessage", "composerEdit"):
            part = window.find(name)
            place = part.mapTo(window.shown.window, part.rect().bottomRight())
            assert whole.contains(place), name


async def test_its_words_change_live() -> None:
    async with hosted_window() as window:
        await open_form(window, expired("Which database?"))
        window.shown.language.use("zh_CN")
        await settle()
        assert window.find("sendAsNewMessage").property("text") == "作为新消息发送"


async def test_it_says_which_answers_are_missing_and_leads_to_the_first() -> None:
    """LC.4: a form that is not complete says why, also to who does not see it."""
    async with hosted_window() as window:
        await open_form(window, expired("One?", "Two?", "Three?"))
        await arm(window)
        missing = window.find("missingAnswers")
        send = window.find("sendAsNewMessage")
        assert missing.property("text") == (
            "Still to be answered: Question 1, Question 2, and Question 3"
        )
        await window.click("optionButton_2")
        assert missing.property("text") == "Still to be answered: Question 2 and Question 3"
        assert send.accessibleDescription() == missing.property("text")
        await arm(window)
        await window.click("sendAsNewMessage")
        assert window.sent == []
        form = window.shown.view.pages.chat.foot.late
        focus = QApplication.focusWidget()
        assert focus is not None
        assert form.body.isAncestorOf(focus)
        assert window.shown.desk.clarification.late.opened is not None
        assert window.shown.desk.clarification.late.opened.card.step == 1


async def test_a_single_answer_that_is_missing_is_said_until_it_is_there() -> None:
    async with hosted_window() as window:
        await open_form(window, expired("Which database?"))
        await arm(window)
        assert "Choose an option" in str(window.find("missingAnswers").property("text"))
        await window.press(Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
        assert window.sent == []
        await window.click("optionButton_1")
        assert not window.sees("missingAnswers")
