"""One recovery state in words, and the one thing to do about it (window.md, Layout)."""

import dataclasses

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from app.viewmodels.clarification_card import Phase
from app.widgets.touch import TouchMode
from backend.domain.clarification import (
    Answer,
    BundleStatus,
    Delivery,
    ResponseOutcome,
    Skipped,
    Withdrawn,
)
from backend.errors import Conflict, ErrorCode, InvalidInput, TemporarilyUnavailable
from backend.ids import OptionId, PendingId, QuestionId
from tests.helpers.clock import settle
from tests.helpers.desk_builders import make_bundle, make_question, moment
from tests.helpers.overlay_window import overlay_window
from tests.helpers.waiting import until

TARGETS = make_question("Which targets?", ("deb", "msi"), name="q2", multi_select=True)


async def test_nothing_to_say_is_no_banner() -> None:
    async with overlay_window(make_bundle()) as shown:
        assert not shown.banner.isVisible()


async def test_sending_is_said_and_nothing_is_offered() -> None:
    async with overlay_window(make_bundle()) as shown:
        shown.case.desk.hold("respond")
        await shown.click("optionButton_1")
        await shown.click("submitAnswers")
        await until(lambda: shown.banner.text == "Sending…")
        for name in ("retryButton", "copyAnswer", "closeLateAnswer"):
            assert not shown.widget(name).isVisible()


async def test_an_unknown_outcome_is_said_in_words_with_retry() -> None:
    """clarification.md, Budgets: after 40 s, outcome unknown said in words."""
    async with overlay_window(make_bundle()) as shown:
        shown.case.desk.hold("respond")
        await shown.click("optionButton_1")
        await shown.click("submitAnswers")
        await shown.case.clock.advance(41)
        assert "not known" in shown.banner.text
        assert shown.widget("retryButton").isVisible()
        assert shown.widget("optionButton_2").isEnabled()


@pytest.mark.parametrize("failure", ["an error", "no reply in time"])
async def test_after_a_failure_nothing_spins_and_every_way_out_works_again(failure: str) -> None:
    """RR.1, RR.4; K8.7 case 100: answers kept, Retry offered, Skip and Esc as before."""
    async with overlay_window(make_bundle()) as shown:
        reply = shown.case.desk.hold("respond")
        if failure == "an error":
            busy = TemporarilyUnavailable(ErrorCode.TEMPORARILY_UNAVAILABLE, "busy")
            shown.case.desk.fail("respond", busy)
            reply.set()
        await shown.click("optionButton_1")
        await shown.click("submitAnswers")
        if failure == "no reply in time":
            await until(lambda: not shown.widget("skipQuestions").isEnabled())
            assert shown.banner.text == "Sending…"
            await shown.case.clock.advance(40)
        assert shown.case.is_in(Phase.ERROR)
        assert "Sending" not in shown.banner.text
        assert shown.case.card.sheet.entry(0).selected == ("o1",)
        for name in ("retryButton", "submitAnswers", "skipQuestions", "collapseOverlay"):
            assert shown.widget(name).isEnabled(), name
        shown.overlay.setFocus()
        await shown.press(Qt.Key.Key_Escape)
        assert shown.case.is_collapsed()
        await shown.click("expandOverlay")
        await shown.arm()
        await shown.click("skipQuestions")
        await shown.arm()
        reply.set()
        await shown.click("confirmSkip")
        await until(lambda: bool(shown.case.sent))
        assert shown.case.sent == [(PendingId("p1"), Skipped(""))]


async def test_retry_has_to_settle_like_every_verdict() -> None:
    async with overlay_window(make_bundle()) as shown:
        shown.case.desk.fail("respond", InvalidInput(ErrorCode.INVALID, ""))
        await shown.click("optionButton_1")
        await shown.click("submitAnswers")
        await shown.click("retryButton")
        assert shown.case.desk.calls.count("respond") == 1
        await shown.arm()
        await shown.click("retryButton")
        assert shown.case.desk.calls.count("respond") == 2


@pytest.mark.parametrize("skip", [False, True])
async def test_a_store_that_is_back_is_said_calmly_and_sending_stays_a_press(*, skip: bool) -> None:
    """architecture.md, The store: away later; window.md: nothing is given by accident."""
    async with overlay_window(make_bundle()) as shown:
        away = TemporarilyUnavailable(ErrorCode.STORE_UNREACHABLE, "gone")
        shown.case.desk.fail("respond", away)
        await shown.click("optionButton_1")
        if skip:
            shown.case.view_model.skip("")
        else:
            await shown.click("submitAnswers")
        await until(lambda: "cannot be reached" in shown.banner.text)
        frame = shown.widget("statusCard")
        assert frame.property("tone") == "error"
        await shown.case.view_model.reload()
        assert "The store was away" in shown.banner.text
        assert "cannot be reached" not in shown.banner.text
        assert frame.property("tone") == "quiet"
        assert shown.widget("retryButton").isEnabled()
        assert shown.case.desk.calls.count("respond") == 1
        await shown.arm()
        await shown.click("retryButton")
        await until(lambda: len(shown.case.sent) == 1)


@pytest.mark.parametrize(
    ("calls", "skip", "words"),
    [
        (1, False, "Delivered"),
        (0, False, "Saved"),
        (1, True, "Skipped. The agent has been told"),
        (0, True, "Skipped. The agent will be told"),
    ],
)
async def test_what_became_of_an_answer_is_said_in_its_own_word(
    calls: int, *, skip: bool, words: str
) -> None:
    """clarification.md, Words: delivery is a separate word."""
    async with overlay_window(make_bundle(waiting_calls=calls)) as shown:
        if skip:
            shown.case.view_model.skip("")
        else:
            await shown.click("optionButton_1")
            await shown.click("submitAnswers")
        await settle()
        assert shown.banner.text.startswith(words)


async def test_an_answer_kept_for_an_agent_of_this_desk_says_both_ways_to_it() -> None:
    """K5.5: the call that comes in the same turn, else its next prompt; nothing is asked again."""
    async with overlay_window(
        dataclasses.replace(make_bundle(waiting_calls=0), hosted=True)
    ) as shown:
        await shown.click("optionButton_1")
        await shown.click("submitAnswers")
        await settle()
        assert shown.banner.text.startswith("Saved. The agent gets your answer when it calls again")
        assert "next prompt" in shown.banner.text


async def test_delivery_that_is_not_confirmed_is_no_success() -> None:
    async with overlay_window(make_bundle()) as shown:
        shown.case.reply_with(
            ResponseOutcome(
                PendingId("p1"), BundleStatus.ANSWERED, claimed=True, delivery=Delivery.UNKNOWN,
                responded_at=moment(0),
            )
        )  # fmt: skip
        await shown.click("optionButton_1")
        await shown.click("submitAnswers")
        assert "not confirmed" in shown.banner.text


async def test_a_skip_nobody_waited_for_says_that_nothing_was_sent() -> None:
    """K5.5, detached: a refusal is final and sends nothing."""
    async with overlay_window(make_bundle()) as shown:
        shown.case.reply_with(
            ResponseOutcome(
                PendingId("p1"), BundleStatus.REJECTED, claimed=True, delivery=Delivery.DISCARDED,
                responded_at=moment(0),
            )
        )  # fmt: skip
        shown.case.view_model.skip("")
        await settle()
        assert shown.banner.text == "Skipped. The agent did not wait, so nothing was sent to it."


@pytest.mark.parametrize(
    ("status", "withdrawn", "words"),
    [
        (BundleStatus.CANCELLED, Withdrawn.BY_AGENT, "Withdrawn by the agent"),
        (BundleStatus.EXPIRED, None, "Not answered in time"),
        (BundleStatus.CANCELLED, Withdrawn.SESSION_ENDED, "the session ended"),
    ],
)
async def test_a_question_that_is_gone_says_why(
    status: BundleStatus, withdrawn: Withdrawn | None, words: str
) -> None:
    """product.md P5: different words."""
    async with overlay_window(make_bundle()) as shown:
        gone = dataclasses.replace(make_bundle(), status=status, withdrawn=withdrawn)
        shown.case.desk.change(gone)
        await settle()
        assert words in shown.banner.text
        await shown.arm()
        await shown.click("closeLateAnswer")
        assert not shown.banner.isVisible()


async def test_an_answer_that_could_not_be_sent_is_copied_with_labels_and_own_words() -> None:
    """agents.md: guests have no prompt channel; the words still have a way out."""
    bundle = make_bundle(questions=(make_question(), TARGETS))
    async with overlay_window(bundle) as shown:
        await shown.click("optionButton_2")
        await shown.arm()
        await shown.click("optionButton_1")
        shown.find(QPlainTextEdit, "customAnswer").setPlainText("和 Flatpak")
        shown.case.desk.fail("respond", Conflict(ErrorCode.NOT_ACTIVE, "moved on"))
        shown.case.view_model.submit()
        await settle()
        assert "The agent moved on" in shown.banner.text
        await shown.click("copyAnswer")
        assert QGuiApplication.clipboard().text() == (
            "Which database?\nPostgreSQL\n\nWhich targets?\ndeb\n和 Flatpak"
        )
        await shown.arm()
        await shown.click("closeLateAnswer")
        assert shown.case.view_model.card is None
        assert not shown.overlay.isVisible()


async def test_an_answer_from_elsewhere_is_shown_by_its_labels() -> None:
    """K8.7 case 98."""
    async with overlay_window(make_bundle()) as shown:
        shown.case.reply_with(
            ResponseOutcome(
                PendingId("p1"), BundleStatus.ANSWERED, claimed=False, delivery=Delivery.DELIVERED,
                responded_at=moment(0),
                answers=(Answer(QuestionId("q1"), (OptionId("o2"),), "soon"),),
            )
        )  # fmt: skip
        await shown.click("optionButton_1")
        await shown.click("submitAnswers")
        assert shown.banner.text == "Answered elsewhere: PostgreSQL · soon"


async def test_the_banner_is_one_widget_in_wide_and_narrow_windows() -> None:
    """window.md: one recovery state for wide and narrow layouts."""
    async with overlay_window(make_bundle()) as shown:
        shown.case.desk.fail("respond", Conflict(ErrorCode.NOT_ACTIVE, "moved on"))
        await shown.click("optionButton_1")
        await shown.click("submitAnswers")
        words = shown.banner.text
        for width in (420, 1400):
            shown.window.resize(width, 700)
            await shown.arm()
            assert len(shown.window.findChildren(QWidget, "statusBanner")) == 1
            assert shown.banner.text == words
            for name in ("copyAnswer", "closeLateAnswer"):
                assert shown.window.rect().contains(shown.rect_of(name)), (width, name)


async def test_for_fingers_its_buttons_are_large() -> None:
    """product.md P11."""
    async with overlay_window(make_bundle()) as shown:
        shown.touch.set_mode(TouchMode.ON)
        shown.case.desk.fail("respond", Conflict(ErrorCode.KEY_REUSED, ""))
        await shown.click("optionButton_1")
        await shown.arm()
        await shown.click("submitAnswers")
        await shown.arm()
        for name in ("retryButton", "closeLateAnswer"):
            rect = shown.rect_of(name)
            assert min(rect.width(), rect.height()) >= 44, name
