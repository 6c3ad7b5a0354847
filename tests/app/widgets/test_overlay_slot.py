"""The card's room: at most half of the chat, dragged within bounds, reset by a double click."""

import pytest
from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QSizePolicy, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.theme import Theme
from app.widgets.overlay_slot import OverlaySlot
from app.widgets.touch import show_touch


class _Chat:
    """A chat of 800 px with a card that would like 700."""

    def __init__(self, qtbot: QtBot, qapp: QApplication) -> None:
        self.theme = Theme(qapp)
        self.window = QWidget()
        qtbot.addWidget(self.window)
        self.card = QWidget()
        self.card.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.card.sizeHint = lambda: QWidget.sizeHint(self.card).expandedTo(QSize(0, 700))  # type: ignore[method-assign]
        self.slot = OverlaySlot(self.card, self.theme)
        column = QVBoxLayout(self.window)
        column.setContentsMargins(0, 0, 0, 0)
        column.addStretch(1)
        column.addWidget(self.slot)
        self.window.resize(600, 800)
        self.slot.set_chat_height(800)
        self.window.show()
        qtbot.waitExposed(self.window)
        QApplication.processEvents()

    def drag(self, pixels: int) -> None:
        handle = self.slot.findChild(QWidget, "overlayHandle")
        assert handle is not None
        start = QPoint(handle.width() // 2, handle.height() // 2)
        QTest.mousePress(handle, Qt.MouseButton.LeftButton, pos=start)
        QTest.mouseMove(handle, start + QPoint(0, pixels))
        QTest.mouseRelease(handle, Qt.MouseButton.LeftButton, pos=start)
        QApplication.processEvents()

    def double_click(self) -> None:
        handle = self.slot.findChild(QWidget, "overlayHandle")
        assert handle is not None
        QTest.mouseDClick(handle, Qt.MouseButton.LeftButton)
        QApplication.processEvents()


@pytest.fixture
def chat(qtbot: QtBot, qapp: QApplication) -> _Chat:
    return _Chat(qtbot, qapp)


def test_the_card_takes_at_most_half_of_the_chat(chat: _Chat) -> None:
    """K8.7 case 107."""
    assert chat.slot.height() == 400


def test_dragging_stays_between_120_pixels_and_half_of_the_chat(chat: _Chat) -> None:
    """K8.7 case 109."""
    chat.drag(150)
    assert chat.slot.height() == 250
    chat.drag(5_000)
    assert chat.slot.height() == chat.theme.pixels(120)
    chat.drag(-5_000)
    assert chat.slot.height() == 400


def test_a_double_click_and_a_new_question_reset_the_height(chat: _Chat) -> None:
    """K6.2, K8.7 case 107."""
    chat.drag(200)
    chat.double_click()
    assert chat.slot.height() == 400
    chat.drag(200)
    chat.slot.reset_height()
    QApplication.processEvents()
    assert chat.slot.height() == 400


def test_for_fingers_the_handle_is_as_tall_as_a_button(chat: _Chat) -> None:
    """product.md P11."""
    show_touch(chat.card, touch=True)
    handle = chat.slot.findChild(QWidget, "overlayHandle")
    assert handle is not None
    assert handle.height() >= chat.theme.pixels(44)
