"""What an answer makes the store do, through the store's own functions and transactions."""

import sqlite3
import time
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any, Self, TypeVar

from backend.clock import Nanoseconds, SystemClock
from backend.domain.clarification import Answer, Answered, Delivery
from backend.domain.digest import payload_digest
from backend.ids import ClaimId, ClientId, OptionId, PendingId, QuestionId
from backend.store import bundles, claims, drafts, intents, session_states
from backend.store.database import Database, Params, Priority, Row, Statement, Transaction
from backend.store.dialect import Dialect
from backend.store.locks import lock_bundles

T = TypeVar("T")
Operation = Callable[[Transaction, PendingId], Coroutine[Any, Any, object]]


def claim_id(pending: PendingId) -> ClaimId:
    return ClaimId(f"bench of {pending}")


def questions_of(pending: PendingId) -> int:
    return 1 + int(pending.rpartition("-")[2]) % 4


def make_claim(pending: PendingId) -> claims.Claim:
    answers = tuple(
        Answer(QuestionId(f"q{number + 1}"), (OptionId(f"q{number + 1}_opt1"),))
        for number in range(questions_of(pending))
    )
    outcome = Answered(answers)
    return claims.Claim(
        pending_id=pending,
        outcome=outcome,
        claim_id=claim_id(pending),
        client_id=ClientId("bench"),
        payload_digest=payload_digest(outcome),
        now=now(),
    )


def now() -> Nanoseconds:
    return SystemClock().now()


async def identity(tx: Transaction, pending: PendingId) -> None:
    await bundles.require_bundle(tx, pending)


async def claim(tx: Transaction, pending: PendingId) -> None:
    await lock_bundles(tx, [pending])
    assert await claims.claim(tx, make_claim(pending))


async def look_and_claim(tx: Transaction, pending: PendingId) -> None:
    """The claim's transaction as the resolver runs it: look, claim, drop the draft, session."""
    await lock_bundles(tx, [pending])
    bundle = await bundles.require_bundle(tx, pending)
    wanted = make_claim(pending)
    assert await claims.claim(tx, wanted)
    refreshing = session_states.refreshing(tx.dialect, bundle.session_id, wanted.now)
    await tx.execute_each([drafts.deletion(pending), *refreshing])


async def finalize(tx: Transaction, pending: PendingId) -> None:
    settled = await intents.finalize(tx, pending, claim_id(pending), Delivery.DELIVERED, now())
    assert settled


async def restore(tx: Transaction, pending: PendingId) -> None:
    assert await intents.restore(tx, pending, claim_id(pending), now())


@dataclass
class Desk:
    """How long each operation takes through the program's own connections."""

    database: Database

    async def read(self, operation: Operation, pending: PendingId) -> float:
        began = time.perf_counter()
        async with self.database.reading() as tx:
            await tx.in_place(lambda tx: operation(tx, pending))
        return time.perf_counter() - began

    async def write(self, operation: Operation, pending: PendingId) -> float:
        began = time.perf_counter()
        async with self.database.writing(priority=Priority.CLAIM) as tx:
            await tx.in_place(lambda tx: operation(tx, pending))
        return time.perf_counter() - began

    async def identity_and_claim(self, pending: PendingId) -> float:
        return await self.read(identity, pending) + await self.write(look_and_claim, pending)


class PlainTransaction:
    """Implements `Transaction` on a store as it is, without opening it as a desk would.

    Counts the steps of SQLite's machine in units of `unit`.
    """

    dialect = Dialect.SQLITE

    def __init__(self, connection: sqlite3.Connection, unit: int) -> None:
        self._connection = connection
        self._unit = unit
        self.steps = 0

    def __enter__(self) -> Self:
        self._connection.execute("BEGIN IMMEDIATE")
        if self._unit:
            self._connection.set_progress_handler(self._tick, self._unit)
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.set_progress_handler(None, 0)
        self._connection.execute("COMMIT")

    async def fetch_all(self, sql: str, params: Params | None = None) -> Sequence[Row]:
        return self._connection.execute(sql, dict(params or {})).fetchall()

    async def fetch_one(self, sql: str, params: Params | None = None) -> Row | None:
        found = await self.fetch_all(sql, params)
        return found[0] if found else None

    async def execute(self, sql: str, params: Params | None = None) -> int:
        return self._connection.execute(sql, dict(params or {})).rowcount

    async def execute_each(self, statements: Sequence[Statement]) -> Sequence[int]:
        return [await self.execute(sql, params) for sql, params in statements]

    async def in_place(
        self, work: Callable[[Transaction], Coroutine[Any, Any, T]], *, last: bool = False
    ) -> T:
        return await work(self)

    def before_commit(self, check: Callable[[], None]) -> None:
        """What a bench writes is never committed by itself."""

    def hint(self, workspace_id: str) -> None:
        """Nobody follows what a bench writes."""

    def _tick(self) -> bool:
        self.steps += self._unit
        return False


async def plain(
    connection: sqlite3.Connection, operation: Operation, pending: PendingId, *, unit: int = 0
) -> tuple[float, int]:
    """Seconds and steps of one operation; with a `unit` the seconds mean nothing."""
    began = time.perf_counter()
    with PlainTransaction(connection, unit) as tx:
        await operation(tx, pending)
    return time.perf_counter() - began, tx.steps
