"""Who sends something while reading further up sees it, and what comes of it."""

from PySide6.QtCore import Qt

from app.widgets.transcript_view import TranscriptView
from tests.helpers.desk_builders import make_message
from tests.helpers.hosted_window import hosted_window
from tests.helpers.waiting import until


async def test_sending_leads_to_the_end() -> None:
    async with hosted_window() as window:
        session = window.shown.desk.sessions.current_id
        assert session is not None
        window.shown.backend.desk.add_messages(
            *(
                make_message(f"m{n}", f"row {n} " * 20, session=session, created=n)
                for n in range(60)
            )
        )
        view = window.shown.find("transcriptView")
        assert isinstance(view, TranscriptView)
        await until(lambda: view.verticalScrollBar().maximum() > 0)
        view.verticalScrollBar().setValue(0)
        assert not view.at_end
        await window.type("go on")
        assert not view.at_end
        await window.press(Qt.Key.Key_Return)
        await until(lambda: view.at_end)
