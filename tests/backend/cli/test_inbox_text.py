"""What `pending` prints cannot steer the terminal it is printed on."""

import pytest

from backend.cli.inbox_text import (
    age_text,
    clean,
    list_text,
    outcome_text,
    permissions_text,
    short_ids,
)


@pytest.mark.parametrize(
    "text", ["\x1b[31mred", "a\x07b", "a\x9bb", "a\u202eb", "a\u2066b", "line\x00"]
)
def test_control_characters_of_agents_are_replaced(text: str) -> None:
    shown = clean(text)
    assert "\N{REPLACEMENT CHARACTER}" in shown
    assert not any(character in shown for character in "\x1b\x07\x9b\u202e\u2066\x00")


def test_text_becomes_one_line_of_bounded_length() -> None:
    assert clean("two\n\nlines\tand\u2028more") == "two lines and more"
    assert clean("x" * 300, 10) == "xxxxxxxxx…"
    assert clean("👩‍👩‍👧 می‌خواهم") == "👩‍👩‍👧 می‌خواهم"


def test_short_ids_grow_until_they_differ() -> None:
    assert short_ids(["aaaaaaaa-1", "bbbbbbbb-2"]) == ["aaaaaaaa", "bbbbbbbb"]
    assert short_ids(["aaaaaaaa-1", "aaaaaaaa-2"]) == ["aaaaaaaa-1", "aaaaaaaa-2"]


@pytest.mark.parametrize(
    ("seconds", "told"),
    [(0, "just now"), (59, "just now"), (60, "1 min ago"), (7199, "1 h ago"), (200_000, "2 d ago")],
)
def test_age_has_one_unit(seconds: int, told: str) -> None:
    assert age_text(seconds) == told


def test_an_unconfirmed_delivery_is_not_called_a_success() -> None:
    """clarification.md, Budgets: saved, delivery not confirmed."""
    for word in ("pending", "unknown"):
        assert "not confirmed" in outcome_text({"status": "answered", "delivery": word})


def test_a_bundle_of_unexpected_shape_is_still_listed() -> None:
    assert list_text([{"pending_id": "abcdefghi", "questions": "?"}]) == "abcdefgh  just now\n"


@pytest.mark.parametrize(
    ("count", "told"),
    [(0, ""), (1, "1 permission waits for"), (3, "3 permissions wait for")],
)
def test_permissions_that_wait_are_counted_and_the_way_to_them_is_said(
    count: int, told: str
) -> None:
    text = permissions_text(count)
    assert text.strip().startswith(told)
    assert ("window" in text) is (count > 0)
