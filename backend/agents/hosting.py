"""Agents this desk runs, wired together: conversations, answers as prompts, their recovery."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from backend.agents.elicitation import Elicitations
from backend.agents.mcp_access import McpAccesses
from backend.agents.requests import Requests
from backend.agents.resumer import AnswerResumer, OutcomePrompter
from backend.agents.session_questions import SessionQuestions
from backend.clarification.asking import Asking
from backend.clarification.lifecycle import Lifecycle
from backend.clarification.parts import Parts
from backend.conversation.agent_life import AgentLife
from backend.conversation.agent_port import AgentLauncher
from backend.conversation.conversations import Conversations
from backend.conversation.dispatch import Dispatches
from backend.conversation.live import LiveSessions
from backend.conversation.notices import Notices
from backend.conversation.parts import ConversationParts
from backend.conversation.ports import AgentCommands, Survivors, WaitingAnswers
from backend.conversation.question_news import QuestionNews
from backend.conversation.quick_chats import QuickChats
from backend.conversation.recovery import HostedRecovery
from backend.conversation.starting import Starting
from backend.conversation.transcripts import Transcripts
from backend.conversation.turns import Turns
from backend.conversation.views import ConversationViews
from backend.conversation.watching import Watch
from backend.events import Event, EventBus, Woke
from backend.ids import SessionId
from backend.review.reviews import Reviews

CLOSING_SECONDS: Final = 3.0
"""For turns to be written down after their agents were ended."""


@dataclass(frozen=True, slots=True)
class HostingMeans:
    """What running agents needs of the machine."""

    launcher: AgentLauncher
    commands: AgentCommands
    survivors: Survivors
    tools: McpAccesses
    quick_folder: Callable[[SessionId], Path]
    """Makes the folder of a Quick Chat and tells where it is."""


class Hosting:
    """Everything about hosted agents that lives as long as the desk."""

    def __init__(
        self,
        means: HostingMeans,
        parts: Parts,
        bus: EventBus,
        *,
        asking: Asking,
        lifecycle: Lifecycle,
        reviews: Reviews,
    ) -> None:
        inner, views = _conversation_parts(means, parts, bus, asking, lifecycle, reviews)
        watch = Watch(inner, views)
        self._life = AgentLife(inner, views)
        self._turns = Turns(inner, views, watch)
        self._dispatches = Dispatches(inner, views, self._life, self._turns)
        self._news = QuestionNews(inner, views, self._dispatches)
        self.reviews = reviews
        self.resumer = AnswerResumer(self._dispatches)
        self.prompter = OutcomePrompter(self._dispatches)
        self.recovery = HostedRecovery(inner, means.survivors, self._dispatches)
        self._supervisor = parts.supervisor
        bus.subscribe(self._follow)
        self.quick_chats = QuickChats(inner)
        self.conversations = Conversations(
            inner,
            views=views,
            life=self._life,
            dispatches=self._dispatches,
            watch=watch,
            turns=self._turns,
            starting=Starting(inner, means.quick_folder),
            quick_chats=self.quick_chats,
        )

    def answers_first(self, answers: WaitingAnswers) -> None:
        """Give what waits in `answers` to agents whose turns have ended; once for each kind, and
        those of the first go first.
        """
        self._dispatches.answers_first(answers)

    def _follow(self, happened: Event) -> None:
        if isinstance(happened, Woke):
            self._supervisor.start(self._life.look_in(), name="look at agents after a sleep")

    async def close(self) -> None:
        """End every agent and write down how their turns ended; bounded."""
        self._dispatches.close()
        self._turns.desk_ends()
        await self._life.stop_all()
        await self._turns.all_ended(CLOSING_SECONDS)


def _conversation_parts(
    means: HostingMeans,
    parts: Parts,
    bus: EventBus,
    asking: Asking,
    lifecycle: Lifecycle,
    reviews: Reviews,
) -> tuple[ConversationParts, ConversationViews]:
    live = LiveSessions()
    views = ConversationViews(
        parts.database, parts.clock, bus, live, supervisor=parts.supervisor, worker=parts.worker
    )

    async def announce(session_id: SessionId) -> None:
        views.changed(session_id)
        await parts.announcer.session(session_id)

    notices = Notices(parts.database, parts.clock, bus)
    inner = ConversationParts(
        database=parts.database,
        clock=parts.clock,
        supervisor=parts.supervisor,
        worker=parts.worker,
        bus=bus,
        launcher=means.launcher,
        tools=means.tools,
        requests=Requests(reviews.permissions, Elicitations(asking, notices)),
        questions=SessionQuestions(lifecycle),
        announce_session=parts.announcer.session,
        live=live,
        rows=Transcripts(parts.database, parts.clock, bus, parts.supervisor, announce=announce),
        commands=means.commands,
    )
    return inner, views
