"""Running `kandesk doctor` and reading what it says."""

import json
from pathlib import Path

import pytest

from backend.cli import doctor
from backend.cli.finding import Level
from backend.paths import Home
from backend.store.dialect import Dialect
from backend.store.schema import indexes
from tests.helpers.place import raw

Checks = dict[str, list[dict[str, str]]]


def examine(
    home: Home, capsys: pytest.CaptureFixture[str], *options: str
) -> tuple[int, Checks, list[str]]:
    """The exit code, the findings by check, and what was done."""
    code = doctor.main(["--home", str(home.root), "--json", *options])
    document = json.loads(capsys.readouterr().out)
    found: Checks = {}
    for check in document["checks"]:
        found.setdefault(check["check"], []).append(check)
    return code, found, document["done"]


def levels(found: Checks) -> dict[str, str]:
    """The worst level of each check."""
    order = list(Level)
    return {
        name: max((check["level"] for check in checks), key=lambda level: order.index(Level(level)))
        for name, checks in found.items()
    }


def snapshot(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Modes and bytes, without the files SQLite shares among its readers."""
    return {
        item.name: (item.stat().st_mode, item.read_bytes())
        for item in folder.iterdir()
        if item.is_file() and not item.name.endswith(("-shm", "-wal"))
    }


def break_metadata(path: Path, value: object, *, kind: str = "message") -> str:
    """Give one row of that kind this metadata, past the indexes; returns its id."""
    with raw(path) as connection:
        for index in indexes(Dialect.SQLITE):
            if "json_extract" in index.ddl():
                connection.execute(f"DROP INDEX IF EXISTS {index.name}")
        row = connection.execute(
            "SELECT id FROM task_session_messages WHERE type = ?", (kind,)
        ).fetchone()
        connection.execute(
            "UPDATE task_session_messages SET metadata = ? WHERE id = ?", (value, row[0])
        )
    return str(row[0])
