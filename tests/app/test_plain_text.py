"""What agents write is never read as HTML, and never too long to be shown."""

import pytest
from PySide6.QtGui import QTextDocument

from app.plain_text import breakable, plain_tip


@pytest.mark.parametrize(
    "text", ["<img src='file:///etc/hostname'>", "a <b>bold</b> claim", "x < y & z > 0", "plain"]
)
def test_a_tool_tip_shows_the_text_as_it_was_written(text: str) -> None:
    document = QTextDocument()
    tip = plain_tip(text)
    document.setHtml(tip) if tip != text else document.setPlainText(tip)
    assert document.toPlainText() == text


def test_a_long_word_may_be_broken_and_reads_the_same() -> None:
    word = "/usr/share/" + "x" * 60
    broken = breakable(f"see {word} now")
    assert broken.replace("\u200b", "") == f"see {word} now"
    assert max(len(piece) for piece in broken.replace(" ", "\u200b").split("\u200b")) <= 12


@pytest.mark.parametrize(
    "text", ["an ordinary sentence", "👩‍👩‍👧‍👦" * 9, "بسم" * 20, "中文" * 40, ""]
)
def test_other_text_stays_as_it_is(text: str) -> None:
    assert breakable(text) == text
