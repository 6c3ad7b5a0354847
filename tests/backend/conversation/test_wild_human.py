"""A human who clicks without looking at an agent that stops, dies and reads when it likes.

Whatever comes between what: each message is given at most once, and what was not given is where
its human sees it: queued, taken back, or said not to have been sent.
"""

import asyncio
import os
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import pytest

from backend.clock import SystemClock
from backend.domain.hosted import AgentStatus, OutgoingMessage
from backend.errors import AppError
from backend.ids import AdmissionId
from backend.store.metadata import OWN_KEY, as_dict
from tests.helpers.place import Place
from tests.helpers.scripted_hosting import Hosted, S, hosting
from tests.helpers.waiting import eventually

CLICKS: Final = 60
SEEDS: Final = range(200 if os.environ.get("KANDESK_LONG") else 4)
AT_REST: Final = {AgentStatus.READY, AgentStatus.ABSENT, AgentStatus.FAILED}


@dataclass
class Wild:
    hosted: Hosted
    chance: random.Random
    sent: set[str] = field(default_factory=set)
    taken_back: set[str] = field(default_factory=set)
    written: int = 0

    async def click(self) -> None:
        deeds: list[tuple[Callable[[], Awaitable[None]], int]] = [
            (self.send, 7),
            (self.agent_ends, 4),
            (self.agent_dies, 1),
            (self.pipe, 1),
            (self.stop, 2),
            (self.end, 1),
            (self.resume, 2),
            (self.queue, 4),
            (self.withdraw, 1),
        ]
        (deed,) = self.chance.choices([one for one, _ in deeds], [often for _, often in deeds])
        try:
            await deed()
        except AppError:
            # Refused: it was too late, and its human was told.
            return

    async def send(self) -> None:
        """Once, or with a double click."""
        self.written += 1
        text = f"m{self.written}"
        message = OutgoingMessage(AdmissionId(text), S, text)
        api = self.hosted.desk.desk.conversations
        told = await asyncio.gather(
            *(api.send(message) for _ in range(self.chance.choice([1, 2]))), return_exceptions=True
        )
        for one in told:
            if not isinstance(one, BaseException):
                self.sent.add(text)
            elif not isinstance(one, AppError):
                raise one

    async def agent_ends(self) -> None:
        for prompt in self.hosted.agent.prompts[-1:]:
            prompt.done(self.chance.choice(["end_turn", "cancelled"]))

    async def agent_dies(self) -> None:
        self.hosted.agent.die()

    async def pipe(self) -> None:
        pipe = self.hosted.agent.pipe
        if pipe.is_set():
            pipe.clear()
        else:
            pipe.set()

    async def stop(self) -> None:
        await self.hosted.desk.desk.conversations.cancel_turn(S)

    async def end(self) -> None:
        await self.hosted.desk.desk.conversations.end_session(S)

    async def resume(self) -> None:
        await self.hosted.desk.desk.conversations.resume(S, anew=self.chance.random() < 0.2)

    async def queue(self) -> None:
        api = self.hosted.desk.desk.conversations
        waiting = (await self.hosted.seen()).queue
        if not waiting:
            await api.set_auto_run(S, auto_run=self.chance.random() < 0.7)
            return
        entry = self.chance.choice(waiting)
        match self.chance.randrange(4):
            case 0:
                await api.remove_queued(S, entry.entry_id)
                self.taken_back.add(entry.text)
            case 1:
                await api.move_queued(S, entry.entry_id, self.chance.randint(-1, 11))
            case 2:
                await api.send_queued_now(S, entry.entry_id)
            case _:
                await api.edit_queued(S, entry.entry_id, entry.text, revision=entry.revision)

    async def withdraw(self) -> None:
        unsent = (await self.hosted.seen()).unsent
        if unsent is not None:
            api = self.hosted.desk.desk.conversations
            self.taken_back.add(await api.withdraw_message(S, unsent))

    async def at_rest(self) -> bool:
        """Everything that waits goes out, and the agent ends what it does."""
        api, seen = self.hosted.desk.desk.conversations, await self.hosted.seen()
        for agent in self.hosted.launcher.agents:
            agent.pipe.set()
            for prompt in agent.prompts:
                prompt.done()
        waits = bool(seen.queue) or seen.unsent is not None
        if waits and seen.status in AT_REST - {AgentStatus.READY}:
            await api.resume(S)
        elif waits and not seen.auto_run:
            await api.set_auto_run(S, auto_run=True)
        return not waits and seen.status in AT_REST and seen.input == "direct"


@pytest.mark.parametrize("seed", SEEDS)
async def test_no_message_is_lost_or_doubled_whatever_is_clicked(tmp_path: Path, seed: int) -> None:
    place: Place = tmp_path / "kandesk.db"
    async with hosting(place, SystemClock(), tmp_path) as hosted:
        await hosted.start()
        await hosted.status(AgentStatus.READY)
        wild = Wild(hosted, random.Random(seed))  # noqa: S311
        clicks: list[asyncio.Task[None]] = []
        for _ in range(CLICKS):
            clicks.append(asyncio.create_task(wild.click()))
            for _ in range(wild.chance.choice([0, 1, 20])):
                await asyncio.sleep(0)
        for agent in hosted.launcher.agents:
            agent.pipe.set()
        await asyncio.wait_for(asyncio.gather(*clicks), 20)
        await eventually(wild.at_rest, seconds=20)
        given = hosted.launcher.given
        assert len(given) == len(set(given))
        assert wild.taken_back.isdisjoint(given)
        rows = (await hosted.desk.desk.list_messages(S)).messages
        told = {row.content: as_dict(row.metadata.get(OWN_KEY)).get("dispatch") for row in rows}
        not_sent = {text for text, outcome in told.items() if outcome == "failed"}
        assert not_sent.isdisjoint(given)
        assert wild.sent <= set(given) | wild.taken_back | not_sent
