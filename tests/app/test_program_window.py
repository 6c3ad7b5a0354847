"""What the program does when its store, its desktop or its own code lets it down."""

import asyncio
from pathlib import Path
from typing import cast

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QLabel, QMessageBox, QPushButton, QWidget

from app.launch_options import WindowOptions
from app.main import build
from app.program import Parts, Program
from backend.domain.clarification import Bundle
from backend.events import BundleOpened, WindowRequested
from backend.ids import PendingId
from backend.paths import Home
from backend.store.owner_lock import OwnerLock
from tests.helpers.clock import settle
from tests.helpers.desk_builders import make_bundle
from tests.helpers.waiting import until


class _Loop:
    """The program ends its loop when it quits; a test's loop goes on."""

    def __init__(self) -> None:
        loop = asyncio.get_running_loop()
        self.create_task = loop.create_task
        self.ended = asyncio.Event()

    def stop(self) -> None:
        self.ended.set()


class Started:
    """A program on a home of its own."""

    def __init__(self, home: Path) -> None:
        application = cast("QApplication", QApplication.instance())
        application.setQuitOnLastWindowClosed(False)
        options = WindowOptions(home=Home(home), theme="light", language="en")
        self.loop = _Loop()
        self.parts: Parts = build(application, options)
        self.program = Program(self.parts, options, cast("asyncio.AbstractEventLoop", self.loop))
        self.program.start()

    def find(self, name: str) -> QWidget:
        found = self.parts.window.findChild(QWidget, name)
        assert isinstance(found, QWidget), f"there is no {name}"
        return found

    def text(self, name: str) -> str:
        """Of the newest question; empty when none is asked."""
        boxes = self.parts.window.findChildren(QMessageBox, name)
        return boxes[-1].text() if boxes else ""

    async def asks(self) -> QMessageBox:
        """The question before quitting."""
        found = self.parts.window.findChild
        await until(lambda: found(QMessageBox, "confirmation") is not None)
        box = found(QMessageBox, "confirmation")
        assert isinstance(box, QMessageBox)
        return box

    async def end(self) -> None:
        self.program.quit()
        await asyncio.wait_for(self.loop.ended.wait(), 20)
        self.parts.window.deleteLater()


def _press(widget: QWidget) -> None:
    QTest.mouseClick(widget, Qt.MouseButton.LeftButton)


async def test_a_store_in_use_is_told_and_opened_when_it_is_free(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    lock = OwnerLock.acquire(Home(home).database, kind="serve")
    started = Started(home)
    try:
        await until(lambda: started.find("storagePage").isVisible(), seconds=20)
        text = started.find("storageError")
        assert isinstance(text, QLabel)
        assert "Another Kandesk" in text.text()
        assert "%{" not in text.text()
        lock.release()
        _press(started.find("retryStore"))
        await until(lambda: started.parts.desk.ready, seconds=20)
        await until(lambda: started.find("welcomePage").isVisible())
    finally:
        await started.end()


async def test_quit_asks_while_somebody_waits(tmp_path: Path) -> None:
    started = Started(tmp_path / "home")
    try:
        await until(lambda: started.parts.desk.ready, seconds=20)
        bundle: Bundle = make_bundle("p1")
        started.parts.client.event_received.emit(BundleOpened(bundle))
        started.parts.view.menu.quit_wanted.emit()
        box = await started.asks()
        assert "1 question still waits" in box.text()
        _press(started.find("cancelButton"))
        assert not started.loop.ended.is_set()
    finally:
        await started.end()


async def test_quit_tells_what_would_be_lost_and_goes_on_when_it_is_taken_back(
    tmp_path: Path,
) -> None:
    """window.md, Feedback: what happened, what is safe, what to do; nothing is lost silently."""
    started = Started(tmp_path / "home")
    try:
        await until(lambda: started.parts.desk.ready, seconds=20)
        started.parts.desk.new_session.set_prompt("Make the totals exact.")
        started.parts.view.menu.quit_wanted.emit()
        box = await started.asks()
        assert "Not everything is saved" in box.text()
        assert "not started" in box.informativeText()
        _press(started.find("cancelButton"))
        assert started.parts.desk.new_session.prompt == "Make the totals exact."
        assert not started.loop.ended.is_set()
        started.parts.desk.new_session.set_prompt("")
        started.parts.view.menu.quit_wanted.emit()
        await until(started.loop.ended.is_set, seconds=20)
    finally:
        await started.end()


async def test_quitting_in_place_of_minimising_tells_what_would_be_lost_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.desktop.tray.Tray.available", property(lambda _: False))
    started = Started(tmp_path / "home")
    try:
        await until(lambda: started.parts.desk.ready, seconds=20)
        started.parts.desk.new_session.set_prompt("Make the totals exact.")
        started.parts.window.close()
        await started.asks()
        _press(started.find("confirmButton"))
        await until(lambda: "Not everything" in started.text("confirmation"))
        assert not started.loop.ended.is_set()
    finally:
        await started.end()


async def test_without_a_tray_closing_asks_and_can_minimise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.desktop.tray.Tray.available", property(lambda _: False))
    started = Started(tmp_path / "home")
    try:
        await until(lambda: started.parts.desk.ready, seconds=20)
        started.parts.window.close()
        assert started.parts.window.isVisible()
        _press(started.find("cancelButton"))
        await until(started.parts.window.isMinimized)
        started.parts.client.event_received.emit(WindowRequested())
        await until(lambda: not started.parts.window.isMinimized())
    finally:
        await started.end()


async def test_with_a_tray_closing_hides_and_a_second_start_shows_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.desktop.tray.Tray.available", property(lambda _: True))
    monkeypatch.setattr("app.desktop.tray.Tray.show_icon", lambda _: None)
    said: list[str] = []
    monkeypatch.setattr(
        "app.desktop.tray.Tray.show_message", lambda _, title, text: said.append(f"{title} {text}")
    )
    started = Started(tmp_path / "home")
    try:
        await until(lambda: started.parts.desk.ready, seconds=20)
        started.parts.window.close()
        assert not started.parts.window.isVisible()
        started.parts.client.event_received.emit(WindowRequested(pending_id=PendingId("unknown")))
        assert started.parts.window.isVisible()
        started.parts.window.close()
        assert len(said) == 1
    finally:
        await started.end()


async def test_a_bug_is_told_and_the_program_goes_on(tmp_path: Path) -> None:
    started = Started(tmp_path / "home")
    try:
        await until(lambda: started.parts.desk.ready, seconds=20)

        async def broken() -> None:
            raise ZeroDivisionError("a bug")

        started.parts.tasks.start(broken(), name="broken")
        await until(lambda: started.parts.window.findChild(QDialog, "crashDialog") is not None)
        dialog = started.parts.window.findChild(QDialog, "crashDialog")
        assert isinstance(dialog, QDialog)
        assert dialog.isVisible()
        go_on = next(b for b in dialog.findChildren(QPushButton) if b.isDefault())
        _press(go_on)
        await until(lambda: not dialog.isVisible())
        assert started.parts.window.isVisible()
    finally:
        await started.end()


async def test_closing_a_window_whose_store_cannot_be_opened_ends_it(tmp_path: Path) -> None:
    """There is no desk that could go on answering in the background."""
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    (home / "kandesk.db").write_bytes(b"this is no store" * 300)
    started = Started(home)
    try:
        await until(lambda: started.find("storagePage").isVisible(), seconds=20)
        started.parts.window.close()
        await until(started.loop.ended.is_set, seconds=20)
    finally:
        await started.end()


async def test_a_question_before_quitting_is_asked_once(tmp_path: Path) -> None:
    started = Started(tmp_path / "home")
    try:
        await until(lambda: started.parts.desk.ready, seconds=20)
        started.parts.client.event_received.emit(BundleOpened(make_bundle("p1")))
        for _ in range(3):
            started.parts.tray.quit_wanted.emit()
        await started.asks()
        started.parts.tray.quit_wanted.emit()
        await settle()
        boxes = started.parts.window.findChildren(QMessageBox, "confirmation")
        assert len(boxes) == 1
    finally:
        await started.end()
