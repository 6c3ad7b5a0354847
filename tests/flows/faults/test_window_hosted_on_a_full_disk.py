"""The disk becomes full while an agent talks in the real window, and has room again."""

import sqlite3
from contextlib import closing, suppress
from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel, QWidget

from backend.ids import SessionId
from tests.helpers.disk import SmallDisk, memory_disk
from tests.helpers.hosted_live import HostedLive
from tests.helpers.hosting_desk import is_free, prompts_in
from tests.helpers.live_window import live_window
from tests.helpers.place import raw
from tests.helpers.scripted_agents import scripted_command
from tests.helpers.waiting import until

pytestmark = pytest.mark.faults

WORDS = 150
PIECE = "a word of some length "


def fill_all(disk: SmallDisk, store: Path) -> None:
    """Also what the log of the store has taken and does not use."""
    disk.fill()
    with (
        suppress(sqlite3.Error),
        closing(sqlite3.connect(store, isolation_level=None)) as connection,
    ):
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    disk.fill()


def stored_words(store: Path, session: SessionId) -> str:
    with raw(store) as connection:
        rows = connection.execute(
            "SELECT content FROM task_session_messages WHERE task_session_id = ?"
            " AND author_type = 'agent' ORDER BY created_at, id",
            (session,),
        ).fetchall()
    return "".join(str(row[0]) for row in rows)


async def test_it_is_told_and_every_word_is_written_once_there_is_room(tmp_path: Path) -> None:
    """P3, P4: told while it lasts, nothing lost, the prompt sent once, no restart."""
    log = tmp_path / "frames"
    with memory_disk(tmp_path / "disk", mib=12) as disk:
        store = disk.root / "home" / "kandesk.db"
        async with live_window(disk.root / "home") as window:
            hosted = HostedLive(window, tmp_path)
            command = scripted_command(log=str(log))
            session = await hosted.start(f"stream {WORDS} 0.02 {PIECE}", command=command)
            await hosted.open(session)
            await until(lambda: any(row.author == "agent" for row in hosted.rows), seconds=20)
            fill_all(disk, store)
            bar: QWidget = await window.shows("noticeBar")
            words = " ".join(label.text() for label in bar.findChildren(QLabel))
            assert "there is no room left for the store" in words
            disk.make_room()
            await hosted.until(session, is_free, seconds=40)
            await until(lambda: window.find("noticeBar") is None, seconds=20)
            assert stored_words(store, session).count(PIECE.strip()) == WORDS
            assert len(prompts_in(log)) == 1
