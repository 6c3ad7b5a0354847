"""A desk that runs real agents, found as it finds those of a user, and a human at it."""

import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from backend.api import DeskApi
from backend.domain.clarification import Answer, Answered, Bundle, ResponseOutcome
from backend.domain.conversation import Message
from backend.domain.hosted import AgentStatus, Conversation, SessionStart
from backend.domain.policy import RuleScope
from backend.domain.review import Review, ReviewOutcome
from backend.events import Event, MessagesChanged
from backend.ids import AdmissionId, AgentKey, ClaimId, ClientId, SessionId, new_id
from tests.helpers.hosting_desk import HostingDesk, hosting_desk
from tests.helpers.peer_agents import PeerAgent, call, user_environment
from tests.helpers.waiting import eventually, until

HUMAN: Final = ClientId("human")
PATIENCE: Final = 60.0
"""Seconds for what an agent does by itself; the slowest takes 8 s to start on a free machine."""

_OF_AGENTS: Final = ("ANTHROPIC_", "CLAUDE", "CODEX", "GEMINI_", "GOOGLE_", "IS_SANDBOX", "OPEN")
"""What a developer may have set for agents of their own."""


@dataclass
class PeerDesk:
    """A running desk with one project folder."""

    hosting: HostingDesk

    @property
    def desk(self) -> DeskApi:
        return self.hosting.desk

    @property
    def folder(self) -> Path:
        return self.hosting.folder

    @property
    def events(self) -> list[Event]:
        return self.hosting.events

    async def start(
        self, agent: PeerAgent, prompt: str = "", folder: Path | None = None
    ) -> SessionId:
        """Start a session as the window does, by the agent's key in the catalog."""
        session_id = SessionId(new_id())
        await self.desk.conversations.start_session(
            SessionStart(
                session_id=session_id,
                agent=AgentKey(agent.key),
                folder=str(folder or self.folder),
                prompt=prompt,
                admission_id=AdmissionId(new_id()) if prompt else None,
                mode=agent.mode,
            )
        )
        return session_id

    async def send(self, session_id: SessionId, text: str) -> None:
        await self.hosting.send(session_id, text)

    async def until(
        self,
        session_id: SessionId,
        holds: Callable[[Conversation], bool],
        seconds: float = PATIENCE,
    ) -> Conversation:
        return await self.hosting.until(session_id, holds, seconds)

    async def answered(
        self, session_id: SessionId, last: str = "", seconds: float = PATIENCE
    ) -> str:
        """Wait until the agent has said `last` and has nothing to do; everything it said."""
        if last:
            await self.says(session_id, last, seconds)
        await self.until(session_id, _is_ready, seconds)
        return await self.text(session_id)

    async def rows(self, session_id: SessionId) -> list[Message]:
        return await self.hosting.rows(session_id)

    async def text(self, session_id: SessionId) -> str:
        rows = await self.rows(session_id)
        return "\n".join(
            row.content for row in rows if row.kind == "message" and row.author == "agent"
        )

    def seen(self, session_id: SessionId) -> list[str]:
        """Every text of the agent that was published, in order."""
        return [
            message.content
            for event in self.events
            if isinstance(event, MessagesChanged)
            for message in event.messages
            if message.session_id == session_id
            and message.kind == "message"
            and message.author == "agent"
        ]

    async def question(self, session_id: SessionId, seconds: float = PATIENCE) -> Bundle:
        """The session's open question, once there is one."""
        found: list[Bundle] = []

        async def is_open() -> bool:
            found[:] = [
                bundle
                for bundle in await self.desk.list_open_bundles()
                if bundle.session_id == session_id
            ]
            return bool(found)

        await eventually(is_open, seconds=seconds)
        return found[0]

    async def answer(self, bundle: Bundle, place: int, text: str = "") -> ResponseOutcome:
        """Choose the option at `place` of every question."""
        answers = tuple(
            Answer(
                asked.question.id,
                (asked.question.options[place].id,) if asked.question.options else (),
                text,
            )
            for asked in bundle.questions
        )
        return await self.desk.respond(
            bundle.pending_id, Answered(answers), client_id=HUMAN, claim_token=ClaimId(new_id())
        )

    async def review(self, session_id: SessionId) -> Review:
        """The session's open request, once there is one."""
        found: list[Review] = []

        async def is_open() -> bool:
            found[:] = [
                review
                for review in await self.desk.reviews.list_open_reviews()
                if review.session_id == session_id
            ]
            return bool(found)

        await eventually(is_open, seconds=PATIENCE)
        return found[0]

    async def decide(
        self, review: Review, kind: str, *, remember: RuleScope | None = None
    ) -> ReviewOutcome:
        """Choose the first option of this kind."""
        chosen = next(option for option in review.options if option.kind == kind)
        return await self.desk.reviews.decide(
            review.review_id,
            chosen.id,
            client_id=HUMAN,
            claim_token=ClaimId(new_id()),
            remember=remember,
        )

    async def says(self, session_id: SessionId, text: str, seconds: float = PATIENCE) -> None:
        """Wait until the agent has been heard to say it."""
        await until(
            lambda: any(text in content for content in self.seen(session_id)), seconds=seconds
        )


def _is_ready(conversation: Conversation) -> bool:
    if conversation.trouble is not None:
        message = f"{conversation.trouble.problem}: {conversation.trouble.detail}"
        raise AssertionError(message)
    return (
        conversation.status is AgentStatus.READY
        and conversation.turn_id is None
        and not conversation.queue
    )


@asynccontextmanager
async def peer_desk(folder: Path, home: Path) -> AsyncIterator[PeerDesk]:
    async with hosting_desk(folder, home=home) as hosting:
        yield PeerDesk(hosting)


def prepare_user(
    monkeypatch: pytest.MonkeyPatch,
    agents: tuple[PeerAgent, ...],
    user: Path,
    project: Path,
    model: str,
) -> None:
    """This process becomes that of a user who has these agents and nothing else."""
    missing = [agent.program for agent in agents if not agent.installed]
    if missing:
        pytest.fail(f"{missing} are not installed; run packaging/dev/agents.sh")
    for name in os.environ:
        if name.startswith(_OF_AGENTS):
            monkeypatch.delenv(name)
    for name, value in user_environment(user).items():
        monkeypatch.setenv(name, value)
    for agent in agents:
        for name, value in agent.prepare(user, project, model).items():
            monkeypatch.setenv(name, value)


def question(prompt: str = "Which colour?") -> str:
    """A prompt that has an agent ask with two options."""
    options = [
        {"label": "Rouge vif", "description": "-"},
        {"label": "Bleu nuit", "description": "-"},
    ]
    return call("ask_user_question", questions=[{"prompt": prompt, "options": options}])
