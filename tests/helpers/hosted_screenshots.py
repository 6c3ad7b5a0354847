"""Pictures of conversations with agents of the desk, on a fake desk with everything in it."""

import asyncio
import time
from dataclasses import replace
from pathlib import Path
from typing import Final, cast

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.theme import Scheme
from app.widgets.transcript_view import TranscriptView
from backend.clock import Nanoseconds
from backend.domain.agents import AgentCommand, ConfigOption, OptionChoice, SessionMode, Usage
from backend.domain.clarification import BundleStatus
from backend.domain.conversation import SessionKind, SessionState
from backend.domain.hosted import AgentOffer, AgentStatus, Conversation, QueuedPrompt
from backend.domain.input_mode import InputMode
from backend.ids import AgentKey, QueueEntryId, SessionId
from tests.helpers.clock import START
from tests.helpers.desk_builders import (
    make_bundle,
    make_message,
    make_question,
    make_session,
    question_messages,
)
from tests.helpers.fake_backend import FakeBackend
from tests.helpers.fake_conversations import make_conversation
from tests.helpers.fake_reviews import make_review
from tests.helpers.hosted_rows import every_kind
from tests.helpers.hosted_window import HostedWindow
from tests.helpers.waiting import until
from tests.helpers.window import Shown, shown_window

SETTLE: Final = 0.4
SIZE: Final = (1180, 860)
_MODES: Final = (SessionMode("ask", "Ask first"), SessionMode("code", "Edit by itself"))
_MODELS: Final = (OptionChoice("large", "Large"), OptionChoice("small", "Small and fast"))
_OPTIONS: Final = (
    ConfigOption("model", "Model", "large", _MODELS, category="model"),
    ConfigOption("think", "Think longer", "true"),
)
_STATES: Final = {AgentStatus.WORKING: SessionState.RUNNING}
_WAITING: Final = (
    "Then run the whole test suite and tell me what fails.",
    "Write one line for the changelog.",
)
_OFFERS: Final = (
    AgentOffer(
        AgentKey("claude-code"),
        "Claude Code",
        AgentCommand(("claude-code-acp",)),
        modes=_MODES,
        options=_OPTIONS,
    ),
    AgentOffer(AgentKey("codex"), "Codex", AgentCommand(("codex-acp",))),
    AgentOffer(AgentKey("opencode"), "OpenCode", AgentCommand(("opencode", "acp"))),
    AgentOffer(AgentKey("gemini"), "Gemini CLI", None, "npm install -g @google/gemini-cli"),
)


class _Scene:
    """The window with one hosted conversation, and where its pictures go."""

    def __init__(self, shown: Shown, folder: Path) -> None:
        self.shown = shown
        self.window = HostedWindow(shown)
        self._folder = folder

    @property
    def view(self) -> TranscriptView:
        return cast("TranscriptView", self.shown.find("transcriptView"))

    async def take(self, name: str) -> None:
        await asyncio.sleep(SETTLE)
        self.shown.window.grab().save(str(self._folder / f"hosted-{name}.png"))

    async def take_in_all_looks(self, name: str) -> None:
        """Light, dark, small, and in the other language."""
        shown = self.shown
        await self.take(f"{name}-light")
        shown.theme.set_scheme(Scheme.DARK)
        await self.take(f"{name}-dark")
        shown.window.resize(800, 600)
        await self.take(f"{name}-800x600-dark")
        shown.theme.set_scheme(Scheme.LIGHT)
        shown.language.use("zh_CN")
        await self.take(f"{name}-800x600-zh_CN")
        shown.language.use("en")
        shown.window.resize(*SIZE)


def _desk(conversation: Conversation) -> FakeBackend:
    backend = FakeBackend()
    backend.desk.conversations.offers = _OFFERS
    backend.desk.conversations.host(conversation)
    backend.desk.put_session(
        make_session(
            "s1",
            title="Exact totals",
            agent="Claude Code",
            kind=SessionKind.HOSTED,
            updated=_ago(60),
            state=_STATES.get(conversation.status, SessionState.IDLE),
        )
    )
    backend.desk.put_session(
        make_session(
            "s2", title="claude-code · blog", workspace="/home/ann/blog", updated=_ago(7_000)
        )
    )
    return backend


def _ago(seconds: float) -> float:
    """So long before now, as the builders count."""
    return time.time() - START / 1e9 - seconds


def _working() -> Conversation:
    queue = tuple(
        QueuedPrompt(QueueEntryId(f"e{place}"), text, place, Nanoseconds(1))
        for place, text in enumerate(_WAITING)
    )
    return make_conversation(
        status=AgentStatus.WORKING,
        input=InputMode.QUEUE,
        modes=_MODES,
        mode="ask",
        options=_OPTIONS,
        queue=queue,
        usage=Usage(context_used=46_000, context_size=200_000, cost=0.42, currency="USD"),
    )


async def _rows(folder: Path) -> None:
    """Every kind of row, closed and opened, above a composer with a queue."""
    backend = _desk(_working())
    backend.desk.add_messages(*every_kind())
    async with shown_window(backend, width=SIZE[0], height=SIZE[1]) as shown:
        scene = _Scene(shown, folder)
        await scene.take_in_all_looks("queue")
        backend.desk.conversations.change(
            queue=(), status=AgentStatus.READY, input=InputMode.DIRECT
        )
        view = scene.view
        view.verticalScrollBar().setValue(0)
        await scene.take("light")
        for row in range(view.model().rowCount()):
            view.setCurrentIndex(view.model().index(row, 0))
            QTest.keyClick(view, Qt.Key.Key_Return)
        view.clearSelection()
        view.verticalScrollBar().setValue(0)
        await scene.take("opened")
        shown.theme.set_scheme(Scheme.DARK)
        await asyncio.sleep(SETTLE)
        view.scrollTo(view.model().index(8, 0), view.ScrollHint.PositionAtTop)
        await scene.take("changes-dark")


async def _permission(folder: Path) -> None:
    backend = _desk(replace(_working(), queue=()))
    backend.desk.add_messages(*every_kind()[:6])
    async with shown_window(backend, width=SIZE[0], height=SIZE[1]) as shown:
        scene = _Scene(shown, folder)
        backend.desk.reviews.ask(
            make_review(
                command="npm run build -- --mode production",
                agent_name="Claude Code",
                at=time.time_ns() - 5_000_000_000,
            )
        )
        await until(lambda: scene.window.sees("reviewCard"))
        await scene.take_in_all_looks("permission")


async def _new_session(folder: Path) -> None:
    async with shown_window(_desk(make_conversation()), width=SIZE[0], height=SIZE[1]) as shown:
        scene = _Scene(shown, folder)
        shown.view.show_new_session()
        await until(lambda: scene.window.sees("agentChoice_codex"))
        shown.desk.new_session.set_prompt("Make the order totals exact.")
        await scene.take_in_all_looks("new-session")


async def _quick_chat(folder: Path) -> None:
    backend = _desk(make_conversation(modes=_MODES, mode="ask", options=_OPTIONS))
    backend.desk.add_messages(*every_kind()[:6])
    chat = make_session(
        "q",
        title="What is a monad?",
        agent="Claude Code",
        workspace="",
        kind=SessionKind.HOSTED,
        quick_chat=True,
        updated=_ago(300),
    )
    async with shown_window(backend, width=1400, height=SIZE[1]) as shown:
        scene = _Scene(shown, folder)
        shown.view.quick.toggle()
        await until(lambda: scene.window.sees("quickPrompt"))
        await scene.take("quick-chat-begin")
        backend.desk.conversations.host(
            make_conversation("q", folder="", modes=_MODES, mode="ask", options=_OPTIONS)
        )
        backend.desk.put_session(chat)
        backend.desk.add_messages(
            make_message("a", "What is a monad, in one sentence?", session="q", author="user"),
            make_message(
                "b", "A type with a way to **chain** steps whose result has a context.", session="q"
            ),
        )
        panel = shown.view.quick.panel
        assert panel is not None
        panel.view_model.show_session(SessionId("q"))
        await scene.take_in_all_looks("quick-chat")


async def _late_answer(folder: Path) -> None:
    backend = _desk(make_conversation(modes=_MODES, mode="ask", options=_OPTIONS))
    question = make_question("Which database should the new service use?", ("SQLite", "PostgreSQL"))
    bundle = replace(make_bundle("p1", [question], status=BundleStatus.EXPIRED), hosted=True)
    backend.desk.bundles[bundle.pending_id] = bundle
    backend.desk.add_messages(*every_kind()[:4], *question_messages(bundle))
    async with shown_window(backend, width=SIZE[0], height=SIZE[1]) as shown:
        scene = _Scene(shown, folder)
        scene.view.late_answer_wanted.emit(bundle.pending_id)
        await until(lambda: scene.window.sees("lateAnswerForm"))
        await scene.take_in_all_looks("late-answer")


async def draw_hosted(folder: Path) -> None:
    for scene in (_rows, _permission, _new_session, _quick_chat, _late_answer):
        await scene(folder)
