"""Text that grows: followed at the end, never pushed while it is read, never a frozen window."""

import time
from collections.abc import Callable
from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton

from app.models.transcript_model import TranscriptModel
from app.theme import Scheme
from app.widgets import markdown_flow
from app.widgets.markdown_document import MarkdownDocument
from app.widgets.markdown_flow import LaidSection
from app.widgets.row_facts import FIRST_SEEN, MOST_GROWN, SHORTENED
from app.widgets.transcript_view import TranscriptView
from backend.domain.conversation import Message, SessionKind
from backend.ids import PendingId
from tests.helpers.desk_builders import make_bundle, make_message, make_session
from tests.helpers.fake_backend import FakeBackend
from tests.helpers.hosted_rows import command_row, edit_row, tool_row
from tests.helpers.waiting import until
from tests.helpers.window import Shown, shown_window

_PARAGRAPH = "A paragraph of some **bold** words that goes on for a while. " * 3 + "\n\n"
_STILL = 0.5
"""Seconds the window may take for one chunk, on any machine."""


def _growing(text: str, counter: int, *, streaming: bool = True, revision: int = 1) -> Message:
    own = {"streaming": streaming, "stream": counter} if streaming else {}
    row = make_message("grows", text, created=500, revision=revision)
    return replace(row, metadata={"kandesk": own})


def _fill(backend: FakeBackend, count: int = 60) -> None:
    backend.desk.put_session(make_session("s1", kind=SessionKind.HOSTED))
    rows = (make_message(f"m{n}", f"row {n} " * (n % 30 + 1), created=n) for n in range(count))
    backend.desk.add_messages(*rows)


def _view(shown: Shown) -> TranscriptView:
    view = shown.find("transcriptView")
    assert isinstance(view, TranscriptView)
    return view


def _place(view: TranscriptView) -> tuple[str, int]:
    """The first row in view and where its top is."""
    index = view.indexAt(QPoint(view.viewport().width() // 2, 3))
    model = view.model()
    assert isinstance(model, TranscriptModel)
    return model.message(index.row()).message_id, view.visualRect(index).top()


def _text(view: TranscriptView) -> str:
    return str(view.model().index(view.model().rowCount() - 1, 0).data())


async def _stream(
    backend: FakeBackend, view: TranscriptView, pieces: int, piece: str = _PARAGRAPH
) -> None:
    text = ""
    for counter in range(1, pieces + 1):
        text += piece
        await _shows(backend, view, _growing(text, counter))


async def _shows(backend: FakeBackend, view: TranscriptView, row: Message) -> None:
    backend.desk.add_messages(row)
    await until(lambda: _text(view) == row.content and not view.frame_waits)
    view.executeDelayedItemsLayout()
    await until(lambda: not view.frame_waits)


async def test_the_end_is_followed_while_text_grows(backend: FakeBackend) -> None:
    _fill(backend)
    async with shown_window(backend) as shown:
        view = _view(shown)
        await until(lambda: view.at_end and view.verticalScrollBar().maximum() > 0)
        await _stream(backend, view, 12)
        last = view.model().index(view.model().rowCount() - 1, 0)
        assert view.at_end
        assert view.visualRect(last).bottom() + 1 == view.viewport().height()
        assert view.visualRect(last).height() > view.viewport().height() // 2


async def test_what_is_read_does_not_move_while_text_grows(backend: FakeBackend) -> None:
    """window.md, Transcript: reading position never moves while text streams."""
    _fill(backend)
    async with shown_window(backend) as shown:
        view = _view(shown)
        await until(lambda: view.at_end and view.verticalScrollBar().maximum() > 0)
        view.verticalScrollBar().setValue(view.verticalScrollBar().maximum() // 2)
        await until(lambda: not view.at_end)
        before = _place(view)
        await _stream(backend, view, 12)
        assert _place(view) == before
        button = shown.find("newRowsButton")
        assert isinstance(button, QPushButton)
        assert "1 new" in button.text()
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)
        await until(lambda: view.at_end)


async def test_the_beginning_of_a_growing_row_stays_where_it_is_read(backend: FakeBackend) -> None:
    _fill(backend, 5)
    async with shown_window(backend) as shown:
        view = _view(shown)
        await _stream(backend, view, 30)
        view.verticalScrollBar().setValue(view.verticalScrollBar().maximum() - 300)
        await until(lambda: not view.at_end)
        before = view.verticalScrollBar().value()
        backend.desk.add_messages(_growing(_PARAGRAPH * 60, 100))
        await until(lambda: _text(view) == _PARAGRAPH * 60 and not view.frame_waits)
        assert view.verticalScrollBar().value() == before
        assert view.verticalScrollBar().maximum() > before + 300


async def test_scrolling_between_two_chunks_counts(backend: FakeBackend) -> None:
    _fill(backend)
    async with shown_window(backend) as shown:
        view = _view(shown)
        await until(lambda: view.at_end and view.verticalScrollBar().maximum() > 0)
        await _stream(backend, view, 3)
        backend.desk.add_messages(_growing(_PARAGRAPH * 4, 10))
        view.verticalScrollBar().setValue(100)
        before = _place(view)
        await until(lambda: _text(view) == _PARAGRAPH * 4 and not view.frame_waits)
        assert _place(view) == before


async def test_scrolling_right_after_a_row_was_opened_counts(backend: FakeBackend) -> None:
    _fill(backend)
    backend.desk.add_messages(command_row("c", created=90))
    async with shown_window(backend) as shown:
        view = _view(shown)
        await until(lambda: view.at_end and view.verticalScrollBar().maximum() > 0)
        view.setCurrentIndex(view.model().index(60, 0))
        view.setFocus()
        QTest.keyClick(view, Qt.Key.Key_Return)
        view.verticalScrollBar().setValue(100)
        before = _place(view)
        view.executeDelayedItemsLayout()
        assert _place(view) == before


async def test_words_that_were_shown_do_not_leave_again(backend: FakeBackend) -> None:
    """K8.7 case 115: A chunk that overtook another, and a stored state that comes after newer
    chunks.
    """
    _fill(backend, 3)
    async with shown_window(backend) as shown:
        view = _view(shown)
        backend.desk.add_messages(_growing("one two", 2))
        backend.desk.add_messages(_growing("one", 1))
        backend.desk.add_messages(_growing("one", 0, revision=2))
        backend.desk.add_messages(_growing("one", 3))
        assert _text(view) == "one two"
        backend.desk.add_messages(_growing("one two three", 0, streaming=False, revision=3))
        assert _text(view) == "one two three"


async def test_only_the_open_end_of_a_long_text_is_laid_out_again(
    backend: FakeBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    built: list[int] = []

    class Counted(MarkdownDocument):
        def __init__(self, text: str, *rest: object) -> None:
            built.append(len(text))
            super().__init__(text, *rest)  # type: ignore[arg-type]  # passed on

    _fill(backend, 3)
    async with shown_window(backend) as shown:
        view = _view(shown)
        await _stream(backend, view, 2)
        long = _PARAGRAPH * 1_000
        backend.desk.add_messages(_growing(long, 10))
        await until(lambda: _text(view) == long and not view.frame_waits)
        monkeypatch.setattr(markdown_flow, "MarkdownDocument", Counted)
        backend.desk.add_messages(_growing(f"{long}and one", 11))
        await until(lambda: _text(view).endswith("and one") and not view.frame_waits)
        assert sum(built) < 10_000


@pytest.mark.parametrize("known", [0, 1], ids=["first seen", "seen before"])
async def test_much_text_at_once_is_laid_out_frame_by_frame_from_its_end(
    backend: FakeBackend, monkeypatch: pytest.MonkeyPatch, known: int
) -> None:
    laid: list[int] = []
    frames: list[int] = []
    lay_out, frame = LaidSection.lay_out, TranscriptView._lay_out

    def counted(section: LaidSection, width: float) -> None:
        if section._width != width:
            laid.append(len(section.source))
        lay_out(section, width)

    def framed(view: TranscriptView) -> None:
        laid.clear()
        frame(view)
        frames.append(sum(laid))
        assert view.verticalScrollBar().value() == view.verticalScrollBar().maximum()

    _fill(backend, 3)
    async with shown_window(backend) as shown:
        view = _view(shown)
        if known:
            await _stream(backend, view, 1)
        monkeypatch.setattr(LaidSection, "lay_out", counted)
        monkeypatch.setattr(TranscriptView, "_lay_out", framed)
        long = _PARAGRAPH * 500
        await _shows(backend, view, _growing(long, 10))
        assert max(frames) < 2 * FIRST_SEEN
        assert sum(frames) > (0.9 * len(long) if known else SHORTENED - FIRST_SEEN)
        assert _text(view) == long


@pytest.mark.parametrize(
    "grow",
    [
        lambda n: "words that go on " * 120_000 + "x" * n,
        lambda n: "y" * 100_000 + " end" * n,
        lambda n: (
            "| a | b | c | d |\n|---|---|---|---|\n" + "| some | words | of | it |\n" * (55 + n)
        ),
        lambda n: "```\n" + "value = 1\n" * (20_000 + n),
        lambda n: "- item\n" * (20_000 + n),
    ],
    ids=["2 MB", "a line of 100,000 characters", "60 rows of a table", "code", "a list"],
)
async def test_the_window_goes_on_whatever_is_written(
    backend: FakeBackend, grow: Callable[[int], str]
) -> None:
    """kandev-app.md d.3: a long text froze the whole window."""
    _fill(backend, 10)
    async with shown_window(backend) as shown:
        view = _view(shown)
        backend.desk.add_messages(_growing("first", 1))
        await until(lambda: _text(view) == "first")
        backend.desk.add_messages(_growing(grow(0), 2))
        await until(lambda: _text(view) == grow(0) and not view.frame_waits, seconds=20)
        for number in range(1, 6):
            began = time.monotonic()
            backend.desk.add_messages(_growing(grow(number), 2 + number))
            view.doItemsLayout()
            view.viewport().repaint()
            assert time.monotonic() - began < _STILL
        assert view.at_end


async def test_a_text_that_was_long_when_it_was_opened_shows_its_end_while_it_grows(
    backend: FakeBackend,
) -> None:
    _fill(backend, 3)
    long = _PARAGRAPH * 500
    backend.desk.add_messages(_growing(long, 1))
    async with shown_window(backend) as shown:
        view = _view(shown)
        await until(lambda: view.model().rowCount() == 4 and view.verticalScrollBar().maximum() > 0)
        before = view.verticalScrollBar().maximum()
        index = view.model().index(3, 0)
        names = [action.text() for action in view.menu(index, QPoint(0, 0)).actions()]
        assert "Show what stands before" in names
        view.setCurrentIndex(index)
        view.setFocus()
        QTest.keyClick(view, Qt.Key.Key_Return)
        await until(lambda: view.verticalScrollBar().maximum() > before * 3)


async def test_a_very_long_text_is_followed_by_its_end_and_read_in_peace(
    backend: FakeBackend,
) -> None:
    """What is laid out stays bounded while the end is followed; nobody's place is cut away."""
    _fill(backend, 3)
    paragraphs = 1 + MOST_GROWN // len(_PARAGRAPH)
    async with shown_window(backend) as shown:
        view = _view(shown)
        await _shows(backend, view, _growing(_PARAGRAPH, 1))
        await _shows(backend, view, _growing(_PARAGRAPH * (paragraphs - 1), 2))
        whole = view.verticalScrollBar().maximum()
        view.verticalScrollBar().setValue(whole // 2)
        await _shows(backend, view, _growing(_PARAGRAPH * (paragraphs + 2), 3))
        assert view.verticalScrollBar().maximum() > whole
        assert view.verticalScrollBar().value() == whole // 2
        view.verticalScrollBar().setValue(view.verticalScrollBar().maximum())
        await _shows(backend, view, _growing(_PARAGRAPH * (paragraphs + 4), 4))
        assert view.at_end
        assert view.verticalScrollBar().maximum() < whole * 0.7


async def test_other_colours_keep_the_heights_and_other_sizes_do_not(
    backend: FakeBackend,
) -> None:
    _fill(backend, 3)
    async with shown_window(backend) as shown:
        view = _view(shown)
        await _shows(backend, view, _growing(_PARAGRAPH * 60, 1))
        light, maximum = view.grab().toImage(), view.verticalScrollBar().maximum()
        shown.theme.set_scheme(Scheme.DARK)
        view.executeDelayedItemsLayout()
        assert view.verticalScrollBar().maximum() == maximum
        assert view.grab().toImage() != light
        shown.theme.set_zoom(1.5)
        view.executeDelayedItemsLayout()
        assert view.verticalScrollBar().maximum() > maximum * 1.4


async def test_a_row_keeps_its_length_when_its_turn_ends(backend: FakeBackend) -> None:
    """What was seen growing is not shortened under the eyes of its reader."""
    _fill(backend, 3)
    async with shown_window(backend) as shown:
        view = _view(shown)
        await _stream(backend, view, 2)
        long = _PARAGRAPH * 200
        backend.desk.add_messages(_growing(long, 10))
        await until(lambda: _text(view) == long and not view.frame_waits)
        height = view.visualRect(view.model().index(3, 0)).height()
        backend.desk.add_messages(_growing(long, 0, streaming=False, revision=2))
        await until(lambda: not view.frame_waits)
        assert view.visualRect(view.model().index(3, 0)).height() == height


async def test_a_tool_that_turns_out_to_be_an_edit_changes_in_place(backend: FakeBackend) -> None:
    """kandev-app.md b.4: the type of a row may change on update."""
    backend.desk.put_session(make_session("s1", kind=SessionKind.HOSTED))
    call = tool_row("t", "tool_call", "Edit", status="pending", created=1)
    backend.desk.add_messages(call, make_message("after", "after", created=2))
    async with shown_window(backend) as shown:
        view = _view(shown)
        await until(lambda: view.model().rowCount() == 2)
        view.setCurrentIndex(view.model().index(0, 0))
        backend.desk.add_messages(edit_row("t", created=1))
        await until(lambda: "Decimal" in str(view.model().index(0, 0).data()))
        assert view.model().rowCount() == 2
        height = view.visualRect(view.model().index(0, 0)).height()
        view.setFocus()
        QTest.keyClick(view, Qt.Key.Key_Return)
        await until(lambda: view.visualRect(view.model().index(0, 0)).height() > height * 3)


async def test_what_was_opened_stays_open_while_its_row_changes(backend: FakeBackend) -> None:
    backend.desk.put_session(make_session("s1", kind=SessionKind.HOSTED))
    backend.desk.add_messages(command_row("c", output="one", status="running", created=1))
    async with shown_window(backend) as shown:
        view = _view(shown)
        view.executeDelayedItemsLayout()
        rect = view.visualRect(view.model().index(0, 0))
        closed = rect.height()
        line = rect.bottomLeft() + QPoint(rect.width() // 2, -15)
        QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=line)
        await until(lambda: view.visualRect(view.model().index(0, 0)).height() > closed)
        opened = view.visualRect(view.model().index(0, 0)).height()
        backend.desk.add_messages(command_row("c", output="one\ntwo\nthree", created=1))
        await until(lambda: view.visualRect(view.model().index(0, 0)).height() > opened)


async def test_a_row_that_leaves_in_view_does_not_move_what_is_below_it(
    backend: FakeBackend,
) -> None:
    _fill(backend)
    backend.desk.open(make_bundle("p1", created=29.5))
    async with shown_window(backend) as shown:
        view = _view(shown)
        await until(lambda: view.at_end and view.verticalScrollBar().maximum() > 0)
        question = view.model().index(30, 0)
        view.scrollTo(question, view.ScrollHint.PositionAtTop)
        await until(lambda: not view.at_end and _place(view)[0] == "p1-0")
        backend.desk.remove(PendingId("p1"))
        await until(lambda: view.model().rowCount() == 60)
        view.executeDelayedItemsLayout()
        assert _place(view) == ("m30", 0)
