"""The disk becomes full while a human answers in the real window."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel, QPlainTextEdit

from tests.helpers.client_process import client_process
from tests.helpers.disk import SmallDisk, memory_disk
from tests.helpers.live_window import ARMED_AFTER, LiveWindow, live_window
from tests.helpers.mcp_clients import question
from tests.helpers.stored import stored_bundle
from tests.helpers.waiting import until

pytestmark = pytest.mark.faults

WORDS = "half of a 想法"


def fill_all(disk: SmallDisk, window: LiveWindow) -> None:
    """Also what the log of the store has taken and does not use: its end is cut by nobody."""
    disk.fill()
    with closing(sqlite3.connect(window.home / "kandesk.db", isolation_level=None)) as store:
        store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    disk.fill()


def kept_draft(store: Path) -> str:
    with closing(sqlite3.connect(store)) as connection:
        row = connection.execute("SELECT answers FROM answer_drafts").fetchone()
    return str(row[0]) if row is not None else ""


async def test_a_submit_that_finds_no_room_keeps_every_word_and_retry_delivers_it(
    tmp_path: Path,
) -> None:
    """P3, P4: one clear error, the words stay, Retry once there is room, without a restart."""
    with memory_disk(tmp_path / "disk") as disk:
        home = disk.root / "home"
        where = ("shim", str(home), str(tmp_path), "claude-code")
        async with live_window(home) as window, client_process(*where, home=home) as client:
            client.ask({"questions": [question("Which database?", "SQLite", "PostgreSQL")]})
            await window.shows_card("Which database?")
            card = window.parts.desk.clarification.card
            assert card is not None
            fill_all(disk, window)
            await window.type("customAnswer", WORDS)
            await window.click("submitAnswers")
            await until(lambda: window.find("retryButton") is not None, seconds=8)
            status = (await window.shows("statusText", QLabel)).text()
            assert "full" in status.lower() or "room" in status.lower(), status
            field = await window.shows("customAnswer", QPlainTextEdit)
            assert field.toPlainText() == WORDS
            assert not field.isReadOnly()
            assert stored_bundle(home / "kandesk.db", card.pending_id).status == "pending"
            assert not kept_draft(home / "kandesk.db")
            disk.make_room()
            # By itself: nobody touches the keyboard.
            await until(lambda: _in(WORDS, home / "kandesk.db"), seconds=15)
            await window.type("customAnswer", "!")
            await asyncio.sleep(ARMED_AFTER)
            await window.click("retryButton")
            answer = (await client.reply()).result["answers"]["q1"]
            assert answer["custom_text"] == f"{WORDS}!"
            assert stored_bundle(home / "kandesk.db", card.pending_id).settled
            assert not kept_draft(home / "kandesk.db")


def _in(words: str, store: Path) -> bool:
    kept = kept_draft(store)
    return words in kept or words.encode("unicode_escape").decode() in kept
