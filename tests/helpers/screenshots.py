"""Draws the pictures of `docs/screenshots` from the running program and a real client.

usage: .venv/bin/python -m tests.helpers.screenshots [FOLDER] [--hosted | --pages]
"""

import asyncio
import sys
import tempfile
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from app.theme import Scheme
from tests.helpers.client_process import ClientProcess, client_process
from tests.helpers.hosted_screenshots import draw_hosted
from tests.helpers.live_window import LiveWindow, live_window
from tests.helpers.mcp_clients import question
from tests.helpers.page_screenshots import draw_pages
from tests.helpers.qt_loop import qt_loop

TARGET = Path(__file__).resolve().parents[2] / "docs" / "screenshots"
SETTLE = 0.4
SIZE = (1180, 860)

SINGLE = {
    "context": "The new service stores **orders**. It starts small: one machine, one process.",
    "questions": [
        {
            "title": "Database",
            "prompt": "Which database should the new service use?",
            "options": [
                {"label": "SQLite", "description": "One file, nothing to run."},
                {"label": "PostgreSQL", "description": "A server; needs an administrator."},
                {"label": "Plain files", "description": "JSON on disk; no queries."},
            ],
        }
    ],
}
SEVERAL: dict[str, Any] = {
    "questions": [
        question("Which language should it be written in?", "Python", "Go", title="Language"),
        question(
            "Which checks should run on every change?",
            "Unit tests",
            "Type checker",
            "Linter",
            title="Checks",
            multi_select=True,
        ),
        {"title": "Name", "prompt": "What should the service be called?"},
    ]
}


class Album:
    """Saves the window as it is."""

    def __init__(self, window: LiveWindow, folder: Path) -> None:
        self._window = window
        self._folder = folder

    async def take(self, name: str) -> None:
        await asyncio.sleep(SETTLE)
        self._window.parts.window.grab().save(str(self._folder / f"{name}.png"))


async def single(window: LiveWindow, client: ClientProcess, album: Album) -> None:
    client.ask(SINGLE)
    await window.shows_card("Which database should the new service use?")
    await album.take("single-light")
    await window.click("optionButton_1")
    await album.take("single-chosen")
    window.parts.theme.set_scheme(Scheme.DARK)
    await album.take("single-dark")
    window.parts.window.resize(800, 600)
    await album.take("single-800x600-dark")
    window.parts.theme.set_scheme(Scheme.LIGHT)
    await album.take("single-800x600")
    window.parts.window.resize(*SIZE)
    await window.click("collapseOverlay")
    await album.take("collapsed")
    await window.click("expandOverlay")
    await asyncio.sleep(0.6)
    await window.click("submitAnswers")
    await client.reply()
    await album.take("answered")


async def several(window: LiveWindow, client: ClientProcess, album: Album) -> None:
    client.ask(SEVERAL)
    await window.shows_card("Which language should it be written in?")
    await album.take("several")
    await window.click("optionButton_1")
    await window.stands_at(1)
    await window.click("optionButton_1")
    await window.click("optionButton_2")
    await window.type("customAnswer", "and a spell checker")
    await album.take("multi-select")
    await window.click("nextQuestion")
    await window.stands_at(2)
    await window.type("customAnswer", "订单 · orders")
    await album.take("free-text")
    await window.click("nextQuestion")
    await window.stands_at(3)
    await album.take("review")
    await window.click("submitAnswers")
    await client.reply()


async def draw(folder: Path) -> None:
    with tempfile.TemporaryDirectory() as place:
        home = Path(place) / "home"
        async with live_window(home) as window:
            album = Album(window, folder)
            window.parts.window.resize(*SIZE)
            # As on a machine where it is installed, not in this checkout.
            as_installed = replace(
                window.info,
                command="kandesk",
                agent_token_file="~/.local/share/kandesk/agent-token",  # noqa: S106 - a path
            )
            window.parts.view.pages.welcome.show_info(as_installed)
            await album.take("welcome")
            webshop = Path(place) / "webshop"
            importer = Path(place) / "importer"
            for folder_of_agent in (webshop, importer):
                folder_of_agent.mkdir()
            where = ("shim", str(home), str(webshop), "claude-code")
            async with client_process(*where, home=home) as client:
                steps: list[Callable[..., Awaitable[None]]] = [single, several]
                for step in steps:
                    await step(window, client, album)
            await inbox(window, home, webshop, importer, album)


async def inbox(
    window: LiveWindow, home: Path, webshop: Path, importer: Path, album: Album
) -> None:
    """Several agents in several folders wait at once; one asks again what was answered."""
    async with (
        client_process("shim", str(home), str(importer), "codex", home=home) as codex,
        client_process("shim", str(home), str(webshop), "opencode", home=home) as opencode,
    ):
        codex.ask({"questions": [question("May I rewrite the importer?", "Yes", "No")]})
        opencode.ask({"questions": [question("Deploy to staging now?", "Deploy", "Wait")]})
        await asyncio.sleep(2)
        await album.take("inbox")
    async with client_process("shim", str(home), str(webshop), "claude-code", home=home) as again:
        again.ask(SINGLE)
        await asyncio.sleep(2)
        inbox_view = window.parts.desk.inbox
        bundle = next(item for item in inbox_view.content.open if item.stored_answer is not None)
        window.parts.desk.open_bundle(bundle)
        await album.take("stored-answer")


if __name__ == "__main__":
    loop = qt_loop()
    with loop:  # type: ignore[attr-defined]
        target = Path(sys.argv[1]) if len(sys.argv) > 1 else TARGET
        target.mkdir(parents=True, exist_ok=True)
        loop.run_until_complete(draw_pages(target))
        if "--pages" not in sys.argv:
            loop.run_until_complete(draw_hosted(target))
        if not {"--hosted", "--pages"} & set(sys.argv):
            loop.run_until_complete(draw(target))
