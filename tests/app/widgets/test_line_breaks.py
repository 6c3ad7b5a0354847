import pytest
from PySide6.QtGui import QTextDocument

from app.widgets.line_breaks import with_line_breaks


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("one\ntwo\nthree", "one\u2028two\u2028three"),
        ("one\n\ntwo\nthree", "one\n\ntwo\u2028three"),
        ("", ""),
    ],
)
def test_prose_breaks_where_the_human_broke_it(text: str, shown: str) -> None:
    assert with_line_breaks(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "- one\n- two",
        "Do:\n1. one\n2. two",
        "# Head\ntext",
        "Head\n====\n",
        "> quoted\n> more",
        "| a | b |\n|---|---|\n| 1 | 2 |",
        "a | b\n--- | ---\n1 | 2\n3 | 4",
        "```python\nif a:\nb\n```",
        "~~~\na\n```\nb\n~~~",
        "    code\n    more",
        "broken already  \nhere",
    ],
)
def test_what_lines_make_in_markdown_is_left_alone(text: str) -> None:
    assert with_line_breaks(text) == text


def test_prose_goes_on_after_code() -> None:
    assert with_line_breaks("```\na\nb\n```\none\ntwo") == "```\na\nb\n```\none\u2028two"


@pytest.mark.usefixtures("qapp")
def test_the_broken_line_is_shown_as_two() -> None:
    document = QTextDocument()
    document.setMarkdown(with_line_breaks("one **two**\nthree"))
    assert document.toPlainText() == "one two\nthree"
    assert document.firstBlock().layout().lineCount() in {0, 2}
