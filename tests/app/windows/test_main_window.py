"""The window as a human and an assistive tool meet it."""

from dataclasses import replace

import pytest
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QAccessible, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QLabel,
    QLineEdit,
    QListView,
    QMessageBox,
    QPushButton,
    QWidget,
)

from app.pseudo_locale import PSEUDO
from app.theme import Scheme
from app.viewmodels.notices import Notice, Severity
from app.widgets.two_pane import NARROW
from backend.domain.clarification import BundleStatus, Delivery
from backend.errors import ErrorCode, StorageFailed, TemporarilyUnavailable
from backend.ids import PendingId
from tests.helpers.desk_builders import make_bundle, make_message, make_question, make_session
from tests.helpers.fake_backend import FakeBackend
from tests.helpers.waiting import until
from tests.helpers.window import Shown, shown_window


@pytest.fixture
def busy(backend: FakeBackend) -> FakeBackend:
    """Two projects, three sessions, two questions and one answer nobody has collected."""
    desk = backend.desk
    desk.put_session(make_session("s1", updated=30))
    desk.put_session(
        make_session("s2", agent="codex", title="Importer", workspace="/home/ann/notes", updated=20)
    )
    desk.put_session(make_session("s3", agent="opencode", updated=10))
    desk.add_messages(make_message("m1", "Good morning", created=1))
    desk.open(make_bundle("p2", [make_question("Which branch?")], session="s2", created=20))
    desk.open(make_bundle("p1", [make_question("Drop the table?")], created=10))
    stored = make_bundle("u1", session="s3", status=BundleStatus.ANSWERED, waiting_calls=0)
    desk.change(replace(stored, delivery=Delivery.WAITING_FOR_AGENT))
    return backend


def _list(shown: Shown, name: str) -> QListView:
    view = shown.find(name)
    assert isinstance(view, QListView)
    return view


def _texts(view: QListView) -> list[str]:
    model = view.model()
    return [str(model.index(row, 0).data()) for row in range(model.rowCount())]


def _click_row(view: QListView, row: int) -> None:
    rect = view.visualRect(view.model().index(row, 0))
    QTest.mouseClick(
        view.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, rect.center()
    )


async def test_the_lists_are_filled_and_the_oldest_question_is_open(busy: FakeBackend) -> None:
    """P8."""
    async with shown_window(busy) as shown:
        assert _texts(_list(shown, "inboxList")) == [
            "Drop the table?",
            "Which branch?",
            "Answered, not yet collected",
            "Which database?",
        ]
        assert "Importer" in _texts(_list(shown, "sessionList"))
        assert shown.desk.sessions.current_id == "s1"
        card = shown.desk.clarification.card
        assert card is not None
        assert card.pending_id == "p1"
        assert shown.window.windowTitle() == "(2) Kandesk"


async def test_a_question_that_arrives_is_in_the_inbox_at_once(busy: FakeBackend) -> None:
    async with shown_window(busy) as shown:
        busy.desk.open(make_bundle("p3", [make_question("And now?")], session="s2", created=99))
        assert "And now?" in _texts(_list(shown, "inboxList"))
        badge = shown.find("inboxCount")
        assert isinstance(badge, QLabel)
        assert badge.text() == "3"
        assert shown.desk.sessions.current_id == "s1"


async def test_a_question_that_arrives_leaves_the_chosen_rows_and_the_keyboard(
    busy: FakeBackend,
) -> None:
    """window.md, Hands: whoever picks questions by keyboard is not thrown back to the first."""
    async with shown_window(busy) as shown:
        view = _list(shown, "inboxList")
        view.setCurrentIndex(view.model().index(1, 0))
        busy.desk.open(make_bundle("p0", [make_question("Before?")], session="s2", created=-99))
        busy.desk.open(make_bundle("p3", [make_question("After?")], session="s2", created=99))
        assert [index.data() for index in view.selectedIndexes()] == ["Which branch?"]
        assert view.currentIndex().data() == "Which branch?"
        assert shown.find("closeQuestion", within="inboxView").isVisible()
        busy.desk.remove(PendingId("p2"))
        assert not view.selectedIndexes()
        assert not shown.find("closeQuestion", within="inboxView").isVisible()


async def test_choosing_a_question_opens_its_conversation(busy: FakeBackend) -> None:
    async with shown_window(busy) as shown:
        _click_row(_list(shown, "inboxList"), 1)
        await until(lambda: shown.desk.transcript.session_id == "s2")
        card = shown.desk.clarification.card
        assert card is not None
        assert card.pending_id == "p2"
        title = shown.find("sessionTitle")
        assert isinstance(title, QLabel)
        assert title.text() == "Importer"


async def test_a_new_question_never_takes_the_focus(busy: FakeBackend) -> None:
    """P7, peers.md 52."""
    async with shown_window(busy) as shown:
        typing = QLineEdit(shown.window)
        typing.show()
        shown.window.activateWindow()
        await until(shown.window.isActiveWindow)
        typing.setFocus()
        QTest.keyClicks(typing, "hel")
        busy.desk.open(make_bundle("p3", session="s1", created=99))
        busy.desk.open(make_bundle("p4", session="s2", created=99))
        QTest.keyClicks(typing, "lo 1")
        assert typing.text() == "hello 1"
        assert typing.hasFocus()
        assert busy.desk.responses == []


async def test_no_part_of_a_question_is_ever_a_window_of_its_own(
    busy: FakeBackend, qapp: QApplication
) -> None:
    """P7: a part shown before it has a parent would take the focus from whoever types."""
    watch = _WindowWatch()
    qapp.installEventFilter(watch)
    try:
        async with shown_window(busy) as shown:
            questions = [
                make_question(title="One"),
                make_question(name="q2", multi_select=True, title="A longer title than a tab has"),
                make_question(name="q3", labels=()),
            ]
            busy.desk.open(make_bundle("p9", questions, session="s2", context="why", created=0))
            _click_row(_list(shown, "inboxList"), 0)
            await until(lambda: shown.desk.sessions.current_id == "s2")
            for step in range(4):
                shown.desk.clarification.go_to(step)
        assert watch.seen == ["mainWindow"]
    finally:
        qapp.removeEventFilter(watch)


class _WindowWatch(QObject):
    """Notes the name of each widget that is shown as a window."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Show and isinstance(watched, QWidget) and watched.isWindow():
            self.seen.append(watched.objectName() or type(watched).__name__)
        return super().eventFilter(watched, event)


async def test_a_new_question_is_announced_to_assistive_technology(busy: FakeBackend) -> None:
    """P11, peers.md 82."""
    async with shown_window(busy) as shown:
        busy.desk.open(make_bundle("p3", session="s2", created=99))
        announced = shown.find("inboxCount")
        assert announced.accessibleDescription() == "question from codex in notes"


async def test_the_transcript_answers_to_assistive_technology(busy: FakeBackend) -> None:
    async with shown_window(busy) as shown:
        view = shown.find("transcriptView")
        interface = QAccessible.queryAccessibleInterface(view)
        assert interface.text(QAccessible.Text.Name) == "Transcript"
        assert interface.childCount() == 2
        assert "Good morning" in interface.child(0).text(QAccessible.Text.Name)


async def test_closing_a_question_asks_first(busy: FakeBackend) -> None:
    async with shown_window(busy) as shown:
        button = shown.find("closeQuestion", within="inboxView")
        assert not button.isVisible()
        _click_row(_list(shown, "inboxList"), 0)
        assert button.isVisible()
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)
        box = shown.window.findChild(QMessageBox, "confirmation")
        assert isinstance(box, QMessageBox)
        assert busy.desk.bundles[PendingId("p1")].answerable
        accept = box.findChild(QPushButton, "confirmButton")
        assert isinstance(accept, QPushButton)
        assert box.defaultButton() is not accept
        QTest.mouseClick(accept, Qt.MouseButton.LeftButton)
        await until(lambda: not busy.desk.bundles[PendingId("p1")].answerable)
        assert busy.desk.bundles[PendingId("p1")].status is BundleStatus.CANCELLED
        assert _texts(_list(shown, "inboxList"))[0] == "Which branch?"


async def test_a_stored_answer_is_copied_and_discarded(busy: FakeBackend) -> None:
    async with shown_window(busy) as shown:
        _click_row(_list(shown, "inboxList"), 3)
        QTest.mouseClick(shown.find("copyStoredAnswer"), Qt.MouseButton.LeftButton)
        assert "Which database?" in QGuiApplication.clipboard().text()
        QTest.mouseClick(
            shown.find("discardStoredAnswer", within="inboxView"), Qt.MouseButton.LeftButton
        )
        accept = shown.find("confirmButton")
        QTest.mouseClick(accept, Qt.MouseButton.LeftButton)
        await until(lambda: busy.desk.bundles[PendingId("u1")].delivery is Delivery.DISCARDED)
        assert _texts(_list(shown, "inboxList")) == ["Drop the table?", "Which branch?"]


async def test_a_failed_action_is_told_and_changes_nothing(busy: FakeBackend) -> None:
    async with shown_window(busy) as shown:
        busy.desk.fail("close_question", TemporarilyUnavailable(ErrorCode.STORE_BUSY, "locked"))
        shown.desk.close_questions([PendingId("p1")])
        await until(lambda: shown.find("noticeBar").isVisible())
        assert shown.desk.inbox.count == 2
        QTest.mouseClick(shown.find("dismissNotice"), Qt.MouseButton.LeftButton)
        assert not shown.find("noticeBar").isVisible()


async def test_below_900_pixels_the_side_pane_is_a_drawer(busy: FakeBackend) -> None:
    async with shown_window(busy, width=NARROW - 1, height=600) as shown:
        side, button = shown.find("sidePane"), shown.find("drawerButton")
        assert not side.isVisible()
        assert button.isVisible()
        assert "2 question" in button.accessibleName()
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)
        assert side.isVisible()
        _click_row(_list(shown, "inboxList"), 1)
        assert not side.isVisible()
        assert shown.desk.sessions.current_id == "s2"
        shown.window.resize(NARROW + 1, 600)
        assert side.isVisible()
        assert not button.isVisible()


async def test_escape_and_a_press_beside_it_close_the_drawer(busy: FakeBackend) -> None:
    async with shown_window(busy, width=800, height=600) as shown:
        side = shown.find("sidePane")
        await until(shown.window.isActiveWindow)
        QTest.keyClick(shown.window, Qt.Key.Key_I, Qt.KeyboardModifier.ControlModifier)
        assert side.isVisible()
        QTest.keyClick(_list(shown, "inboxList"), Qt.Key.Key_Escape)
        assert not side.isVisible()
        QTest.mouseClick(shown.find("drawerButton"), Qt.MouseButton.LeftButton)
        scrim = shown.find("drawerScrim")
        QTest.mousePress(
            scrim,
            Qt.MouseButton.LeftButton,
            Qt.KeyboardModifier.NoModifier,
            scrim.rect().bottomRight(),
        )
        assert not side.isVisible()


async def test_f6_goes_round_the_panes(busy: FakeBackend) -> None:
    async with shown_window(busy) as shown:
        await until(shown.window.isActiveWindow)
        shown.find("sessionList").setFocus()
        visited = []
        for _ in range(4):
            QTest.keyClick(shown.window, Qt.Key.Key_F6)
            focus = QApplication.focusWidget()
            assert focus is not None
            visited.append(focus.objectName())
        assert visited == [
            "transcriptView",
            "clarificationOverlay",
            "inboxList",
            "sessionList",
        ]


async def test_the_look_changes_live(busy: FakeBackend) -> None:
    async with shown_window(busy) as shown:
        light = shown.window.grab().toImage().pixelColor(600, 700).lightness()
        shown.theme.set_scheme(Scheme.DARK)
        await until(lambda: shown.window.grab().toImage().pixelColor(600, 700).lightness() < light)


async def test_the_language_changes_live(busy: FakeBackend) -> None:
    async with shown_window(busy) as shown:
        shown.language.use("zh_CN")
        await until(lambda: "收件箱" in {la.text() for la in shown.window.findChildren(QLabel)})
        assert "已回答，尚未取走" in _texts(_list(shown, "inboxList"))  # noqa: RUF001
        close = shown.find("closeQuestion", within="inboxView")
        assert isinstance(close, QPushButton)
        assert close.text() == "撤回并关闭…"


async def test_a_language_from_right_to_left_mirrors_the_window(busy: FakeBackend) -> None:
    async with shown_window(busy) as shown:
        left = shown.find("sidePane").x()
        QGuiApplication.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
        await until(lambda: shown.find("sidePane").x() > left)
        QGuiApplication.setLayoutDirection(Qt.LayoutDirection.LeftToRight)


@pytest.mark.parametrize("language", [PSEUDO, "zh_CN"])
async def test_nothing_is_cut_at_800_by_600(busy: FakeBackend, language: str) -> None:
    async with shown_window(busy, width=800, height=600) as shown:
        shown.language.use(language)
        shown.desk.notices.show_notice(Notice("Something to say", Severity.ERROR))
        QTest.mouseClick(shown.find("drawerButton"), Qt.MouseButton.LeftButton)
        for row in (0, 3):
            _list(shown, "inboxList").setCurrentIndex(
                _list(shown, "inboxList").model().index(row, 0)
            )
            await until(lambda: shown.find("sidePane").isVisible())
            assert _cut(shown.window) == []
        shown.view.show_welcome()
        await until(shown.view.pages.welcome.isVisible)
        assert _cut(shown.window) == []


def _cut(window: QWidget) -> list[str]:
    """Visible buttons and single-line labels that are narrower than their text."""
    return [
        f"{type(widget).__name__} {text}"
        for widget in window.findChildren(QWidget)
        if widget.isVisible()
        and isinstance(widget, QAbstractButton | QLabel)
        and (text := widget.text())
        and not (isinstance(widget, QLabel) and widget.wordWrap())
        and widget.width() < widget.fontMetrics().horizontalAdvance(text)
    ]


async def test_every_control_has_a_name(busy: FakeBackend) -> None:
    """P11."""
    async with shown_window(busy) as shown:
        shown.desk.notices.show_notice(Notice("Something", action_text="Undo"))
        nameless = [
            f"{type(widget).__name__} {widget.objectName()}"
            for widget in shown.window.findChildren(QWidget)
            if isinstance(widget, QAbstractButton | QAbstractItemView | QLineEdit)
            and not shown.find("statusBanner").isAncestorOf(widget)
            and not widget.objectName().startswith("qt_")
            and not _spoken_name(widget)
        ]
        assert nameless == []


def _spoken_name(widget: QWidget) -> str:
    return QAccessible.queryAccessibleInterface(widget).text(QAccessible.Text.Name)


async def test_the_automation_names_are_there(busy: FakeBackend) -> None:
    """window.md, Automation names."""
    async with shown_window(busy) as shown:
        assert shown.window.objectName() == "mainWindow"
        for name in (
            "sessionList",
            "inboxView",
            "transcriptView",
            "statusBanner",
            "clarificationOverlay",
            "questionPrompt",
            "optionButton_1",
            "customAnswer",
            "submitAnswers",
            "skipQuestions",
            "collapseOverlay",
            "noticeBar",
            "languageBox",
            "discardStoredAnswer",
            "closeQuestion",
        ):
            shown.find(name)


async def test_an_empty_desk_says_what_it_is_for(backend: FakeBackend) -> None:
    async with shown_window(backend) as shown:
        assert shown.view.pages.welcome.isVisible()
        wanted: list[bool] = []
        shown.view.pages.welcome.demo_wanted.connect(lambda: wanted.append(True))
        QTest.mouseClick(shown.find("tryDemo"), Qt.MouseButton.LeftButton)
        assert wanted == [True]
        backend.desk.put_session(make_session("s1"))
        backend.desk.open(make_bundle("p1"))
        await until(shown.view.pages.chat.isVisible)


async def test_a_store_that_cannot_be_used_is_told_with_a_way_on(backend: FakeBackend) -> None:
    async with shown_window(backend, load=False) as shown:
        shown.view.show_storage_failure(
            StorageFailed(ErrorCode.STORE_CORRUPT, "malformed database schema")
        )
        text = shown.find("storageError")
        assert isinstance(text, QLabel)
        assert "Nothing was overwritten" in text.text()
        retried: list[bool] = []
        shown.view.pages.storage.retry_wanted.connect(lambda: retried.append(True))
        QTest.mouseClick(shown.find("retryStore"), Qt.MouseButton.LeftButton)
        assert retried == [True]


async def test_the_window_asks_before_it_closes(busy: FakeBackend) -> None:
    async with shown_window(busy) as shown:
        asked: list[bool] = []
        shown.window.close_wanted.connect(lambda: asked.append(True))
        shown.window.close()
        assert asked == [True]
        assert shown.window.isVisible()
