"""Turns the last run of the desk did not see the end of."""

from collections.abc import Collection
from dataclasses import replace
from typing import Final

from backend.clock import Clock, Deadline
from backend.conversation.notices import add_notice
from backend.conversation.turn_rows import notice_row
from backend.domain.agents import ToolStatus
from backend.domain.session_notice import SessionNotice
from backend.domain.turn_end import desk_ended
from backend.ids import SessionId, TurnId
from backend.store import messages, session_states, turns, unfinished, unheard
from backend.store.database import Database, Transaction
from backend.store.locks import lock_sessions
from backend.store.transcript_rows import open_rows, save_rows
from backend.store.unfinished import UnfinishedTurn

_BUDGET: Final = 15.0


async def settle_interrupted(
    database: Database,
    clock: Clock,
    *,
    running: Collection[TurnId] = (),
    working: Collection[SessionId] = (),
) -> int:
    """End every turn that was running, but those this process runs, and tell so in each.

    Its rows stay; what was open in them is interrupted. Sessions come to rest, but those in
    `working`, whose agents this process starts. Each turn is settled in a transaction of its own,
    and running it again changes nothing. Returns how many turns were ended.

    Raises:
        TemporarilyUnavailable: another program keeps the store locked.
    """
    async with database.reading(Deadline(clock, _BUDGET)) as tx:
        found = await unfinished.list_turns(tx)
    left = [turn for turn in found if turn.turn_id not in running]
    for turn in left:
        async with database.writing(Deadline(clock, _BUDGET)) as tx:
            await _settle(tx, turn, clock)
    alive = {turn.session_id for turn in found if turn.turn_id in running} | set(working)
    async with database.reading(Deadline(clock, _BUDGET)) as tx:
        resting = [one for one in await unfinished.list_working(tx) if one not in alive]
    if resting:
        async with database.writing(Deadline(clock, _BUDGET)) as tx:
            await lock_sessions(tx, resting)
            for session_id in resting:
                await session_states.come_to_rest(tx, session_id, clock.now())
    return len(left)


async def _settle(tx: Transaction, turn: UnfinishedTurn, clock: Clock) -> None:
    await lock_sessions(tx, [turn.session_id])
    now = clock.now()
    # Before rows are closed, which is no word of the agent.
    heard = await unheard.last_word(tx, turn.turn_id)
    ending = desk_ended(waited=await unfinished.waited(tx, turn))
    rows = [
        replace(unfinished.closed(row, ToolStatus.INTERRUPTED), updated_at=now)
        for row in await open_rows(tx, turn.turn_id)
    ]
    if rows:
        await save_rows(tx, rows)
    if not await unfinished.has_notice(tx, turn.turn_id):
        kind, content, metadata = notice_row(ending)
        await messages.insert_message(
            tx,
            session_id=turn.session_id,
            task_id=turn.task_id,
            turn_id=turn.turn_id,
            kind=kind,
            author="agent",
            content=content,
            metadata=metadata,
            now=now,
        )
    if await unheard.doubt(tx, turn.turn_id, heard, now):
        notice = SessionNotice.ANSWER_UNCONFIRMED
        await add_notice(tx, turn.session_id, notice, now, turn_id=turn.turn_id)
    await turns.complete_turn(tx, turn.turn_id, now, {"outcome": ending.outcome.value})
    await session_states.come_to_rest(tx, turn.session_id, now, turn_id=turn.turn_id)
