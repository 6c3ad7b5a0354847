"""What the icon in the tray says of what waits."""

import pytest
from PySide6.QtWidgets import QApplication, QMainWindow

from app.desktop.tray import Tray
from app.language import Language
from app.viewmodels.inbox import InboxViewModel
from tests.helpers.desk_builders import make_bundle, make_session
from tests.helpers.fake_backend import FakeBackend
from tests.helpers.fake_reviews import make_review
from tests.helpers.review_case import ReviewCase


@pytest.mark.parametrize(
    ("questions", "permissions", "told"),
    [
        (0, 0, "Kandesk"),
        (1, 0, "Kandesk\n1 question waiting for you"),
        (0, 1, "Kandesk\n1 permission waiting for you"),
        (2, 3, "Kandesk\n2 questions waiting for you\n3 permissions waiting for you"),
    ],
)
def test_questions_and_permissions_are_counted_each_in_its_own_words(
    qapp: QApplication, questions: int, permissions: int, told: str
) -> None:
    Language(qapp, "en")
    window = QMainWindow()
    tray = Tray(window)
    tray.show_waiting(questions, permissions)
    assert tray.tool_tip == told
    window.close()


async def test_both_are_told_to_whoever_counts(backend: FakeBackend) -> None:
    window = QMainWindow()
    reviews = ReviewCase(backend, window)
    inbox = InboxViewModel(backend, window, reviews=reviews.view_model)
    told: list[tuple[int, int]] = []
    inbox.waiting_changed.connect(lambda *counts: told.append(counts))
    backend.desk.put_session(make_session())
    backend.desk.open(make_bundle("p1"))
    backend.desk.reviews.ask(make_review())
    assert told[-1] == (1, 1)
    assert inbox.count == 2
    window.close()
