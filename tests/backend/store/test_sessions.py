import pytest

from backend.clock import Nanoseconds
from backend.domain.conversation import Connection, SessionKind, SessionState, SessionSummary
from backend.ids import SessionId
from backend.store import session_states, sessions, turns
from backend.store.database import Database
from backend.store.sessions import GuestSession
from tests.helpers.builders import make_guest
from tests.helpers.clock import FakeClock
from tests.helpers.place import Place, raw
from tests.helpers.store import RowMaker, ask, claim, make_claim

S1 = SessionId("s1")


async def contact(
    database: Database,
    clock: FakeClock,
    key: str = "k1",
    *,
    client: str = "codex",
    folder: str = "/projects/alpha",
    connection: Connection = Connection.SHIM,
    connected: tuple[SessionId, ...] = (),
) -> GuestSession:
    identity = make_guest(key, client=client, folder=folder, connection=connection)
    async with database.writing() as tx:
        return await sessions.ensure_guest(tx, identity, connected=connected, now=clock.now())


async def summary(database: Database, session_id: SessionId) -> SessionSummary:
    async with database.reading() as tx:
        found = await sessions.get_summary(tx, session_id)
    assert found is not None
    return found


async def test_the_first_contact_makes_a_session_with_one_turn(
    database: Database, clock: FakeClock, place: Place
) -> None:
    guest = await contact(database, clock)
    assert guest.created
    found = await summary(database, guest.session_id)
    assert (found.kind, found.state) == (SessionKind.GUEST, SessionState.IDLE)
    assert (found.title, found.agent) == ("codex · alpha", "codex")
    assert found.workspace == "/projects/alpha"
    with raw(place) as connection:
        ids = [row[0] for row in connection.execute("SELECT id FROM task_session_turns")]
    assert ids == [guest.turn_id]


async def test_the_same_identity_keeps_its_session_and_turn(
    database: Database, clock: FakeClock, place: Place
) -> None:
    first = await contact(database, clock)
    again = await contact(database, clock, connected=(first.session_id,))
    assert (again.session_id, again.turn_id, again.created) == (
        first.session_id,
        first.turn_id,
        False,
    )
    with raw(place) as connection:
        assert connection.execute("SELECT COUNT(*) FROM task_session_turns").fetchone()[0] == 1
        assert connection.execute("SELECT COUNT(*) FROM tasks").fetchone()[0] == 1


async def test_the_next_shim_of_a_client_in_a_folder_continues_the_session(
    database: Database, clock: FakeClock
) -> None:
    """agents.md, Two kinds of session."""
    first = await contact(database, clock, "old shim")
    next_one = await contact(database, clock, "new shim")
    assert next_one.session_id == first.session_id
    assert (await contact(database, clock, "new shim")).session_id == first.session_id


async def test_a_shim_beside_a_connected_one_gets_a_session_of_its_own(
    database: Database, clock: FakeClock
) -> None:
    first = await contact(database, clock, "one")
    second = await contact(database, clock, "two", connected=(first.session_id,))
    assert second.created
    third = await contact(database, clock, "three", connected=(second.session_id,))
    assert third.session_id == first.session_id


@pytest.mark.parametrize(
    ("client", "folder"), [("claude", "/projects/alpha"), ("codex", "/projects/beta")]
)
async def test_another_client_or_folder_is_another_session(
    database: Database, clock: FakeClock, client: str, folder: str
) -> None:
    await contact(database, clock, "one")
    assert (await contact(database, clock, "two", client=client, folder=folder)).created


async def test_a_shim_without_a_folder_continues_nobody(
    database: Database, clock: FakeClock
) -> None:
    await contact(database, clock, "one", folder="")
    second = await contact(database, clock, "two", folder="")
    assert second.created
    assert (await summary(database, second.session_id)).title == "codex"


@pytest.mark.parametrize("kind", [Connection.HTTP_SESSION, Connection.STATELESS])
async def test_http_callers_are_told_apart_by_their_key_alone(
    database: Database, clock: FakeClock, kind: Connection
) -> None:
    first = await contact(database, clock, "one", connection=kind)
    assert (await contact(database, clock, "two", connection=kind)).created
    assert (await contact(database, clock, "one")).created
    again = await contact(database, clock, "one", connection=kind)
    assert again.session_id == first.session_id


async def test_a_windows_folder_gives_its_last_part_to_the_title(
    database: Database, clock: FakeClock
) -> None:
    guest = await contact(database, clock, folder="C:\\work\\alpha")
    assert (await summary(database, guest.session_id)).title == "codex · alpha"


async def test_a_guest_waits_for_input_exactly_while_a_question_is_open(
    database: Database, clock: FakeClock
) -> None:
    asked = await ask(database, clock)
    found = await summary(database, asked.session_id)
    assert (found.state, found.pending_questions) == (SessionState.WAITING_FOR_INPUT, 1)
    await claim(database, make_claim(asked.pending_id))
    async with database.writing() as tx:
        await session_states.refresh(tx, asked.session_id, clock.now())
    found = await summary(database, asked.session_id)
    assert (found.state, found.pending_questions) == (SessionState.IDLE, 0)


async def test_the_state_of_a_hosted_session_is_not_a_guests_business(
    database: Database, rows: RowMaker, clock: FakeClock
) -> None:
    async with database.writing() as tx:
        await session_states.refresh(tx, S1, clock.now())
    assert (await summary(database, S1)).state is SessionState.RUNNING


async def test_a_session_that_has_ended_stays_as_it_ended(
    database: Database, rows: RowMaker, clock: FakeClock
) -> None:
    async with database.writing() as tx:
        assert await sessions.set_state(tx, S1, SessionState.COMPLETED, clock.now())
        assert not await sessions.set_state(tx, S1, SessionState.RUNNING, clock.now())
        assert not await sessions.set_state(tx, SessionId("none"), SessionState.IDLE, clock.now())
    assert (await summary(database, S1)).state is SessionState.COMPLETED


async def test_the_list_has_the_newest_activity_first(
    database: Database, rows: RowMaker, clock: FakeClock
) -> None:
    first = await ask(database, clock, guest=make_guest("a", client="a"))
    second = await ask(database, clock, guest=make_guest("b", client="b"))
    async with database.reading() as tx:
        found = await sessions.list_summaries(tx)
    assert [line.session_id for line in found] == [second.session_id, first.session_id, "s1"]
    await ask(database, clock, guest=make_guest("a", client="a"))
    async with database.reading() as tx:
        found = await sessions.list_summaries(tx)
    assert found[0].session_id == first.session_id
    assert found[0].pending_questions == 2


async def test_there_is_no_line_for_an_unknown_session(database: Database) -> None:
    async with database.reading() as tx:
        assert await sessions.get_summary(tx, S1) is None


async def test_the_current_turn_is_the_newest_that_counts(
    database: Database, rows: RowMaker
) -> None:
    """K1.8; K8.6 59."""
    rows.turn("unsent", prompt_dispatch_pending=True)
    async with database.reading() as tx:
        assert await turns.current_turn(tx, S1) == "turn1"
        assert await turns.current_turn(tx, SessionId("none")) is None


async def test_turns_of_one_moment_are_ordered_by_id(
    database: Database, rows: RowMaker, place: Place
) -> None:
    """K1.1: started_at, created_at, id, newest first."""
    rows.turn("turn0")
    with raw(place) as connection:
        connection.execute("UPDATE task_session_turns SET started_at = 'x', created_at = 'x'")
    async with database.reading() as tx:
        assert await turns.current_turn(tx, S1) == "turn1"


async def test_an_opened_turn_owns_the_session(database: Database, rows: RowMaker) -> None:
    async with database.writing() as tx:
        summary_of = await sessions.get_summary(tx, S1)
        assert summary_of is not None
        now = Nanoseconds(1_800_000_000_000_000_000)
        opened = await turns.open_turn(tx, S1, summary_of.task_id, now)
        assert await turns.current_turn(tx, S1) == opened


async def test_a_state_of_a_later_version_does_not_hide_the_other_sessions(
    database: Database, clock: FakeClock
) -> None:
    """product.md, P8: one row nobody here understands must not empty the list."""
    strange = await contact(database, clock, "k1", folder="/projects/alpha")
    await contact(database, clock, "k2", folder="/projects/beta")
    async with database.writing() as tx:
        await tx.execute(
            "UPDATE task_sessions SET state = 'DREAMING' WHERE id = :id",
            {"id": strange.session_id},
        )
    async with database.reading() as tx:
        found = await sessions.list_summaries(tx)
    assert len(found) == 2
    assert (await summary(database, strange.session_id)).state is SessionState.IDLE
