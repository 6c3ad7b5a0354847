import pytest

from backend.domain.clarification import Bundle, BundleStatus, Delivery, Question
from backend.ids import PendingId
from backend.store import bundles, intents
from backend.store.database import Database
from tests.helpers.builders import make_draft, make_guest, make_question
from tests.helpers.clock import FakeClock
from tests.helpers.place import Place, raw
from tests.helpers.store import (
    SKIP,
    YES,
    RowMaker,
    ask,
    claim,
    make_claim,
    metadata_of,
)

P = PendingId("p1")


async def load(database: Database, pending_id: PendingId = P) -> Bundle | None:
    async with database.reading() as tx:
        return await bundles.load_bundle(tx, pending_id)


async def open_ids(database: Database) -> list[str]:
    async with database.reading() as tx:
        return [bundle.pending_id for bundle in await bundles.list_open(tx)]


async def test_a_bundle_reads_back_as_it_was_asked(database: Database, clock: FakeClock) -> None:
    draft = make_draft(
        make_question("db", "哪个数据库", ("SQLite", "پستگرس", "🐘"), title="Store"),
        make_question("free", "Anything else?", ()),
        make_question("many", "Which?", ("a", "b"), multi_select=True),
        context="line one\nline two",
    )
    asked = await ask(database, clock, draft)
    bundle = await load(database, asked.pending_id)
    assert bundle is not None
    assert tuple(item.question for item in bundle.questions) == draft.questions
    assert (bundle.context, bundle.expected_questions) == (draft.context, 3)
    assert (bundle.session_id, bundle.task_id, bundle.turn_id) == (
        asked.session_id,
        asked.task_id,
        asked.turn_id,
    )
    assert bundle.answerable
    assert (bundle.delivery, bundle.claim_id, bundle.waiting_calls) == (None, None, 0)


async def test_its_rows_have_the_metadata_keys_of_kandev(
    database: Database, clock: FakeClock, place: Place
) -> None:
    """K1.2, K1.3."""
    asked = await ask(database, clock, make_draft(make_question("q1"), make_question("q2")))
    for index, metadata in enumerate(metadata_of(place, asked.pending_id)):
        assert metadata == {
            "pending_id": asked.pending_id,
            "question_id": f"q{index + 1}",
            "question": {
                "id": f"q{index + 1}",
                "title": "",
                "prompt": "Which database?",
                "options": [
                    {"option_id": f"q{index + 1}_opt1", "label": "SQLite", "description": ""},
                    {"option_id": f"q{index + 1}_opt2", "label": "PostgreSQL", "description": ""},
                ],
            },
            "question_index": index,
            "question_total": 2,
            "context": "",
            "status": "pending",
            "kandesk": {"multi_select": False},
        }
    with raw(place) as connection:
        found = connection.execute(
            "SELECT requests_input, author_type, type FROM task_session_messages"
            " ORDER BY created_at"
        ).fetchall()
    assert [tuple(row) for row in found] == [
        (0, "agent", "clarification_request"),
        (1, "agent", "clarification_request"),
    ]


async def test_an_unknown_id_is_no_bundle(database: Database) -> None:
    assert await load(database) is None


async def test_another_kind_of_request_is_no_bundle(database: Database, rows: RowMaker) -> None:
    rows.question("p1", kind="permission_request")
    assert await load(database) is None


async def test_questions_are_ordered_by_index_then_time(database: Database, rows: RowMaker) -> None:
    """K8.6 45."""
    rows.question("p1", question_id="third", question_index=2)
    rows.question("p1", question_id="first", question_index=0)
    rows.question("p1", question_id="also first", question_index="?")
    bundle = await load(database)
    assert bundle is not None
    assert [item.question.id for item in bundle.questions] == ["first", "also first", "third"]


async def test_a_question_that_cannot_be_parsed_degrades_to_its_text(
    database: Database, rows: RowMaker
) -> None:
    """K8.6 45."""
    rows.question("p1", question=["not", "an", "object"], drop=("question_id",))
    bundle = await load(database)
    assert bundle is not None
    assert bundle.questions[0].question == Question(id="", prompt="Go on?")  # type: ignore[arg-type]


async def test_the_task_comes_from_the_session_when_the_row_has_none(
    database: Database, rows: RowMaker
) -> None:
    """K8.6 73."""
    rows.question("p1")
    bundle = await load(database)
    assert bundle is not None
    assert bundle.task_id == "task-s1"


async def test_an_unknown_status_is_reported_pending_and_cannot_be_answered(
    database: Database, rows: RowMaker
) -> None:
    """K1.5; K8.6 46."""
    rows.question("p1", status="odd")
    bundle = await load(database)
    assert bundle is not None
    assert bundle.questions[0].status is BundleStatus.PENDING
    assert not bundle.answerable


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("answered", "pending", BundleStatus.PENDING),
        ("cancelled", "answered", BundleStatus.ANSWERED),
        ("rejected", "answered", BundleStatus.REJECTED),
        ("expired", "cancelled", BundleStatus.EXPIRED),
    ],
)
async def test_the_status_of_a_bundle_follows_from_its_rows(
    database: Database,
    rows: RowMaker,
    first: str,
    second: str,
    expected: BundleStatus,
) -> None:
    """K5.4."""
    rows.question("p1", status=first)
    rows.question("p1", status=second, question_id="q2", question_index=1)
    bundle = await load(database)
    assert bundle is not None
    assert bundle.status is expected


async def test_the_inbox_lists_what_can_be_answered_oldest_first(
    database: Database, rows: RowMaker
) -> None:
    """K8.6 73: includes absent status, mixed and nested-only ids; the rest is excluded."""
    rows.session("ended", state="COMPLETED")
    rows.turn("turn-ended", "ended")
    rows.session("moved-on")
    rows.turn("old", "moved-on")
    rows.question("superseded", turn="old", session="moved-on")
    rows.turn("new", "moved-on")
    rows.question("pending")
    rows.question("absent", drop=("status",))
    rows.question("mixed", status="answered")
    rows.question("mixed", question_id="q2", question_index=1)
    rows.question("nested", drop=("question_id",))
    rows.question("answered", status="answered")
    rows.question("parent", parent_question=True)
    rows.question("ended", turn="turn-ended", session="ended")
    rows.question("odd", status="odd")
    assert await open_ids(database) == ["pending", "absent", "mixed", "nested"]


async def test_answers_that_wait_are_listed_until_they_are_settled(
    database: Database, clock: FakeClock
) -> None:
    first, second = await ask(database, clock), await ask(database, clock)
    for number, asked in enumerate((second, first)):
        token = f"claim-{number}"
        assert await claim(
            database, make_claim(asked.pending_id, SKIP, claim_id=token, now=10 + number)
        )
        async with database.writing() as tx:
            await intents.finalize(
                tx,
                asked.pending_id,
                make_claim(asked.pending_id, claim_id=token).claim_id,
                Delivery.WAITING_FOR_AGENT,
                clock.now(),
            )
    async with database.reading() as tx:
        found = await bundles.list_uncollected(tx)
    assert [bundle.pending_id for bundle in found] == [second.pending_id, first.pending_id]


async def test_many_open_bundles_are_read_together(database: Database, clock: FakeClock) -> None:
    asked = [await ask(database, clock, guest=make_guest(f"k{number}")) for number in range(30)]
    assert await open_ids(database) == [item.pending_id for item in asked]
    assert await claim(database, make_claim(asked[3].pending_id, YES))
    assert len(await open_ids(database)) == 29
