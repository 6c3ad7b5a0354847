import os
import threading
from pathlib import Path

import pytest

from backend.clock import Nanoseconds
from backend.errors import ErrorCode, StorageFailed
from backend.events import StoreProgress
from backend.store import opening
from backend.store.schema import MAJOR
from tests.helpers.place import raw

NOW = Nanoseconds(1_790_000_000_000_000_000)
ORDERED = "idx_messages_metadata_pending_id_lookup_ordered"


def open_blocking(path: Path, told: list[StoreProgress] | None = None) -> None:
    log = told if told is not None else []
    opening.prepare(path, NOW, threading.Event(), log.append)


def refused(path: Path) -> StorageFailed:
    with pytest.raises(StorageFailed) as caught:
        open_blocking(path)
    return caught.value


def snapshot(folder: Path) -> dict[str, bytes]:
    return {item.name: item.read_bytes() for item in folder.iterdir()}


def test_a_newer_store_is_refused_untouched(path: Path) -> None:
    open_blocking(path)
    with raw(path) as connection:
        connection.execute(f"PRAGMA user_version = {MAJOR + 1}")
    before = snapshot(path.parent)
    assert refused(path).code is ErrorCode.STORE_TOO_NEW
    assert snapshot(path.parent) == before


@pytest.mark.parametrize(
    "content", [b"not a database at all", os.urandom(20_000), b"SQLite format 3\x00 cut"]
)
def test_garbage_is_refused_untouched(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    error = refused(path)
    assert error.code is ErrorCode.STORE_CORRUPT
    assert str(path) in error.detail
    assert snapshot(path.parent) == {path.name: content}


def test_a_truncated_store_is_refused_untouched(path: Path) -> None:
    open_blocking(path)
    path.write_bytes(path.read_bytes()[:-8_192])
    before = snapshot(path.parent)
    assert refused(path).code is ErrorCode.STORE_CORRUPT
    assert snapshot(path.parent) == before


def test_a_damaged_schema_is_refused_untouched(path: Path) -> None:
    open_blocking(path)
    content = bytearray(path.read_bytes())
    content[100:4_096] = b"\xa5" * 3_996
    path.write_bytes(content)
    assert refused(path).code is ErrorCode.STORE_CORRUPT
    assert path.read_bytes() == content


def test_a_database_of_another_program_is_refused_untouched(path: Path) -> None:
    with raw(path) as connection:
        connection.execute("CREATE TABLE bookmarks (url TEXT)")
    before = snapshot(path.parent)
    assert refused(path).code is ErrorCode.STORE_FOREIGN
    assert snapshot(path.parent) == before


def test_a_kandev_database_is_refused_untouched_with_the_way_to_bring_it_in(path: Path) -> None:
    with raw(path) as connection:
        connection.execute("CREATE TABLE task_sessions (id TEXT PRIMARY KEY)")
        connection.execute("CREATE TABLE task_session_messages (id TEXT PRIMARY KEY)")
        connection.execute("CREATE TABLE kandev_meta (key TEXT PRIMARY KEY)")
    before = snapshot(path.parent)
    error = refused(path)
    assert error.code is ErrorCode.STORE_FOREIGN
    assert "kandesk import-kandev" in error.detail
    assert error.params["hint"] == "import-kandev"
    assert snapshot(path.parent) == before


def test_a_read_only_file_is_refused_untouched(path: Path) -> None:
    open_blocking(path)
    path.chmod(0o400)
    before = snapshot(path.parent)
    assert refused(path).code is ErrorCode.STORE_READ_ONLY
    assert snapshot(path.parent) == before


def test_a_folder_in_place_of_the_store_is_refused(path: Path) -> None:
    path.mkdir()
    assert refused(path).code is ErrorCode.STORE_FOREIGN


def test_a_store_in_a_folder_that_does_not_exist_cannot_be_made(tmp_path: Path) -> None:
    assert refused(tmp_path / "none" / "kandesk.db").code is ErrorCode.STORE_UNREACHABLE
