"""The real window on a database server that is away: at start, later, and afterwards."""

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from app.widgets.status_banner import StatusBanner
from backend.paths import Home
from backend.store.owner_lock import OwnerLock
from tests.helpers.client_process import client_process
from tests.helpers.live_window import ARMED_AFTER, LiveWindow, opened_window
from tests.helpers.mcp_clients import question
from tests.helpers.place import raw
from tests.helpers.postgres_faults import PrivateServer, private_server
from tests.helpers.waiting import until

pytestmark = pytest.mark.faults

ASK = {"questions": [question("Which way?", "Left", "Right")]}


def name_store(home: Path, url: str) -> None:
    home.mkdir(mode=0o700)
    settings = home / "desk.toml"
    settings.write_text(f'[store]\ndatabase = "{url}"\n')
    settings.chmod(0o600)


async def ready(window: LiveWindow) -> None:
    await until(lambda: window.parts.desk.ready, seconds=30)


async def test_a_server_away_at_start_is_told_and_tried_again_by_a_press(tmp_path: Path) -> None:
    """architecture.md, The store: server away at start: the window shows a retry page."""
    home = tmp_path / "home"
    with private_server() as server:
        name_store(home, server.url)
        server.kill()
        async with opened_window(home) as window:
            page: QWidget = await window.shows("storagePage")
            words = " ".join(label.text() for label in page.findChildren(QLabel))
            assert "cannot reach its store" in words
            await until((await window.shows("retryStore", QPushButton)).hasFocus)
            await window.click("retryStore")
            await until(lambda: not window.parts.view.pages.storage.trying, seconds=30)
            assert OwnerLock.holder(Home(home).database) is None
            server.start()
            await window.click("retryStore")
            await ready(window)
            await until(lambda: window.find("storagePage") is None)
        assert not (home / "kandesk.db").exists()


async def test_a_second_window_on_the_same_server_says_who_has_it_and_opens_when_it_is_free(
    tmp_path: Path, postgres_url: str
) -> None:
    """architecture.md, The store: one owner at a time; nobody's questions are hidden or doubled."""
    first_home, second_home = tmp_path / "one", tmp_path / "two"
    for home in (first_home, second_home):
        name_store(home, postgres_url)
    async with opened_window(first_home) as first:
        await ready(first)
        async with opened_window(second_home) as second:
            page: QWidget = await second.shows("storagePage")
            words = " ".join(label.text() for label in page.findChildren(QLabel))
            assert "Another Kandesk uses this store" in words
            assert "Close it, then try again." in words
            assert "%{" not in words
            assert str(os.getpid()) in words
            await second.click("retryStore")
            await until(lambda: not second.parts.view.pages.storage.trying, seconds=30)
            assert second.find("storagePage") is not None, "it is still in use"
            assert first.parts.desk.notices.current is None, "the first goes on as before"
            await first.quit()
            await second.click("retryStore")
            await ready(second)


async def test_a_window_whose_server_hangs_can_be_quit(tmp_path: Path) -> None:
    """architecture.md, The store."""
    home = tmp_path / "home"
    with private_server() as server:
        name_store(home, server.url)
        server.freeze()
        async with opened_window(home) as window:
            await asyncio.sleep(2)
            async with asyncio.timeout(15):
                await window.quit()
        server.thaw()
        async with opened_window(home) as window:
            await ready(window)
            server.freeze()
            async with asyncio.timeout(18):
                await window.quit()
        assert OwnerLock.holder(Home(home).database) is None


async def test_what_is_typed_while_the_store_is_away_is_kept_and_saved_and_the_agent_gets_it(
    tmp_path: Path,
) -> None:
    """architecture.md, The store: away later: a notice, drafts kept and saved again."""
    home = tmp_path / "home"
    with private_server() as server:
        name_store(home, server.url)
        async with opened_window(home) as window:
            await ready(window)
            where = ("shim", str(home), str(tmp_path), "claude-code")
            async with client_process(*where, home=home) as client:
                client.ask(ASK)
                await window.shows_card("Which way?")
                server.kill()
                bar: QWidget = await window.shows("noticeBar")
                assert "kept here" in " ".join(x.text() for x in bar.findChildren(QLabel))
                await window.click("optionButton_2")
                await window.type("customAnswer", "as written meanwhile")
                await window.click("submitAnswers")
                await window.shows("retryButton", QPushButton)
                server.start()
                await until(lambda: window.find("noticeBar") is None, seconds=60)
                await until(lambda: "as written meanwhile" in _drafts(server), seconds=30)
                banner = await window.shows("statusBanner", StatusBanner)
                await until(lambda: "The store was away" in banner.text)
                await asyncio.sleep(ARMED_AFTER)
                assert window.parts.desk.clarification.card is not None, "answered by itself"
                await window.click("retryButton")
                reply = await client.reply()
                answer = reply.result["answers"]["q1"]
                assert answer["custom_text"] == "as written meanwhile"
            assert window.parts.desk.notices.current is None


def _drafts(server: PrivateServer) -> str:
    with raw(server.url) as connection:
        return str([row["answers"] for row in connection.execute("SELECT * FROM answer_drafts")])


async def test_an_older_store_is_brought_up_to_date_by_a_press(
    tmp_path: Path, postgres_url: str
) -> None:
    """architecture.md, The store: a migrating start asks."""
    home = tmp_path / "home"
    name_store(home, postgres_url)
    async with opened_window(home) as window:
        await ready(window)
    with raw(postgres_url) as connection:
        connection.execute(
            "INSERT INTO tasks (id, title, created_at, updated_at) VALUES ('t', 't', 'n', 'n')"
        )
        connection.execute("DROP INDEX idx_messages_metadata_pending_id_lookup_ordered")
    async with opened_window(home) as window:
        await window.shows("migrationPage")
        with raw(postgres_url) as connection:
            assert not _has_index(connection)
        await window.click("migrateStore")
        await ready(window)
        with raw(postgres_url) as connection:
            assert _has_index(connection)


def _has_index(connection: Any) -> bool:
    row = connection.execute(
        "SELECT to_regclass('idx_messages_metadata_pending_id_lookup_ordered') IS NOT NULL AS there"
    ).fetchone()
    return bool(row["there"])
