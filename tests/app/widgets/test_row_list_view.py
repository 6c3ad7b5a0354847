"""What is on the screen after the rows moved, not what they would paint if they were asked."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QStringListModel
from PySide6.QtGui import QImage, QPixmap
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from app.widgets.row_list_view import RowListView


@pytest.fixture
def view(qtbot: QtBot) -> Iterator[RowListView]:
    shown = RowListView()
    qtbot.addWidget(shown)
    shown.setModel(QStringListModel([f"row {number}" for number in range(300)], shown))
    shown.geometry_of_rows.insert(0, [20] * 300)
    over = QPushButton("To the end", shown)
    over.move(80, 100)
    shown.resize(240, 200)
    shown.show()
    qtbot.waitExposed(shown)
    shown.updateGeometries()
    yield shown
    shown.close()


def on_screen(view: RowListView) -> QImage:
    return without_alpha(view.screen().grabWindow(int(view.winId())))


def as_painted(view: RowListView) -> QImage:
    return without_alpha(view.grab())


def without_alpha(picture: QPixmap) -> QImage:
    """The screen has none; a style may leave the view's ground to what is below it."""
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
