"""What the window shows while its store cannot be used, must change first, or goes away."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QToolButton

from app.pseudo_locale import PSEUDO
from app.viewmodels.notices import Notice
from backend.errors import AppError, ErrorCode, InvalidInput, StorageFailed, TemporarilyUnavailable
from backend.events import StoreAvailability, StoreProgress, StoreStep
from tests.helpers.clock import settle
from tests.helpers.desk_builders import make_bundle, make_session
from tests.helpers.fake_backend import FakeBackend
from tests.helpers.waiting import until
from tests.helpers.window import Shown, shown_window

COMMAND = "pg_dump --file=kandesk.dump postgresql://me@db.example.org:5432/kandesk"
UNCONFIRMED = StorageFailed(
    ErrorCode.STORE_MIGRATION_UNCONFIRMED,
    "detail",
    store="postgresql://me@db.example.org:5432/kandesk",
    steps="add columns, build index idx_messages_turn_id, build index idx_turns_task_id, x",
    command=COMMAND,
)
AWAY = StorageFailed(ErrorCode.STORE_UNREACHABLE, "the store cannot be reached: refused")


def button(shown: Shown, name: str) -> QPushButton:
    found = shown.find(name)
    assert isinstance(found, QPushButton)
    return found


def titles(shown: Shown, page: str) -> str:
    found = shown.find(page).findChildren(QLabel)
    return "\n".join(label.text().replace("\u200b", "") for label in found)


@pytest.mark.parametrize(
    ("error", "title"),
    [
        (AWAY, "Kandesk cannot reach its store"),
        (TemporarilyUnavailable(ErrorCode.STORE_BUSY, "locked"), "Kandesk cannot reach its store"),
        (
            StorageFailed(ErrorCode.STORE_OWNED, "d", pid=7, host="h", since="s"),
            "Another Kandesk uses this store",
        ),
        (
            InvalidInput(ErrorCode.SETTING_INVALID, "d", setting="desk.toml: [store] database"),
            "Kandesk cannot use its settings",
        ),
        (StorageFailed(ErrorCode.STORE_CORRUPT, "malformed"), "Kandesk cannot open its store"),
    ],
)
async def test_it_says_what_is_wrong_with_the_keyboard_on_the_way_out(
    backend: FakeBackend, error: AppError, title: str
) -> None:
    async with shown_window(backend, load=False) as shown:
        shown.view.show_storage_failure(error)
        retry, leave = button(shown, "retryStore"), button(shown, "quitButton")
        assert title in titles(shown, "storagePage")
        assert error.detail in titles(shown, "storagePage")
        await until(retry.hasFocus)
        for control in (retry, leave):
            assert control.height() >= 44
            assert control.width() >= 44
        assert retry.accessibleDescription()
        asked: list[str] = []
        shown.view.pages.storage.retry_wanted.connect(lambda: asked.append("retry"))
        shown.view.pages.storage.quit_wanted.connect(lambda: asked.append("quit"))
        QTest.keyClick(retry, Qt.Key.Key_Tab)
        QTest.keyClick(leave, Qt.Key.Key_Space)
        QTest.keyClick(retry, Qt.Key.Key_Space)
        assert asked == ["quit", "retry"]


async def test_a_retry_is_told_while_it_lasts_and_may_fail_again(backend: FakeBackend) -> None:
    async with shown_window(backend, load=False) as shown:
        shown.view.show_storage_failure(AWAY)
        retry = button(shown, "retryStore")
        QTest.mouseClick(retry, Qt.MouseButton.LeftButton)
        assert not retry.isEnabled()
        assert retry.text() == "Trying again…"
        assert button(shown, "quitButton").isEnabled()
        shown.view.show_storage_failure(AWAY)
        assert retry.isEnabled()
        await until(retry.hasFocus)


async def test_a_store_that_cannot_be_opened_is_not_called_empty(backend: FakeBackend) -> None:
    """Its questions are kept; nobody has read them yet."""
    async with shown_window(backend, load=False) as shown:
        shown.view.show_storage_failure(AWAY)
        words = [w.text() for w in shown.find("inboxView").findChildren(QLabel) if w.isVisible()]
        assert "Nothing waits for you." not in words


async def test_long_work_after_a_retry_shows_its_progress(backend: FakeBackend) -> None:
    async with shown_window(backend, load=False) as shown:
        shown.view.show_storage_failure(AWAY)
        backend.publish(StoreProgress("build index", 1, 10))
        await until(lambda: shown.find("startingPage").isVisible())


async def test_an_older_store_on_a_server_is_changed_only_by_a_press(backend: FakeBackend) -> None:
    """architecture.md, The store: a migrating start asks and prints the pg_dump command."""
    async with shown_window(backend, width=800, height=600, load=False) as shown:
        shown.view.show_storage_failure(UNCONFIRMED)
        await until(lambda: shown.find("migrationPage").isVisible())
        words = titles(shown, "migrationPage")
        assert COMMAND in words
        assert "• Adding new fields\n• Building an index: answers stay fast (2)\n• x" in words
        confirm, leave = button(shown, "migrateStore"), button(shown, "quitInstead")
        copy = shown.find("backupCommand").findChild(QToolButton)
        assert isinstance(copy, QToolButton)
        await until(copy.hasFocus)
        assert COMMAND in copy.accessibleName()
        for control in (confirm, leave, copy):
            assert min(control.height(), control.width()) >= 44
        asked: list[str] = []
        shown.view.pages.migration.confirmed.connect(lambda: asked.append("confirm"))
        shown.view.pages.migration.quit_wanted.connect(lambda: asked.append("quit"))
        QTest.keyClick(copy, Qt.Key.Key_Space)
        assert QGuiApplication.clipboard().text() == COMMAND
        QTest.keyClick(copy, Qt.Key.Key_Return)
        assert asked == []
        QTest.keyClick(leave, Qt.Key.Key_Space)
        QTest.mouseClick(confirm, Qt.MouseButton.LeftButton)
        assert asked == ["quit", "confirm"]


@pytest.mark.parametrize("language", ["zh_CN", PSEUDO])
async def test_both_pages_follow_the_language(backend: FakeBackend, language: str) -> None:
    async with shown_window(backend, load=False) as shown:
        for error, page in ((AWAY, "storagePage"), (UNCONFIRMED, "migrationPage")):
            shown.language.use("en")
            shown.view.show_storage_failure(error)
            shown.language.use(language)
            await settle()
            assert "up to date" not in titles(shown, page)
            assert "cannot reach" not in titles(shown, page)
            assert "Adding new fields" not in titles(shown, page)


async def test_a_notice_lasts_as_long_as_the_store_is_away(backend: FakeBackend) -> None:
    """architecture.md, The store: away later: 503 and a notice."""
    backend.desk.put_session(make_session("s1"))
    async with shown_window(backend) as shown:
        backend.publish(StoreAvailability(available=False, detail="first reason"))
        notice = shown.desk.notices.current
        assert notice is not None
        assert notice.detail == "first reason"
        assert shown.find("noticeBar").isVisible()
        backend.publish(StoreAvailability(available=False, detail="in use by process 12 on box"))
        notice = shown.desk.notices.current
        assert notice is not None
        assert "process 12 on box" in notice.detail
        backend.publish(StoreAvailability(available=True, detail=""))
        assert shown.desk.notices.current is None
        assert not shown.find("noticeBar").isVisible()
        await until(lambda: backend.desk.calls.count("list_sessions") >= 2)


CAUSE = (
    "the store postgresql://desk@db.example.internal:5432/kandesk cannot be reached: "
    "connection to server failed: <b>Connection refused</b>"
)


@pytest.mark.parametrize("language", ["en", "zh_CN", PSEUDO])
async def test_the_away_notice_leaves_the_small_window_its_room(
    backend: FakeBackend, language: str
) -> None:
    """window.md: 800x600 is a full size; the cause is there for who asks for it."""
    async with shown_window(backend, width=800, height=600) as shown:
        shown.language.use(language)
        backend.publish(StoreAvailability(available=False, detail=CAUSE))
        await settle()
        bar, words = shown.find("noticeBar"), shown.find("noticeText")
        lines = words.heightForWidth(words.width()) / words.fontMetrics().lineSpacing()
        assert lines <= 2
        assert words.height() >= words.heightForWidth(words.width())
        assert bar.accessibleDescription() == words.accessibleDescription() == CAUSE
        assert "&lt;b&gt;" in words.toolTip()
        assert not shown.find("noticeCause").isVisible()


async def test_the_cause_is_shown_on_demand_and_follows_what_is_told_next(
    backend: FakeBackend,
) -> None:
    async with shown_window(backend, width=800, height=600) as shown:
        backend.publish(StoreAvailability(available=False, detail=CAUSE))
        cause, details = shown.find("noticeCause"), shown.find("noticeDetails")
        assert isinstance(cause, QLabel)
        await until(details.isVisible)
        details.setFocus()
        QTest.keyClick(details, Qt.Key.Key_Space)
        await until(cause.isVisible)
        assert cause.text().replace("\u200b", "") == CAUSE
        assert cause.textFormat() is Qt.TextFormat.PlainText
        backend.publish(StoreAvailability(available=False, detail="in use by process 12"))
        assert cause.isVisible()
        assert cause.text() == "in use by process 12"
        QTest.keyClick(details, Qt.Key.Key_Space)
        assert not cause.isVisible()
        backend.publish(StoreAvailability(available=True, detail=""))
        backend.publish(StoreAvailability(available=False, detail="again"))
        assert not cause.isVisible()


async def test_the_same_cause_told_twice_stays_one_notice(backend: FakeBackend) -> None:
    async with shown_window(backend) as shown:
        for _ in range(2):
            backend.publish(StoreAvailability(available=False, detail="away"))
        assert shown.desk.notices.current is not None
        shown.desk.notices.dismiss()
        assert shown.desk.notices.current is None


async def test_a_notice_without_a_cause_offers_no_details(backend: FakeBackend) -> None:
    async with shown_window(backend) as shown:
        shown.desk.notices.show_notice(Notice("A thing."))
        assert shown.find("noticeBar").isVisible()
        assert not shown.find("noticeDetails").isVisible()
        assert shown.find("noticeText").toolTip() == ""


async def test_a_notice_the_human_sent_away_does_no_harm_when_the_store_is_back(
    backend: FakeBackend,
) -> None:
    async with shown_window(backend) as shown:
        backend.publish(StoreAvailability(available=False, detail="away"))
        shown.desk.notices.dismiss()
        backend.publish(StoreAvailability(available=True, detail=""))
        assert shown.desk.notices.current is None


async def test_what_changed_while_the_store_was_away_is_read_anew(
    backend: FakeBackend, qapp: QApplication
) -> None:
    """Another desk may have owned it meanwhile: what it closed and opened nobody told us."""
    backend.desk.put_session(make_session("s1"))
    backend.desk.open(make_bundle("p1"))
    async with shown_window(backend) as shown:
        assert shown.desk.inbox.count == 1
        backend.publish(StoreAvailability(available=False, detail="away"))
        backend.desk.bundles.pop(next(iter(backend.desk.bundles)))
        backend.desk.bundles["p2"] = make_bundle("p2")  # type: ignore[index]
        backend.publish(StoreAvailability(available=True, detail=""))
        await until(lambda: [b.pending_id for b in shown.desk.inbox.content.open] == ["p2"])
        await until(
            lambda: (card := shown.desk.clarification.card) is not None and card.pending_id == "p2"
        )


async def test_a_server_that_is_slow_to_answer_is_told_on_the_way_up(backend: FakeBackend) -> None:
    async with shown_window(backend, load=False) as shown:
        backend.publish(StoreProgress(StoreStep.CONNECT, 0, 0))
        step = shown.find("startingStep")
        assert isinstance(step, QLabel)
        await until(step.isVisible)
        assert step.text() == "Connecting to the database server"
        shown.view.show_storage_failure(AWAY)
        QTest.mouseClick(button(shown, "retryStore"), Qt.MouseButton.LeftButton)
        backend.publish(StoreProgress(StoreStep.CONNECT, 0, 0))
        assert shown.find("storagePage").isVisible()
        assert button(shown, "retryStore").text() == "Trying again…"
