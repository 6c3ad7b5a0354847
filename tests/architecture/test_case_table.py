"""The table of `tests/peers/README.md`: every case has a test that exists, or a reason."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TABLE = ROOT / "tests" / "peers" / "README.md"
ROW = re.compile(r"^\| (?P<case>[^|]+?) \| (?P<shown>[^|]+?) \|$", re.MULTILINE)
TEST = re.compile(r"`(?P<file>[\w/]+\.py)::(?P<name>\w+)`")
REASON = "does not apply: "

MATRIX = [f"K5.6 {row}" for row in range(1, 24)]
RECOVERY = [f"K5.7 {step}" for step in range(1, 4)]
CRITERIA = [
    "RR.1",
    "RR.2",
    "RR.4",
    "RR.5",
    "LC.1",
    "LC.2",
    "LC.3",
    "LC.4",
    "LC.5",
    "LC.6",
    "LC.9",
    "K8.3 1",
    "K8.3 4",
    "K8.3 5",
    "K8.3 6",
    "K8.3 7",
    "K8.3 8",
    "R1",
    "R2",
    "R2c",
    "R4",
    "R4a",
    "R6",
    "R7",
    "R7a",
    "R9",
    "R10",
    "R11",
    "P1",
    "P1a",
    "P1b",
    "P2",
    "A1",
    "A2",
    "A3",
    "A4",
    "A6",
    "A7",
    "A9",
    "L1",
    "L1a",
    "L1b",
    "L1c",
    "L1d",
    "L2",
    "L2a",
    "L3",
    "L4",
    "L4a",
    "L5",
    "L6",
    "L7",
    "L7a",
    "L8",
    "L9",
    "L10",
    "L11",
    "L11a",
    "L12",
    "L13",
    "L14",
    "L15",
    "N1",
    "N2",
    "N4",
    "N4a",
    "N5",
    "N6",
    "N6a",
    "N7",
    "N8",
    "N8a",
    "N8c",
    "N8d",
    "N9",
]
WITHOUT_TEXT = {10, 11, 13, 17, 20, 24, 31, 32, 38, 42, 51, 56, 60, 62, 67, 77, 88, 90}
UNIT_TESTS = [f"K8.6 {line}" for line in range(1, 94) if line not in WITHOUT_TEXT]
WINDOW_TESTS = [f"K8.7 {line}" for line in (*range(94, 102), *range(103, 106), *range(112, 116))]
IMPROVEMENTS = [f"improvement {number}" for number in range(1, 13)]
CARDS = [*(f"T6.1 {number}" for number in range(1, 37)), "T6.3 66"]
DECISIONS = [
    *(f"T6.2 {number}" for number in (*range(37, 51), *range(56, 64))),
    *(f"T6.3 {number}" for number in (64, 65, 67, 68)),
]
OUTCOMES = [f"T6.2 {number}" for number in range(51, 56)]
CASES = [
    *MATRIX,
    *RECOVERY,
    *CRITERIA,
    *UNIT_TESTS,
    *WINDOW_TESTS,
    *IMPROVEMENTS,
    *CARDS,
    *DECISIONS,
    *OUTCOMES,
]


@cache
def table() -> dict[str, str]:
    text = TABLE.read_text("utf-8")
    return {row["case"]: row["shown"] for row in ROW.finditer(text)}


@cache
def functions_of(file: str) -> frozenset[str]:
    path = ROOT / file
    if not path.is_file():
        return frozenset()
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    tree = ast.parse(path.read_text("utf-8"))
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, functions))


def test_the_table_has_no_row_that_is_not_a_case() -> None:
    assert [case for case in table() if case not in {*CASES, "case", "---"}] == []


@pytest.mark.parametrize("case", CASES)
def test_a_case_names_tests_that_exist_or_says_why_not(case: str) -> None:
    shown = table().get(case)
    assert shown is not None, f"{case} is not in {TABLE.name}"
    named = [(found["file"], found["name"]) for found in TEST.finditer(shown)]
    assert named or shown.startswith(REASON), f"{case} names no test and gives no reason"
    missing = [f"{file}::{name}" for file, name in named if name not in functions_of(file)]
    assert missing == []
