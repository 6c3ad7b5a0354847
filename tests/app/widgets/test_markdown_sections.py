"""Text that grows is cut where nobody sees it, and what was cut off stays the same."""

import random

import pytest
from PySide6.QtWidgets import QApplication

from app.widgets.markdown_document import MarkdownDocument
from app.widgets.markdown_sections import (
    LONGEST,
    SECTION,
    Section,
    Sections,
    definitions,
    with_definitions,
)

_PARAGRAPH = "Some **bold** words with `code` that go on for a while. " * 6
_LIST = "\n".join(f"- item {number} with some words" for number in range(80))
_CODE = "```python\n" + "\n".join(f"value_{n} = {n}" for n in range(900)) + "\n```"
_TABLE = "| a | b |\n|---|---|\n" + "\n".join(f"| left {n} | right {n} |" for n in range(400))
_MIXED = "\n\n".join([_PARAGRAPH, "# Heading", _LIST, _PARAGRAPH, _CODE, _PARAGRAPH, _TABLE] * 2)


def _sections(text: str) -> list[Section]:
    return Sections().update(text)


def _words(text: str) -> str:
    application = QApplication.instance()
    assert isinstance(application, QApplication)
    font = application.font()
    return MarkdownDocument(text, font, font, application.palette()).toPlainText()


def test_a_short_text_is_one_section() -> None:
    assert [section.text for section in _sections("a\n\nb")] == ["a\n\nb"]
    assert [section.text for section in _sections("")] == [""]


@pytest.mark.parametrize(
    "text", [_MIXED, _LIST * 30, _CODE, _TABLE, "word " * 20_000, "x" * 50_000]
)
def test_no_section_is_longer_than_is_laid_out_at_once(text: str) -> None:
    pieces = _sections(text)
    assert len(pieces) > 1
    assert all(len(section.text) <= LONGEST + 200 for section in pieces)


def test_paragraphs_are_cut_between_and_nothing_is_lost() -> None:
    text = "\n\n".join([_PARAGRAPH] * 30)
    pieces = _sections(text)
    assert "".join(section.text for section in pieces) == text
    assert all(len(section.text) >= SECTION for section in pieces[:-1])
    assert all(section.text.startswith("Some") for section in pieces)


def test_a_list_is_not_cut_at_an_empty_line_between_its_items() -> None:
    text = "\n\n".join(f"{n}. item with some words" for n in range(1, 200))
    pieces = _sections(text)
    assert len(pieces) == 1 + len(text) // LONGEST or len(pieces) == len(text) // (LONGEST // 2)
    assert all(section.text[0].isdigit() for section in pieces)


def test_code_that_is_cut_stays_code_on_both_sides(qapp: QApplication) -> None:
    pieces = _sections(f"before\n\n{_CODE}\n\nafter")
    assert pieces[0].goes_on
    assert pieces[-1].continues
    for section in pieces:
        assert section.text.count("```") == 2
    shown = "\n".join(_words(section.text) for section in pieces)
    assert [line for line in shown.splitlines() if line.startswith("value_")] == [
        f"value_{n} = {n}" for n in range(900)
    ]


def test_a_table_that_is_cut_keeps_its_head() -> None:
    pieces = _sections(_TABLE)
    assert all(section.text.startswith("| a | b |\n|---|---|\n") for section in pieces)


@pytest.mark.parametrize("seed", range(6))
def test_growing_in_any_steps_ends_as_the_whole_text_does(seed: int) -> None:
    """The chunks of a stream are of any size, down to one character."""
    steps = random.Random(seed)  # noqa: S311 - no secret
    growing, end = Sections(), 0
    seen: list[Section] = []
    while end < len(_MIXED):
        end = min(len(_MIXED), end + steps.randint(1, 400))
        now = growing.update(_MIXED[:end])
        settled = seen[:-1]
        assert all(old is new for old, new in zip(settled, now, strict=False))
        seen = now
    assert seen == _sections(_MIXED)


def test_another_text_starts_over() -> None:
    sections = Sections()
    sections.update(_MIXED)
    assert sections.update("other") == _sections("other")


def test_a_link_defined_at_the_end_leads_somewhere_from_every_section() -> None:
    known = definitions("See [one].\n\n[one]: https://example.org/a\n")
    assert with_definitions("See [One] now.", known).endswith("[one]: https://example.org/a")
    assert with_definitions("Nothing here.", known) == "Nothing here."
