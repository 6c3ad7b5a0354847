"""Own words: Enter in all its forms, input methods, limits and pastes (K6.2, K8.7 case 108)."""

import pytest
from PySide6.QtCore import QEvent, QMimeData, Qt
from PySide6.QtGui import QInputMethodEvent, QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QPlainTextEdit

from app.widgets.answer_field import MAX_HEIGHT, AnswerField
from app.widgets.touch import TouchMode
from backend.domain.clarification import Answer, Answered, Question
from backend.ids import PendingId, QuestionId
from tests.helpers.clock import settle
from tests.helpers.desk_builders import make_bundle, make_question
from tests.helpers.overlay_window import OverlayWindow, overlay_window

FREE = Question(QuestionId("q1"), "What should it be called?")
ASTRAL = "🐘"


def answer_field(shown: OverlayWindow) -> AnswerField:
    field = shown.find(AnswerField, "customAnswer")
    field.setFocus()
    return field


def answered(text: str) -> list[tuple[PendingId, object]]:
    return [(PendingId("p1"), Answered((Answer(QuestionId("q1"), (), text),)))]


def paste(field: QPlainTextEdit, text: str) -> None:
    data = QMimeData()
    data.setText(text)
    field.insertFromMimeData(data)


async def test_enter_sends_a_single_answer() -> None:
    async with overlay_window(make_bundle(questions=(FREE,))) as shown:
        QTest.keyClicks(answer_field(shown), "Otter")
        await shown.press(Qt.Key.Key_Return)
        assert shown.case.sent == answered("Otter")


@pytest.mark.parametrize(
    "modifier", [Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.AltModifier]
)
async def test_shift_and_alt_enter_make_a_new_line(modifier: Qt.KeyboardModifier) -> None:
    async with overlay_window(make_bundle(questions=(FREE,))) as shown:
        field = answer_field(shown)
        QTest.keyClicks(field, "one")
        await shown.press(Qt.Key.Key_Return, modifier)
        QTest.keyClicks(field, "two")
        assert field.toPlainText() == "one\ntwo"
        assert not shown.case.desk.responses


async def test_enter_on_nothing_is_swallowed() -> None:
    async with overlay_window(make_bundle(questions=(FREE,))) as shown:
        field = answer_field(shown)
        await shown.press(Qt.Key.Key_Return)
        assert field.toPlainText() == ""
        assert not shown.case.desk.responses


async def test_a_held_enter_is_nothing() -> None:
    """window.md, Accidents: auto-repeat is ignored."""
    async with overlay_window(make_bundle(questions=(FREE,))) as shown:
        field = answer_field(shown)
        QTest.keyClicks(field, "Otter")
        held = QKeyEvent(
            QEvent.Type.KeyPress, Qt.Key.Key_Return, Qt.KeyboardModifier.NoModifier, "\r", True
        )
        QApplication.sendEvent(field, held)
        await settle()
        assert field.toPlainText() == "Otter"
        assert not shown.case.desk.responses


async def test_enter_while_an_input_method_composes_belongs_to_it() -> None:
    async with overlay_window(make_bundle(questions=(FREE,))) as shown:
        field = answer_field(shown)
        committed = QInputMethodEvent()
        committed.setCommitString("名字")
        QApplication.sendEvent(field, committed)
        QApplication.sendEvent(field, QInputMethodEvent("shu", []))
        await shown.press(Qt.Key.Key_Return)
        assert not shown.case.desk.responses
        done = QInputMethodEvent()
        done.setCommitString("书")
        QApplication.sendEvent(field, done)
        assert shown.case.card.sheet.entry(0).text.endswith("书")


async def test_for_fingers_enter_makes_a_new_line_and_submit_sends() -> None:
    """K6.2: coarse pointer."""
    async with overlay_window(make_bundle(questions=(FREE,))) as shown:
        shown.touch.set_mode(TouchMode.ON)
        field = answer_field(shown)
        QTest.keyClicks(field, "one")
        await shown.press(Qt.Key.Key_Return)
        assert field.toPlainText() == "one\n"
        assert not shown.case.desk.responses
        await shown.arm()
        await shown.click("submitAnswers")
        assert len(shown.case.desk.responses) == 1


async def test_control_enter_in_the_field_submits() -> None:
    async with overlay_window(make_bundle(questions=(FREE,))) as shown:
        QTest.keyClicks(answer_field(shown), "Otter")
        await shown.press(Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
        assert len(shown.case.desk.responses) == 1


async def test_enter_on_one_of_several_goes_on_and_never_sends() -> None:
    """K6.3: commit and advance."""
    bundle = make_bundle(questions=(FREE, make_question(name="q2")))
    async with overlay_window(bundle) as shown:
        QTest.keyClicks(answer_field(shown), "Otter")
        await shown.press(Qt.Key.Key_Return)
        assert shown.case.card.step == 1
        assert not shown.case.desk.responses


@pytest.mark.parametrize(("length", "fits"), [(2_000, True), (2_001, False)])
async def test_the_limit_counts_code_points_not_code_units(length: int, *, fits: bool) -> None:
    """K4.2, K8.7 case 108: 2,000 code points, counted before trimming."""
    async with overlay_window(make_bundle(questions=(FREE,))) as shown:
        answer_field(shown).setPlainText(ASTRAL * length)
        assert shown.widget("submitAnswers").isEnabled() is fits
        await shown.press(Qt.Key.Key_Return)
        await shown.press(Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
        assert (shown.case.sent == answered(ASTRAL * length)) is fits


async def test_trailing_space_counts() -> None:
    """K4.2: 2,001 with trailing space is refused."""
    async with overlay_window(make_bundle(questions=(FREE,))) as shown:
        answer_field(shown).setPlainText("x" * 2_000 + " ")
        assert not shown.widget("submitAnswers").isEnabled()


async def test_the_counter_appears_near_the_limit_and_says_when_it_is_passed() -> None:
    """K6.2: above 1,800; K8.8: counter inside the viewport."""
    async with overlay_window(make_bundle(questions=(FREE,))) as shown:
        hint = shown.find(QLabel, "submitHint")
        field = answer_field(shown)
        field.setPlainText("x" * 1_800)
        assert hint.text() == ""
        field.setPlainText("x" * 1_801)
        assert hint.text() == "1801 of 2000 characters"
        field.setPlainText("x" * 2_003)
        assert hint.property("role") == "danger"
        assert "3" in shown.find(QLabel, "answerNote").text()
        assert shown.window.rect().contains(shown.rect_of("submitHint"))


async def test_a_paste_with_a_null_character_is_refused_at_the_field() -> None:
    """architecture.md: NUL and lone surrogates are refused in answers."""
    async with overlay_window(make_bundle(questions=(FREE,))) as shown:
        field = answer_field(shown)
        field.setPlainText("kept")
        paste(field, "a\0b")
        assert field.toPlainText() == "kept"
        assert "cannot be kept" in shown.find(QLabel, "answerNote").text()
        assert "cannot be kept" in field.accessibleDescription()
        QTest.keyClicks(field, "x")
        assert shown.find(QLabel, "answerNote").text() == ""


async def test_a_huge_paste_is_refused_whole_and_never_cut() -> None:
    async with overlay_window(make_bundle(questions=(FREE,))) as shown:
        field = answer_field(shown)
        paste(field, "x" * 1_000_000)
        assert field.toPlainText() == ""
        assert "too long" in shown.find(QLabel, "answerNote").text()


async def test_the_field_grows_with_its_text_and_then_scrolls() -> None:
    """K6.2: up to 160 px."""
    async with overlay_window(make_bundle(questions=(FREE,))) as shown:
        field = answer_field(shown)
        low = field.sizeHint().height()
        field.setPlainText("a\nb\nc")
        assert field.sizeHint().height() > low
        field.setPlainText("line\n" * 80)
        assert field.sizeHint().height() == shown.overlay._theme.pixels(MAX_HEIGHT)


async def test_tab_leaves_the_field() -> None:
    async with overlay_window(make_bundle(questions=(FREE,))) as shown:
        field = answer_field(shown)
        QTest.keyClicks(field, "x")
        await shown.press(Qt.Key.Key_Tab)
        assert shown.focus is not field
        assert field.toPlainText() == "x"
