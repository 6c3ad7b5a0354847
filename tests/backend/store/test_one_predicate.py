"""What is listed, what is shown as answerable and what can be claimed is one and the same."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from backend.domain.conversation import PendingAction
from backend.domain.listing import PageQuery
from backend.errors import StorageFailed
from backend.ids import PendingId, SessionId
from backend.store import bundles, listing, open_bundles, sessions
from backend.store.database import Database
from tests.helpers.clock import FakeClock
from tests.helpers.place import Place, open_store, raw
from tests.helpers.store import SKIP, RowMaker, claim, make_claim

P, S = PendingId("p1"), SessionId("s1")
Shape = Callable[[RowMaker, Place], None]


@dataclass(frozen=True)
class Seen:
    """Every place that says whether the bundle can be answered."""

    shown: bool
    in_the_window: bool
    on_a_page: bool
    open: bool
    open_in_session: bool
    counted: bool
    waited_for: bool


async def look(database: Database) -> Seen:
    async with database.reading() as tx:
        bundle = await bundles.load_bundle(tx, P)
        listed = await bundles.list_open(tx)
        page = await listing.list_open(tx, PageQuery())
        line = await sessions.get_summary(tx, S)
        assert line is not None
        return Seen(
            shown=bundle is not None and bundle.answerable,
            in_the_window=P in [item.pending_id for item in listed],
            on_a_page=P in [item.bundle.pending_id for item in page.bundles],
            open=await open_bundles.is_open(tx, P),
            open_in_session=P in await open_bundles.open_in_session(tx, S),
            counted=line.pending_questions > 0,
            waited_for=line.pending_action is PendingAction.CLARIFICATION,
        )


async def can_be_claimed(database: Database) -> bool:
    try:
        return await claim(database, make_claim(P, SKIP))
    except StorageFailed:
        return False


def plain(rows: RowMaker, _: Place) -> None:
    rows.question(P)


def without_status(rows: RowMaker, _: Place) -> None:
    rows.question(P, drop=("status",))


def empty_status(rows: RowMaker, _: Place) -> None:
    rows.question(P, status="")


def detached(rows: RowMaker, _: Place) -> None:
    rows.question(P, agent_disconnected=True)


def mixed(rows: RowMaker, _: Place) -> None:
    rows.question(P, status="answered")
    rows.question(P, question_id="q2", question_index=1)


def nested_only(rows: RowMaker, _: Place) -> None:
    rows.question(P, drop=("question_id",))


def beside_a_reserved_turn(rows: RowMaker, _: Place) -> None:
    rows.question(P)
    rows.turn("turn2", prompt_dispatch_pending=True)


def all_answered(rows: RowMaker, _: Place) -> None:
    rows.question(P, status="answered")
    rows.question(P, status="rejected", question_id="q2", question_index=1)


def unknown_status(rows: RowMaker, _: Place) -> None:
    rows.question(P, status="snoozed")


def superseded(rows: RowMaker, _: Place) -> None:
    rows.question(P)
    rows.turn("turn2")


def superseded_without_status(rows: RowMaker, _: Place) -> None:
    rows.question(P, drop=("status",))
    rows.turn("turn2")


def superseded_by_an_attempt(rows: RowMaker, _: Place) -> None:
    rows.question(P)
    rows.turn("turn2", prompt_dispatch_pending=True, prompt_dispatch_attempted=True)


def in_an_ended_session(rows: RowMaker, place: Place) -> None:
    rows.question(P)
    with raw(place) as connection:
        connection.execute("UPDATE task_sessions SET state = 'FAILED'")


def without_a_turn(rows: RowMaker, place: Place) -> None:
    rows.question(P)
    with raw(place) as connection:
        connection.execute("DELETE FROM task_session_turns")


def of_a_parent(rows: RowMaker, _: Place) -> None:
    rows.question(P, parent_question=True)


def with_a_row_of_another_kind(rows: RowMaker, _: Place) -> None:
    rows.question(P)
    rows.question(P, kind="permission_request", question_id="q2")


def nameless(rows: RowMaker, _: Place) -> None:
    rows.question(P, question_id="", drop=("question",))


def half_nameless(rows: RowMaker, _: Place) -> None:
    rows.question(P)
    rows.question(P, question_id="", drop=("question",), question_index=1)


OPEN = [plain, without_status, empty_status, detached, mixed, nested_only, beside_a_reserved_turn]
CLOSED = [
    all_answered,
    unknown_status,
    superseded,
    superseded_without_status,
    superseded_by_an_attempt,
    in_an_ended_session,
    without_a_turn,
    of_a_parent,
    with_a_row_of_another_kind,
    nameless,
    half_nameless,
]


@pytest.mark.parametrize("shape", OPEN, ids=lambda shape: shape.__name__)
async def test_what_can_be_claimed_is_listed_everywhere(
    database: Database, rows: RowMaker, place: Place, shape: Shape
) -> None:
    """K8.6 83; K8.7 case 112; K8.4 L2, L2a, L12; K8.6 55, 58, 73; LC.1."""
    shape(rows, place)
    assert set(vars(await look(database)).values()) == {True}
    assert await can_be_claimed(database)
    assert set(vars(await look(database)).values()) == {False}


@pytest.mark.parametrize("shape", CLOSED, ids=lambda shape: shape.__name__)
async def test_what_cannot_be_claimed_is_listed_nowhere(
    database: Database, rows: RowMaker, place: Place, shape: Shape
) -> None:
    """K8.6 83; K8.7 case 112; K8.4 L2a, L15; K8.6 54, 55, 58, 59, 73; LC.2."""
    shape(rows, place)
    assert set(vars(await look(database)).values()) == {False}
    assert not await can_be_claimed(database)


async def test_a_list_is_what_is_stored_and_nothing_else(
    database: Database, rows: RowMaker, place: Place, clock: FakeClock
) -> None:
    """K8.4 L2: a program that knows nothing of the question lists it too."""
    rows.question(P)
    other = await open_store(place, clock)
    try:
        assert (await look(other)).on_a_page
        assert await claim(database, make_claim(P, SKIP))
        assert not (await look(other)).on_a_page
    finally:
        await other.close()
