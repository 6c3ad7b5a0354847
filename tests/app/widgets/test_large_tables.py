"""No table of an agent holds up the window: large ones are shown as they were written."""

import time

import pytest
from PySide6.QtGui import QTextTable
from PySide6.QtWidgets import QApplication

from app.widgets.large_tables import MAX_CELLS, without_large_tables
from app.widgets.markdown_document import MarkdownDocument, is_code

HEAD = "|a|b|\n|-|-|\n"


def document(text: str) -> MarkdownDocument:
    application = QApplication.instance()
    assert isinstance(application, QApplication)
    return MarkdownDocument(text, application.font(), application.font(), application.palette())


def tables(shown: MarkdownDocument) -> int:
    return sum(isinstance(frame, QTextTable) for frame in shown.rootFrame().childFrames())


def test_a_table_people_can_read_stays_a_table(qapp: QApplication) -> None:
    text = f"before\n\n{HEAD}" + "|x|y|\n" * 20 + "\nafter | one\n"
    assert without_large_tables(text) == text
    assert tables(document(text)) == 1


@pytest.mark.parametrize(
    "text",
    [
        HEAD + "|x|y|\n" * 5_300,
        HEAD + "x\n" * 15_000,
        "|" + "a|" * 1_300 + "\n|" + "-|" * 1_300 + "\n|" + "b|" * 1_300,
        "see a|b\n" + HEAD + "|x|y|\n" * 2_000,
        (HEAD + "|x|y|\n" * 30 + "\n") * 40,
    ],
    ids=["rows", "rows without bars", "columns", "after a line with a bar", "many tables"],
)
def test_a_large_table_is_shown_as_it_was_written(qapp: QApplication, text: str) -> None:
    started = time.process_time()
    shown = document(text)
    for width in range(400, 420):
        shown.setTextWidth(width)
        assert shown.size().height() > 0
    assert time.process_time() - started < 10
    cells = sum(
        frame.rows() * frame.columns()
        for frame in shown.rootFrame().childFrames()
        if isinstance(frame, QTextTable)
    )
    assert cells <= MAX_CELLS
    assert is_code(shown.lastBlock()) or is_code(shown.lastBlock().previous())


def test_a_table_hidden_behind_fences_is_shown_as_text(qapp: QApplication) -> None:
    text = "````\n```\n````\n" + HEAD + "|x|y|\n" * 1_000
    shown = document(text)
    assert not tables(shown)
    assert shown.toPlainText() == text


def test_code_that_looks_like_a_table_stays_as_it_is() -> None:
    text = "```\n" + HEAD + "|x|y|\n" * 500 + "```\n"
    assert without_large_tables(text) == text
