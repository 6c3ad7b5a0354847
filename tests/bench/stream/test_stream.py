"""What it costs to show and to store what agents say, on both dialects; prints tables only."""

import asyncio
import statistics
import time
from collections.abc import Sequence
from typing import Final

import pytest

from backend.clock import SystemClock
from backend.conversation.session_rows import REWRITE_RATE
from backend.conversation.transcripts import Transcripts
from backend.domain.agents import PromptEnd, TextChunk
from backend.domain.turn_end import prompt_ended
from backend.events import Event, EventBus, MessagesChanged
from backend.ids import SessionId, TurnId
from backend.store import hosted_sessions, messages, turns
from backend.store.database import Database
from backend.work.supervisor import TaskSupervisor
from tests.bench.machine import describe_machine
from tests.helpers.place import Place, dialect_of, open_store
from tests.helpers.transcript_case import new_hosted

SESSIONS: Final = 3
CHUNKS_PER_SECOND: Final = 200
SECONDS: Final = 5
CHUNK: Final = "a word or two "
DONE: Final = prompt_ended(PromptEnd("end_turn"))
SIZES: Final = (10_000, 100_000, 500_000, 2_000_000)


class Watch:
    """When each chunk was said and shown, by the length of its session's text."""

    def __init__(self) -> None:
        self.said: dict[SessionId, list[float]] = {}
        self.shown: dict[SessionId, int] = {}
        self.to_event: list[float] = []
        self.events = 0

    def chunk(self, session: SessionId) -> None:
        self.said.setdefault(session, []).append(time.perf_counter())

    def heard(self, event: Event) -> None:
        if not isinstance(event, MessagesChanged):
            return
        self.events += 1
        now = time.perf_counter()
        until = len(event.messages[-1].content) // len(CHUNK)
        since = self.shown.get(event.session_id, 0)
        self.to_event += [now - at for at in self.said[event.session_id][since:until]]
        self.shown[event.session_id] = max(since, until)


async def begin(database: Database, name: str) -> tuple[SessionId, TurnId]:
    clock = SystemClock()
    async with database.writing() as tx:
        made = await hosted_sessions.create(tx, new_hosted(name), clock.now())
        turn = await turns.open_turn(tx, made.session_id, made.task_id, clock.now())
    return made.session_id, turn


async def durable(database: Database, session: SessionId) -> int:
    async with database.reading() as tx:
        page = await messages.page(tx, session, limit=1)
    return len(page.messages[0].content) // len(CHUNK) if page.messages else 0


async def watch_durable(
    database: Database, session: SessionId, watch: Watch, found: list[float]
) -> None:
    """Look every few milliseconds how much of one session is stored."""
    since = 0
    while True:
        until = await durable(database, session)
        now = time.perf_counter()
        found += [now - at for at in watch.said.get(session, [])[since:until]]
        since = max(since, until)
        await asyncio.sleep(0.002)


def line(name: str, seconds: Sequence[float]) -> str:
    ordered = sorted(seconds)
    cuts = [ordered[min(len(ordered) - 1, int(len(ordered) * at))] for at in (0.5, 0.99, 0.999)]
    return f"  {name:<18}" + "".join(f"{1000 * cut:>10.2f}" for cut in (*cuts, ordered[-1]))


@pytest.mark.bench
async def test_three_agents_that_talk_at_once(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    database = await open_store(place, SystemClock())
    bus, supervisor, watch = EventBus(), TaskSupervisor(), Watch()

    async def announce(_session: SessionId) -> None:
        pass

    transcripts = Transcripts(database, SystemClock(), bus, supervisor, announce=announce)
    bus.subscribe(watch.heard)
    running = [await begin(database, f"s{number}") for number in range(SESSIONS)]
    to_durable: list[float] = []
    looking = asyncio.create_task(watch_durable(database, running[0][0], watch, to_durable))
    applying: list[float] = []
    cpu, start = time.process_time(), time.perf_counter()
    for number in range(CHUNKS_PER_SECOND * SECONDS):
        for session, turn in running:
            watch.chunk(session)
            before = time.perf_counter()
            transcripts.updated(session, turn, TextChunk(CHUNK))
            applying.append(time.perf_counter() - before)
        due = start + (number + 1) / CHUNKS_PER_SECOND
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
    took, cpu = time.perf_counter() - start, time.process_time() - cpu
    commits, events = transcripts.writer.commits, watch.events
    for session, turn in running:
        await transcripts.end(session, turn, DONE)
    looking.cancel()
    stored = [await durable(database, session) for session, _ in running]
    await supervisor.stop()
    await database.close()
    assert stored == [CHUNKS_PER_SECOND * SECONDS] * SESSIONS
    with capsys.disabled():
        print(f"\n{describe_machine()}, {dialect_of(place).value}:")
        print(f"  {SESSIONS} sessions, {CHUNKS_PER_SECOND} chunks/s each, {took:.1f} s")
        print(f"  {'ms':<18}{'median':>10}{'p99':>10}{'p99.9':>10}{'max':>10}")
        print(line("take over a chunk", applying))
        print(line("chunk to event", watch.to_event))
        print(line("chunk to durable", to_durable))
        print(
            f"  {commits / took:.0f} commits/s, {events / took / SESSIONS:.0f} events/s a session"
        )
        print(f"  {100 * cpu / took:.0f} % of one core, with the looking")


@pytest.mark.bench
async def test_a_row_that_grows_to_two_megabytes(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    """Writing the whole row against appending to it, by how long it is already."""
    database = await open_store(place, SystemClock())
    session, turn = await begin(database, "s1")
    await messages_of(database, session, turn)
    told: list[str] = []
    for size in SIZES:
        whole, appended = [], []
        text = "x" * size
        await write(database, "UPDATE task_session_messages SET content = :text", text)
        for _ in range(10):
            text += CHUNK
            before = time.perf_counter()
            await write(database, "UPDATE task_session_messages SET content = :text", text)
            whole.append(time.perf_counter() - before)
            before = time.perf_counter()
            append = "UPDATE task_session_messages SET content = content || :text"
            await write(database, append, CHUNK)
            appended.append(time.perf_counter() - before)
        told.append(
            f"  {size:>10,}{1000 * statistics.median(whole):>12.2f}"
            f"{1000 * statistics.median(appended):>12.2f}{1000 * size / REWRITE_RATE:>14.0f}"
        )
    await database.close()
    with capsys.disabled():
        print(f"\n{describe_machine()}, {dialect_of(place).value}, ms a commit:")
        print(f"  {'characters':>10}{'whole':>12}{'appended':>12}{'at most every':>14}")
        print("\n".join(told))


async def messages_of(database: Database, session: SessionId, turn: TurnId) -> None:
    bus, supervisor = EventBus(), TaskSupervisor()

    async def announce(_session: SessionId) -> None:
        pass

    transcripts = Transcripts(database, SystemClock(), bus, supervisor, announce=announce)
    transcripts.updated(session, turn, TextChunk("x"))
    await transcripts.flush(session)
    await supervisor.stop()


async def write(database: Database, sql: str, text: str) -> None:
    async with database.writing() as tx:
        await tx.execute(sql, {"text": text})
