"""What is on the screen after the rows moved, not what they would paint if they were asked."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QStringListModel
from PySide6.QtGui import QImage, QPixmap
from PySide6.QtWidgets import QApplication, QFrame, QPushButton
from pytestqt.qtbot import QtBot

from app.widgets.row_list_view import RowListView


@pytest.fixture
def view(qtbot: QtBot) -> Iterator[RowListView]:
    # A style may leave the view's ground to what is below it.
    window = QFrame()
    window.setObjectName("ground")
    window.setStyleSheet("#ground { background: white }")
    qtbot.addWidget(window)
    shown = RowListView(window)
    shown.setModel(QStringListModel([f"row {number}" for number in range(300)], shown))
    shown.geometry_of_rows.insert(0, [20] * 300)
    over = QPushButton("To the end", shown)
    over.move(80, 100)
    shown.resize(240, 200)
    window.resize(240, 200)
    window.show()
    qtbot.waitExposed(window)
    shown.updateGeometries()
    yield shown
    window.close()


def on_screen(view: RowListView) -> QImage:
    window = view.window()
    return opaque(window.screen().grabWindow(int(window.winId())))


def as_painted(view: RowListView) -> QImage:
    return opaque(view.window().grab())


def opaque(picture: QPixmap) -> QImage:
    return picture.toImage().convertToFormat(QImage.Format.Format_RGB32)


@pytest.mark.parametrize("steps", [(37,), (37, 37, -12), (-9,), (5_000, -37)])
def test_the_screen_shows_the_rows_where_they_are(
    view: RowListView, qtbot: QtBot, steps: tuple[int, ...]
) -> None:
    bar = view.verticalScrollBar()
    bar.setValue(200)
    QApplication.processEvents()
    before = on_screen(view)
    for step in steps:
        bar.setValue(bar.value() + step)
        QApplication.processEvents()
    qtbot.waitUntil(lambda: on_screen(view) == as_painted(view))
    assert on_screen(view) != before
