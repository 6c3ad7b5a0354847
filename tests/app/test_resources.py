"""Every icon has its file, every file its icon."""

from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from app.resources import Icon, pixmap, program_icon, resource_folder

_FOLDER = resource_folder("resources") / "icons"
_PROGRAM = "kandesk"


def test_the_icons_are_exactly_the_files() -> None:
    files = {path.stem for path in _FOLDER.glob("*.svg")}
    assert files - {_PROGRAM} == {icon.value for icon in Icon}


def test_the_licence_of_the_icons_is_kept() -> None:
    assert "ISC License" in (_FOLDER / "LICENSE").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", sorted(_FOLDER.glob("*.svg")), ids=lambda path: path.stem)
def test_an_icon_takes_the_colour_it_is_asked_for(path: Path) -> None:
    if path.stem != _PROGRAM:
        assert "currentColor" in path.read_text(encoding="utf-8")


def test_an_icon_is_drawn_in_its_colour(qapp: QApplication) -> None:
    picture = pixmap(Icon.CHECK, "#ff0000", 32).toImage()
    inked = {
        picture.pixelColor(x, y).name()
        for x in range(32)
        for y in range(32)
        if picture.pixelColor(x, y).alpha() == 255
    }
    assert inked == {"#ff0000"}


def test_the_program_icon_shows_a_count(qapp: QApplication) -> None:
    plain = program_icon().pixmap(64, 64).toImage()
    counted = program_icon(3).pixmap(64, 64).toImage()
    assert plain != counted
