"""Qt's models show what the view models hold; rows that stay are changed, not rebuilt."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QApplication

from app.models.inbox_model import InboxModel, InboxRole
from app.models.session_list_model import SessionListModel, SessionRole
from app.models.transcript_model import TranscriptModel, TranscriptRole
from app.viewmodels.conversations import ConversationsViewModel
from app.viewmodels.inbox import InboxViewModel
from app.viewmodels.sessions import SessionsViewModel
from app.viewmodels.transcript import TranscriptViewModel
from backend.domain.clarification import BundleStatus, Delivery
from backend.ids import PendingId, SessionId
from tests.helpers.desk_builders import make_bundle, make_message, make_session, moment
from tests.helpers.fake_backend import FakeBackend
from tests.helpers.waiting import until

_STRICT = QAbstractItemModelTester.FailureReportingMode.Warning


def _texts(model: SessionListModel | InboxModel | TranscriptModel) -> list[str]:
    return [str(model.index(row).data()) for row in range(model.rowCount())]


@pytest.fixture
def sessions(backend: FakeBackend) -> SessionsViewModel:
    return SessionsViewModel(backend)


@pytest.fixture
def inbox(backend: FakeBackend) -> InboxViewModel:
    return InboxViewModel(backend)


async def test_sessions_stand_under_their_project(
    backend: FakeBackend, sessions: SessionsViewModel
) -> None:
    model = SessionListModel(sessions, ConversationsViewModel(backend))
    QAbstractItemModelTester(model, _STRICT)
    backend.desk.put_session(make_session("s1", workspace="/home/ann/shop", updated=2))
    backend.desk.put_session(make_session("s2", title="Import", workspace="", updated=1))
    await until(model.rowCount)
    assert _texts(model) == ["shop", "claude-code", "No project", "Import"]
    assert model.flags(model.index(0)) == Qt.ItemFlag.ItemIsEnabled
    assert model.index_of(SessionId("s2")).row() == 3


async def test_a_changed_badge_does_not_rebuild_the_list(
    backend: FakeBackend, sessions: SessionsViewModel
) -> None:
    session = make_session("s1", updated=1)
    backend.desk.put_session(session)
    model = SessionListModel(sessions, ConversationsViewModel(backend))
    resets: list[bool] = []
    changes: list[int] = []
    model.modelReset.connect(lambda: resets.append(True))
    model.dataChanged.connect(lambda first, _: changes.append(first.row()))
    backend.desk.put_session(replace(session, pending_questions=2, updated_at=moment(2)))
    await until(lambda: changes)
    assert resets == []
    assert changes == [1]
    spoken = str(model.index(1).data(Qt.ItemDataRole.AccessibleTextRole))
    assert "2 question" in spoken
    shown = model.index(1).data(SessionRole.SESSION)
    assert shown.pending_questions == 2


def test_the_inbox_has_two_sections(
    qapp: QApplication,
    backend: FakeBackend,
    sessions: SessionsViewModel,
    inbox: InboxViewModel,
) -> None:
    model = InboxModel(inbox, sessions)
    QAbstractItemModelTester(model, _STRICT)
    backend.desk.put_session(make_session("s1"))
    backend.desk.open(make_bundle("p1", created=1))
    stored = make_bundle("p2", created=0, status=BundleStatus.ANSWERED)
    backend.desk.change(replace(stored, delivery=Delivery.WAITING_FOR_AGENT))
    assert _texts(model) == ["Which database?", "Answered, not yet collected", "Which database?"]
    assert [bool(model.index(row).data(InboxRole.UNCOLLECTED)) for row in range(3)] == [
        False,
        True,
        True,
    ]
    assert model.index_of(PendingId("p2")).row() == 2
    spoken = str(model.index(0).data(Qt.ItemDataRole.AccessibleTextRole))
    assert spoken == "question from claude-code in shop: Which database?"


async def test_the_transcript_model_follows_inserts_changes_and_removals(
    backend: FakeBackend, inbox: InboxViewModel
) -> None:
    rows = TranscriptViewModel(backend)
    model = TranscriptModel(rows, inbox)
    QAbstractItemModelTester(model, _STRICT)
    backend.desk.put_session(make_session("s1"))
    await rows.show(SessionId("s1"))
    backend.desk.add_messages(make_message("a", "one", created=1))
    backend.desk.open(make_bundle("p1", created=2))
    backend.desk.add_messages(make_message("b", "three", created=3))
    assert model.rowCount() == 3
    backend.desk.remove(PendingId("p1"))
    assert _texts(model) == ["one", "three"]
    first = [bool(model.index(row).data(TranscriptRole.FIRST_OF_AUTHOR)) for row in range(2)]
    assert first == [True, False]


async def test_a_row_of_an_unknown_kind_is_named(
    backend: FakeBackend, inbox: InboxViewModel
) -> None:
    """peers.md 40: never silence."""
    rows = TranscriptViewModel(backend)
    model = TranscriptModel(rows, inbox)
    backend.desk.put_session(make_session("s1"))
    await rows.show(SessionId("s1"))
    backend.desk.add_messages(make_message("x", "inside", kind="hologram"))
    assert "hologram" in _texts(model)[0]
    assert "inside" in _texts(model)[0]
