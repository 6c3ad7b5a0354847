"""The statements of the store written for PostgreSQL; a server runs them once there is a driver."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from backend.clock import Nanoseconds
from backend.domain.clarification import Delivery, Withdrawn
from backend.ids import ClaimId, PendingId, SessionId
from backend.store import (
    bundles,
    claims,
    intents,
    messages,
    same_questions,
    session_states,
    sessions,
    turns,
    withdrawals,
)
from backend.store.database import Params, Row
from backend.store.dialect import Dialect
from tests.helpers.builders import make_guest
from tests.helpers.store import make_claim

P = PendingId("p1")
S = SessionId("s1")
NOW = Nanoseconds(5)
PENDING_ID = "metadata::jsonb->>'pending_id' = :pending_id"


@dataclass
class Paper:
    """A transaction that only writes down what it is asked to run; every row is the sequence's."""

    statements: list[str] = field(default_factory=list)
    dialect: Dialect = Dialect.POSTGRESQL

    async def fetch_all(self, sql: str, params: Params | None = None) -> Sequence[Row]:
        self.statements.append(sql)
        return []

    async def fetch_one(self, sql: str, params: Params | None = None) -> Row | None:
        self.statements.append(sql)
        return {"value": 1, "id": None}

    async def execute(self, sql: str, params: Params | None = None) -> int:
        self.statements.append(sql)
        return 0

    async def execute_many(self, sql: str, params: Sequence[Params]) -> None:
        self.statements.append(sql)


async def test_no_statement_for_postgresql_speaks_sqlite() -> None:
    paper = Paper()
    await claims.claim(paper, make_claim(P))
    await intents.finalize(paper, P, ClaimId("c"), Delivery.DELIVERED, NOW)
    await intents.restore(paper, P, ClaimId("c"), NOW)
    await withdrawals.detach(paper, P, NOW)
    await withdrawals.withdraw(paper, P, Withdrawn.BY_HUMAN, NOW)
    await intents.list_intents(paper)
    await bundles.load_bundle(paper, P)
    await bundles.load_bundles(paper, [P])
    await bundles.list_open(paper)
    await messages.bundle_messages(paper, P)
    await sessions.list_summaries(paper)
    await session_states.refresh(paper, S, NOW)
    await sessions._abandoned(paper, make_guest(), ())
    await same_questions._candidates(paper, [P])
    await turns.current_turn(paper, S)
    assert len(paper.statements) >= 15
    text = "\n".join(paper.statements)
    assert not [word for word in ("json_extract", "json_set", "json_each", "json(") if word in text]


async def test_the_claim_its_guard_and_the_reload_use_the_expression_of_the_index() -> None:
    """clarification-response-reliability, Index shape; K8.6 78."""
    paper = Paper()
    await claims.claim(paper, make_claim(P))
    await messages.bundle_messages(paper, P)
    locks, _, claim, lookup = paper.statements
    assert locks.startswith("SELECT DISTINCT m.task_session_id")
    assert PENDING_ID in claim
    assert "o.metadata::jsonb->>'pending_id' = task_session_messages.metadata::jsonb" in claim
    assert PENDING_ID in lookup
