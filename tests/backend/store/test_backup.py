"""The copy that is made before a store changes."""

import itertools
import shutil
import sqlite3
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from backend.clock import Nanoseconds
from backend.errors import ErrorCode, StorageFailed, TemporarilyUnavailable
from backend.events import StoreProgress, StoreStep
from backend.store import backup, opening
from backend.store.step_progress import StepProgress
from tests.backend.store.test_upgrade import converge
from tests.helpers.place import raw
from tests.helpers.store import RowMaker

NOW = Nanoseconds(1_790_000_000_000_000_000)
DAY = 86_400_000_000_000


@pytest.fixture
def store(path: Path) -> Path:
    """A store of several thousand pages."""
    converge(path)
    with raw(path) as connection:
        connection.executemany(
            "INSERT INTO settings (key, value) VALUES (?, ?)",
            ((f"key {number}", "x" * 3_000) for number in range(5_000)),
        )
    return path


def quiet() -> StepProgress:
    return StepProgress(lambda _: None, threading.Event(), itertools.count().__next__)


def rows_of(path: Path) -> int:
    with raw(path) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        return int(connection.execute("SELECT COUNT(*) FROM settings").fetchone()[0])


def test_a_copy_holds_what_is_only_in_the_log_and_belongs_to_its_owner(store: Path) -> None:
    """architecture.md, The store: the backup of a store with a write-ahead log is complete."""
    writer = sqlite3.connect(store)
    writer.execute("PRAGMA wal_autocheckpoint = 0")
    writer.executemany(
        "INSERT INTO settings (key, value) VALUES (?, '')",
        ((f"in the log {number}",) for number in range(500)),
    )
    writer.commit()
    assert Path(f"{store}-wal").stat().st_size > 0
    reader = sqlite3.connect(store)
    copy = backup.back_up(reader, store, NOW, quiet())
    reader.close()
    writer.close()
    assert copy is not None
    assert copy.stat().st_mode & 0o077 == 0
    assert rows_of(copy) == 5_500
    assert {item.name for item in store.parent.glob("*.backup*")} == {copy.name}


def test_a_copy_that_is_broken_off_replaces_none_and_leaves_nothing(store: Path) -> None:
    connection = sqlite3.connect(store)
    good = backup.back_up(connection, store, NOW, quiet())
    assert good is not None
    stop = threading.Event()

    def tell(event: StoreProgress) -> None:
        if 0 < event.done < event.total:
            stop.set()

    with pytest.raises(TemporarilyUnavailable):
        backup.back_up(connection, store, NOW, StepProgress(tell, stop, itertools.count().__next__))
    connection.close()
    assert [item.name for item in store.parent.glob("*backup*")] == [good.name]
    assert rows_of(good) == 5_000


def test_what_a_killed_copy_left_does_not_spoil_the_next(store: Path) -> None:
    for suffix in ("", "-journal", "-wal"):
        store.with_name(f"{store.name}.backup-unfinished{suffix}").write_bytes(b"half" * 5_000)
    connection = sqlite3.connect(store)
    copy = backup.back_up(connection, store, NOW, quiet())
    connection.close()
    assert copy is not None
    assert rows_of(copy) == 5_000
    assert not list(store.parent.glob("*unfinished*"))


def copies_of(store: Path, days: range) -> list[Path | None]:
    connection = sqlite3.connect(store)
    made = [
        backup.back_up(connection, store, Nanoseconds(NOW + day * DAY), quiet()) for day in days
    ]
    connection.close()
    return made


def ask(store: Path) -> None:
    """As a desk does: a message, and the sequence of changes goes on."""
    rows = RowMaker(store)
    rows.session()
    rows.turn("turn1")
    rows.question("p1")


def test_the_last_two_copies_are_kept(store: Path) -> None:
    made = copies_of(store, range(4))
    assert sorted(store.parent.glob("*.backup")) == made[2:]


def test_an_upgrade_that_begins_again_and_again_keeps_the_store_as_it_was(store: Path) -> None:
    """architecture.md, The store: before the first migrating start."""
    ask(store)
    (first,) = copies_of(store, range(1))
    with raw(store) as connection:
        connection.execute("CREATE INDEX half_done ON settings(value)")
    assert copies_of(store, range(1, 5)) == [first] * 4
    with raw(store) as connection:
        connection.execute("UPDATE sequences SET value = value + 1")
    (second,) = copies_of(store, range(5, 6))
    assert sorted(store.parent.glob("*.backup")) == [first, second]
    assert second is not None
    second.write_bytes(second.read_bytes()[:5_000])
    (third,) = copies_of(store, range(6, 7))
    assert third not in {first, second}


def test_a_copy_of_another_store_with_the_same_count_is_none_of_this_one(store: Path) -> None:
    ask(store)
    copies_of(store, range(1))
    with raw(store) as connection:
        connection.execute("UPDATE task_session_messages SET id = 'other'")
    assert len(set(copies_of(store, range(1, 2))) | set(store.parent.glob("*.backup"))) == 2


def test_room_is_counted_with_what_is_in_the_log(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[StoreProgress] = []
    progress = StepProgress(told.append, threading.Event(), itertools.count().__next__)
    connection = sqlite3.connect(store)
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=pages * 4096))
    assert backup.back_up(connection, store, NOW, progress) is None
    connection.close()
    assert [event.step for event in told] == [StoreStep.BACKUP_SKIPPED]
    assert not list(store.parent.glob("*backup*"))


def test_a_copy_put_in_the_place_of_a_killed_store_is_not_mixed_with_what_its_log_held(
    store: Path,
) -> None:
    """SQLite takes any log beside a file for its own: it knows a log by nothing in the file."""
    writer = sqlite3.connect(store)
    copy = backup.back_up(writer, store, NOW, quiet())
    assert copy is not None
    writer.execute("PRAGMA wal_autocheckpoint = 0")
    writer.execute("UPDATE settings SET value = 'later'")
    writer.commit()
    log = Path(f"{store}-wal")
    left = log.read_bytes()
    writer.close()
    shutil.copyfile(copy, store)
    log.write_bytes(left)
    restored = store.read_bytes()
    for look in (lambda: converge(store), lambda: opening.check_readable(store)):
        with pytest.raises(StorageFailed, match="-wal") as caught:
            look()
        assert caught.value.code is ErrorCode.STORE_CORRUPT
        assert "remove" in caught.value.detail
    assert (store.read_bytes(), log.read_bytes()) == (restored, left)
    log.unlink()
    converge(store)
    with raw(store) as connection:
        found = connection.execute("SELECT DISTINCT substr(value, 1, 1) AS first FROM settings")
        assert "l" not in {row["first"] for row in found}
        assert connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
    assert rows_of(store) >= 5_000
