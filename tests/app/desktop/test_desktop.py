"""What the desktop is told, and what is remembered between two starts."""

from dataclasses import dataclass, field
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QMainWindow

from app.desktop.notifications import Notifications
from app.desktop.window_state import DEFAULT_SIZE, WindowState
from app.theme import Scheme
from app.viewmodels.inbox import InboxViewModel
from app.viewmodels.sessions import SessionsViewModel
from backend.domain.clarification import Skipped
from backend.ids import ClaimId, ClientId, PendingId
from tests.helpers.desk_builders import make_bundle, make_message, make_question, make_session
from tests.helpers.fake_backend import FakeBackend
from tests.helpers.review_case import ReviewCase
from tests.helpers.waiting import until


@dataclass
class _Messenger:
    shown: list[tuple[str, str]] = field(default_factory=list)

    def show_message(self, title: str, text: str) -> None:
        self.shown.append((title, text))


@dataclass
class _Desktop:
    backend: FakeBackend
    window: QMainWindow
    messenger: _Messenger
    notifications: Notifications


@pytest.fixture
def desktop(backend: FakeBackend) -> _Desktop:
    backend.desk.put_session(make_session("s1"))
    window, messenger = QMainWindow(), _Messenger()
    inbox, sessions = InboxViewModel(backend, window), SessionsViewModel(backend, window)
    reviews = ReviewCase(backend, window).view_model
    notifications = Notifications(inbox, sessions, reviews, messenger, window)
    backend.desk.put_session(make_session("s1"))
    return _Desktop(backend, window, messenger, notifications)


def test_each_request_is_notified_once_while_the_window_is_away(desktop: _Desktop) -> None:
    """peers.md 72: naming project and question."""
    bundle = make_bundle("p1", [make_question("Drop\n the table?")])
    desktop.backend.desk.open(bundle)
    desktop.backend.desk.open(bundle)
    assert desktop.messenger.shown == [("claude-code asks in shop", "Drop the table?")]


def test_chatter_is_never_notified(desktop: _Desktop) -> None:
    desktop.backend.desk.add_messages(*(make_message(f"m{n}", "done") for n in range(20)))
    assert desktop.messenger.shown == []


async def test_nothing_is_notified_while_the_window_is_in_front(desktop: _Desktop) -> None:
    desktop.window.show()
    desktop.window.activateWindow()
    await until(desktop.window.isActiveWindow)
    desktop.backend.desk.open(make_bundle("p1"))
    assert desktop.messenger.shown == []
    desktop.window.close()


def test_a_click_opens_the_card(desktop: _Desktop) -> None:
    opened: list[object] = []
    desktop.notifications.opened.connect(opened.append)
    desktop.backend.desk.open(make_bundle("p1"))
    desktop.notifications.clicked()
    assert opened == ["p1"]


async def test_a_click_on_the_notification_of_an_answered_card_opens_none(
    desktop: _Desktop,
) -> None:
    opened: list[object] = []
    desktop.notifications.opened.connect(opened.append)
    desktop.backend.desk.open(make_bundle("p1"))
    await desktop.backend.desk.respond(
        PendingId("p1"), Skipped(), client_id=ClientId("w"), claim_token=ClaimId("c")
    )
    desktop.notifications.clicked()
    assert opened == [None]


def test_a_long_question_is_cut_in_a_notification(desktop: _Desktop) -> None:
    desktop.backend.desk.open(make_bundle("p1", [make_question("why " * 200)]))
    assert len(desktop.messenger.shown[0][1]) < 200


def test_the_window_comes_back_where_it_was(qapp: QApplication, tmp_path: Path) -> None:
    first = QMainWindow()
    first.resize(777, 555)
    WindowState(tmp_path).save(first)
    second = QMainWindow()
    WindowState(tmp_path).restore(second)
    assert second.size().width() == 777
    third = QMainWindow()
    WindowState(tmp_path / "new").restore(third)
    assert third.width() <= DEFAULT_SIZE.width()


def test_look_size_and_language_are_kept(qapp: QApplication, tmp_path: Path) -> None:
    """peers.md 83."""
    state = WindowState(tmp_path)
    assert (state.scheme, state.language, state.zoom) == (Scheme.SYSTEM, None, 1.0)
    state.save_scheme(Scheme.DARK)
    state.save_language("zh_CN")
    state.save_zoom(1.3)
    again = WindowState(tmp_path)
    assert (again.scheme, again.language, again.zoom) == (Scheme.DARK, "zh_CN", 1.3)


def test_nonsense_in_the_file_is_no_reason_to_fail(qapp: QApplication, tmp_path: Path) -> None:
    (tmp_path / "window.ini").write_text(
        "[General]\nscheme=purple\nzoom=big\ngeometry=@ByteArray(xx)\n", encoding="utf-8"
    )
    state, window = WindowState(tmp_path), QMainWindow()
    state.restore(window)
    assert (state.scheme, state.zoom) == (Scheme.SYSTEM, 1.0)


def test_what_is_said_once_is_said_once(qapp: QApplication, tmp_path: Path) -> None:
    state = WindowState(tmp_path)
    assert state.first_time("tray")
    assert not state.first_time("tray")
    assert not WindowState(tmp_path).first_time("tray")
