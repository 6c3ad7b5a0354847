"""Nothing is answered by accident, whatever becomes of the card meanwhile (product.md P7)."""

import dataclasses

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPlainTextEdit, QTabBar, QTextBrowser, QWidget

from app.theme import Scheme
from app.viewmodels.clarification_card import Phase
from app.widgets.overlay_body import OverlayBody
from backend.domain.clarification import BundleStatus
from backend.ids import PendingId
from tests.helpers.clock import settle
from tests.helpers.desk_builders import make_bundle, make_question
from tests.helpers.overlay_window import OverlayWindow, overlay_window

THREE = tuple(make_question(f"Question {n}?", ("a", "b", "c"), name=f"q{n}") for n in (1, 2, 3))


async def restyle(shown: OverlayWindow, how: str) -> None:
    theme = shown.overlay._theme
    if how == "look":
        theme.set_scheme(Scheme.DARK)
    else:
        theme.set_zoom(1.3)
    await shown.arm()


@pytest.mark.parametrize("how", ["look", "zoom"])
async def test_a_look_that_changes_while_a_human_types_leaves_the_cursor_where_it_is(
    how: str,
) -> None:
    """A system that turns dark at sunset must not turn the next letters into choices."""
    async with overlay_window(make_bundle()) as shown:
        field = shown.find(QPlainTextEdit, "customAnswer")
        field.setFocus()
        QTest.keyClicks(field, "port 80 please")
        cursor = field.textCursor()
        cursor.setPosition(7)
        field.setTextCursor(cursor)
        await restyle(shown, how)
        focus = shown.focus
        assert focus is not None
        QTest.keyClicks(focus, "12 ")
        await settle()
        assert shown.case.card.sheet.entry(0).text == "port 8012  please"
        assert not shown.case.card.sheet.entry(0).selected


@pytest.mark.parametrize("how", ["look", "zoom"])
async def test_a_look_that_changes_leaves_the_keyboard_on_its_option(how: str) -> None:
    async with overlay_window(make_bundle(questions=(THREE[0],))) as shown:
        shown.widget("optionButton_3").setFocus()
        await restyle(shown, how)
        assert shown.focus is shown.widget("optionButton_3")


async def test_a_look_that_changes_leaves_the_reason_for_skipping_its_keyboard() -> None:
    async with overlay_window(make_bundle()) as shown:
        await shown.click("skipQuestions")
        assert shown.focus is shown.widget("skipReason")
        await restyle(shown, "look")
        assert shown.focus is shown.widget("skipReason")


async def test_keys_typed_on_after_another_closed_the_card_answer_nothing_on_the_next() -> None:
    """window.md, Accidents: digits meant for a text, such as an address, are no choices."""
    waiting = (make_bundle(), make_bundle("p2", created=9))
    async with overlay_window(*waiting) as shown:
        shown.widget("customAnswer").setFocus()
        shown.case.desk.remove(PendingId("p1"))
        await settle()
        assert shown.case.card.pending_id == "p2"
        for _ in range(3):
            await shown.arm()
            await shown.press(Qt.Key.Key_1)
        assert shown.case.card.sheet.blank
        assert not shown.case.desk.responses


async def test_a_press_that_began_on_one_card_does_nothing_when_it_ends_on_the_next() -> None:
    waiting = (make_bundle(), make_bundle("p2", created=9))
    async with overlay_window(*waiting) as shown:
        await shown.click("optionButton_1")
        await shown.arm()
        for name in ("submitAnswers", "optionButton_1", "skipQuestions"):
            shown.case.pick(0, "o1")
            target = shown.widget(name)
            QTest.mousePress(target, Qt.MouseButton.LeftButton)
            first = shown.case.card.pending_id
            shown.case.desk.remove(first)
            await settle()
            replaced = shown.widget(name)
            QTest.mouseRelease(replaced, Qt.MouseButton.LeftButton)
            await settle()
            assert not shown.case.desk.responses
            assert not shown.widget("skipReason").isVisible()
            shown.case.desk.open(make_bundle(f"{first}x", created=20))
            await shown.arm()


def turn_wheel(target: QWidget) -> None:
    place = QPointF(target.rect().center())
    wheel = QWheelEvent(
        place,
        target.mapToGlobal(place),
        QPoint(0, -120),
        QPoint(0, -120),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(target, wheel)


async def test_a_wheel_over_the_steps_changes_no_step() -> None:
    """Scrolling the chat must not turn the page that is being answered."""
    async with overlay_window(make_bundle(questions=THREE)) as shown:
        turn_wheel(shown.find(QTabBar, "questionTabs"))
        assert shown.case.card.step == 0


async def test_a_wheel_over_a_shortened_context_scrolls_the_card_not_the_context() -> None:
    bundle = make_bundle(questions=THREE, context="line after line\n\n" * 80)
    async with overlay_window(bundle, size=(900, 600)) as shown:
        shown.overlay.setFixedHeight(300)
        await shown.arm()
        context = shown.widget("questionContext").findChild(QTextBrowser)
        assert isinstance(context, QTextBrowser)
        body = shown.overlay.findChild(OverlayBody)
        assert isinstance(body, OverlayBody)
        assert context.verticalScrollBar().maximum() > 0
        place = context.mapTo(shown.window, context.rect().center())
        QTest.wheelEvent(shown.window.windowHandle(), QPointF(place), QPoint(0, -120))
        assert context.verticalScrollBar().value() == 0
        assert body.verticalScrollBar().value() > 0


async def test_a_sibling_answered_elsewhere_leaves_the_question_that_is_being_answered() -> None:
    """clarification.md, improvement 4: only what is pending is asked, where it was open."""
    bundle = make_bundle(questions=THREE)
    async with overlay_window(bundle) as shown:
        shown.case.view_model.go_to(2)
        shown.case.view_model.write(2, "half")
        first, *others = bundle.questions
        done = dataclasses.replace(first, status=BundleStatus.ANSWERED, revision=first.revision + 1)
        shown.case.desk.change(dataclasses.replace(bundle, questions=(done, *others)))
        await settle()
        card = shown.case.card
        assert len(card.questions) == 2
        assert card.questions[card.step].id == THREE[2].id
        assert card.sheet.entry(card.step).text == "half"


async def test_closing_what_the_banner_says_waits_like_a_verdict() -> None:
    """It takes the words typed on a dead card away: not by a click that was meant for another."""
    async with overlay_window(make_bundle()) as shown:
        shown.case.view_model.write(0, "many words")
        bundle = shown.case.card.bundle
        shown.case.desk.change(dataclasses.replace(bundle, status=BundleStatus.CANCELLED))
        await settle()
        assert shown.case.is_in(Phase.INACTIVE)
        await shown.click("closeLateAnswer")
        assert shown.overlay.isVisible()
        await shown.arm()
        await shown.click("closeLateAnswer")
        assert not shown.overlay.isVisible()


async def test_words_typed_without_a_field_send_nothing_with_their_spaces() -> None:
    """product.md P7: after a click on an option the keyboard is on it, and a space is its press."""
    async with overlay_window(make_bundle()) as shown:
        await shown.click("optionButton_1")
        await shown.arm()
        target = shown.widget("optionButton_1")
        assert shown.focus is target
        for letter in "no wait 1 1 2":
            QTest.keyClicks(target, letter)
            await shown.case.clock.advance(0.2)
        assert not shown.case.desk.responses
        assert shown.case.card.sheet.entry(0).selected == ("o1",)
        await shown.arm()
        QTest.keyClick(target, Qt.Key.Key_Space)
        await settle()
        assert len(shown.case.desk.responses) == 1


async def test_a_swallowed_click_leaves_the_keyboard_off_the_button() -> None:
    """window.md, Accidents: the click that raises the window, then words with a space."""
    async with overlay_window(make_bundle()) as shown:
        shown.case.pick(0, "o1")
        shown.widget("customAnswer").setFocus()
        shown.overlay.guard.rearm()
        await shown.click("submitAnswers")
        await shown.arm()
        await shown.press(Qt.Key.Key_Space)
        assert not shown.case.desk.responses
        await shown.arm()
        await shown.click("submitAnswers")
        assert len(shown.case.desk.responses) == 1
