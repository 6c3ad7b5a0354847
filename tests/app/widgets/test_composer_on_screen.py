"""What the screen shows of the composer is what it says now."""

from PySide6.QtCore import QPoint
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from app.widgets.composer_edit import ComposerEdit
from tests.helpers.hosted_window import hosted_window
from tests.helpers.waiting import until


def _on_screen(edit: ComposerEdit) -> QImage:
    port = edit.viewport()
    corner = port.mapTo(edit.window(), QPoint(0, 0))
    shown = edit.screen().grabWindow(
        int(edit.window().winId()), corner.x(), corner.y(), port.width(), port.height()
    )
    return shown.toImage().convertToFormat(QImage.Format.Format_RGB32)


async def test_other_words_of_an_empty_composer_are_painted_at_once() -> None:
    """They say whether a message is sent or queued, as the button beside them does."""
    async with hosted_window() as window:
        edit = window.edit
        assert isinstance(edit, ComposerEdit)
        edit.clearFocus()
        QApplication.processEvents()
        before = _on_screen(edit)
        edit.setPlaceholderText("Queue a message for somebody else…")
        await until(lambda: _on_screen(edit) != before)
