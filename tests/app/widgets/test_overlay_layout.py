"""The overlay fits: small windows, long options, fingers, both directions of writing."""

import dataclasses
from functools import partial

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QInputDevice, QPointingDevice, QShowEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QScrollArea, QWidget

from app.widgets.overlay_body import OverlayBody
from app.widgets.touch import TouchLayout, TouchMode
from backend.domain.clarification import Option, Question
from backend.ids import OptionId, QuestionId
from tests.helpers.desk_builders import make_bundle, make_question, make_session
from tests.helpers.fake_backend import FakeBackend
from tests.helpers.overlay_window import OverlayWindow, overlay_window
from tests.helpers.waiting import until
from tests.helpers.window import shown_window

LONG = Question(
    QuestionId("q1"),
    "Which of these long options? " * 6,
    "A title",
    tuple(
        Option(OptionId(f"o{n}"), f"{n} " + "label " * 32, f"{n} " + "description " * 80)
        for n in range(1, 7)
    ),
)


def fit_into_half(shown: OverlayWindow) -> None:
    shown.overlay.setFixedHeight(min(shown.overlay.sizeHint().height(), shown.window.height() // 2))


async def test_six_long_options_at_800_by_600_leave_submit_in_sight_and_all_within_reach() -> None:
    """window.md: everything works at 800 x 600; Submit always visible; own scroll."""
    async with overlay_window(make_bundle(questions=(LONG,)), size=(800, 600)) as shown:
        fit_into_half(shown)
        await shown.arm()
        window = shown.window.rect()
        for name in ("submitAnswers", "skipQuestions", "collapseOverlay"):
            assert window.contains(shown.rect_of(name)), name
        body = shown.window.findChild(OverlayBody)
        assert body is not None
        assert body.horizontalScrollBar().maximum() == 0
        for number in range(1, 7):
            option = shown.widget(f"optionButton_{number}")
            body.ensureWidgetVisible(option)
            assert option.width() <= body.viewport().width()
            assert not option.visibleRegion().isEmpty()
            layout = option.layout()
            assert layout is not None
            assert option.height() >= layout.heightForWidth(option.width())


@pytest.mark.parametrize(
    ("size", "zoom", "touch"),
    [
        ((800, 600), 2.0, False),
        ((800, 600), 2.0, True),
        ((480, 400), 1.0, False),
        ((480, 400), 1.0, True),
    ],
)
async def test_every_button_of_the_card_is_in_sight_in_the_smallest_window(
    size: tuple[int, int], zoom: float, *, touch: bool
) -> None:
    """window.md, Layout: Submit always visible, everything works at 800 x 600 at 200 %."""
    backend = FakeBackend()
    backend.desk.put_session(make_session("s1", agent="claude-code"))
    names = ("q1", "q2", "q3")
    backend.desk.open(make_bundle(questions=tuple(make_question(name=name) for name in names)))
    async with shown_window(backend, width=size[0], height=size[1]) as shown:
        shown.theme.set_zoom(zoom)
        shown.touch.set_mode(TouchMode.ON if touch else TouchMode.OFF)
        for name in ("submitAnswers", "nextQuestion", "skipQuestions", "collapseOverlay"):
            await until(partial(_whole, shown.find(name)))
        option, asker = shown.find("optionButton_1"), shown.find("questionAsker")
        await until(lambda: option.visibleRegion().boundingRect().height() > 0)
        await until(lambda: asker.visibleRegion().boundingRect().width() > 60)


def _whole(widget: QWidget) -> bool:
    return widget.visibleRegion().boundingRect() == widget.rect()


async def test_a_long_path_is_broken_instead_of_cut() -> None:
    """What an agent cannot break into words must not make the card wider than the window."""
    path = "/home/somebody/projects/" + "deeply/nested/" * 10 + "x" * 60
    question = Question(
        QuestionId("q1"), "Which file?", path[:120], (Option(OptionId("o1"), path[:200], path),)
    )
    bundle = make_bundle(questions=(question,))
    async with overlay_window(bundle, size=(480, 600)) as shown:
        option = shown.find(QAbstractButton, "optionButton_1")
        assert option.width() < 480
        assert option.accessibleName() == path[:200]
        assert shown.widget("questionTitle").accessibleName() == path[:120]


async def test_a_tall_question_scrolls_by_itself_and_a_short_one_does_not() -> None:
    async with overlay_window(make_bundle()) as shown:
        body = shown.window.findChild(QScrollArea)
        assert body is not None
        assert body.verticalScrollBar().maximum() == 0
    async with overlay_window(make_bundle(questions=(LONG,)), size=(800, 600)) as shown:
        fit_into_half(shown)
        await shown.arm()
        body = shown.window.findChild(QScrollArea)
        assert body is not None
        assert body.verticalScrollBar().maximum() > 0


async def test_a_window_that_is_hidden_leaves_no_timer() -> None:
    """product.md P10: a quiet desk is quiet; shown again, it has one timer and not two."""
    async with overlay_window(make_bundle()) as shown:
        for _ in range(2):
            shown.window.hide()
            assert shown.case.clock.pending_timers == 0
            shown.window.show()
            assert shown.case.clock.pending_timers == 1
        QApplication.sendEvent(shown.overlay, QShowEvent())
        assert shown.case.clock.pending_timers == 1


async def test_the_context_is_shown_once_and_at_length_only_when_asked() -> None:
    """window.md: shared context once; K8.8."""
    context = "\n\n".join(f"Paragraph {n}." for n in range(40))
    bundle = make_bundle(questions=(make_question(), make_question(name="q2")), context=context)
    async with overlay_window(bundle) as shown:
        assert len(shown.window.findChildren(QWidget, "questionContext")) == 1
        low = shown.widget("questionContext").height()
        await shown.click("wholeContext")
        await shown.arm()
        assert shown.widget("questionContext").height() > low
        await shown.click("nextQuestion")
        await shown.arm()
        assert shown.widget("questionContext").height() < low


async def test_markdown_of_an_agent_is_inert() -> None:
    """window.md: HTML inert; nothing is fetched or opened."""
    question = dataclasses.replace(
        make_question(), prompt='**bold** <img src="file:///etc/passwd"> ![x](file:///etc/hosts)'
    )
    async with overlay_window(make_bundle(questions=(question,))) as shown:
        prompt = shown.widget("questionPrompt")
        text = prompt.toPlainText()  # type: ignore[attr-defined]
        assert "bold" in text
        assert "**" not in text
        assert "<img" in text
        assert "￼" not in text


async def test_for_fingers_every_control_is_44_pixels() -> None:
    """product.md P11."""
    bundle = make_bundle(questions=(make_question(), make_question(name="q2")), waiting_calls=0)
    async with overlay_window(bundle) as shown:
        shown.touch.set_mode(TouchMode.ON)
        await shown.arm()
        buttons = [b for b in shown.overlay.findChildren(QAbstractButton) if b.isVisible()]
        assert len(buttons) >= 8
        for button in buttons:
            if button.objectName() in {"", "ScrollLeftButton", "ScrollRightButton"}:
                continue
            assert min(button.width(), button.height()) >= 44, button.objectName()
        assert shown.widget("customAnswer").height() >= 44
        assert shown.widget("questionTabs").height() >= 44


async def test_the_first_touch_makes_controls_larger_and_a_mouse_smaller_again() -> None:
    """window.md: automatic by the first touch event; switchable."""
    async with overlay_window(make_bundle()) as shown:
        layout = TouchLayout()
        layout.watch(shown.window)
        finger = QTest.createTouchDevice(QInputDevice.DeviceType.TouchScreen)
        before = layout.on
        QTest.touchEvent(shown.window, finger).press(1, shown.window.rect().center()).commit()
        assert (before, layout.on) == (False, True)
        QTest.touchEvent(shown.window, finger).release(1, shown.window.rect().center()).commit()
        layout.set_mode(TouchMode.OFF)
        assert not layout.on
        layout.set_mode(TouchMode.AUTOMATIC)
        handle = shown.window.windowHandle()
        assert handle is not None
        QTest.mouseClick(handle, Qt.MouseButton.LeftButton, pos=shown.window.rect().center())
        assert layout.on is (QPointingDevice.primaryPointingDevice().type() not in _FINE)


async def test_right_to_left_mirrors_the_card() -> None:
    """window.md, Languages: ar."""
    application = QApplication.instance()
    assert isinstance(application, QApplication)
    question = make_question("أي قاعدة بيانات؟", ("ملف واحد", "خادم"))
    bundle = make_bundle(questions=(question, make_question(name="q2")))
    application.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    try:
        async with overlay_window(bundle) as shown:
            await shown.arm()
            middle = shown.window.width() / 2
            assert shown.rect_of("submitAnswers").center().x() < middle
            assert shown.rect_of("skipQuestions").center().x() > middle
            shown.overlay.setFocus()
            await shown.press(Qt.Key.Key_Left)
            assert shown.case.card.step == 1
    finally:
        application.setLayoutDirection(Qt.LayoutDirection.LeftToRight)


@pytest.mark.parametrize("zoom", [0.8, 2.0])
async def test_another_text_size_keeps_what_was_put_in(zoom: float) -> None:
    async with overlay_window(make_bundle(), size=(1200, 1200)) as shown:
        await shown.click("optionButton_2")
        shown.overlay._theme.set_zoom(zoom)
        await shown.arm()
        assert shown.find(QAbstractButton, "optionButton_2").isChecked()
        assert shown.window.rect().contains(shown.rect_of("submitAnswers"))
        assert shown.rect_of("expandOverlay").height() > 0


async def test_a_language_that_changes_changes_the_words_at_once() -> None:
    async with overlay_window(make_bundle()) as shown:
        submit = shown.find(QAbstractButton, "submitAnswers")
        submit.setText("")
        QApplication.sendEvent(shown.overlay, QEvent(QEvent.Type.LanguageChange))
        assert submit.text() == "Submit"


_FINE = {QInputDevice.DeviceType.Mouse, QInputDevice.DeviceType.TouchPad}


async def test_a_short_question_says_whether_its_agent_waits() -> None:
    """window.md: the detached notice is said in words, also on a card that needs little height."""
    backend = FakeBackend()
    backend.desk.put_session(make_session("s1", agent="claude-code"))
    short = Question(QuestionId("q1"), "Name?")
    backend.desk.open(make_bundle(questions=(short,), waiting_calls=0))
    async with shown_window(backend, width=1180, height=780) as shown:
        await until(partial(_whole, shown.find("questionLiveness")))
        assert _whole(shown.find("submitAnswers"))
        assert _whole(shown.find("customAnswer"))
