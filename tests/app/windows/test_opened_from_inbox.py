"""What the human opens from the Inbox has the keyboard, and nothing happens by that alone."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from app.widgets.pane_focus import holds_focus
from backend.domain.review import ReviewStatus
from backend.ids import PendingId, SessionId
from tests.helpers.clock import settle
from tests.helpers.desk_builders import make_bundle, make_session
from tests.helpers.fake_backend import FakeBackend
from tests.helpers.fake_conversations import make_conversation
from tests.helpers.fake_reviews import make_review
from tests.helpers.hosted_window import hosted_window
from tests.helpers.waiting import until
from tests.helpers.window import Shown, shown_window

BY = pytest.mark.parametrize("by", ["key", "click"])


def _two_sessions() -> FakeBackend:
    backend = FakeBackend()
    backend.desk.put_session(make_session("s0", title="Other", updated=5))
    backend.desk.put_session(make_session())
    return backend


async def _open_first(shown: Shown, by: str) -> None:
    """The first row of the Inbox, as a human opens it."""
    view = shown.view.inbox_view.list
    await until(lambda: view.model().rowCount() > 0)
    await settle()
    rows = view.model()
    index = next(
        rows.index(row, 0)
        for row in range(rows.rowCount())
        if rows.flags(rows.index(row, 0)) & Qt.ItemFlag.ItemIsSelectable
    )
    if by == "click":
        QApplication.sendPostedEvents()
        place = view.visualRect(index).center()
        QTest.mouseClick(
            view.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(place.x(), place.y())
        )
    else:
        shown.view.inbox_view.focus_list()
        view.setCurrentIndex(index)
        QTest.keyClick(view, Qt.Key.Key_Return)


@BY
async def test_opening_a_permission_from_the_inbox_puts_the_keyboard_on_its_card(by: str) -> None:
    """window.md, Hands: where nothing is decided by a stray key."""
    backend = _two_sessions()
    async with shown_window(backend) as shown:
        shown.desk.open_session(SessionId("s0"))
        backend.desk.reviews.ask(make_review())
        await _open_first(shown, by)
        card = shown.find("reviewCard")
        await until(lambda: holds_focus(card))
        focus = QApplication.focusWidget() or card
        assert focus.accessibleName() == "What is to be allowed"
        QTest.keyClick(focus, Qt.Key.Key_Return)
        assert backend.desk.reviews.decisions == []


@BY
async def test_opening_a_question_from_the_inbox_puts_the_keyboard_where_it_is_answered(
    by: str,
) -> None:
    backend = _two_sessions()
    async with shown_window(backend) as shown:
        shown.desk.open_session(SessionId("s0"))
        backend.desk.open(make_bundle("p1"))
        await _open_first(shown, by)
        await until(lambda: holds_focus(shown.overlay))
        focus = QApplication.focusWidget() or shown.overlay
        assert focus.accessibleName(), "a screen reader says what it is"
        # The key that opened it may still be down, and is pressed again by accident.
        QTest.keyClick(focus, Qt.Key.Key_Return)
        await settle()
        assert backend.desk.responses == []
        assert PendingId("p1") in backend.desk.bundles


async def test_a_collapsed_question_is_opened_again_by_asking_for_it() -> None:
    backend = _two_sessions()
    async with shown_window(backend) as shown:
        shown.desk.open_session(SessionId("s1"))
        backend.desk.open(make_bundle("p1"))
        await until(shown.overlay.isVisible)
        shown.desk.clarification.set_collapsed(collapsed=True)
        await _open_first(shown, "key")
        card = shown.desk.clarification.card
        assert card is not None
        assert not card.collapsed
        await until(lambda: holds_focus(shown.overlay))


async def test_after_a_question_from_the_inbox_the_keyboard_is_in_the_inbox_again() -> None:
    """window.md, Hands: focus returns to the opener."""
    backend = _two_sessions()
    async with shown_window(backend) as shown:
        backend.desk.open(make_bundle("p1"))
        backend.desk.open(make_bundle("p2", session="s0"))
        await _open_first(shown, "key")
        await until(lambda: holds_focus(shown.overlay))
        gate = backend.desk.hold("respond")
        shown.desk.clarification.skip("")
        await settle()
        assert holds_focus(shown.overlay), "while it is sent"
        gate.set()
        await until(lambda: holds_focus(shown.view.inbox_view))


async def test_what_a_notification_opens_is_shown_whatever_page_is_read() -> None:
    backend = _two_sessions()
    async with shown_window(backend) as shown:
        shown.desk.open_session(SessionId("s1"))
        review = backend.desk.reviews.ask(make_review())
        backend.desk.open(make_bundle("p1"))
        shown.view.show_history()
        await until(lambda: shown.desk.inbox.count == 2)
        shown.view.open_review(review)
        card: QWidget = shown.find("reviewCard")
        await until(lambda: card.isVisible() and holds_focus(card))


@pytest.mark.parametrize("typed", ["", "half a thought"])
async def test_an_agent_nobody_answered_in_time_can_be_asked_to_try_again(typed: str) -> None:
    """A late yes grants nothing (product.md P6): the agent asks anew, and what is typed stays."""
    async with hosted_window(make_conversation()) as window:
        desk, hosted = window.shown.backend.desk, window.hosted
        if typed:
            await window.type(typed)
        review = desk.reviews.ask(make_review(command="npm run build"))
        await until(lambda: window.sees("reviewCard"))
        desk.reviews.change(review, ReviewStatus.EXPIRED)
        await until(lambda: window.sees("askAgain"))
        QTest.mouseClick(window.find("askAgain"), Qt.MouseButton.LeftButton)
        words = "I did not decide in time, and nothing was run: npm run build\n\nPlease ask again."
        if typed:
            await until(lambda: window.edit.toPlainText() == f"{words}\n\n{typed}")
            assert not hosted.sent
        else:
            await until(lambda: [each.text for each in hosted.sent] == [words])
            await until(lambda: window.edit.toPlainText() == "")
        assert not window.sees("reviewCard")
