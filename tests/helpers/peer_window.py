"""A human at the real window who works with real agents, by what is on screen."""

from pathlib import Path
from typing import Final

from PySide6.QtWidgets import QComboBox, QLabel

from backend.domain.conversation import Message
from backend.domain.hosted import AgentStatus, Conversation
from backend.ids import SessionId
from tests.helpers.live_window import LiveWindow
from tests.helpers.peer_agents import PeerAgent
from tests.helpers.waiting import until

PATIENCE: Final = 60.0
"""Seconds for what an agent does by itself."""


class PeerWindow:
    """Starts conversations, writes, decides and stops with the window's own controls."""

    def __init__(self, window: LiveWindow) -> None:
        self.window = window

    async def start(self, agent: PeerAgent, folder: Path, prompt: str) -> None:
        """From the welcome page; the mode is chosen behind it, as it is known only then."""
        await self.window.click("startFromWelcome")
        await self.window.click(f"agentChoice_{agent.key}")
        box = await self.window.shows("sessionFolder", QComboBox)
        box.setEditText(str(folder))
        if not agent.mode:
            await self.window.type("firstPrompt", prompt)
        await self.window.click("startSession")
        await self.window.shows("composerEdit")
        if agent.mode:
            await self.is_ready()
            await self.choose_mode(agent.mode)
            await self.send(prompt)

    async def choose_mode(self, mode: str) -> None:
        """As a human opens the list, moves to the mode and presses Enter."""
        box = await self.window.shows("agentMode", QComboBox)
        place = box.findData(mode)
        assert place >= 0, mode
        box.setCurrentIndex(place)
        box.activated.emit(place)
        await until(lambda: (found := self.conversation) is not None and found.mode == mode)

    async def send(self, text: str) -> None:
        await self.window.type("composerEdit", text)
        await self.window.click("sendButton")

    async def open(self, session_id: SessionId) -> None:
        """Open a conversation of an earlier run."""
        desk = self.window.parts.desk
        await until(lambda: desk.ready, seconds=30)
        desk.open_session(session_id)
        await self.window.shows("composerEdit")

    @property
    def session_id(self) -> SessionId:
        found = self.window.parts.desk.sessions.current_id
        assert found is not None
        return found

    @property
    def conversation(self) -> Conversation | None:
        return self.window.parts.desk.composer.conversation

    @property
    def rows(self) -> list[Message]:
        return list(self.window.parts.desk.transcript.rows)

    @property
    def said(self) -> str:
        """What the transcript shows of the agent's words."""
        rows = self.rows
        return "\n".join(
            row.content for row in rows if row.kind == "message" and row.author == "agent"
        )

    async def says(self, text: str, seconds: float = PATIENCE) -> None:
        await until(lambda: text in self.said, seconds=seconds)

    async def is_ready(self, seconds: float = PATIENCE) -> None:
        """Wait until the agent runs and has nothing to do."""

        def ready() -> bool:
            found = self.conversation
            assert found is None or found.trouble is None, found
            return found is not None and found.status is AgentStatus.READY and not found.turn_id

        await until(ready, seconds=seconds)

    async def asked(self, prompt: str) -> None:
        """Wait for the card of a question, and leave it alone for a moment."""
        await until(lambda: self.window.find("clarificationOverlay") is not None, seconds=PATIENCE)
        await self.window.shows_card(prompt)

    async def answers(self, option: int) -> None:
        """Choose an option of the one question and send the answer."""
        await self.window.click(f"optionButton_{option}")
        await self.window.shows("submitAnswers")
        await self.window.armed()
        await self.window.click("submitAnswers")

    async def decides(self, button: str) -> None:
        """Leave the card of a request alone for a moment, then press one of its buttons."""
        await until(lambda: self.window.find("reviewCard") is not None, seconds=PATIENCE)
        await self.window.armed()
        await self.window.click(button)
        await until(lambda: self.window.find(button) is None, seconds=PATIENCE)

    async def trouble(self) -> str:
        """The words of the trouble that is shown."""
        label = await self._appears("troubleText")
        return label.text()

    async def _appears(self, name: str) -> QLabel:
        await until(lambda: self.window.find(name) is not None, seconds=PATIENCE)
        return await self.window.shows(name, QLabel)
