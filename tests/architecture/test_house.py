"""The rules of the house that no other tool checks."""

import ast
import importlib.metadata
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted(path for package in ("app", "backend") for path in (ROOT / package).rglob("*.py"))
MAX_LINES = 400
MAX_FUNCTION = 50


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_file_and_its_functions_stay_small(path: Path) -> None:
    text = path.read_text()
    assert len(text.splitlines()) <= MAX_LINES
    long = [
        f"{node.name}: {(node.end_lineno or 0) - node.lineno + 1} lines"
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or 0) - node.lineno + 1 > MAX_FUNCTION
    ]
    assert not long


def test_no_nested_event_loop_and_no_sleep_in_the_product() -> None:
    banned = re.compile(r"\.exec\(|\.exec_\(|\btime\.sleep\(|processEvents\(")
    # Paints the first frame before any loop runs, so it cannot re-enter one.
    allowed = {"app/first_frame.py"}
    found = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in SOURCES
        for number, line in enumerate(path.read_text().splitlines(), start=1)
        if banned.search(line) and str(path.relative_to(ROOT)) not in allowed
    ]
    assert not found


def test_every_exception_is_caught_only_where_the_house_allows_it() -> None:
    """architecture.md, Errors: bridge, supervisor, excepthook."""
    found = {
        str(path.relative_to(ROOT))
        for path in SOURCES
        if re.search(r"except (Base)?Exception\b(?!Group)", path.read_text())
        and not re.search(r"except BaseException[^\n]*:\n(?:.*\n)*?\s+raise\b", path.read_text())
    }
    assert found <= {
        "app/bridge/backend_thread.py",
        "app/crash.py",
        "backend/work/supervisor.py",
    }


def test_no_room_is_called_utils() -> None:
    banned = {"utils", "util", "helpers", "common", "manager", "misc"}
    assert not [
        path for path in SOURCES if banned & set(path.relative_to(ROOT).with_suffix("").parts)
    ]


def test_the_backend_runs_without_qt() -> None:
    script = (
        "import sys, backend.runtime, backend.cli.serve;"
        "sys.exit(any(name.startswith(('PySide6', 'shiboken6', 'qasync')) for name in sys.modules))"
    )
    subprocess.run([sys.executable, "-c", script], check=True, cwd=ROOT)


def test_every_dependency_has_an_upper_bound() -> None:
    requirements = importlib.metadata.requires("kandesk") or []
    assert requirements
    assert not [line for line in requirements if "<" not in line]


def test_requirements_are_pinned_by_hash_and_name_no_address() -> None:
    for name in ("run.lock", "dev.lock"):
        text = (ROOT / "packaging" / "requirements" / name).read_text()
        pins = re.findall(r"^[a-z0-9][^\s=]*==", text, re.MULTILINE)
        assert len(pins) > 20
        assert text.count("--hash=sha256:") >= len(pins)
        assert "://" not in text
