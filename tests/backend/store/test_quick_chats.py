"""Quick Chats are kept for seven days after they were touched (window.md, Layout)."""

from dataclasses import dataclass, replace

import pytest

from backend.clock import Nanoseconds, format_timestamp
from backend.conversation import next_prompt
from backend.domain.agents import AgentCommand, ProcessMark
from backend.domain.conversation import QUICK_CHAT_KEPT, SessionState
from backend.domain.hosted import MessageDraft
from backend.ids import AgentKey, MessageId, SessionId
from backend.store import (
    hosted_sessions,
    input_facts,
    message_drafts,
    quick_chats,
    sessions,
)
from backend.store.database import Database
from backend.store.hosted_sessions import NewHostedSession
from tests.helpers.clock import FakeClock
from tests.helpers.place import Place, raw
from tests.helpers.store import RowMaker

S = SessionId("quick")
NEW = NewHostedSession(
    session_id=S,
    agent=AgentKey("opencode"),
    agent_name="OpenCode",
    folder="/data/chat-1",
    command=AgentCommand(("opencode", "acp")),
    title="What is a monad?",
    quick_chat=True,
)
WEEK = QUICK_CHAT_KEPT / 1e9
TABLES = (
    "tasks",
    "task_sessions",
    "task_session_turns",
    "task_session_messages",
    "message_drafts",
    "answer_drafts",
    "message_admissions",
    "queued_messages",
    "queue_session_state",
    "interaction_deliveries",
    "tool_invocations",
    "tool_action_requests",
    "tool_call_events",
)


@dataclass
class Kept:
    """One Quick Chat of eight days ago, with a turn and what a test adds."""

    database: Database
    clock: FakeClock
    place: Place
    rows: RowMaker

    @property
    def before(self) -> Nanoseconds:
        return Nanoseconds(self.clock.now() - QUICK_CHAT_KEPT)

    async def make(self, new: NewHostedSession = NEW) -> None:
        async with self.database.writing() as tx:
            await hosted_sessions.create(tx, new, self.clock.now())
            await hosted_sessions.move(tx, new.session_id, SessionState.IDLE, self.clock.now())
        self.rows.turn(f"turn-{new.session_id}", new.session_id)
        self.clock.set_wall(WEEK + 60)

    async def untouched(self) -> tuple[SessionId, ...]:
        async with self.database.reading() as tx:
            return await quick_chats.list_untouched(tx, self.before)

    async def take_away(self, session: SessionId = S) -> bool:
        async with self.database.writing() as tx:
            return await quick_chats.take_away(tx, session, self.before)

    async def remove_some(self) -> bool:
        async with self.database.writing() as tx:
            return await quick_chats.remove_some(tx, S)

    async def pin(self, *, pinned: bool) -> bool:
        async with self.database.writing() as tx:
            return await quick_chats.set_pinned(tx, S, self.clock.now(), pinned=pinned)

    def count(self) -> dict[str, int]:
        with raw(self.place) as connection:
            return {
                table: connection.execute(f"SELECT COUNT(*) FROM {table}").fetchone()[0]  # noqa: S608
                for table in TABLES
            }


@pytest.fixture
def kept(database: Database, clock: FakeClock, place: Place) -> Kept:
    return Kept(database, clock, place, RowMaker(place))


async def test_only_quick_chats_that_nobody_touched_for_a_week_are_found(kept: Kept) -> None:
    await kept.make(replace(NEW, session_id=SessionId("project"), quick_chat=False))
    await kept.make()
    kept.rows.session("kandev", state="IDLE")
    async with kept.database.writing() as tx:
        await hosted_sessions.create(
            tx, replace(NEW, session_id=SessionId("young")), kept.clock.now()
        )
    assert await kept.untouched() == (S,)


async def test_a_pinned_one_stays_and_one_that_is_unpinned_has_its_week_again(kept: Kept) -> None:
    await kept.make()
    assert await kept.pin(pinned=True)
    kept.clock.set_wall(WEEK * 50)
    assert await kept.untouched() == ()
    assert not await kept.take_away()
    async with kept.database.reading() as tx:
        (summary,) = await sessions.list_summaries(tx)
    assert (summary.quick_chat, summary.pinned, summary.kept_until) == (True, True, None)
    assert await kept.pin(pinned=False)
    assert await kept.untouched() == ()
    kept.clock.set_wall(WEEK + 1)
    assert await kept.untouched() == (S,)


async def test_only_a_quick_chat_can_be_pinned(kept: Kept) -> None:
    await kept.make(replace(NEW, quick_chat=False))
    assert not await kept.pin(pinned=True)


async def test_one_whose_agent_is_thought_to_run_stays(kept: Kept) -> None:
    await kept.make()
    async with kept.database.writing() as tx:
        await hosted_sessions.set_process(tx, S, ProcessMark(1, 1, "1"), kept.clock.now())
    kept.clock.set_wall(WEEK * 2)
    assert await kept.untouched() == ()


async def test_words_that_were_typed_meanwhile_are_a_touch(kept: Kept) -> None:
    await kept.make()
    async with kept.database.writing() as tx:
        await message_drafts.save(tx, MessageDraft(S, "half a thought"), kept.clock.now())
    assert not await kept.take_away()


@pytest.mark.parametrize("state", [SessionState.STARTING, SessionState.RUNNING])
async def test_one_that_works_stays(kept: Kept, state: SessionState) -> None:
    await kept.make()
    _set(kept, state=state.value)
    assert not await kept.take_away()


async def test_one_with_an_open_question_stays(kept: Kept) -> None:
    await kept.make()
    kept.rows.question("p1", turn=f"turn-{S}", session=S)
    assert await kept.untouched() == (S,)
    assert not await kept.take_away()


async def test_one_with_an_answer_that_is_under_way_stays(kept: Kept) -> None:
    await kept.make()
    kept.rows.question(
        "p1", turn=f"turn-{S}", session=S, status="answered", response_delivery_pending=True
    )
    kept.rows.turn("later", S)
    assert not await kept.take_away()


async def test_one_with_an_answer_that_nobody_has_collected_stays(kept: Kept) -> None:
    await kept.make()
    now = format_timestamp(Nanoseconds(1))
    with raw(kept.place) as connection:
        connection.execute(
            "INSERT INTO interaction_deliveries (pending_id, session_id, state, opened_at,"
            " updated_at) VALUES ('p1', ?, 'waiting_for_agent', ?, ?)",
            (S, now, now),
        )
    assert not await kept.take_away()


async def test_one_with_a_queued_message_stays(kept: Kept) -> None:
    await kept.make()
    _queue(kept)
    assert not await kept.take_away()


async def test_one_whose_message_was_never_given_to_its_agent_stays(kept: Kept) -> None:
    await kept.make()
    async with kept.database.writing() as tx:
        facts = await input_facts.load(tx, S)
        assert facts is not None
        prompt = next_prompt.NewPrompt(MessageId("m1"), "go on")
        await next_prompt.reserve(tx, facts, prompt, Nanoseconds(1))
    _set(kept, updated_at=format_timestamp(Nanoseconds(1)))
    assert not await kept.take_away()


async def test_one_that_waits_for_a_permission_stays(kept: Kept) -> None:
    await kept.make()
    _review(kept, "pending")
    assert not await kept.take_away()


async def test_nobody_sees_one_whose_removal_has_begun(kept: Kept) -> None:
    await kept.make()
    assert await kept.take_away()
    async with kept.database.reading() as tx:
        assert await sessions.list_summaries(tx) == ()
        assert await sessions.get_summary(tx, S) is None
        assert await hosted_sessions.load(tx, S) is None
        assert await input_facts.load(tx, S) is None
        assert await quick_chats.list_taken_away(tx) == ((S, "/data/chat-1"),)
    assert not await kept.take_away()
    assert not await kept.pin(pinned=True)


async def test_every_row_goes_in_bounded_steps_and_nothing_of_others(kept: Kept) -> None:
    """Whatever step is the last before a crash, the next start goes on from there."""
    kept.rows.session("other", state="IDLE")
    kept.rows.turn("turn-other", "other")
    kept.rows.message(turn="turn-other", session="other")
    others = kept.count()
    await kept.make()
    _fill(kept, quick_chats.BATCH * 2 + 10)
    kept.rows.question("p1", turn=f"turn-{S}", session=S, status="answered")
    with raw(kept.place) as connection:
        connection.execute("INSERT INTO answer_drafts (pending_id, updated_at) VALUES ('p1', '')")
    _review(kept, "executed")
    assert all(kept.count()[table] > others[table] for table in ("tool_call_events", "tasks"))
    assert await kept.take_away()
    steps, before = 1, sum(kept.count().values())
    while await kept.remove_some():
        left = sum(kept.count().values())
        assert before - quick_chats.BATCH - 1 <= left < before
        steps, before = steps + 1, left
    assert steps >= 4
    assert kept.count() == others


def _set(kept: Kept, **columns: str) -> None:
    with raw(kept.place) as connection:
        for name, value in columns.items():
            connection.execute(
                f"UPDATE task_sessions SET {name} = ? WHERE id = ?",  # noqa: S608
                (value, S),
            )


def _queue(kept: Kept) -> None:
    with raw(kept.place) as connection:
        connection.execute(
            "INSERT INTO queued_messages (id, session_id, task_id, position, content, queued_at)"
            " VALUES ('e1', ?, '', 0, 'later', '2026-01-01')",
            (S,),
        )


def _review(kept: Kept, status: str) -> None:
    with raw(kept.place) as connection:
        connection.execute(
            "INSERT INTO tool_invocations (id, owner, session_id, arguments_hash, created_at,"
            " updated_at) VALUES ('i1', 'agent', ?, '', '', '')",
            (S,),
        )
        connection.execute(
            "INSERT INTO tool_action_requests (id, owner, invocation_id, session_id, status,"
            " canonical_arguments_hash, signed_arguments, created_at, updated_at)"
            " VALUES ('r1', 'agent', 'i1', ?, ?, '', '', '', '')",
            (S, status),
        )
        connection.execute(
            "INSERT INTO tool_call_events (id, event_type, session_id, created_at)"
            " VALUES ('t1', 'requested', ?, '')",
            (S,),
        )


def _fill(kept: Kept, count: int) -> None:
    """Many rows of the transcript."""
    with raw(kept.place) as connection:
        connection.executemany(
            "INSERT INTO task_session_messages (id, task_session_id, turn_id, content, created_at,"
            " updated_at) VALUES (?, ?, ?, 'words', '2026-01-01', '2026-01-01')",
            ((f"m{number}", S, f"turn-{S}") for number in range(count)),
        )
