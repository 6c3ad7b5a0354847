"""What is read stays where it is; what agents write is shown and does nothing."""

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QMessageBox, QPushButton

from app.models.transcript_model import TranscriptModel
from app.viewmodels.transcript import PAGE
from app.widgets.markdown_document import MarkdownDocument
from app.widgets.markdown_view import MarkdownView
from app.widgets.row_facts import SHORTENED
from app.widgets.transcript_view import TranscriptView
from tests.helpers.desk_builders import make_bundle, make_message, make_session
from tests.helpers.fake_backend import FakeBackend
from tests.helpers.waiting import until
from tests.helpers.window import Shown, shown_window

_LONG = "\n\n".join(f"Paragraph {number} of a long answer." for number in range(40))


def _fill(backend: FakeBackend, count: int, text: str = "") -> None:
    backend.desk.put_session(make_session("s1"))
    backend.desk.add_messages(
        *(
            make_message(f"m{number}", text or f"row {number} " * (number % 40 + 1), created=number)
            for number in range(count)
        )
    )


def _view(shown: Shown) -> TranscriptView:
    view = shown.find("transcriptView")
    assert isinstance(view, TranscriptView)
    return view


def _top_row(view: TranscriptView) -> tuple[str, int]:
    """The first row in view and where its top is."""
    view.executeDelayedItemsLayout()
    index = view.indexAt(QPoint(view.viewport().width() // 2, 3))
    model = view.model()
    assert isinstance(model, TranscriptModel)
    return model.message(index.row()).message_id, view.visualRect(index).top()


def _bottom_gap(view: TranscriptView) -> int:
    last = view.model().index(view.model().rowCount() - 1, 0)
    return view.viewport().height() - view.visualRect(last).bottom() - 1


async def test_a_conversation_opens_at_its_end(backend: FakeBackend) -> None:
    _fill(backend, 80)
    async with shown_window(backend) as shown:
        view = _view(shown)
        await until(lambda: view.at_end and view.verticalScrollBar().maximum() > 0)
        assert _bottom_gap(view) == 0


async def test_new_rows_are_followed_at_the_end(backend: FakeBackend) -> None:
    _fill(backend, 80)
    async with shown_window(backend) as shown:
        view = _view(shown)
        await until(lambda: view.at_end and view.verticalScrollBar().maximum() > 0)
        backend.desk.add_messages(make_message("new", _LONG, created=900))
        await until(lambda: view.model().rowCount() == 81 and _bottom_gap(view) == 0)


async def test_what_is_read_does_not_move_while_rows_arrive(backend: FakeBackend) -> None:
    _fill(backend, 80)
    async with shown_window(backend) as shown:
        view = _view(shown)
        await until(lambda: view.verticalScrollBar().maximum() > 0)
        view.verticalScrollBar().setValue(view.verticalScrollBar().maximum() // 2)
        await until(lambda: not view.at_end)
        before = _top_row(view)
        backend.desk.add_messages(make_message("new", _LONG, created=900))
        backend.desk.add_messages(make_message("m79", _LONG, created=79))
        button = shown.find("newRowsButton")
        assert isinstance(button, QPushButton)
        await until(button.isVisible)
        assert "1 new" in button.text()
        assert _top_row(view) == before
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)
        await until(lambda: view.at_end)
        assert not button.isVisible()


async def test_older_rows_come_in_above_without_moving_what_is_read(backend: FakeBackend) -> None:
    _fill(backend, PAGE * 3)
    async with shown_window(backend) as shown:
        view = _view(shown)
        await until(lambda: view.verticalScrollBar().maximum() > 0)
        view.verticalScrollBar().setValue(300)
        before = _top_row(view)
        await until(lambda: view.model().rowCount() == PAGE * 2)
        await until(lambda: not shown.desk.transcript.loading)
        assert _top_row(view) == before


async def test_rows_that_scroll_into_view_do_not_push_what_is_read(backend: FakeBackend) -> None:
    _fill(backend, 90, text=_LONG)
    async with shown_window(backend) as shown:
        view = _view(shown)
        await until(lambda: view.verticalScrollBar().maximum() > 0)
        bar = view.verticalScrollBar()
        bar.setValue(bar.maximum() - 1000)
        name, top = _top_row(view)
        bar.setValue(bar.value() - 40)
        now, now_top = _top_row(view)
        assert (now, now_top) == (name, top + 40) or now != name


async def test_resizing_keeps_the_row_that_is_read(backend: FakeBackend) -> None:
    _fill(backend, 80)
    async with shown_window(backend) as shown:
        view = _view(shown)
        await until(lambda: view.verticalScrollBar().maximum() > 0)
        view.verticalScrollBar().setValue(view.verticalScrollBar().maximum() // 2)
        name, _ = _top_row(view)
        shown.window.resize(930, 700)
        await until(lambda: view.viewport().width() < 700)
        await until(lambda: _top_row(view)[0] == name)


async def test_every_kind_of_row_is_painted(backend: FakeBackend) -> None:
    backend.desk.put_session(make_session("s1"))
    backend.desk.add_messages(
        make_message("user", "hello", author="user", created=1),
        make_message("status", "resumed", kind="status", created=2),
        make_message("error", "it broke", kind="error", created=3),
        make_message("unknown", "```\nodd\n```", kind="hologram", created=4),
        make_message("empty", "", created=5),
        make_message("huge", "word " * 8000, created=6),
    )
    backend.desk.open(make_bundle("p1", created=7))
    async with shown_window(backend) as shown:
        view = _view(shown)
        await until(lambda: view.model().rowCount() == 7)
        bar = view.verticalScrollBar()
        for value in range(0, bar.maximum() + 1, 200):
            bar.setValue(value)
            assert not view.grab().isNull()
        texts = [str(view.model().index(row, 0).data()) for row in range(7)]
        assert any("hologram" in text for text in texts)


async def test_a_long_message_is_shortened_until_it_is_wanted(backend: FakeBackend) -> None:
    """kandev-app.md d.3: a pasted book must not freeze the window."""
    backend.desk.put_session(make_session("s1"))
    backend.desk.add_messages(make_message("m", "lorem ipsum\n\n" * (SHORTENED // 6), created=1))
    async with shown_window(backend) as shown:
        view = _view(shown)
        await until(lambda: view.verticalScrollBar().maximum() > 0)
        short = view.verticalScrollBar().maximum()
        view.setCurrentIndex(view.model().index(0, 0))
        view.setFocus()
        QTest.keyClick(view, Qt.Key.Key_Return)
        await until(lambda: view.verticalScrollBar().maximum() > short * 1.5)


async def test_selected_rows_are_copied_in_their_order(backend: FakeBackend) -> None:
    backend.desk.put_session(make_session("s1"))
    backend.desk.add_messages(
        make_message("a", "**one**", created=1), make_message("b", "two", created=2)
    )
    async with shown_window(backend) as shown:
        view = _view(shown)
        view.selectAll()
        QTest.keyClick(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
        assert QGuiApplication.clipboard().text() == "**one**\n\ntwo"


async def test_the_menu_of_a_row_opens_by_keyboard_and_copies(backend: FakeBackend) -> None:
    backend.desk.put_session(make_session("s1"))
    backend.desk.add_messages(make_message("a", "one", created=1))
    async with shown_window(backend) as shown:
        view = _view(shown)
        menu = view.menu(view.model().index(0, 0), QPoint(400, 20))
        assert isinstance(menu, QMenu)
        next(action for action in menu.actions() if action.text() == "Copy message").trigger()
        assert QGuiApplication.clipboard().text() == "one"


def _document(text: str) -> MarkdownDocument:
    application = QApplication.instance()
    assert isinstance(application, QApplication)
    font = application.font()
    return MarkdownDocument(text, font, font, application.palette())


@pytest.mark.parametrize(
    "text",
    ["<script>alert(1)</script>", "a <b>bold</b> move", "<img src='http://x.invalid/a.png'>"],
)
def test_html_is_shown_as_it_was_written(qapp: QApplication, text: str) -> None:
    """P12."""
    assert _document(text).toPlainText() == text


def test_a_picture_becomes_its_description_and_is_never_read(
    qapp: QApplication, tmp_path: Path
) -> None:
    picture = tmp_path / "secret.png"
    picture.write_bytes(b"not a picture")
    document = _document(f"![a cat](file://{picture}) and ![dog](http://x.invalid/dog.png)")
    assert document.toPlainText() == "[a cat] and [dog]"


def test_code_can_be_copied_whole(qapp: QApplication) -> None:
    document = _document("before\n\n```python\nif a:\n\n    b()\n```\n\nafter")
    ((first, _),) = document.code_blocks()
    assert document.code_text(first) == "if a:\n\n    b()"
    assert document.code_text(document.firstBlock()) == ""


def test_a_link_is_opened_only_after_a_question(
    qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toString()))
    view = MarkdownView()
    view.set_markdown("[here](https://example.org/a)")
    view.show()
    view.anchorClicked.emit(QUrl("https://example.org/a"))
    box = view.findChild(QMessageBox, "confirmation")
    assert isinstance(box, QMessageBox)
    assert "https://example.org/a" in box.informativeText()
    assert opened == []
    accept = box.findChild(QPushButton, "confirmButton")
    assert isinstance(accept, QPushButton)
    accept.click()
    assert opened == ["https://example.org/a"]
    view.close()
    view.deleteLater()


@pytest.mark.parametrize(
    "address", ["javascript:alert(1)", "file:///etc/passwd", "smb://host/share", "//host/x", "x"]
)
def test_other_links_lead_nowhere(qapp: QApplication, address: str) -> None:
    view = MarkdownView()
    view.anchorClicked.emit(QUrl(address))
    assert view.findChild(QMessageBox, "confirmation") is None
    view.deleteLater()


def test_a_markdown_view_is_as_tall_as_its_text(qapp: QApplication) -> None:
    view = MarkdownView()
    view.set_markdown("one line")
    low = view.heightForWidth(400)
    view.set_markdown(_LONG)
    assert view.heightForWidth(400) > low * 10
    assert view.heightForWidth(200) >= view.heightForWidth(400)
    view.deleteLater()
