"""What is asked for is shown whole: nothing in it can hide behind room or odd characters."""

import pytest

from app.models.review_content import SHORT, Mark, description_of, folder_of, is_long, review_pieces
from backend.domain.agents import ToolCallChange, ToolDiff, ToolKind, ToolText
from tests.helpers.fake_reviews import make_review


def text_of(command: str, *, whole: bool = False) -> str:
    pieces = review_pieces(make_review(command=command), whole=whole)
    return "".join(piece.text for piece in pieces)


def test_forty_blank_lines_hide_nothing() -> None:
    """window.md: they are folded, and the fold says so."""
    pieces = review_pieces(make_review(command="npm test" + "\n" * 41 + "rm -rf ~"))

    assert [(piece.text, piece.mark, piece.count) for piece in pieces] == [
        ("npm test", Mark.PLAIN, 0),
        ("\n", Mark.PLAIN, 0),
        ("", Mark.BLANK_LINES, 40),
        ("\n", Mark.PLAIN, 0),
        ("rm -rf ~", Mark.PLAIN, 0),
    ]


def test_much_room_within_a_line_is_folded_too() -> None:
    pieces = review_pieces(make_review(command="ls" + " " * 500 + "; rm -rf ~"))

    assert [(piece.mark, piece.count) for piece in pieces if piece.count] == [(Mark.SPACES, 500)]
    assert pieces[-1].text == "; rm -rf ~"


@pytest.mark.parametrize(
    "odd", ["\x00", "\u202e", "\u200b", "\u2066", "\x1b", "\x07", "\u3164", "\ufeff"]
)
def test_what_nobody_can_see_is_spelled_out(odd: str) -> None:
    """A command that reads in another order, or in another way, than it runs."""
    pieces = review_pieces(make_review(command=f"echo {odd}hi"))

    assert [piece.text for piece in pieces if piece.mark is Mark.ODD] == [f"U+{ord(odd):04X}"]


def test_few_blank_lines_stay_as_they_are() -> None:
    assert text_of("a\n\n\nb") == "a\n\n\nb"


def test_a_long_request_says_how_much_is_not_shown() -> None:
    """Bounded at first, whole on demand."""
    long = make_review(command="x" * (SHORT + 1_000))

    first, all_of_it = review_pieces(long), review_pieces(long, whole=True)

    assert is_long(long)
    assert (first[-1].mark, first[-1].count) == (Mark.MORE, 1_000)
    assert "".join(piece.text for piece in all_of_it).replace("\n", "") == "x" * (SHORT + 1_000)
    assert not is_long(make_review(command="ls"))


def test_a_line_of_a_million_characters_is_broken() -> None:
    lines = text_of("y" * 1_000_000, whole=True).split("\n")
    assert max(map(len, lines)) <= 1_000


def test_a_change_is_shown_as_a_diff() -> None:
    change = ToolDiff("/home/ada/p.py", "a\nB\nc\n", "a\nb\nc\n")
    call = ToolCallChange("c", title="Edit p.py", kind=ToolKind.EDIT, content=(change,))

    pieces = review_pieces(make_review(call=call))

    assert ("-b\n", Mark.REMOVED) in [(piece.text, piece.mark) for piece in pieces]
    assert ("+B\n", Mark.ADDED) in [(piece.text, piece.mark) for piece in pieces]
    assert pieces[0].text == "/home/ada/p.py\n"


def test_arguments_of_a_tool_are_shown_whole() -> None:
    call = ToolCallChange(
        "c",
        title="fetch",
        kind=ToolKind.FETCH,
        raw_input={"url": "http://a.example", "method": "DELETE"},
        content=(ToolText("Fetches a page"),),
    )

    shown = "".join(piece.text for piece in review_pieces(make_review(call=call)))

    assert '"method": "DELETE"' in shown
    assert "Fetches a page" in shown
    assert shown.startswith("fetch")


def test_arguments_beside_a_command_are_shown_too() -> None:
    call = ToolCallChange(
        "c", title="ls", raw_input={"command": ["ls", "-l"], "sandbox": "off", "cwd": "/x"}
    )

    shown = "".join(piece.text for piece in review_pieces(make_review(call=call)))

    assert shown.startswith("ls -l")
    assert '"sandbox": "off"' in shown


def test_the_folder_is_the_calls_own() -> None:
    assert folder_of(make_review()) == "/home/ada/shop"
    assert folder_of(make_review(call=ToolCallChange("c", title="t"), folder="/f")) == "/f"


def test_what_the_agent_says_of_it_is_told_apart() -> None:
    assert description_of(make_review().call) == "Build the shop"
    assert description_of(ToolCallChange("c", raw_input="text")) == ""
