"""What the last run of the desk left of its agents: processes, prompts, turns (K5.7).

Runs at every start, and again when a lost store is back: what this process runs is left alone.
"""

import logging
from collections.abc import Callable, Coroutine
from typing import Any, Final, TypeVar

from backend.clock import Deadline
from backend.conversation.dispatch import Dispatches
from backend.conversation.interrupted import settle_interrupted
from backend.conversation.notices import add_notice
from backend.conversation.parts import ConversationParts
from backend.conversation.ports import Survivors
from backend.domain.hosted import PromptOutcome
from backend.domain.session_notice import SessionNotice
from backend.ids import SessionId
from backend.store import hosted_sessions, open_bundles, prompts, withdrawals
from backend.store.database import Transaction
from backend.store.locks import lock_sessions
from backend.store.prompts import ReservedPrompt

T = TypeVar("T")

_BUDGET: Final = 15.0

_log = logging.getLogger(__name__)


class HostedRecovery:
    """`begin` before the answers of the last run are settled, `finish` after, `go_on` when the
    desk is open: agents find their tools only then.
    """

    def __init__(
        self, parts: ConversationParts, survivors: Survivors, dispatches: Dispatches
    ) -> None:
        self._parts = parts
        self._survivors = survivors
        self._dispatches = dispatches
        self._left: dict[SessionId, bool] = {}
        """Sessions whose process is gone, and whether it had to be ended."""

    async def begin(self) -> None:
        """End every process that outlived the last run, before anything is resumed.

        Raises:
            TemporarilyUnavailable: another program keeps the store locked.
        """
        found = await self._read(hosted_sessions.list_processes)
        marks = {one: mark for one, mark in found.items() if not self._runs(one)}
        stopped = set(await self._survivors.stop(tuple(marks.values())))
        self._left = {session_id: mark in stopped for session_id, mark in marks.items()}

    async def finish(self) -> None:
        """Settle prompts nobody knows the end of, and the turns that were running.

        Raises:
            TemporarilyUnavailable: another program keeps the store locked.
        """
        for prompt in await self._read(prompts.list_attempted):
            if not self._runs(prompt.session_id):
                await self._settle(prompt)
        await settle_interrupted(
            self._parts.database,
            self._parts.clock,
            running=self._parts.live.turns(),
            working=[live.session_id for live in self._parts.live.all() if live.busy],
        )
        for session_id in await self._read(open_bundles.hosted_sessions_asking):
            if not self._runs(session_id):
                await self._detach(session_id)
        # Last: until then a row in a turn proves that its agent had the prompt.
        for session_id, told in self._left.items():
            await self._forget_process(session_id, told=told)
        self._left = {}

    async def go_on(self) -> None:
        """Send what was admitted and never attempted, and what was answered and not collected;
        nothing else starts an agent.
        """
        waiting = await self._parts.read(prompts.list_undispatched)
        answered = await self._dispatches.sessions_with_answers()
        for session_id in dict.fromkeys((*(prompt.session_id for prompt in waiting), *answered)):
            self._dispatches.look_again(session_id)

    def _runs(self, session_id: SessionId) -> bool:
        """Whether an agent of this process has the session."""
        live = self._parts.live.get(session_id)
        return live.agent is not None or live.turn is not None

    async def _detach(self, session_id: SessionId) -> None:
        """The call that asked has ended with its agent; the question stays answerable (K1.7)."""

        async def detach(tx: Transaction) -> None:
            await withdrawals.detach_session(tx, session_id, self._parts.clock.now())

        await self._write(detach)

    async def _forget_process(self, session_id: SessionId, *, told: bool) -> None:
        async def forget(tx: Transaction) -> None:
            await lock_sessions(tx, [session_id])
            now = self._parts.clock.now()
            await hosted_sessions.set_process(tx, session_id, None, now)
            if told:
                await add_notice(tx, session_id, SessionNotice.AGENT_LEFT_OVER, now)

        await self._write(forget)

    async def _read(self, work: Callable[[Transaction], Coroutine[Any, Any, T]]) -> T:
        async with self._parts.database.reading(self._deadline()) as tx:
            return await work(tx)

    async def _write(self, work: Callable[[Transaction], Coroutine[Any, Any, T]]) -> T:
        async with self._parts.database.writing(self._deadline()) as tx:
            return await work(tx)

    def _deadline(self) -> Deadline:
        return Deadline(self._parts.clock, _BUDGET)

    async def _settle(self, prompt: ReservedPrompt) -> None:
        """Rows of the agent in the turn prove that it had the prompt; else nobody knows."""

        async def settle(tx: Transaction) -> bool:
            await lock_sessions(tx, [prompt.session_id])
            now = self._parts.clock.now()
            known = await prompts.was_taken(tx, prompt)
            outcome = PromptOutcome.SENT if known else PromptOutcome.UNKNOWN
            await prompts.settle(tx, prompt, outcome, now)
            if not known:
                await hosted_sessions.set_unsure(tx, prompt.session_id, now, unsure=True)
                await add_notice(
                    tx,
                    prompt.session_id,
                    SessionNotice.OUTCOME_UNKNOWN,
                    now,
                    turn_id=prompt.turn_id,
                )
            return known

        if not await self._write(settle):
            _log.warning("whether %s was sent is not known", prompt.message_id)
