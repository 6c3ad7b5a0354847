"""Permissions in the Inbox, beside the questions: told apart, in one order, in one count."""

from dataclasses import dataclass, replace

import pytest
from PySide6.QtCore import QObject, Qt

from app.desktop.notifications import Notifications
from app.models.inbox_model import InboxModel, InboxRole
from app.models.session_list_model import SessionListModel
from app.viewmodels.conversations import ConversationsViewModel
from app.viewmodels.inbox import InboxViewModel
from app.viewmodels.sessions import SessionsViewModel
from backend.domain.review import ReviewStatus
from tests.helpers.clock import settle
from tests.helpers.desk_builders import make_bundle, make_session, moment
from tests.helpers.fake_backend import FakeBackend
from tests.helpers.fake_reviews import make_review
from tests.helpers.review_case import ReviewCase
from tests.helpers.waiting import until
from tests.helpers.window import shown_window


@dataclass
class Seen:
    case: ReviewCase
    owner: QObject
    inbox: InboxViewModel
    sessions: SessionsViewModel
    model: InboxModel

    def rows(self) -> list[str]:
        return [str(self.model.index(row).data()) for row in range(self.model.rowCount())]


@pytest.fixture
async def seen(qapp: object) -> Seen:
    case, owner = ReviewCase(), QObject()
    sessions = SessionsViewModel(case.backend, owner)
    inbox = InboxViewModel(case.backend, owner, reviews=case.view_model)
    model = InboxModel(inbox, sessions, owner)
    await sessions.load()
    await inbox.load()
    return Seen(case, owner, inbox, sessions, model)


async def test_permissions_stand_among_the_questions_by_their_age(seen: Seen) -> None:
    """window.md, Layout: every pending question and permission, oldest first."""
    desk = seen.case.backend.desk
    seen.case.reviews.ask(make_review(command="make install", at=moment(30)))
    desk.open(make_bundle("p1", created=20))
    seen.case.reviews.ask(make_review(command="make", at=moment(10)))

    assert [seen.rows()[0], seen.rows()[-1]] == ["make", "make install"]
    assert len(seen.rows()) == seen.inbox.count == 3


async def test_fifty_permissions_of_six_sessions_are_fifty_rows_and_nothing_is_decided(
    seen: Seen,
) -> None:
    """Bad input: each stands for itself, oldest first, also where they ask for the same."""
    for number in range(50):
        session = f"s{number % 6}"
        seen.case.reviews.ask(make_review(session, command="make", at=moment(number)))
    await settle()

    assert seen.rows().count("make") == seen.inbox.count == 50
    shown = [seen.model.index(row).data(InboxRole.REVIEW) for row in range(50)]
    assert len({review.review_id for review in shown}) == 50
    assert seen.case.reviews.decisions == []


async def test_a_permission_that_is_decided_leaves(seen: Seen) -> None:
    counts: list[int] = []
    seen.inbox.count_changed.connect(counts.append)
    review = seen.case.reviews.ask()

    seen.case.reviews.change(review, ReviewStatus.CANCELLED)

    assert seen.rows() == []
    assert counts[0] == 1
    assert counts[-1] == 0


async def test_a_row_of_a_permission_says_so(seen: Seen) -> None:
    review = seen.case.reviews.ask(make_review(command="npm   run\nbuild"))
    index = seen.model.index(0)

    assert index.data(InboxRole.REVIEW) == review
    assert index.data(InboxRole.BUNDLE) is None
    assert index.data() == "npm run build"
    spoken = index.data(Qt.ItemDataRole.AccessibleTextRole)
    assert spoken == "Codex wants to run a command: npm run build"
    assert seen.model.flags(index) & Qt.ItemFlag.ItemIsSelectable


async def test_a_session_says_how_many_permissions_it_needs(seen: Seen) -> None:
    session = replace(make_session("s1", pending=1), pending_permissions=2)
    seen.case.backend.desk.put_session(session)
    listed = SessionListModel(seen.sessions, ConversationsViewModel(seen.case.backend), seen.owner)
    await until(listed.rowCount)

    spoken = listed.index_of(session.session_id).data(Qt.ItemDataRole.AccessibleTextRole)

    assert "2 permission" in str(spoken)
    assert session.needs_human == 3


async def test_a_permission_is_notified_while_the_window_is_away() -> None:
    """window.md, Eyes and ears; Kandev has none for a permission: a gap to fill."""
    backend = FakeBackend()
    backend.desk.put_session(make_session("s1"))
    shown_messages: list[tuple[str, str]] = []

    class Messenger:
        def show_message(self, title: str, text: str) -> None:
            shown_messages.append((title, text))

    async with shown_window(backend) as shown:
        shown.window.showMinimized()
        desk = shown.desk
        notices = Notifications(desk.inbox, desk.sessions, desk.reviews, Messenger(), shown.window)
        opened: list[object] = []
        notices.opened.connect(opened.append)

        review = backend.desk.reviews.ask(make_review(command="rm -r build"))
        notices.clicked()

        assert [text for _, text in shown_messages] == ["rm -r build"]
        assert "permission" in shown_messages[0][0]
        assert opened == [review.review_id]
        second = backend.desk.reviews.ask()
        backend.desk.reviews.change(second, ReviewStatus.CANCELLED)
        notices.clicked()
        assert opened[-1] is None


async def test_a_permission_chosen_in_the_inbox_is_shown_in_its_conversation() -> None:
    backend = FakeBackend()
    for name in ("s1", "s2"):
        backend.desk.put_session(make_session(name))
    async with shown_window(backend) as shown:
        shown.desk.open_session(make_session("s1").session_id)
        review = backend.desk.reviews.ask(make_review("s2"))
        assert not shown.find("reviewCard").isVisible()

        shown.view.inbox_view.review_chosen.emit(review)

        assert shown.desk.sessions.current_id == review.session_id
        assert shown.find("reviewCard").isVisible()
        assert shown.window.windowTitle() == "(1) Kandesk"


async def test_a_question_of_the_same_session_goes_first() -> None:
    backend = FakeBackend()
    backend.desk.put_session(make_session("s1"))
    async with shown_window(backend) as shown:
        shown.desk.open_session(make_session("s1").session_id)
        review = backend.desk.reviews.ask()
        assert shown.find("reviewCard").isVisible()

        backend.desk.open(make_bundle("p1"))
        assert shown.find("clarificationOverlay").isVisible()
        assert not shown.find("reviewCard").isVisible()

        shown.view.inbox_view.review_chosen.emit(review)
        assert shown.find("reviewCard").isVisible()
