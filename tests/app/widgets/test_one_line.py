"""A line that is cut says so, and is heard whole."""

from pytestqt.qtbot import QtBot

from app.widgets.one_line import OneLine


def test_a_line_that_is_too_long_ends_with_an_ellipsis_and_is_heard_whole(qtbot: QtBot) -> None:
    line = OneLine()
    qtbot.addWidget(line)
    line.resize(120, 30)
    line.show_text("Make the total of every order\nexact to the last cent")
    line.show()
    assert line.text().endswith("…")
    assert line.accessibleName() == "Make the total of every order exact to the last cent"
    line.resize(900, 30)
    assert line.text() == line.accessibleName()


def test_a_line_is_cut_anew_when_its_font_grows(qtbot: QtBot) -> None:
    line = OneLine()
    qtbot.addWidget(line)
    line.show_text("Make the total exact")
    line.resize(line.fontMetrics().horizontalAdvance("Make the total exact") + 4, 60)
    line.show()
    assert line.text() == "Make the total exact"
    font = line.font()
    font.setPixelSize(40)
    line.setFont(font)
    assert line.text().endswith("…")
