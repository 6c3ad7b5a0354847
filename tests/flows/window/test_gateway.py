"""A call of another server's tool, from a real MCP client to a human's click and back (T5, T8.4).

The server is a process, the desk and the window are the program's own.
"""

import asyncio
import sys
from pathlib import Path

import pytest
from mcp_types import CallToolResult, TextContent
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu

from backend.domain.gateway import ServerSettings, ServerStatus, Transport
from backend.domain.policy import Rule
from backend.domain.review import Review
from backend.ids import ServerId
from tests.helpers.live_window import LiveWindow, live_window
from tests.helpers.mcp_clients import http_client, ignore_progress
from tests.helpers.waiting import eventually, until

PROGRAM = Path(__file__).resolve().parents[2] / "helpers" / "rough_server.py"


async def register(window: LiveWindow, effects: Path) -> None:
    """A server whose tool `count` writes down what it does."""
    settings = ServerSettings(
        ServerId("rough"),
        "rough",
        Transport.STDIO,
        command=(sys.executable, str(PROGRAM)),
        environment={"EFFECTS": str(effects)},
    )
    server = await window.parts.client.call(lambda api: api.gateway.save_server(settings, {}))
    assert server.status is ServerStatus.READY, server.detail


def calling(window: LiveWindow, label: str) -> "asyncio.Future[str]":
    """What the client hears of one call of `count`; it lives on a loop of its own."""

    async def call() -> CallToolResult:
        async with http_client(window.info.mcp_url, window.agent_token) as client:
            return await client.call_tool(
                "rough__count", {"label": label}, progress_callback=ignore_progress
            )

    async def heard() -> str:
        result = await asyncio.to_thread(asyncio.run, call())
        return "\n".join(part.text for part in result.content if isinstance(part, TextContent))

    return asyncio.ensure_future(heard())


async def open_card(window: LiveWindow) -> Review:
    """The one request that waits, opened as the Inbox opens it."""
    found: list[Review] = []

    async def asked() -> bool:
        found[:] = await window.parts.client.call(lambda api: api.reviews.list_open_reviews())
        return len(found) == 1

    await eventually(asked, seconds=20)
    desk = window.parts.desk
    await until(lambda: desk.sessions.session(found[0].session_id) is not None, seconds=15)
    desk.open_review(found[0])
    await until(
        lambda: (
            desk.reviews.card is not None
            and desk.reviews.card.review.review_id == found[0].review_id
        ),
        seconds=15,
    )
    await window.shows("approveButton")
    await window.armed()
    return found[0]


async def shown_status(window: LiveWindow, review: Review, status: str) -> None:
    """What the row of the transcript says of it."""

    def said() -> list[object]:
        rows = window.parts.desk.transcript.rows
        return [row.metadata.get("status") for row in rows if row.message_id == review.message_id]

    await until(lambda: said() == [status], seconds=15)


async def choose(window: LiveWindow, menu_name: str, item: str) -> None:
    """An item of the menu that is open, once it has stood for a moment."""
    menu: QMenu = await window.shows(menu_name, QMenu)
    await window.armed()
    action = next(each for each in menu.actions() if each.objectName() == item)
    assert isinstance(action, QAction)
    QTest.mouseClick(menu, Qt.MouseButton.LeftButton, pos=menu.actionGeometry(action).center())


async def rules(window: LiveWindow) -> tuple[Rule, ...]:
    return await window.parts.client.call(lambda api: api.rules.list_rules())


async def test_approve_runs_it_once_and_decline_runs_nothing(tmp_path: Path) -> None:
    effects = tmp_path / "effects"
    async with live_window(tmp_path / "home") as window:
        await register(window, effects)
        first = calling(window, "one")
        review = await open_card(window)
        assert (review.server_name, effects.exists()) == ("rough", False)
        await window.click("approveButton")
        assert (await asyncio.wait_for(first, 20)).startswith("one counted")
        await shown_status(window, review, "approved")

        second = calling(window, "two")
        review = await open_card(window)
        await window.click("declineButton")
        assert "declined" in await asyncio.wait_for(second, 20)
        await shown_status(window, review, "rejected")
    assert effects.read_text() == "one begun\none done\n"


@pytest.mark.qt_log_ignore("This plugin does not support")
async def test_always_allow_of_the_tool_asks_no_more_until_it_is_revoked(tmp_path: Path) -> None:
    """The label says the tool, whatever its arguments: another call of it is not asked about."""
    effects = tmp_path / "effects"
    async with live_window(tmp_path / "home") as window:
        await register(window, effects)
        first = calling(window, "one")
        review = await open_card(window)
        await window.click("alwaysAllowButton")
        await choose(window, "alwaysAllowMenu", "always_this_tool")
        assert (await asyncio.wait_for(first, 20)).startswith("one counted")
        await shown_status(window, review, "approved")
        (rule,) = await rules(window)

        assert (await asyncio.wait_for(calling(window, "two"), 20)).startswith("two counted")
        (used,) = await rules(window)
        assert (used.rule_id, used.hits) == (rule.rule_id, 1)

        await window.parts.client.call(lambda api: api.rules.revoke_rule(rule.rule_id))
        third = calling(window, "three")
        await open_card(window)
        await window.click("declineButton")
        assert "declined" in await asyncio.wait_for(third, 20)
    assert effects.read_text() == "one begun\none done\ntwo begun\ntwo done\n"
