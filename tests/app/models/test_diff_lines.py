"""What changed in a file, told line by line and in bounded time."""

import random
import time

import pytest
from PySide6.QtWidgets import QApplication

from app.models.diff_lines import Diff, Sign, diff, read_diff
from app.theme import load_colours
from app.widgets.plain_documents import DiffDocument

_OLD = "".join(f"line {number}\n" for number in range(1, 41))


def test_a_change_is_told_with_the_lines_around_it() -> None:
    new = _OLD.replace("line 20\n", "line twenty\nline more\n")
    told = diff(_OLD, new)
    assert told.text.splitlines() == [
        "@@ -17,7 +17,8 @@",
        " line 17",
        " line 18",
        " line 19",
        "-line 20",
        "+line twenty",
        "+line more",
        " line 21",
        " line 22",
        " line 23",
    ]
    assert (told.added, told.removed) == (2, 1)


def test_changes_far_apart_have_places_of_their_own() -> None:
    new = _OLD.replace("line 3\n", "").replace("line 30\n", "line thirty\n")
    places = [line.text for line in diff(_OLD, new).lines if line.sign is Sign.PLACE]
    assert places == ["@@ -1,6 +1,5 @@", "@@ -27,7 +26,7 @@"]


def test_a_new_file_is_all_added_and_a_deleted_one_all_removed() -> None:
    assert (diff("", "a\nb\n").added, diff("", "a\nb\n").removed) == (2, 0)
    assert (diff("a\nb\n", "").added, diff("a\nb\n", "").removed) == (0, 2)
    assert diff("", "a\n").lines[0].text == "@@ -0,0 +1,1 @@"
    assert diff("same", "same") == Diff(())


def test_files_that_share_nothing_are_told_in_bounded_time() -> None:
    """difflib alone takes minutes here."""
    old = "\n".join(f"{number % 7}" for number in range(6_000))
    new = "\n".join(f"{number % 5} " for number in range(6_000))
    began = time.monotonic()
    told = diff(old, new)
    assert time.monotonic() - began < 5
    assert (told.added, told.removed) == (6_000, 6_000)


def test_a_few_changes_in_a_large_file_are_told_alone() -> None:
    lines = [f"value {number % 300} of {number}" if number % 3 else "" for number in range(9_000)]
    changed = [f"{line} # changed" if n % 1_000 == 1 else line for n, line in enumerate(lines)]
    began = time.monotonic()
    told = diff("\n".join(lines), "\n".join(changed))
    assert time.monotonic() - began < 2
    assert (told.added, told.removed) == (9, 9)


@pytest.mark.parametrize("seed", range(40))
def test_a_diff_leads_from_the_old_file_to_the_new_one(seed: int) -> None:
    dice = random.Random(seed)  # noqa: S311 - no secret
    old = [str(dice.randint(0, 60)) for _ in range(dice.randint(0, 120))]
    new = list(old)
    for _ in range(dice.randint(1, 20)):
        place = dice.randint(0, len(new))
        new[place : place + dice.randint(0, 4)] = [str(dice.randint(0, 60))] * dice.randint(0, 4)
    told = diff("\n".join(old), "\n".join(new))
    assert _patched(old, told) == new


def _patched(old: list[str], told: Diff) -> list[str]:
    """`old` after all that is told was done to it."""
    new: list[str] = []
    place = 0
    for line in told.lines:
        if line.sign is Sign.PLACE:
            count = int(line.text.split(",")[1].split()[0])
            start = int(line.text.split("-")[1].split(",")[0]) - (1 if count else 0)
            new += old[place:start]
            place = start
        elif line.sign is Sign.ADDED:
            new.append(line.text)
        else:
            assert old[place] == line.text
            place += 1
            new += [line.text] if line.sign is Sign.SAME else []
    return new + old[place:]


def test_a_diff_written_by_an_agent_is_read() -> None:
    told = read_diff("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+new\n same\n")
    assert [(line.sign, line.text) for line in told.lines] == [
        (Sign.PLACE, "@@ -1 +1 @@"),
        (Sign.REMOVED, "old"),
        (Sign.ADDED, "new"),
        (Sign.SAME, "same"),
    ]


def test_a_line_of_a_diff_is_known_without_its_colour(qapp: QApplication) -> None:
    document = DiffDocument(diff("a\n", "b\n"), qapp.font(), load_colours("dark"), 100)
    assert document.toPlainText() == "@@ -1,1 +1,1 @@\n- a\n+ b"
