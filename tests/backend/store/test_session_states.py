"""What asking and answering do to session and task (K1.9)."""

import pytest

from backend.domain.clarification import Delivery
from backend.ids import ClaimId, PendingId, SessionId
from backend.store import intents, session_states
from backend.store.database import Database
from tests.helpers.clock import FakeClock
from tests.helpers.place import Place, raw
from tests.helpers.store import RowMaker, claim, make_claim

S, P = SessionId("s1"), PendingId("p1")


def states(place: Place) -> tuple[str, str]:
    with raw(place) as connection:
        row = connection.execute(
            "SELECT s.state, t.state FROM task_sessions s JOIN tasks t ON t.id = s.task_id"
        ).fetchone()
    return str(row[0]), str(row[1])


def set_states(place: Place, session: str, task: str) -> None:
    with raw(place) as connection:
        connection.execute("UPDATE task_sessions SET state = ?", (session,))
        connection.execute("UPDATE tasks SET state = ?", (task,))


async def refresh(database: Database, clock: FakeClock) -> None:
    async with database.writing() as tx:
        await session_states.refresh(tx, S, clock.now())


@pytest.mark.parametrize("state", ["STARTING", "RUNNING"])
async def test_a_session_that_asks_waits_and_its_task_is_in_review(
    database: Database, rows: RowMaker, clock: FakeClock, place: Place, state: str
) -> None:
    """K1.9, ask; a Review to In progress and back without a reload (K8.8)."""
    set_states(place, state, "IN_PROGRESS")
    rows.question(P)
    await refresh(database, clock)
    assert states(place) == ("WAITING_FOR_INPUT", "REVIEW")


@pytest.mark.parametrize("state", ["COMPLETED", "FAILED", "CANCELLED"])
async def test_a_session_that_has_ended_stays_ended(
    database: Database, rows: RowMaker, clock: FakeClock, place: Place, state: str
) -> None:
    """K8.7 case 112; K1.9: terminal states refuse."""
    rows.question(P)
    set_states(place, state, "IN_PROGRESS")
    await refresh(database, clock)
    async with database.writing() as tx:
        assert not await session_states.run_again(tx, S, clock.now())
    assert states(place) == (state, "IN_PROGRESS")


async def test_an_answer_lets_the_session_run_and_its_task_go_on(
    database: Database, rows: RowMaker, clock: FakeClock, place: Place
) -> None:
    """K1.9, answer returned to the agent; a second call changes nothing."""
    set_states(place, "RUNNING", "IN_PROGRESS")
    rows.question(P)
    await refresh(database, clock)
    await claim(database, make_claim(P))
    async with database.writing() as tx:
        await session_states.refresh(tx, S, clock.now())
        await intents.finalize(tx, P, ClaimId("claim-1"), Delivery.DELIVERED, clock.now())
        assert await session_states.run_again(tx, S, clock.now())
        assert not await session_states.run_again(tx, S, clock.now())
    assert states(place) == ("RUNNING", "IN_PROGRESS")


async def test_a_session_with_another_open_question_keeps_waiting(
    database: Database, rows: RowMaker, clock: FakeClock, place: Place
) -> None:
    """K1.9: a task is in review while one of its questions is open."""
    set_states(place, "WAITING_FOR_INPUT", "REVIEW")
    rows.question(P)
    rows.question("p2")
    await claim(database, make_claim(P))
    await refresh(database, clock)
    async with database.writing() as tx:
        assert not await session_states.run_again(tx, S, clock.now())
    assert states(place) == ("WAITING_FOR_INPUT", "REVIEW")


async def test_a_task_is_in_review_while_any_of_its_sessions_asks(
    database: Database, rows: RowMaker, clock: FakeClock, place: Place
) -> None:
    """K8.7 case 112: whichever of them asks, and until none does; one that has ended does not."""
    for name, state in (("s2", "RUNNING"), ("s3", "COMPLETED")):
        rows.session(name, state=state)
        rows.turn(f"turn-{name}", name)
        rows.question(f"p-{name}", turn=f"turn-{name}", session=name)
    with raw(place) as connection:
        connection.execute("UPDATE task_sessions SET task_id = 'task-s1'")
        connection.execute("UPDATE tasks SET state = 'IN_PROGRESS'")

    def task() -> str:
        with raw(place) as connection:
            return str(
                connection.execute("SELECT state FROM tasks WHERE id = 'task-s1'").fetchone()[0]
            )

    async def refreshed(session: str) -> str:
        async with database.writing() as tx:
            await session_states.refresh(tx, SessionId(session), clock.now())
        return task()

    rows.question(P)
    assert await refreshed("s2") == "REVIEW"
    await claim(database, make_claim(P))
    assert await refreshed("s1") == "REVIEW"
    await claim(database, make_claim(PendingId("p-s2")))
    assert await refreshed("s3") == "IN_PROGRESS"


@pytest.mark.parametrize("state", ["DONE", "BLOCKED", "COMPLETED"])
async def test_a_task_somebody_has_closed_stays_closed(
    database: Database, rows: RowMaker, clock: FakeClock, place: Place, state: str
) -> None:
    """K1.9."""
    set_states(place, "RUNNING", state)
    rows.question(P)
    await refresh(database, clock)
    assert states(place)[1] == state


async def test_an_answer_after_the_end_of_the_turn_lets_the_session_rest(
    database: Database, rows: RowMaker, clock: FakeClock, place: Place
) -> None:
    set_states(place, "RUNNING", "IN_PROGRESS")
    rows.question(P)
    await refresh(database, clock)
    await claim(database, make_claim(P))
    with raw(place) as connection:
        connection.execute("UPDATE task_session_turns SET completed_at = started_at")
    async with database.writing() as tx:
        await intents.finalize(tx, P, ClaimId("claim-1"), Delivery.DELIVERED, clock.now())
        await session_states.run_again(tx, S, clock.now())
    assert states(place)[0] == "IDLE"
