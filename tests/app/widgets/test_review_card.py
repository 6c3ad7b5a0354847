"""The card of a permission in a window: nothing is allowed unread or by accident."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QPushButton, QVBoxLayout, QWidget

from app.theme import Theme
from app.viewmodels.sessions import SessionsViewModel
from app.widgets.review_card import ReviewCardWidget
from app.widgets.touch import TouchLayout, TouchMode
from backend.domain.agents import ToolCallChange
from backend.domain.review import Review, ReviewStatus
from backend.errors import ErrorCode, TemporarilyUnavailable
from tests.helpers.clock import settle
from tests.helpers.fake_reviews import OPTIONS, make_review
from tests.helpers.review_case import ReviewCase
from tests.helpers.waiting import until


class CardWindow:
    """Finds controls by the names of window.md and uses them as a human would."""

    def __init__(self, case: ReviewCase, theme: Theme) -> None:
        self.case = case
        self.touch = TouchLayout()
        self.window = QWidget()
        self.composer = QLineEdit()
        sessions = SessionsViewModel(case.backend, case.owner)
        self.card = ReviewCardWidget(case.view_model, sessions, theme, self.touch)
        column = QVBoxLayout(self.window)
        column.addStretch(1)
        column.addWidget(self.card)
        column.addWidget(self.composer)

    def button(self, name: str) -> QPushButton:
        found = self.window.findChild(QPushButton, name)
        assert found is not None, name
        return found

    def label(self, name: str) -> str:
        found = self.window.findChild(QLabel, name)
        assert found is not None, name
        return found.text() if found.isVisible() else ""

    async def arm(self) -> None:
        for _ in range(3):
            await settle()
            QApplication.processEvents()
            await self.case.clock.advance(0.6)

    async def click(self, name: str) -> None:
        QTest.mouseClick(self.button(name), Qt.MouseButton.LeftButton)
        await settle()
        QApplication.processEvents()

    @property
    def decided(self) -> list[str]:
        return [option for _, option, _ in self.case.reviews.decisions]


@asynccontextmanager
async def card_window(*reviews: Review, arm: bool = True) -> AsyncIterator[CardWindow]:
    application = QApplication.instance()
    assert isinstance(application, QApplication)
    application.setQuitOnLastWindowClosed(False)
    theme = Theme(application)
    case = ReviewCase()
    for review in reviews:
        case.reviews.ask(review)
    shown = CardWindow(case, theme)
    shown.window.resize(800, 600)
    shown.window.show()
    shown.window.activateWindow()
    try:
        await until(shown.window.isActiveWindow)
        shown.composer.setFocus()
        await case.show()
        QApplication.processEvents()
        if arm:
            await shown.arm()
        yield shown
    finally:
        shown.window.close()
        shown.window.deleteLater()
        theme.deleteLater()
        await settle()


def _place(button: QPushButton) -> QRect:
    return QRect(button.mapTo(button.window(), QPoint(0, 0)), button.size())


def long_review(lines: int = 300) -> Review:
    return make_review(command="\n".join(f"echo {number}" for number in range(lines)))


async def test_approve_chooses_the_option_that_allows_once() -> None:
    async with card_window(make_review()) as shown:
        await shown.click("approveButton")
        assert shown.decided == ["once"]
        assert not shown.card.isVisible()


async def test_decline_and_the_agents_own_options_are_passed_on() -> None:
    async with card_window(make_review(), make_review()) as shown:
        assert shown.button("alwaysAllowButton").accessibleName() == OPTIONS[1].name
        await shown.click("declineButton")
        await shown.arm()
        await shown.click("alwaysAllowButton")
        assert shown.decided == ["no", "always"]


async def test_nothing_is_decided_before_the_buttons_stood_still() -> None:
    """window.md, Accidents: 500 ms after they appear."""
    async with card_window(make_review(), arm=False) as shown:
        for name in ("approveButton", "declineButton", "alwaysAllowButton"):
            await shown.click(name)
        assert shown.decided == []
        await shown.arm()
        await shown.click("declineButton")
        assert shown.decided == ["no"]


async def test_an_assistive_tool_waits_for_the_buttons_too() -> None:
    """It presses without a pointer: what is not armed or not read does nothing for it either."""
    async with card_window(long_review(), arm=False) as shown:
        for name in ("approveButton", "declineButton", "alwaysAllowButton"):
            shown.button(name).click()
        await settle()
        assert shown.decided == []
        await shown.arm()
        shown.button("approveButton").click()
        shown.button("declineButton").click()
        await settle()
        assert shown.decided == ["no"]


async def test_the_next_card_arms_anew() -> None:
    async with card_window(make_review(), make_review()) as shown:
        await shown.click("approveButton")
        await shown.click("approveButton")
        assert shown.decided == ["once"]


async def test_no_key_allows_without_the_keyboard_on_the_button() -> None:
    """No default button is Allow; Enter, held or not, decides nothing."""
    async with card_window(make_review()) as shown:
        assert QApplication.focusWidget() is shown.composer
        approve = shown.button("approveButton")
        assert not approve.isDefault()
        assert not approve.autoDefault()
        QTest.keyClick(shown.composer, Qt.Key.Key_Return)
        shown.card.focus_card()
        for key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space, Qt.Key.Key_Y):
            QTest.keyClick(QApplication.focusWidget() or shown.window, key)
        approve.setFocus()
        QTest.keyClick(approve, Qt.Key.Key_Return)
        await settle()
        assert shown.decided == []
        QTest.keyClick(approve, Qt.Key.Key_Space)
        await settle()
        assert shown.decided == ["once"]


async def test_a_card_takes_no_focus_from_somebody_who_types() -> None:
    async with card_window() as shown:
        shown.case.reviews.ask(make_review())
        await shown.arm()
        assert shown.card.isVisible()
        assert QApplication.focusWidget() is shown.composer


async def test_nothing_is_allowed_before_its_end_was_in_sight() -> None:
    """window.md, Review card: a hidden tail must be scrolled into view; declining needs none."""
    async with card_window(long_review()) as shown:
        assert not shown.button("approveButton").isEnabled()
        assert not shown.button("alwaysAllowButton").isEnabled()
        assert shown.button("declineButton").isEnabled()
        assert shown.label("reviewStatus")
        await shown.click("approveButton")
        assert shown.decided == []

        shown.card._text.verticalScrollBar().setValue(10_000)
        await shown.arm()

        assert shown.button("approveButton").isEnabled()
        assert not shown.label("reviewStatus")
        await shown.click("approveButton")
        assert shown.decided == ["once"]


async def test_what_is_longer_than_shown_must_be_shown_first() -> None:
    """1 MB of arguments: bounded at first, whole on demand."""
    async with card_window(make_review(command="x" * 1_000_000)) as shown:
        shown.card._text.verticalScrollBar().setValue(1_000_000)
        await shown.arm()
        assert not shown.button("approveButton").isEnabled()

        await shown.click("showWholeRequest")
        await shown.arm()
        assert not shown.button("approveButton").isEnabled()
        shown.card._text.verticalScrollBar().setValue(1_000_000)
        await shown.arm()

        assert shown.button("approveButton").isEnabled()


async def test_a_short_request_may_be_allowed_at_once() -> None:
    async with card_window(make_review()) as shown:
        assert shown.button("approveButton").isEnabled()
        assert not shown.label("reviewStatus")


async def test_a_store_that_is_away_keeps_the_card_with_a_retry() -> None:
    async with card_window(make_review()) as shown:
        away = TemporarilyUnavailable(ErrorCode.TEMPORARILY_UNAVAILABLE, "away")
        shown.case.reviews.failures.append(away)
        await shown.click("approveButton")
        assert shown.card.isVisible()
        assert shown.label("reviewStatus")
        await shown.arm()
        await shown.click("reviewRetry")
        assert shown.decided == ["once", "once"]
        assert not shown.card.isVisible()


async def test_a_request_nobody_waits_for_loses_its_buttons() -> None:
    review = make_review()
    async with card_window(review) as shown:
        shown.case.reviews.change(review, ReviewStatus.CANCELLED)
        await shown.arm()
        assert not shown.button("approveButton").isVisible()
        assert not shown.button("declineButton").isVisible()
        assert shown.label("reviewStatus").startswith("Cancelled.")
        await shown.click("closeReview")
        assert not shown.card.isVisible()


async def test_who_asks_for_what_and_where_is_told() -> None:
    async with card_window(make_review()) as shown:
        assert shown.label("reviewTitle") == "Codex wants to run a command"
        assert "/home/ada/shop" in shown.label("reviewFolder")
        assert shown.label("reviewDescription") == "The agent says: Build the shop"
        assert shown.card.accessibleName().startswith("Permission for Codex in ")
        for button in shown.card._buttons.buttons():
            assert button.accessibleName() or button.text()


async def test_words_of_an_agent_are_never_markup() -> None:
    call = ToolCallChange("c", title="<b>x</b>", raw_input={"command": "<img src=x>"})
    async with card_window(make_review(call=call, agent_name="<i>Codex</i>")) as shown:
        assert shown.label("reviewTitle").startswith("<i>Codex</i>")
        assert shown.card._text.toPlainText().startswith("<img src=x>")


async def test_every_control_is_large_enough_for_fingers() -> None:
    async with card_window(make_review()) as shown:
        shown.touch.set_mode(TouchMode.ON)
        await shown.arm()
        for button in shown.card._buttons.buttons():
            assert button.height() >= 44, button.objectName()


async def test_a_card_as_tall_as_it_wants_to_be_cuts_no_button() -> None:
    async with card_window(make_review(command="npm run build")) as shown:
        assert shown.card.sizeHint().height() >= shown.card.minimumSizeHint().height()
        shown.card.setFixedHeight(shown.card.sizeHint().height())
        await shown.arm()
        buttons = shown.card._buttons
        for button in buttons.buttons():
            assert button.geometry().bottom() <= buttons.height(), button.objectName()
        always, approve = shown.button("alwaysAllowButton"), shown.button("approveButton")
        assert not _place(always).intersects(_place(approve))


async def test_without_an_option_to_decline_declining_is_offered_all_the_same() -> None:
    async with card_window(make_review(options=OPTIONS[:1])) as shown:
        await shown.click("declineButton")
        assert shown.decided == [""]


async def test_a_question_goes_first_unless_this_was_opened() -> None:
    review = make_review()
    async with card_window(review) as shown:
        shown.card.hold_back(held=True)
        assert not shown.card.isVisible()
        shown.case.view_model.open_review(review.review_id)
        assert shown.card.isVisible()
