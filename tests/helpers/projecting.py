"""Cards beside their requests in a real store, and the desk's repair of them on a test's clock."""

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from backend.clock import Deadline, Nanoseconds, format_timestamp
from backend.events import EventBus, StoreAvailability
from backend.ids import MessageId, ReviewId
from backend.review.repairing import CardRepair
from backend.store import projection_rows
from backend.store.database import Database, Params, Priority, Row, Transaction
from backend.store.metadata import decode, encode
from backend.store.wrapped_database import WrappedDatabase
from backend.work.supervisor import TaskSupervisor
from tests.helpers.clock import FakeClock
from tests.helpers.faults import FaultyDatabase
from tests.helpers.place import Place, open_store, raw
from tests.helpers.plans import Recorder
from tests.helpers.store import RowMaker
from tests.helpers.waiting import until

W = "w1"
UNKNOWN = "tool_execution_outcome_unknown"
STALE: Mapping[str, object] = {
    "pending_id": "p",
    "status": "approved",
    "permission_resolution": {"result": "dispatching", "reason": "kept"},
    "kandesk": {"review_status": "approved", "folder": "/home/ann/shop"},
}
"""A card whose request was approved, and of which no more was told."""
ASKED: Mapping[str, object] = {"pending_id": "p", "kandesk": {"folder": "/home/ann/shop"}}
"""A card nobody has decided."""
MOMENT = format_timestamp(Nanoseconds(1_700_000_000_000_000_000))


NOBODY = "of nobody"
"""Who carries out a request whose reader fails."""


class Failing(Recorder):
    """As a fault of ours would: the look at one request raises, at every try."""

    async def fetch_one(self, sql: str, params: Params | None = None) -> Row | None:
        row = await super().fetch_one(sql, params)
        if row is not None and " r.owner," in sql and row["owner"] == NOBODY:
            raise ValueError("nobody can read it")
        return row


class RecordingDatabase(WrappedDatabase):
    """Implements `Database`; writes down every statement and counts the transactions."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self.statements: list[tuple[str, Params]] = []
        self.transactions = 0

    def reading(self, deadline: Deadline | None = None) -> AbstractAsyncContextManager[Transaction]:
        return self._recorded(super().reading(deadline))

    def writing(
        self, deadline: Deadline | None = None, *, priority: Priority = Priority.NORMAL
    ) -> AbstractAsyncContextManager[Transaction]:
        return self._recorded(self._database.writing(deadline, priority=priority))

    @asynccontextmanager
    async def _recorded(
        self, transaction: AbstractAsyncContextManager[Transaction]
    ) -> AsyncIterator[Transaction]:
        self.transactions += 1
        async with transaction as tx:
            yield Failing(tx, self.statements)


def shows(word: str, status: str) -> dict[str, object]:
    """A card that shows it already."""
    return {**STALE, "status": status, "kandesk": {"review_status": word}}


class Cards:
    """Puts requests with their cards into a store, and reads the cards."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self._rows = RowMaker(place)

    def session(self, name: str = "s1", workspace: str = W) -> None:
        self._rows.session(name)
        self._rows.turn(f"turn of {name}", name)
        self._run("UPDATE tasks SET workspace_id = ? WHERE id = ?", workspace, f"task-{name}")

    def add(
        self,
        *names: str,
        status: str = "executed",
        card: Mapping[str, object] = STALE,
        error: str = "",
        decided: bool = True,
        readable: bool = True,
        workspace: str = W,
        session: str = "s1",
    ) -> None:
        """Requests of these ids, each with its call and its card `card of <id>`."""
        decided_at = MOMENT if decided else None
        call, owner = '{"call_id":"c"}', "agent" if readable else NOBODY
        with raw(self.place) as connection:
            connection.executemany(
                "INSERT INTO task_session_messages (id, task_session_id, turn_id, type, content,"
                " metadata, created_at, updated_at)"
                " VALUES (?, ?, ?, 'permission_request', 'make', ?, ?, ?)",
                (
                    (
                        f"card of {n}",
                        session,
                        f"turn of {session}",
                        json.dumps(card),
                        MOMENT,
                        MOMENT,
                    )
                    for n in names
                ),
            )
            connection.executemany(
                "INSERT INTO tool_invocations (id, workspace_id, owner, session_id, arguments_hash,"
                " status, error_code, created_at, updated_at)"
                " VALUES (?, ?, 'agent', ?, '', 'succeeded', ?, ?, ?)",
                ((f"call of {n}", workspace, session, error, MOMENT, MOMENT) for n in names),
            )
            connection.executemany(
                "INSERT INTO tool_action_requests (id, workspace_id, owner, invocation_id,"
                " session_id, turn_id, status, interaction_id, decided_at,"
                " canonical_arguments_hash, signed_arguments, created_at, updated_at)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, '', ?, ?, ?)",
                (
                    (
                        *(
                            n,
                            workspace,
                            owner,
                            f"call of {n}",
                            session,
                            f"turn of {session}",
                            status,
                        ),
                        *(f"card of {n}", decided_at, call, MOMENT, MOMENT),
                    )
                    for n in names
                ),
            )

    def decide(self, name: str) -> None:
        """What nobody could tell is known now."""
        self._run("UPDATE tool_action_requests SET decided_at = ? WHERE id = ?", MOMENT, name)

    def fail(self, name: str, error: str) -> None:
        self._run(
            "UPDATE tool_invocations SET error_code = ? WHERE id = ?", error, f"call of {name}"
        )

    def overwrite(self, name: str, card: Mapping[str, object]) -> None:
        """Beside the desk, without a word to it."""
        self._run(
            "UPDATE task_session_messages SET metadata = ? WHERE id = ?",
            json.dumps(card),
            f"card of {name}",
        )

    def card(self, name: str) -> dict[str, object]:
        return decode(self._row(name)["metadata"])

    def word(self, name: str) -> str:
        """What the card says became of the request."""
        own = self.card(name).get("kandesk")
        return str(own.get("review_status", "")) if isinstance(own, dict) else ""

    def revision(self, name: str) -> int:
        return int(self._row(name)["revision"])

    def table(self, name: str) -> list[tuple[object, ...]]:
        with raw(self.place) as connection:
            rows = connection.execute(f"SELECT * FROM {name} ORDER BY 1").fetchall()  # noqa: S608
        return [tuple(row) for row in rows]

    def _row(self, name: str) -> Any:
        with raw(self.place) as connection:
            return connection.execute(
                "SELECT metadata, revision FROM task_session_messages WHERE id = ?",
                (f"card of {name}",),
            ).fetchone()

    def _run(self, sql: str, *params: object) -> None:
        with raw(self.place) as connection:
            connection.execute(sql, params)


@dataclass
class CardDesk:
    """What a test needs of a desk that repairs cards."""

    cards: Cards
    database: RecordingDatabase
    faults: FaultyDatabase
    repair: CardRepair
    bus: EventBus
    supervisor: TaskSupervisor
    clock: FakeClock
    told: list[ReviewId] = field(default_factory=list)
    """Cards that were published, in order."""

    async def start(self) -> None:
        """Begin, and let the look for what the last run left come to its end."""
        self.repair.start(maintenance=True)
        await self.clock.advance(0)

    async def hint(self, workspace: str = W) -> None:
        """A committed write of somebody, and nothing but its hint."""
        async with self.faults.writing() as tx:
            tx.hint(workspace)
        await self.clock.advance(0)

    async def administer(self, name: str, card: Mapping[str, object], workspace: str = W) -> bool:
        """Replace a card as a writer of cards alone does; whether it has hinted."""
        card_id = MessageId(f"card of {name}")
        async with self.faults.writing() as tx:
            linked = await projection_rows.hint_linked(tx, workspace, [card_id])
            await tx.execute(
                "UPDATE task_session_messages SET metadata = :card WHERE id = :id",
                {"card": encode(dict(card)), "id": card_id},
            )
        await self.clock.advance(0)
        return linked

    async def rest(self) -> None:
        """Wait until no pass runs any more; a long one outlives a step of the clock."""
        await until(lambda: self.repair._worker._running is None, seconds=30)

    def away(self, *, available: bool) -> None:
        self.bus.publish(StoreAvailability(available=available, detail=""))

    def pages(self) -> list[Params]:
        """The parameters of every look for candidates."""
        return [params for sql, params in self.database.statements if "LIMIT :limit" in sql]


@asynccontextmanager
async def card_desk(place: Place, clock: FakeClock) -> AsyncIterator[CardDesk]:
    """Not started; with one session of workspace `W`."""
    real = await open_store(place, clock)
    cards = Cards(place)
    cards.session()
    faults = FaultyDatabase(real)
    database = RecordingDatabase(faults)
    supervisor, bus = TaskSupervisor(), EventBus()
    told: list[ReviewId] = []

    async def tell(review_id: ReviewId) -> None:
        told.append(review_id)

    repair = CardRepair(database, clock, bus, supervisor, tell)
    try:
        yield CardDesk(cards, database, faults, repair, bus, supervisor, clock, told)
    finally:
        await supervisor.stop(1.0)
        await real.close()
