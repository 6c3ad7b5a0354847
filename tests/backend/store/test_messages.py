import pytest

from backend.clock import Nanoseconds
from backend.domain.clarification import Delivery
from backend.domain.conversation import Message, MessagePage
from backend.errors import NotFound
from backend.ids import MessageId, PendingId, SessionId, TaskId, TurnId
from backend.store import messages, withdrawals
from backend.store.database import Database
from tests.helpers.builders import make_draft, make_question
from tests.helpers.clock import FakeClock
from tests.helpers.place import Place, raw
from tests.helpers.store import RowMaker, ask, claim, make_claim

S1 = SessionId("s1")


async def write(database: Database, content: str, now: int = 5) -> Message:
    async with database.writing() as tx:
        return await messages.insert_message(
            tx,
            session_id=S1,
            task_id=TaskId("task-s1"),
            turn_id=TurnId("turn1"),
            kind="message",
            author="agent",
            content=content,
            metadata={"kandesk": {"note": True}},
            now=Nanoseconds(now),
        )


async def page(
    database: Database,
    *,
    before: MessageId | None = None,
    after: MessageId | None = None,
    limit: int = 3,
) -> MessagePage:
    async with database.reading() as tx:
        return await messages.page(tx, S1, before=before, after=after, limit=limit)


def texts(found: MessagePage) -> list[str]:
    return [message.content for message in found.messages]


async def test_a_row_reads_back_as_it_was_written(database: Database, rows: RowMaker) -> None:
    written = await write(database, "Grüße, 世界, مرحبا 👋", now=1_234_567_890_123_456_789)
    assert (await page(database)).messages == (written,)


async def test_pages_follow_each_other_without_gap_or_overlap(
    database: Database, rows: RowMaker
) -> None:
    written = [await write(database, f"{number}", now=number // 2) for number in range(8)]
    by_place = sorted(written, key=lambda message: (message.created_at, message.message_id))
    expected = [message.content for message in by_place]
    last = await page(database)
    assert (texts(last), last.has_older, last.has_newer) == (expected[5:], True, False)
    middle = await page(database, before=last.messages[0].message_id)
    assert (texts(middle), middle.has_older, middle.has_newer) == (expected[2:5], True, True)
    first = await page(database, before=middle.messages[0].message_id)
    assert (texts(first), first.has_older) == (expected[:2], False)
    forward = await page(database, after=first.messages[-1].message_id)
    assert (texts(forward), forward.has_older, forward.has_newer) == (expected[2:5], True, True)
    end = await page(database, after=middle.messages[-1].message_id)
    assert (texts(end), end.has_newer) == (expected[5:], False)


async def test_an_empty_transcript_is_an_empty_page(database: Database, rows: RowMaker) -> None:
    assert await page(database) == MessagePage((), has_older=False, has_newer=False)


async def test_a_page_cannot_start_from_a_row_of_another_session(
    database: Database, rows: RowMaker
) -> None:
    rows.session("s2")
    rows.turn("t2", "s2")
    other = MessageId(rows.message(turn="t2", session="s2"))
    with pytest.raises(NotFound):
        await page(database, before=other)


async def test_every_change_of_a_row_raises_its_revision(
    database: Database, rows: RowMaker, clock: FakeClock
) -> None:
    """clarification.md, improvement 10."""
    first = await write(database, "a")
    second = await write(database, "b")
    asked = await ask(database, clock)
    seen = [first.revision, second.revision]

    async def newest() -> int:
        async with database.reading() as tx:
            (row,) = await messages.bundle_messages(tx, asked.pending_id)
        return row.revision

    seen.append(await newest())
    async with database.writing() as tx:
        await withdrawals.detach(tx, asked.pending_id, clock.now())
    seen.append(await newest())
    await claim(database, make_claim(asked.pending_id))
    seen.append(await newest())
    assert seen == sorted(set(seen))


async def test_revisions_go_on_after_the_newest_rows_are_deleted(
    database: Database, rows: RowMaker, place: Place
) -> None:
    last = await write(database, "a")
    with raw(place) as connection:
        connection.execute("DELETE FROM task_session_messages")
    assert (await write(database, "b")).revision > last.revision


async def test_the_questions_of_a_bundle_stand_in_the_transcript_in_their_order(
    database: Database, clock: FakeClock
) -> None:
    draft = make_draft(*(make_question(f"q{number}", f"{number}?") for number in range(4)))
    for _ in range(3):
        asked = await ask(database, clock, draft)
        async with database.reading() as tx:
            rows = await messages.bundle_messages(tx, asked.pending_id)
        assert [row.content for row in rows] == ["0?", "1?", "2?", "3?"]
        assert {row.pending_id for row in rows} == {asked.pending_id}


async def test_times_in_the_forms_of_kandev_are_read(
    database: Database, rows: RowMaker, place: Place
) -> None:
    """K2.7, K6.6."""
    rows.message()
    with raw(place) as connection:
        connection.execute(
            "UPDATE task_session_messages SET created_at = '2026-08-22 10:00:00.5+00:00'"
        )
    (message,) = (await page(database)).messages
    assert message.created_at % 1_000_000_000 == 500_000_000


async def test_a_question_says_where_its_answer_is(
    database: Database, rows: RowMaker, place: Place
) -> None:
    """K5.6 row 19: a desk that starts anew knows which answers nobody has confirmed."""
    rows.question("p1")
    rows.question("p2")
    assert [message.delivery for message in (await page(database)).messages] == [None, None]
    assert await claim(database, make_claim(PendingId("p2")))
    with raw(place) as connection:
        connection.execute("UPDATE interaction_deliveries SET state = 'unknown'")
    found = {item.pending_id: item.delivery for item in (await page(database)).messages}
    assert found == {"p1": None, "p2": Delivery.UNKNOWN}
