"""What the screen shows of a transcript is what its rows paint, wherever it was scrolled to."""

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QImage, QWheelEvent
from PySide6.QtWidgets import QApplication

from app.widgets.transcript_view import TranscriptView
from tests.helpers.desk_builders import make_message, make_session
from tests.helpers.fake_backend import FakeBackend
from tests.helpers.waiting import until
from tests.helpers.window import Shown, shown_window

_LONG = "\n\n".join(f"Paragraph {number} of a long answer." for number in range(12))


def _view(shown: Shown) -> TranscriptView:
    view = shown.find("transcriptView")
    assert isinstance(view, TranscriptView)
    return view


def _on_screen(view: TranscriptView) -> QImage:
    """The part of the screen where the rows are, but for what floats over it."""
    window, port = view.window(), view.viewport()
    corner = port.mapTo(window, QPoint(0, 0))
    shown = window.screen().grabWindow(
        int(window.winId()), corner.x(), corner.y(), port.width(), port.height() - 80
    )
    return shown.toImage().convertToFormat(QImage.Format.Format_RGB32)


def _as_painted(view: TranscriptView) -> QImage:
    port = view.viewport()
    whole = port.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    return whole.copy(0, 0, port.width(), port.height() - 80)


def _turn_wheel(view: TranscriptView, pixels: int) -> None:
    middle = QPointF(view.viewport().rect().center())
    QApplication.sendEvent(
        view.viewport(),
        QWheelEvent(
            middle,
            QPointF(view.viewport().mapToGlobal(middle)),
            QPoint(0, pixels),
            QPoint(0, 8 * pixels),
            Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        ),
    )
    QApplication.processEvents()


async def _shows_what_it_paints(view: TranscriptView) -> None:
    await until(lambda: _on_screen(view) == _as_painted(view))


async def test_the_screen_follows_the_wheel_and_what_arrives(backend: FakeBackend) -> None:
    backend.desk.put_session(make_session("s1"))
    backend.desk.add_messages(
        *(
            make_message(f"m{number}", f"row {number} " * (number % 40 + 1), created=number)
            for number in range(80)
        )
    )
    async with shown_window(backend) as shown:
        view = _view(shown)
        await until(lambda: view.at_end and view.verticalScrollBar().maximum() > 0)
        await _shows_what_it_paints(view)
        before = _on_screen(view)
        for pixels in (120, 600, -40, 900, -120):
            _turn_wheel(view, pixels)
            await _shows_what_it_paints(view)
        assert _on_screen(view) != before
        backend.desk.add_messages(make_message("new", _LONG, created=900))
        await until(lambda: view.model().rowCount() == 81)
        await _shows_what_it_paints(view)
        _turn_wheel(view, -60)
        await _shows_what_it_paints(view)
        view.go_to_end()
        await until(lambda: view.at_end)
        await _shows_what_it_paints(view)
