"""Answering a question with hands: what is sent, and only what was meant (K6.2; window.md)."""

import dataclasses

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QLabel, QPlainTextEdit, QPushButton, QTabBar

from app.viewmodels.clarification_card import Phase
from backend.domain.clarification import (
    Answer,
    AnswerDraft,
    Answered,
    Delivery,
    Option,
    Question,
    Skipped,
    StoredAnswer,
)
from backend.errors import Conflict, ErrorCode, TemporarilyUnavailable
from backend.ids import OptionId, PendingId, QuestionId
from tests.helpers.clock import settle
from tests.helpers.desk_builders import make_bundle, make_question, moment
from tests.helpers.overlay_window import overlay_window
from tests.helpers.waiting import until

FREE = Question(QuestionId("q3"), "What should it be called?", "Name")
MULTI = make_question("Which targets?", ("deb", "AppImage", "msi"), name="q2", multi_select=True)

_CONTROLS = (
    "optionButton_1",
    "optionButton_2",
    "customAnswer",
    "previousQuestion",
    "nextQuestion",
    "submitAnswers",
    "skipQuestions",
    "collapseOverlay",
)


def chose(*options: str, text: str = "", question: str = "q1") -> Answer:
    return Answer(QuestionId(question), tuple(OptionId(option) for option in options), text)


async def test_one_click_on_an_option_sends_nothing_and_submit_does() -> None:
    """K8.7 case 94; window.md: an option arms Submit."""
    async with overlay_window(make_bundle()) as shown:
        assert not shown.widget("submitAnswers").isEnabled()
        await shown.click("optionButton_2")
        assert not shown.case.desk.responses
        await shown.click("submitAnswers")
        assert shown.case.sent == [(PendingId("p1"), Answered((chose("o2"),)))]


async def test_a_second_deliberate_activation_sends_a_double_click_does_not() -> None:
    """window.md: sent by a second, deliberate activation of the same option."""
    async with overlay_window(make_bundle()) as shown:
        option = shown.widget("optionButton_1")
        QTest.mouseClick(option, Qt.MouseButton.LeftButton)
        QTest.mouseDClick(option, Qt.MouseButton.LeftButton)
        await settle()
        assert not shown.case.desk.responses
        await shown.arm()
        await shown.click("optionButton_1")
        assert shown.case.sent == [(PendingId("p1"), Answered((chose("o1"),)))]


async def test_an_option_restored_from_a_draft_needs_two_activations_too() -> None:
    async with overlay_window() as shown:
        bundle = make_bundle()
        await shown.case.desk.save_draft(AnswerDraft(PendingId("p1"), (chose("o2"),)))
        shown.case.desk.open(bundle)
        await shown.arm()
        await shown.click("optionButton_2")
        assert not shown.case.desk.responses
        await shown.arm()
        await shown.click("optionButton_2")
        assert len(shown.case.desk.responses) == 1


async def test_a_double_click_on_submit_is_one_respond() -> None:
    """K8.7 case 99."""
    async with overlay_window(make_bundle()) as shown:
        await shown.click("optionButton_1")
        submit = shown.widget("submitAnswers")
        QTest.mouseClick(submit, Qt.MouseButton.LeftButton)
        QTest.mouseDClick(submit, Qt.MouseButton.LeftButton)
        await settle()
        assert shown.case.desk.calls.count("respond") == 1


async def test_several_questions_are_reviewed_before_they_are_sent() -> None:
    """window.md: stepper, "k of n answered", review before submit; K8.8 happy path 3."""
    async with overlay_window(make_bundle(questions=(make_question(), MULTI, FREE))) as shown:
        await shown.click("optionButton_1")
        assert shown.case.card.step == 1
        assert shown.find(QLabel, "questionProgress").text() == "1 of 3 answered"
        await shown.arm()
        await shown.click("optionButton_1")
        await shown.click("optionButton_3")
        await shown.click("nextQuestion")
        shown.find(QPlainTextEdit, "customAnswer").setPlainText("Otter")
        assert shown.widget("submitAnswers").isEnabled()
        await shown.arm()
        await shown.click("submitAnswers")
        assert shown.case.card.reviewing
        assert not shown.case.desk.responses
        assert shown.find(QLabel, "reviewAnswer_2").text() == "deb, msi"
        await shown.click("submitAnswers")
        assert not shown.case.desk.responses
        await shown.arm()
        await shown.click("submitAnswers")
        assert shown.case.sent == [
            (
                PendingId("p1"),
                Answered(
                    (
                        chose("o1"),
                        chose("o1", "o3", question="q2"),
                        chose(text="Otter", question="q3"),
                    )
                ),
            )
        ]


async def test_submit_stays_shut_while_an_answer_is_missing_and_review_says_which() -> None:
    """K8.8 submit gating, jump."""
    async with overlay_window(make_bundle(questions=(make_question(), FREE))) as shown:
        await shown.click("optionButton_1")
        tabs = shown.find(QTabBar, "questionTabs")
        QTest.mouseClick(tabs, Qt.MouseButton.LeftButton, pos=tabs.tabRect(2).center())
        assert shown.case.card.reviewing
        assert shown.find(QLabel, "reviewAnswer_2").text() == "Not answered yet"
        assert not shown.widget("submitAnswers").isEnabled()
        await shown.click("changeAnswer_2")
        assert shown.case.card.step == 1


async def test_back_is_shut_on_the_first_question_and_next_on_the_review() -> None:
    """K8.8: Back disabled first."""
    async with overlay_window(make_bundle(questions=(make_question(), FREE))) as shown:
        assert not shown.widget("previousQuestion").isEnabled()
        await shown.click("nextQuestion")
        await shown.click("nextQuestion")
        assert shown.case.card.reviewing
        assert not shown.widget("nextQuestion").isEnabled()
        await shown.click("previousQuestion")
        assert shown.case.card.step == 1


async def test_typing_takes_the_place_of_the_option_and_emptying_leaves_nothing() -> None:
    """K8.7 case 94; K6.2; K8.8: typing selects custom, emptying clears."""
    async with overlay_window(make_bundle()) as shown:
        await shown.click("optionButton_1")
        field = shown.find(QPlainTextEdit, "customAnswer")
        field.setPlainText("neither")
        assert shown.case.card.sheet.entry(0).selected == ()
        assert shown.widget("submitAnswers").isEnabled()
        field.setPlainText("")
        assert not shown.widget("submitAnswers").isEnabled()
        assert not shown.case.card.sheet.answered(0)


async def test_picking_an_option_sets_the_text_aside_and_sends_only_the_option() -> None:
    """K8.7 case 95; K6.2: on a single select they exclude each other; product.md P3: no word is
    lost.
    """
    async with overlay_window(make_bundle()) as shown:
        shown.find(QPlainTextEdit, "customAnswer").setPlainText("my words")
        await shown.click("optionButton_2")
        assert "not sent" in shown.find(QLabel, "answerNote").text()
        await shown.click("submitAnswers")
        assert shown.case.sent == [(PendingId("p1"), Answered((chose("o2"),)))]


async def test_ticked_options_and_a_text_go_together_on_a_multi_select() -> None:
    """clarification.md, improvement 8; K8.8 mixed text+options."""
    bundle = make_bundle(questions=(MULTI,))
    async with overlay_window(bundle) as shown:
        await shown.click("optionButton_3")
        await shown.click("optionButton_1")
        shown.find(QPlainTextEdit, "customAnswer").setPlainText("and a Flatpak")
        await shown.click("submitAnswers")
        assert shown.case.sent == [
            (
                PendingId("p1"),
                Answered((chose("o1", "o3", text="and a Flatpak", question="q2"),)),
            )
        ]


async def test_skip_asks_for_a_reason_and_is_sent_only_by_its_second_step() -> None:
    """K8.7 case 107; window.md: Skip is the only rejection."""
    async with overlay_window(make_bundle()) as shown:
        await shown.click("skipQuestions")
        assert not shown.case.desk.responses
        assert shown.focus is shown.widget("skipReason")
        QTest.keyClicks(shown.widget("skipReason"), "no idea")
        await shown.click("confirmSkip")
        assert not shown.case.desk.responses
        await shown.arm()
        await shown.click("confirmSkip")
        assert shown.case.sent == [(PendingId("p1"), Skipped("no idea"))]


async def test_a_reason_over_the_limit_cannot_be_sent() -> None:
    """K4.2: 2,000 code points."""
    async with overlay_window(make_bundle()) as shown:
        await shown.click("skipQuestions")
        shown.find(QPushButton, "confirmSkip")
        shown.overlay._frame.strip.reason.setText("x" * 2_001)
        assert not shown.widget("confirmSkip").isEnabled()


async def test_escape_steps_back_from_skip_and_then_collapses_without_sending() -> None:
    """K8.7 case 106."""
    async with overlay_window(make_bundle()) as shown:
        await shown.click("skipQuestions")
        await shown.press(Qt.Key.Key_Escape)
        assert not shown.case.is_collapsed()
        await shown.press(Qt.Key.Key_Escape)
        assert shown.case.is_collapsed()
        assert shown.widget("expandOverlay").height() == shown.overlay._theme.pixels(44)
        assert "respond" not in shown.case.desk.calls


async def test_escape_works_from_the_composer_while_a_card_is_open() -> None:
    """K8.7 case 106: works from the composer; ignored with a modifier and when collapsed."""
    async with overlay_window(make_bundle()) as shown:
        shown.overlay.escape.watch(shown.composer)
        shown.composer.setFocus()
        await shown.press(Qt.Key.Key_Escape, Qt.KeyboardModifier.ShiftModifier)
        assert not shown.case.is_collapsed()
        await shown.press(Qt.Key.Key_Escape)
        assert shown.case.is_collapsed()
        assert shown.focus is shown.composer
        assert not shown.overlay._escape()


async def test_escape_does_nothing_while_an_answer_is_on_its_way() -> None:
    """K8.7 case 106: not while submitting; K8.8 shortcuts off while submitting."""
    async with overlay_window(make_bundle()) as shown:
        shown.case.desk.hold("respond")
        await shown.click("optionButton_1")
        await shown.click("submitAnswers")
        shown.overlay.setFocus()
        await shown.press(Qt.Key.Key_Escape)
        await shown.press(Qt.Key.Key_2)
        assert not shown.case.is_collapsed()
        assert shown.case.card.sheet.entry(0).selected == ("o1",)
        await until(lambda: not shown.widget("skipQuestions").isEnabled())


async def test_what_was_put_in_survives_collapsing() -> None:
    """K6.2; K8.8 restore then answer."""
    async with overlay_window(make_bundle()) as shown:
        shown.find(QPlainTextEdit, "customAnswer").setPlainText("half a thought")
        await shown.click("collapseOverlay")
        assert not shown.widget("optionButton_1").isVisible()
        await settle()
        assert shown.case.desk.drafts[PendingId("p1")].answers == (chose(text="half a thought"),)
        await shown.click("expandOverlay")
        assert shown.find(QPlainTextEdit, "customAnswer").toPlainText() == "half a thought"


async def test_digits_pick_options_only_outside_of_text() -> None:
    """K6.3: 1-9 pick; ignored in editable targets and with a modifier."""
    async with overlay_window(make_bundle()) as shown:
        shown.widget("customAnswer").setFocus()
        QTest.keyClicks(shown.widget("customAnswer"), "2")
        assert shown.case.card.sheet.entry(0).text == "2"
        shown.overlay.setFocus()
        await shown.press(Qt.Key.Key_2, Qt.KeyboardModifier.ControlModifier)
        assert shown.case.card.sheet.entry(0).selected == ()
        await shown.press(Qt.Key.Key_2)
        assert shown.case.card.sheet.entry(0).selected == ("o2",)


async def test_digits_typed_elsewhere_pick_nothing() -> None:
    """product.md P7: no single-key verdicts while typing."""
    async with overlay_window(make_bundle()) as shown:
        shown.composer.setFocus()
        QTest.keyClicks(shown.composer, "12")
        assert shown.composer.text() == "12"
        assert shown.case.card.sheet.blank


async def test_arrows_step_through_options_and_questions() -> None:
    """K6.3; window.md: arrows step."""
    async with overlay_window(make_bundle(questions=(make_question(), FREE))) as shown:
        shown.overlay.setFocus()
        await shown.press(Qt.Key.Key_Down)
        assert shown.focus is shown.widget("optionButton_1")
        await shown.press(Qt.Key.Key_Down)
        assert shown.focus is shown.widget("optionButton_2")
        assert shown.case.card.sheet.blank
        await shown.press(Qt.Key.Key_Right)
        assert shown.case.card.step == 1


async def test_enter_goes_on_from_what_was_ticked_by_its_number() -> None:
    """window.md, Hands: the row a number picks has the keyboard, and Enter takes nothing back."""
    first = make_question("Which?", ("a", "b", "c"), multi_select=True)
    async with overlay_window(make_bundle(questions=(first, MULTI))) as shown:
        shown.overlay.focus_question()
        await shown.press(Qt.Key.Key_1)
        await shown.press(Qt.Key.Key_2)
        assert shown.focus is shown.widget("optionButton_2")
        await shown.press(Qt.Key.Key_Return)
        assert shown.case.card.step == 1
        assert shown.case.card.sheet.entry(0).selected == ("o1", "o2")
        await shown.case.clock.advance(0.6)
        await shown.press(Qt.Key.Key_Return)
        assert shown.case.card.sheet.entry(1).selected == ("o1",)
        assert shown.case.card.step == 1
        await shown.case.clock.advance(0.6)
        await shown.press(Qt.Key.Key_Return)
        assert shown.case.card.reviewing
        await shown.press(Qt.Key.Key_Return)
        assert shown.case.card.step == 0
        assert not shown.case.desk.responses


async def test_a_double_enter_sends_no_ticked_option() -> None:
    """window.md, Accidents: only a second, deliberate activation sends."""
    only = make_question("Which?", ("a", "b"), multi_select=True)
    async with overlay_window(make_bundle(questions=(only,))) as shown:
        shown.overlay.focus_question()
        await shown.press(Qt.Key.Key_Return)
        await shown.press(Qt.Key.Key_Return)
        assert not shown.case.desk.responses
        await shown.case.clock.advance(0.6)
        await shown.press(Qt.Key.Key_Return)
        assert len(shown.case.desk.responses) == 1


async def test_control_enter_submits_only_what_is_complete() -> None:
    """K6.3."""
    async with overlay_window(make_bundle()) as shown:
        shown.overlay.setFocus()
        await shown.press(Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
        assert not shown.case.desk.responses
        await shown.press(Qt.Key.Key_1)
        await shown.press(Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
        assert len(shown.case.desk.responses) == 1


async def test_a_new_question_never_takes_the_focus_from_a_typing_human() -> None:
    """window.md, Accidents; product.md P7."""
    async with overlay_window() as shown:
        shown.composer.setFocus()
        shown.case.desk.open(make_bundle())
        await settle()
        assert shown.overlay.isVisible()
        assert shown.focus is shown.composer


async def test_the_next_question_after_an_answer_has_to_settle_first() -> None:
    """window.md, Accidents: moving on to the next card re-arms."""
    async with overlay_window(make_bundle(), make_bundle("p2", created=9)) as shown:
        await shown.click("optionButton_1")
        await shown.click("submitAnswers")
        assert shown.case.card.pending_id == "p2"
        await shown.click("optionButton_1")
        assert shown.case.card.sheet.blank
        await shown.arm()
        await shown.click("optionButton_1")
        assert not shown.case.card.sheet.blank


async def test_no_button_is_a_default_button() -> None:
    """window.md, Accidents."""
    async with overlay_window(make_bundle()) as shown:
        buttons = shown.window.findChildren(QPushButton)
        assert buttons
        assert not any(button.isDefault() or button.autoDefault() for button in buttons)


async def test_focus_returns_to_who_opened_the_question() -> None:
    """window.md: after closing, focus returns to the opener or to the composer."""
    async with overlay_window(make_bundle()) as shown:
        shown.overlay.set_opener(shown.composer)
        await shown.click("optionButton_1")
        shown.widget("submitAnswers").setFocus()
        await shown.click("submitAnswers")
        assert not shown.overlay.isVisible()
        assert shown.focus is shown.composer


async def test_a_question_closed_by_another_leaves_the_keys_to_nobody() -> None:
    """Keys meant for the answer must not land in another field."""
    async with overlay_window(make_bundle()) as shown:
        shown.widget("customAnswer").setFocus()
        shown.case.desk.remove(PendingId("p1"))
        await settle()
        assert not shown.overlay.isVisible()
        assert shown.focus is not shown.composer


async def test_a_stored_answer_is_handed_over_by_one_deliberate_tap() -> None:
    """clarification.md, rule 4."""
    stored = StoredAnswer(PendingId("p0"), (chose("o2"),), moment(-720), Delivery.DELIVERED)
    async with overlay_window(dataclasses.replace(make_bundle(), stored_answer=stored)) as shown:
        assert "12 minute" in shown.widget("handOverStoredAnswer").accessibleDescription()
        assert not shown.widget("discardStoredAnswer").isVisible()
        await shown.click("handOverStoredAnswer")
        assert "hand_over_stored_answer" in shown.case.desk.calls


async def test_a_stored_answer_collected_meanwhile_says_so_and_sends_nothing() -> None:
    """clarification.md, rule 4."""
    stored = StoredAnswer(PendingId("p0"), (chose("o2"),), moment(-720), Delivery.WAITING_FOR_AGENT)
    async with overlay_window(dataclasses.replace(make_bundle(), stored_answer=stored)) as shown:
        shown.case.desk.fail(
            "hand_over_stored_answer", Conflict(ErrorCode.TICKET_COLLECTED, "collected")
        )
        await shown.click("handOverStoredAnswer")
        assert "collected" in shown.banner.text
        assert shown.case.is_in(Phase.IDLE)
        assert not shown.case.desk.responses


async def test_the_card_says_how_long_the_agent_waits() -> None:
    """agents.md, Patience: in words, which of these is true for this agent."""
    async with overlay_window(make_bundle(waiting_calls=1)) as shown:
        words = shown.find(QLabel, "questionLiveness")
        assert "no time limit" in words.text()
        bundle = shown.case.card.bundle
        shown.case.desk.change(
            dataclasses.replace(bundle, detached=True, calls_end_at=bundle.created_at)
        )
        assert "waits until" in words.text()
        assert "%1" not in words.text()


async def test_the_card_says_how_an_agent_of_this_desk_gets_a_later_answer() -> None:
    """K5.5: by the call that comes in the same turn, else as its next prompt."""
    async with overlay_window(make_bundle(waiting_calls=1)) as shown:
        words = shown.find(QLabel, "questionLiveness")
        bundle = dataclasses.replace(shown.case.card.bundle, hosted=True)
        shown.case.desk.change(dataclasses.replace(bundle, calls_end_at=bundle.created_at))
        assert "waits until" in words.text()
        assert "next prompt" in words.text()
        shown.case.desk.change(dataclasses.replace(bundle, waiting_calls=0))
        assert "No call waits" in words.text()
        assert "next prompt" in words.text()
        shown.case.desk.change(dataclasses.replace(bundle, waiting_calls=0, detached=True))
        assert "stopped waiting" in words.text()
        assert "next prompt" in words.text()


async def test_the_card_says_when_the_question_expires_until_somebody_answers_it() -> None:
    """Where a setting ends questions, "no time limit" would be a promise that is not kept."""
    async with overlay_window(make_bundle(waiting_calls=1)) as shown:
        words = shown.find(QLabel, "questionLiveness")
        bundle = shown.case.card.bundle
        shown.case.view_model.expire_after = 1e6
        shown.case.desk.change(dataclasses.replace(bundle, context="more"))
        assert "no time limit" not in words.text()
        assert "The question expires at" in words.text()
        assert "%1" not in words.text()
        shown.case.pick(0, "o1")
        assert words.text() == "The agent is waiting for your answer."


async def test_closing_a_question_takes_two_steps_and_is_offered_only_without_a_caller() -> None:
    """window.md: "Close question" for callers that are gone."""
    async with overlay_window(make_bundle(waiting_calls=1)) as shown:
        assert not shown.widget("closeQuestion").isVisible()
        bundle = shown.case.card.bundle
        shown.case.desk.change(dataclasses.replace(bundle, waiting_calls=0, detached=True))
        await shown.arm()
        assert "stopped waiting" in shown.find(QLabel, "questionLiveness").text()
        await shown.click("closeQuestion")
        await shown.arm()
        await shown.click("confirmClose")
        assert "close_question" in shown.case.desk.calls
        assert not shown.case.desk.responses


async def test_an_error_keeps_the_card_and_retry_sends_what_is_there_now() -> None:
    """K8.8 submit-failure 503 then Retry; K8.7 case 101."""
    async with overlay_window(make_bundle()) as shown:
        shown.case.desk.fail(
            "respond", TemporarilyUnavailable(ErrorCode.TEMPORARILY_UNAVAILABLE, "busy")
        )
        await shown.click("optionButton_1")
        await shown.click("submitAnswers")
        assert "safe" in shown.banner.text
        assert shown.widget("optionButton_2").isEnabled()
        await shown.arm()
        await shown.click("optionButton_2")
        await shown.arm()
        await shown.click("retryButton")
        assert shown.case.sent == [(PendingId("p1"), Answered((chose("o2"),)))]


async def test_every_control_has_a_name_and_options_their_role() -> None:
    """product.md P11; toolchain.md 8: a widget without a name is '' to a screen reader."""
    described = make_question()
    described = dataclasses.replace(
        described, options=(Option(OptionId("o1"), "A", "first"), Option(OptionId("o2"), "B"))
    )
    async with overlay_window(make_bundle(questions=(described, MULTI))) as shown:
        roles = {}
        for name in _CONTROLS:
            interface = QAccessible.queryAccessibleInterface(shown.widget(name))
            assert interface is not None
            assert interface.text(QAccessible.Text.Name), name
            roles[name] = interface.role()
        assert roles["optionButton_1"] is QAccessible.Role.RadioButton
        option = QAccessible.queryAccessibleInterface(shown.widget("optionButton_1"))
        assert option is not None
        assert option.text(QAccessible.Text.Description) == "first"


@pytest.mark.parametrize("text", ["选择数据库", "اختر قاعدة البيانات", "👩‍👩‍👧‍👦 e\u0301"])
async def test_text_of_every_script_arrives_as_typed(text: str) -> None:
    """Text in every script arrives intact."""
    async with overlay_window(make_bundle(questions=(FREE,))) as shown:
        shown.find(QPlainTextEdit, "customAnswer").setPlainText(text)
        await shown.click("submitAnswers")
        assert shown.case.sent == [(PendingId("p1"), Answered((chose(text=text, question="q3"),)))]


async def test_an_option_toggled_by_an_assistive_tool_is_chosen_like_a_clicked_one() -> None:
    """product.md P11: what is shown as chosen is what would be sent."""
    bundle = make_bundle(questions=(make_question(), MULTI))
    async with overlay_window(bundle) as shown:
        shown.find(QAbstractButton, "optionButton_2").toggle()
        assert shown.case.card.sheet.entry(0).selected == ("o2",)
        # The next question has just appeared: too early, and not shown as if it counted.
        tick = shown.find(QAbstractButton, "optionButton_1")
        tick.toggle()
        assert not tick.isChecked()
        assert shown.case.card.sheet.entry(1).blank
        await shown.arm()
        for expected in (("o1",), ()):
            tick.toggle()
            assert tick.isChecked() is bool(expected)
            assert shown.case.card.sheet.entry(1).selected == expected
