"""No statement on the way of an answer reads the history of others (P2; K8.6 75, 76)."""

import sqlite3
from dataclasses import dataclass
from pathlib import Path

import pytest

from backend.clock import Nanoseconds
from backend.domain.clarification import Answered, Delivery, Withdrawn
from backend.domain.conversation import SessionKind
from backend.ids import ClaimId, MessageId, PendingId, SessionId
from backend.store import bundles, deliveries, intents, messages, sessions, withdrawals
from backend.store.database import Transaction
from backend.store.sqlite import SqliteDatabase
from tests.helpers.builders import make_answer, make_guest
from tests.helpers.clock import FakeClock
from tests.helpers.plans import Recorder
from tests.helpers.store import (
    Asked,
    RowMaker,
    add_unrelated_history,
    ask,
    claim,
    lock_and_claim,
    make_claim,
)


@pytest.fixture
def place(path: Path) -> Path:
    """These tests are about SQLite."""
    return path


P = PendingId("p1")
CLAIM = ClaimId("claim-1")
NOW = Nanoseconds(9_000)
BOTH = Answered((make_answer("q1", "q1_opt1"), make_answer("q2", "q2_opt1")))


@dataclass
class Plans:
    """The plans of the statements one call has run."""

    path: Path
    database: SqliteDatabase
    recorder: Recorder | None = None

    def record(self, tx: Transaction) -> Recorder:
        self.recorder = Recorder(tx)
        return self.recorder

    def lines(self, containing: str = "") -> list[str]:
        assert self.recorder is not None
        found: list[str] = []
        connection = sqlite3.connect(self.path)
        for sql, params in self.recorder.statements:
            if containing in sql:
                plan = connection.execute(f"EXPLAIN QUERY PLAN {sql}", dict(params))
                found += [str(row[3]) for row in plan]
        connection.close()
        assert found
        return found

    def assert_no_scan(self) -> None:
        scans = [
            line for line in self.lines() if line.startswith("SCAN") and "CONSTANT" not in line
        ]
        own = ("VIRTUAL TABLE", "json_each", "SCAN asked")
        assert not [line for line in scans if not any(word in line for word in own)]


@pytest.fixture
async def plans(database: SqliteDatabase, rows: RowMaker, path: Path) -> Plans:
    add_unrelated_history(path)
    rows.question("p1")
    rows.question("p1", question_id="q2", question_index=1)
    return Plans(path, database)


def searches(lines: list[str], table: str, index: str) -> bool:
    return any(line.startswith(f"SEARCH {table} USING INDEX {index}") for line in lines)


ORDERED = "idx_messages_metadata_pending_id_lookup_ordered (<expr>=?)"
LOOKUP = "idx_messages_metadata_pending_id_lookup"


async def test_the_lookup_uses_the_ordered_index_without_sorting(plans: Plans) -> None:
    """K8.6 76."""
    async with plans.database.reading() as tx:
        found = await messages.bundle_messages(plans.record(tx), P)
    assert len(found) == 2
    lookup, *deliveries = plans.lines()
    assert lookup == f"SEARCH task_session_messages USING INDEX {ORDERED}"
    assert searches(deliveries, "interaction_deliveries", "sqlite_autoindex")
    assert not any("TEMP B-TREE" in line for line in deliveries)


async def test_reading_a_bundle_uses_the_ordered_index(plans: Plans) -> None:
    async with plans.database.reading() as tx:
        await bundles.load_bundle(plans.record(tx), P)
    plans.assert_no_scan()
    lines = plans.lines("delivery_state")
    assert f"SEARCH m USING INDEX {ORDERED}" in lines
    assert not [line for line in lines if "TEMP B-TREE FOR ORDER BY" in line]


async def test_the_claim_and_its_guard_and_its_reload_search_by_pending_id(plans: Plans) -> None:
    """K8.6 76, 78."""
    async with plans.database.writing() as tx:
        assert await lock_and_claim(plans.record(tx), make_claim(P, BOTH))
    plans.assert_no_scan()
    claim_lines = plans.lines("NOT EXISTS")
    assert searches(claim_lines, "task_session_messages", LOOKUP)
    assert searches(claim_lines, "o", LOOKUP)
    assert f"SEARCH m USING INDEX {ORDERED}" in plans.lines("'responding' AND (EXISTS")


async def test_finalizing_searches_by_pending_id(plans: Plans) -> None:
    await claim(plans.database, make_claim(P, BOTH))
    async with plans.database.writing() as tx:
        assert await intents.finalize(plans.record(tx), P, CLAIM, Delivery.DELIVERED, NOW)
    plans.assert_no_scan()
    assert searches(
        plans.lines("json_remove"),
        "task_session_messages",
        "idx_messages_delivery_intent (<expr>=?)",
    )


async def test_restoring_searches_by_pending_id(plans: Plans) -> None:
    await claim(plans.database, make_claim(P, BOTH))
    async with plans.database.writing() as tx:
        assert await intents.restore(plans.record(tx), P, CLAIM, NOW)
    plans.assert_no_scan()
    assert f"SEARCH m USING INDEX {ORDERED}" in plans.lines("response_delivery_pending")


async def test_detaching_and_withdrawing_search_by_pending_id(plans: Plans) -> None:
    async with plans.database.writing() as tx:
        assert await withdrawals.detach(plans.record(tx), P, NOW)
        plans.assert_no_scan()
        assert await withdrawals.withdraw(plans.record(tx), P, Withdrawn.BY_HUMAN, NOW)
    plans.assert_no_scan()


async def test_recovery_reads_the_intents_only(plans: Plans) -> None:
    await claim(plans.database, make_claim(P, BOTH))
    async with plans.database.reading() as tx:
        assert len(await intents.list_intents(plans.record(tx))) == 1
    assert any("USING INDEX idx_messages_delivery_intent" in line for line in plans.lines())


async def test_the_inbox_reads_the_open_questions_only(plans: Plans) -> None:
    async with plans.database.reading() as tx:
        await bundles.list_open(plans.record(tx))
    assert searches(plans.lines("DISTINCT"), "m", "idx_messages_clarification_open (type=?)")
    assert searches(plans.lines(":ids"), "m", LOOKUP)


async def test_a_guest_is_found_by_its_key_or_its_place(plans: Plans, clock: FakeClock) -> None:
    await ask(plans.database, clock, guest=make_guest("old shim"))
    async with plans.database.writing() as tx:
        recorder = plans.record(tx)
        await sessions.ensure_guest(recorder, make_guest("new shim"), connected=(), now=NOW)
    plans.assert_no_scan()
    lines = plans.lines()
    assert any("idx_task_sessions_guest_key" in line for line in lines)
    assert any("idx_task_sessions_guest_place" in line for line in lines)


async def test_equal_questions_and_tickets_are_found_by_index(
    plans: Plans, clock: FakeClock
) -> None:
    await ask(plans.database, clock, key="k")
    asked: Asked = await ask(plans.database, clock)
    async with plans.database.reading() as tx:
        recorder = plans.record(tx)
        bundle = await bundles.load_bundle(recorder, asked.pending_id)
        await deliveries.find_by_ticket(recorder, f"hash of {asked.pending_id}")
        await deliveries.rejoinable(recorder, connection_id="c", question_digest="d", cut_after=NOW)
    assert bundle is not None
    assert bundle.asked_again_of is not None
    plans.assert_no_scan()


async def test_a_page_of_a_transcript_reads_its_rows_only(plans: Plans) -> None:
    session = SessionId("other")
    async with plans.database.reading() as tx:
        page = await messages.page(
            plans.record(tx), session, before=MessageId("other-5000"), limit=50
        )
    assert len(page.messages) == 50
    plans.assert_no_scan()


async def test_a_session_line_counts_its_own_questions_only(plans: Plans) -> None:
    async with plans.database.reading() as tx:
        summary = await sessions.get_summary(plans.record(tx), SessionId("s1"))
    assert summary is not None
    assert (summary.kind, summary.pending_questions) == (SessionKind.HOSTED, 1)
    assert searches(
        plans.lines(), "m", "idx_messages_clarification_open (type=? AND task_session_id=?)"
    )
