"""The look: readable in every theme, and changed while the window runs."""

import pytest
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QApplication

from app.theme import MAX_ZOOM, TEXT_ON, Scheme, Theme, load_colours

_LEAST_CONTRAST = 4.5


def _luminance(colour: str) -> float:
    channels = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    red, green, blue = (
        value / 12.92 if value <= 0.03928 else ((value + 0.055) / 1.055) ** 2.4
        for value in channels
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _contrast(first: str, second: str) -> float:
    darker, lighter = sorted((_luminance(first), _luminance(second)))
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("name", ["light", "dark"])
@pytest.mark.parametrize(("text", "ground"), TEXT_ON)
def test_every_text_can_be_read_on_its_ground(name: str, text: str, ground: str) -> None:
    colours = load_colours(name)
    assert _contrast(getattr(colours, text), getattr(colours, ground)) >= _LEAST_CONTRAST


def test_the_look_changes_while_the_window_runs(qapp: QApplication) -> None:
    theme = Theme(qapp, Scheme.LIGHT)
    light = qapp.palette().color(QPalette.ColorRole.Window).name()
    told: list[bool] = []
    theme.changed.connect(lambda: told.append(theme.dark))
    theme.set_scheme(Scheme.DARK)
    assert told == [True]
    assert qapp.palette().color(QPalette.ColorRole.Window).name() != light
    assert load_colours("dark").surface in qapp.styleSheet()


def test_every_name_in_the_style_sheet_is_a_colour_or_a_length(qapp: QApplication) -> None:
    Theme(qapp, Scheme.LIGHT)
    assert "$" not in qapp.styleSheet().split("*/", 1)[1]


def test_zoom_enlarges_text_and_stays_within_bounds(qapp: QApplication) -> None:
    theme = Theme(qapp, Scheme.LIGHT)
    normal = theme.font().pixelSize()
    theme.set_zoom(1.5)
    assert theme.font().pixelSize() > normal
    theme.set_zoom(9)
    assert theme.zoom == MAX_ZOOM
    theme.set_zoom(1.0)
