"""What header and side pane say of a session, and where each is found."""

import dataclasses

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel

from app.models.session_list_model import SessionListModel, SessionRole
from app.text import session_text
from app.viewmodels.sessions import SessionsViewModel
from backend.domain.conversation import SessionKind, SessionState
from backend.ids import SessionId
from tests.helpers.clock import settle
from tests.helpers.desk_builders import make_session
from tests.helpers.fake_backend import FakeBackend
from tests.helpers.fake_conversations import make_conversation
from tests.helpers.fake_reviews import make_review
from tests.helpers.hosted_window import hosted_window
from tests.helpers.waiting import until
from tests.helpers.window import shown_window

WORKS = make_session(state=SessionState.RUNNING, kind=SessionKind.HOSTED)


def test_a_session_whose_agent_waits_for_a_permission_is_not_said_to_work() -> None:
    """K4.4: what the human is to do goes before what the agent does; the store keeps RUNNING."""
    asks = dataclasses.replace(WORKS, pending_permissions=1)
    both = dataclasses.replace(asks, pending_questions=1)
    assert session_text(WORKS) == "Working"
    assert session_text(asks) == "Waiting for your permission"
    assert session_text(both) == "Waiting for you"
    ended = dataclasses.replace(asks, state=SessionState.CANCELLED)
    assert session_text(ended) == "Ended"


def test_a_start_that_failed_is_told_from_an_end() -> None:
    failed = dataclasses.replace(WORKS, state=SessionState.FAILED)
    assert session_text(failed) == "Could not start"


async def test_header_and_side_pane_say_the_same() -> None:
    async with hosted_window(make_conversation()) as window:
        session = window.shown.desk.sessions.current
        assert session is not None
        window.shown.backend.desk.put_session(
            dataclasses.replace(
                session,
                state=SessionState.RUNNING,
                pending_permissions=1,
                updated_at=session.updated_at + 1,  # type: ignore[arg-type]
            )
        )
        words = "Waiting for your permission"
        header = window.shown.view.pages.chat
        await until(lambda: any(words in each.text() for each in header.findChildren(QLabel)))
        model = window.shown.view.sidebar.list.model()
        await until(
            lambda: words in str(model.index(1, 0).data(Qt.ItemDataRole.AccessibleTextRole))
        )


async def test_quick_chats_have_a_place_of_their_own_at_the_end(backend: FakeBackend) -> None:
    """window.md, Layout: a Quick Chat belongs to no project, and is none without a name."""
    model = SessionListModel(SessionsViewModel(backend))
    backend.desk.put_session(make_session("q", title="Monads", workspace="", quick_chat=True))
    backend.desk.put_session(make_session("g", title="Guest", workspace="", updated=-1))
    backend.desk.put_session(make_session("s", title="Shop", updated=-2))
    await until(lambda: model.rowCount() == 6)
    shown = [model.index(row).data() for row in range(model.rowCount())]
    assert shown == ["No project", "Guest", "shop", "Shop", "Quick Chats", "Monads"]
    heading = model.index(4)
    assert heading.data(SessionRole.QUICK_CHATS) is True
    assert heading.data(Qt.ItemDataRole.AccessibleTextRole) == "Quick Chats"


@pytest.mark.parametrize("by", ["key", "click"])
async def test_opening_a_permission_from_the_inbox_puts_the_keyboard_on_its_card(by: str) -> None:
    """window.md, Hands: where nothing is decided by a stray key."""
    backend = FakeBackend()
    backend.desk.put_session(make_session("s0", title="Other", updated=5))
    backend.desk.put_session(make_session())
    async with shown_window(backend) as shown:
        shown.desk.open_session(SessionId("s0"))
        backend.desk.reviews.ask(make_review())
        inbox = shown.view.inbox_view
        await until(lambda: inbox._list.model().rowCount() > 0)
        await settle()
        rows = inbox._list.model()
        index = next(
            rows.index(row, 0)
            for row in range(rows.rowCount())
            if rows.flags(rows.index(row, 0)) & Qt.ItemFlag.ItemIsSelectable
        )
        if by == "click":
            QApplication.sendPostedEvents()
            place = inbox._list.visualRect(index).center()
            QTest.mouseClick(
                inbox._list.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(place.x(), place.y())
            )
        else:
            inbox.focus_list()
            inbox._list.setCurrentIndex(index)
            QTest.keyClick(inbox._list, Qt.Key.Key_Return)
        card = shown.find("reviewCard")
        await until(
            lambda: (focus := QApplication.focusWidget()) is not None and card.isAncestorOf(focus)
        )
        QTest.keyClick(QApplication.focusWidget() or card, Qt.Key.Key_Return)
        assert backend.desk.reviews.decisions == []
