"""Any sequence of what humans, agents and crashes do to a queue, against a plain list (K7.3)."""

import asyncio
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from backend.conversation.next_prompt import Drain
from backend.domain.conversation import SessionState
from backend.domain.hosted import AdmissionOutcome
from backend.errors import Conflict
from backend.ids import QueueEntryId
from backend.store.database import Database
from tests.helpers.clock import FakeClock
from tests.helpers.place import open_store
from tests.helpers.sending import S, Sending

PLACES = st.integers(0, 11)
STEPS = st.one_of(
    st.tuples(st.just("send"), st.just(0), st.just(0)),
    st.tuples(st.sampled_from(["edit", "remove", "send_now", "again"]), PLACES, st.just(0)),
    st.tuples(st.just("move"), PLACES, PLACES),
    st.tuples(
        st.sampled_from(["turn_ends", "auto_on", "auto_off", "restart", "sent"]),
        st.just(0),
        st.just(0),
    ),
)


@dataclass
class Waiting:
    identity: str
    text: str
    entry_id: QueueEntryId
    now: bool = False
    revision: int = 0


@dataclass
class Model:
    """What must be true: who waits in which order, and what was sent."""

    queue: list[Waiting] = field(default_factory=list)
    sent: list[tuple[str, str]] = field(default_factory=list)
    known: dict[str, Waiting] = field(default_factory=dict)
    auto: bool = True
    idle: bool = False
    on_its_way: bool = False
    made: int = 0

    def takes(self) -> None:
        if not self.idle or self.on_its_way:
            return
        ready = [each for each in self.queue if each.now] or (self.queue if self.auto else [])
        if ready:
            taken = ready[0]
            self.queue.remove(taken)
            self.sent.append((taken.identity, taken.text))
            self.on_its_way = True


class Play:
    """One store, and the model beside it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.clock = FakeClock()
        self.model = Model()
        self.database: Database | None = None

    async def open(self) -> None:
        if self.database is not None:
            await self.database.close()
        self.database = await open_store(self.path, self.clock)
        self.desk = Sending(self.database, self.clock, self.path)

    async def close(self) -> None:
        assert self.database is not None
        await self.database.close()

    async def step(self, name: str, place: int, other: int) -> None:
        waiting = self.model.queue
        if name in {"edit", "remove", "move", "send_now"}:
            if waiting:
                await self.change(name, waiting[place % len(waiting)], other)
            return
        match name:
            case "send":
                await self.send()
            case "again":
                await self.send_again(place)
            case "auto_on" | "auto_off":
                await self.switch(auto_run=name == "auto_on")
            case "restart":
                await self.open()
            case "sent":
                await self.agent_takes()
            case _:
                await self.turn_ends()

    async def change(self, name: str, entry: Waiting, other: int) -> None:
        waiting, queue = self.model.queue, self.desk.queue
        if name == "edit":
            entry.text += "!"
            await queue.edit(S, entry.entry_id, entry.text, revision=entry.revision)
            entry.revision += 1
            return
        waiting.remove(entry)
        if name == "remove":
            await queue.remove(S, entry.entry_id)
        elif name == "move":
            waiting.insert(other, entry)
            await queue.move(S, entry.entry_id, other)
        else:
            waiting.insert(0, entry)
            entry.now = True
            self.model.takes()
            await queue.send_now(S, entry.entry_id)

    async def send_again(self, place: int) -> None:
        known = list(self.model.known.values())
        if known:
            chosen = known[place % len(known)]
            again = await self.desk.send(chosen.identity)
            assert (again.replayed, again.entry_id) == (True, chosen.entry_id or None)

    async def switch(self, *, auto_run: bool) -> None:
        self.model.auto = auto_run
        if auto_run:
            self.model.takes()
        await self.desk.queue.set_auto_run(S, auto_run=auto_run)

    async def turn_ends(self) -> None:
        await self.agent_takes()
        self.model.idle = True
        await self.desk.set_state(SessionState.IDLE)
        self.model.takes()
        await self.desk.queue.take_next(S, Drain.PARKED)

    async def send(self) -> None:
        model, desk = self.model, self.desk
        model.made += 1
        text = f"m{model.made}"
        goes_first = bool(model.queue) and (model.auto or any(each.now for each in model.queue))
        direct = model.idle and not model.on_its_way and not goes_first
        if not direct and len(model.queue) == 10:
            try:
                await desk.send(text)
            except Conflict:
                return
            raise AssertionError("the queue took an eleventh message")
        admission = await desk.send(text)
        waiting = Waiting(text, text, admission.entry_id or QueueEntryId(""))
        model.known[text] = waiting
        if direct:
            assert admission.outcome is AdmissionOutcome.SENT
            model.sent.append((text, text))
            model.on_its_way = True
        else:
            assert admission.outcome is AdmissionOutcome.QUEUED
            model.queue.append(waiting)

    async def agent_takes(self) -> None:
        """What is reserved is sent, and the agent works."""
        if self.model.on_its_way:
            await self.desk.run_and_end()
            await self.desk.set_state(SessionState.RUNNING)
            self.model.on_its_way, self.model.idle = False, False

    async def check(self) -> None:
        assert await self.desk.texts() == [each.text for each in self.model.queue]
        assert self.desk.user_rows() == self.model.sent
        waiting = [prompt.text for prompt in await self.desk.undispatched()]
        assert waiting == [text for _, text in self.model.sent[-1:] if self.model.on_its_way]


async def play(path: Path, steps: list[tuple[str, int, int]]) -> None:
    game = Play(path)
    await game.open()
    try:
        game.desk.session(SessionState.RUNNING)
        for step in steps:
            await game.step(*step)
            await game.check()
    finally:
        await game.close()


def empty_store(path: Path) -> None:
    async def make() -> None:
        await (await open_store(path, FakeClock())).close()

    asyncio.run(make())


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(steps=st.lists(STEPS, max_size=30))
def test_a_queue_is_a_list_whatever_happens_to_it(steps: list[tuple[str, int, int]]) -> None:
    """K7.3; K8.3: order, cap, identity and restart; no message is lost, doubled or reordered."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "kandesk.db"
        empty_store(path)
        asyncio.run(play(path, steps))
