"""The front door of conversations: start, talk, steer, stop (`backend.api.ConversationApi`)."""

from collections.abc import Awaitable
from dataclasses import replace
from typing import Final

from backend.clock import Deadline, Nanoseconds
from backend.conversation.admission import Admissions
from backend.conversation.agent_life import AgentLife
from backend.conversation.agent_port import RunningAgent
from backend.conversation.dispatch import Dispatches
from backend.conversation.message_drafts import MessageDrafts
from backend.conversation.parts import ConversationParts
from backend.conversation.quick_chats import QuickChats
from backend.conversation.starting import Starting
from backend.conversation.turns import Turns
from backend.conversation.unheard_answers import UnheardAnswers
from backend.conversation.unsent import UnsentMessages
from backend.conversation.views import ConversationViews
from backend.conversation.watching import Watch
from backend.domain.hosted import (
    Admission,
    AgentOffer,
    AgentProblem,
    AgentStatus,
    Conversation,
    MessageDraft,
    OutgoingMessage,
    SessionStart,
)
from backend.errors import AgentFailed, Conflict, ErrorCode, TemporarilyUnavailable
from backend.ids import AdmissionId, MessageId, QueueEntryId, SessionId
from backend.store import hosted_sessions
from backend.store.database import Transaction
from backend.store.locks import lock_sessions
from backend.work.budget import within

FLUSH_BUDGET: Final = 3.0


class Conversations:
    """Implements `ConversationApi`."""

    def __init__(
        self,
        parts: ConversationParts,
        *,
        views: ConversationViews,
        life: AgentLife,
        dispatches: Dispatches,
        watch: Watch,
        starting: Starting,
        turns: Turns,
        quick_chats: QuickChats,
    ) -> None:
        self._parts = parts
        self._views = views
        self._life = life
        self._dispatches = dispatches
        self._watch = watch
        self._starting = starting
        self._quick_chats = quick_chats
        self._queue = dispatches.queue
        self._admissions = Admissions(parts.database, parts.clock, parts.supervisor, dispatches)
        turns.doubts(UnheardAnswers(parts, self._admissions))
        self._drafts = MessageDrafts(parts.database, parts.clock)
        self._unsent = UnsentMessages(parts, views)

    async def list_agents(self) -> tuple[AgentOffer, ...]:
        offers = await self._parts.commands.list_offers()
        try:
            known = await self._parts.read(hosted_sessions.last_offers)
        except TemporarilyUnavailable:
            return offers
        return tuple(
            replace(offer, modes=last.modes, options=last.options)
            if (last := known.get(offer.key)) is not None
            else offer
            for offer in offers
        )

    async def start_session(self, start: SessionStart) -> SessionId:
        await self._parts.supervisor.run_to_end(self._start(start), name="start session")
        return start.session_id

    async def _start(self, start: SessionStart) -> None:
        made = await self._starting.create(start)
        if not start.folder:
            self._quick_chats.remove_old()
        if start.admission_id is not None and start.prompt:
            await self._admissions.send(
                OutgoingMessage(start.admission_id, start.session_id, start.prompt)
            )
        elif made:
            self._in_background(self._run(start.session_id), "start agent")

    async def conversation(self, session_id: SessionId) -> Conversation | None:
        return await self._views.current(session_id)

    async def send(self, message: OutgoingMessage) -> Admission:
        return await self._admissions.send(message)

    async def find_admission(self, admission_id: AdmissionId) -> Admission | None:
        return await self._admissions.find_admission(admission_id)

    async def save_message_draft(self, draft: MessageDraft) -> None:
        await self._parts.supervisor.run_to_end(self._drafts.save(draft), name="save draft")

    async def load_message_draft(self, session_id: SessionId) -> MessageDraft | None:
        return await self._drafts.load(session_id)

    async def flush(self) -> None:
        try:
            await within(Deadline(self._parts.clock, FLUSH_BUDGET), self._parts.rows.flush_all())
        except TimeoutError:
            raise TemporarilyUnavailable(
                ErrorCode.TEMPORARILY_UNAVAILABLE, "the store does not take what agents said"
            ) from None

    async def edit_queued(
        self, session_id: SessionId, entry_id: QueueEntryId, text: str, *, revision: int
    ) -> Conversation:
        await self._queue.edit(session_id, entry_id, text, revision=revision)
        return await self._views.required(session_id)

    async def remove_queued(self, session_id: SessionId, entry_id: QueueEntryId) -> Conversation:
        await self._queue.remove(session_id, entry_id)
        return await self._views.required(session_id)

    async def move_queued(
        self, session_id: SessionId, entry_id: QueueEntryId, position: int
    ) -> Conversation:
        await self._queue.move(session_id, entry_id, position)
        return await self._views.required(session_id)

    async def send_queued_now(self, session_id: SessionId, entry_id: QueueEntryId) -> Conversation:
        await self._queue.send_now(session_id, entry_id)
        return await self._views.required(session_id)

    async def set_auto_run(self, session_id: SessionId, *, auto_run: bool) -> Conversation:
        await self._queue.set_auto_run(session_id, auto_run=auto_run)
        return await self._views.required(session_id)

    async def withdraw_message(self, session_id: SessionId, message_id: MessageId) -> str:
        return await self._parts.supervisor.run_to_end(
            self._withdraw(session_id, message_id), name="withdraw message"
        )

    async def _withdraw(self, session_id: SessionId, message_id: MessageId) -> str:
        text = await self._unsent.withdraw(session_id, message_id)
        self._dispatches.look_again(session_id)
        return text

    async def cancel_turn(self, session_id: SessionId) -> None:
        await self._parts.supervisor.run_to_end(self._cancel(session_id), name="cancel turn")

    async def _cancel(self, session_id: SessionId) -> None:
        await self._views.required(session_id)
        live = self._parts.live.get(session_id)
        turn = live.turn
        if turn is None:
            await self._unsent.call_off(session_id)
            return
        turn.stopped = True
        live.at_work(turn)
        self._watch.turn_stopped(live, turn)
        self._views.changed(session_id)
        agent = live.agent
        self._parts.requests.stopped(session_id)
        if turn.taken and agent is not None:
            await agent.cancel()
        await self._parts.requests.cancel_stopped(session_id)
        await self._parts.questions.turn_stopped(session_id)

    async def resume(self, session_id: SessionId, *, anew: bool = False) -> None:
        await self._views.required(session_id)
        live = self._parts.live.get(session_id)
        live.relieved(*AgentProblem)
        await self._parts.write(lambda tx: _seen(tx, session_id, self._parts.clock.now()))
        if anew or live.status is AgentStatus.FAILED:
            # One that took no prompt any more may still be there.
            await self._end_agent(session_id)
        elif live.agent is not None:
            self._views.changed(session_id)
            self._dispatches.look_again(session_id)
            return
        self._in_background(self._run(session_id, anew=anew), "resume agent")

    async def _run(self, session_id: SessionId, *, anew: bool = False) -> None:
        """Start its agent, and give it what was written while it started."""
        await self._life.ensure(session_id, anew=anew)
        self._dispatches.look_again(session_id)

    async def end_session(self, session_id: SessionId) -> None:
        await self._views.required(session_id)
        await self._parts.supervisor.run_to_end(self._end(session_id), name="end session")

    async def _end(self, session_id: SessionId) -> None:
        self._parts.requests.stopped(session_id)
        await self._end_agent(session_id)
        # After it: what the agent asked for until it was gone is over too.
        await self._parts.requests.cancel_stopped(session_id)

    async def _end_agent(self, session_id: SessionId) -> None:
        """What was asked for stays open: its agent is started again."""
        await self._parts.supervisor.run_to_end(
            self._life.stop(session_id), name=f"stop agent of {session_id}"
        )

    async def set_pinned(self, session_id: SessionId, *, pinned: bool) -> None:
        await self._parts.supervisor.run_to_end(
            self._quick_chats.set_pinned(session_id, pinned=pinned), name="pin quick chat"
        )

    async def set_mode(self, session_id: SessionId, mode: str) -> None:
        agent = await self._running(session_id)
        await agent.set_mode(mode)
        self._parts.live.get(session_id).mode = mode
        self._views.changed(session_id)

    async def set_option(self, session_id: SessionId, option_id: str, value: str) -> None:
        agent = await self._running(session_id)
        await agent.set_option(option_id, value)
        self._views.changed(session_id)

    async def _running(self, session_id: SessionId) -> RunningAgent:
        await self._views.required(session_id)
        agent = self._parts.live.get(session_id).agent
        if agent is None:
            raise Conflict(ErrorCode.NOT_ACTIVE, "the agent of this session does not run")
        return agent

    def _in_background(self, work: Awaitable[object], name: str) -> None:
        async def run() -> None:
            try:
                await work
            except AgentFailed:
                # The session's trouble tells it.
                return

        self._parts.supervisor.start(run(), name=name)


async def _seen(tx: Transaction, session_id: SessionId, now: Nanoseconds) -> None:
    """The human knows that the end of a prompt is not known, and goes on."""
    await lock_sessions(tx, [session_id])
    await hosted_sessions.set_unsure(tx, session_id, now, unsure=False)
