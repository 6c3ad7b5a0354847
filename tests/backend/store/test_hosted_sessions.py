"""What is stored of a session whose agent this desk runs (K1.1, K1.9; kandev-app.md b.1)."""

from dataclasses import replace

import pytest

from backend.domain.agents import (
    AgentCommand,
    ConfigOption,
    OptionChoice,
    ProcessMark,
    SessionMode,
    SlashCommand,
    Usage,
)
from backend.domain.conversation import SessionKind, SessionState
from backend.errors import Conflict, ErrorCode
from backend.ids import AgentKey, SessionId
from backend.store import hosted_sessions, sessions
from backend.store.database import Database
from backend.store.hosted_sessions import HostedSession, NewHostedSession, SessionChange
from tests.helpers.clock import FakeClock
from tests.helpers.place import Place, raw
from tests.helpers.store import ask

S = SessionId("11111111-0000-4000-8000-000000000001")
NEW = NewHostedSession(
    session_id=S,
    agent=AgentKey("opencode"),
    agent_name="OpenCode",
    folder="/projects/alpha",
    command=AgentCommand(("opencode", "acp"), {"B_KEY": "secret-b", "A_KEY": "secret-a"}),
    title="Fix the parser",
)
MARK = ProcessMark(4711, 4711, "81726354")


async def create(
    database: Database, clock: FakeClock, new: NewHostedSession = NEW
) -> HostedSession:
    async with database.writing() as tx:
        return await hosted_sessions.create(tx, new, clock.now())


async def load(database: Database) -> HostedSession:
    async with database.reading() as tx:
        found = await hosted_sessions.load(tx, S)
    assert found is not None
    return found


async def change(database: Database, clock: FakeClock, known: SessionChange) -> None:
    async with database.writing() as tx:
        await hosted_sessions.change(tx, S, known, clock.now())


async def test_a_new_session_is_listed_as_hosted_with_its_agent_and_folder(
    database: Database, clock: FakeClock
) -> None:
    await create(database, clock)
    async with database.reading() as tx:
        (summary,) = await sessions.list_summaries(tx)
    assert summary.kind is SessionKind.HOSTED
    assert summary.state is SessionState.CREATED
    assert (summary.title, summary.agent) == ("Fix the parser", "OpenCode")
    assert summary.workspace == "/projects/alpha"


async def test_what_was_given_is_read_again_without_the_values_of_the_environment(
    database: Database, clock: FakeClock, place: Place
) -> None:
    new = replace(NEW, choices=(("model", "large"),), mode="plan")
    made = await create(database, clock, new)
    assert made == await load(database)
    assert made.argv == ("opencode", "acp")
    assert made.environment_names == ("A_KEY", "B_KEY")
    assert (made.choices, made.mode) == ((("model", "large"),), "plan")
    with raw(place) as connection:
        stored = connection.execute("SELECT metadata FROM task_sessions").fetchone()["metadata"]
    assert "secret" not in stored


async def test_the_same_id_again_is_the_same_session(database: Database, clock: FakeClock) -> None:
    first = await create(database, clock)
    assert await create(database, clock) == first
    async with database.reading() as tx:
        rows = await tx.fetch_all("SELECT id FROM tasks")
    assert [row["id"] for row in rows] == [first.task_id]


@pytest.mark.parametrize(
    "other",
    [
        replace(NEW, agent=AgentKey("codex")),
        replace(NEW, folder="/projects/beta"),
        replace(NEW, command=AgentCommand(("opencode",))),
        replace(NEW, quick_chat=True),
    ],
)
async def test_the_same_id_for_something_else_is_refused_and_changes_nothing(
    database: Database, clock: FakeClock, other: NewHostedSession
) -> None:
    first = await create(database, clock)
    with pytest.raises(Conflict) as refused:
        await create(database, clock, other)
    assert refused.value.code is ErrorCode.KEY_REUSED
    assert await load(database) == first
    async with database.reading() as tx:
        assert len(await tx.fetch_all("SELECT id FROM tasks")) == 1


async def test_a_guests_session_is_not_a_hosted_one(database: Database, clock: FakeClock) -> None:
    asked = await ask(database, clock)
    async with database.reading() as tx:
        assert await hosted_sessions.load(tx, asked.session_id) is None
        assert await hosted_sessions.load(tx, SessionId("nowhere")) is None
    with pytest.raises(Conflict):
        await create(database, clock, replace(NEW, session_id=asked.session_id))


async def test_a_quick_chat_belongs_to_no_folder_of_the_list(
    database: Database, clock: FakeClock
) -> None:
    made = await create(database, clock, replace(NEW, quick_chat=True, folder="/data/chat-1"))
    assert (made.quick_chat, made.folder) == (True, "/data/chat-1")
    async with database.reading() as tx:
        (summary,) = await sessions.list_summaries(tx)
    assert summary.workspace == ""


async def test_the_mark_of_its_process_is_listed_until_it_is_taken_away(
    database: Database, clock: FakeClock
) -> None:
    await create(database, clock)
    async with database.writing() as tx:
        await hosted_sessions.set_process(tx, S, MARK, clock.now())
        await hosted_sessions.set_agent_session(tx, S, "acp-1", clock.now())
        assert await hosted_sessions.list_processes(tx) == {S: MARK}
    found = await load(database)
    assert (found.process, found.agent_session_id) == (MARK, "acp-1")
    async with database.writing() as tx:
        await hosted_sessions.set_process(tx, S, None, clock.now())
        assert await hosted_sessions.list_processes(tx) == {}
    assert (await load(database)).process is None


async def test_a_stopped_session_still_shows_what_its_agent_offered(
    database: Database, clock: FakeClock
) -> None:
    await create(database, clock)
    option = ConfigOption(
        "model", "Model", "large", (OptionChoice("large", "Large", "slow", "big"),), "model"
    )
    known = SessionChange(
        modes=(SessionMode("plan", "Plan", "only plans"),), mode="plan", options=(option,)
    )
    await change(database, clock, known)
    await change(database, clock, SessionChange(commands=(SlashCommand("test", "Run", "path"),)))
    await change(database, clock, SessionChange(mode="build"))
    found = await load(database)
    assert found.modes == known.modes
    assert (found.mode, found.options) == ("build", (option,))
    assert found.commands == (SlashCommand("test", "Run", "path"),)


async def test_usage_stands_in_the_columns_in_hundredths_of_a_cent(
    database: Database, clock: FakeClock, place: Place
) -> None:
    """kandev-app.md b.1: cost unit."""
    await create(database, clock)
    usage = Usage(9_000, 200_000, 12, 34, 5, 0.0123, "USD")
    await change(database, clock, SessionChange(usage=usage))
    assert (await load(database)).usage == usage
    with raw(place) as connection:
        row = connection.execute(
            "SELECT tokens_in, tokens_out, tokens_cached_in, cost_subcents FROM task_sessions"
        ).fetchone()
    assert tuple(row) == (12, 34, 5, 123)


async def test_another_currency_is_kept_but_never_counted_as_dollars(
    database: Database, clock: FakeClock, place: Place
) -> None:
    await create(database, clock)
    await change(database, clock, SessionChange(usage=Usage(cost=2.5, currency="EUR")))
    assert (await load(database)).usage == Usage(cost=2.5, currency="EUR")
    with raw(place) as connection:
        assert connection.execute("SELECT cost_subcents FROM task_sessions").fetchone()[0] == 0


async def test_the_agent_names_its_session_until_a_human_has(
    database: Database, clock: FakeClock
) -> None:
    await create(database, clock)
    await change(database, clock, SessionChange(title="By the agent"))
    assert (await load(database)).title == "By the agent"
    async with database.writing() as tx:
        assert await hosted_sessions.rename(tx, S, "Mine", clock.now(), by_human=True)
    await change(database, clock, SessionChange(title="By the agent again"))
    assert (await load(database)).title == "Mine"


async def test_a_title_given_at_the_start_is_the_humans(
    database: Database, clock: FakeClock
) -> None:
    await create(database, clock, replace(NEW, titled_by_human=True))
    await change(database, clock, SessionChange(title="By the agent"))
    assert (await load(database)).title == "Fix the parser"


async def test_a_session_that_failed_can_be_resumed(database: Database, clock: FakeClock) -> None:
    await create(database, clock)
    async with database.writing() as tx:
        assert await hosted_sessions.move(
            tx, S, SessionState.FAILED, clock.now(), error="not there"
        )
        assert not await sessions.set_state(tx, S, SessionState.STARTING, clock.now())
    failed = await load(database)
    assert (failed.state, failed.error) == (SessionState.FAILED, "not there")
    async with database.writing() as tx:
        assert await hosted_sessions.move(tx, S, SessionState.STARTING, clock.now())
        assert not await hosted_sessions.move(tx, S, SessionState.STARTING, clock.now())
    assert (await load(database)).error == ""


async def test_agent_words_no_database_may_hold_are_stored_as_replaced(
    database: Database, clock: FakeClock
) -> None:
    await create(database, clock)
    await change(
        database, clock, SessionChange(title="a\x00b", commands=(SlashCommand("x\ud800y\x00"),))
    )
    found = await load(database)
    assert found.title == "a\ufffdb"
    assert found.commands[0].name == "x\ufffdy\ufffd"


async def test_an_agent_that_counts_anew_is_added_to_what_was_counted_before(
    database: Database, clock: FakeClock
) -> None:
    """kandev-app.md c.3: counts are cumulative; a restarted agent begins again at nothing."""
    await create(database, clock)
    for told in (1_000, 1_500, 1_500, 10, 30):
        await change(database, clock, SessionChange(usage=Usage(input_tokens=told, cost=told)))
    found = await load(database)
    assert (found.usage.input_tokens, found.usage.cost) == (1_530, 1_530.0)
