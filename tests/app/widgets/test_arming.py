"""What stands still may be pressed; what has just come, moved or woken up may not (window.md)."""

import pytest
import shiboken6
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from app.widgets.arming import ACTIVATION_SECONDS, SETTLE_SECONDS, ArmingGuard


class _Bench:
    """Two buttons in a panel in a window, and a clock."""

    def __init__(self, qtbot: QtBot) -> None:
        self.now = 100.0
        self.window = QWidget()
        qtbot.addWidget(self.window)
        self.window.resize(300, 200)
        self.panel = QWidget(self.window)
        self.panel.setGeometry(20, 20, 200, 100)
        self.button = QPushButton("Allow", self.panel)
        self.button.setGeometry(10, 10, 80, 40)
        self.pressed = 0
        self.button.clicked.connect(self._count)
        self.guard = ArmingGuard(lambda: self.now, self.window)
        self.guard.watch(self.button)
        self.window.show()
        qtbot.waitExposed(self.window)
        QApplication.processEvents()

    def _count(self) -> None:
        self.pressed += 1

    def click(self) -> None:
        QTest.mouseClick(self.button, Qt.MouseButton.LeftButton)

    def paint(self) -> None:
        self.window.update()
        QApplication.processEvents()


@pytest.fixture
def bench(qtbot: QtBot) -> _Bench:
    return _Bench(qtbot)


def test_a_control_works_half_a_second_after_it_appeared(bench: _Bench) -> None:
    bench.now += SETTLE_SECONDS - 0.01
    bench.click()
    assert bench.pressed == 0
    bench.now += 0.02
    bench.click()
    assert bench.pressed == 1


def test_a_press_that_was_swallowed_does_not_count_when_it_is_released_later(
    bench: _Bench,
) -> None:
    QTest.mousePress(bench.button, Qt.MouseButton.LeftButton)
    bench.now += 1
    QTest.mouseRelease(bench.button, Qt.MouseButton.LeftButton)
    assert bench.pressed == 0


@pytest.mark.parametrize("key", [Qt.Key.Key_Space, Qt.Key.Key_Return])
def test_keys_wait_like_presses(bench: _Bench, key: Qt.Key) -> None:
    bench.button.setFocus()
    QTest.keyPress(bench.button, key)
    bench.now += 1
    QTest.keyRelease(bench.button, key)
    assert bench.pressed == 0


def test_tab_and_escape_are_never_swallowed(bench: _Bench) -> None:
    other = QPushButton("Other", bench.panel)
    other.show()
    bench.window.activateWindow()
    bench.button.setFocus()
    QTest.keyClick(bench.button, Qt.Key.Key_Tab)
    assert bench.window.focusWidget() is other


def test_a_control_that_moved_has_to_settle_again(bench: _Bench) -> None:
    bench.now += 1
    bench.button.move(10, 50)
    bench.paint()
    bench.now += 0.2
    bench.click()
    assert bench.pressed == 0
    bench.now += SETTLE_SECONDS
    bench.click()
    assert bench.pressed == 1


def test_a_control_moved_by_what_holds_it_has_to_settle_again(bench: _Bench) -> None:
    bench.now += 1
    bench.panel.move(QPoint(20, 60))
    bench.paint()
    bench.now += 0.2
    assert not bench.guard.accepts(bench.button)


def test_a_layout_that_ends_where_it_began_does_not_count_as_a_move(bench: _Bench) -> None:
    bench.now += 1
    bench.panel.move(QPoint(20, 60))
    bench.panel.move(QPoint(20, 20))
    bench.paint()
    assert bench.guard.accepts(bench.button)


def test_the_click_that_raises_the_window_presses_nothing(bench: _Bench) -> None:
    """product.md P7: within 300 ms of activation."""
    bench.now += 10
    QApplication.sendEvent(bench.window, QEvent(QEvent.Type.WindowActivate))
    bench.now += ACTIVATION_SECONDS - 0.01
    bench.click()
    assert bench.pressed == 0
    bench.now += 0.02
    bench.click()
    assert bench.pressed == 1


def test_what_is_not_watched_is_never_accepted(bench: _Bench) -> None:
    assert not bench.guard.accepts(QPushButton(bench.panel))


def test_rearm_starts_anew_for_a_control_that_means_something_else(bench: _Bench) -> None:
    bench.now += 1
    bench.guard.rearm(bench.button)
    bench.click()
    assert bench.pressed == 0


def test_a_control_that_is_gone_is_forgotten(bench: _Bench, qtbot: QtBot) -> None:
    second = QPushButton("Skip", bench.panel)
    bench.guard.watch(second)
    second.deleteLater()
    qtbot.waitUntil(lambda: not shiboken6.isValid(second))
    assert list(bench.guard._stamps) == [bench.button]
    bench.panel.move(QPoint(0, 0))
    bench.paint()
    assert not bench.guard.accepts(bench.button)
