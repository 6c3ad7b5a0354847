"""What neither dialect can hold: NUL and lone surrogates (architecture.md, the edge rule)."""

import pytest

from backend.clock import Nanoseconds
from backend.domain.clarification import AnswerDraft
from backend.domain.conversation import GuestIdentity
from backend.errors import NotFound
from backend.ids import ClaimId, IdempotencyKey, MessageId, PendingId, SessionId
from backend.store import (
    bundles,
    deliveries,
    drafts,
    intents,
    messages,
    sessions,
    turns,
    withdrawals,
)
from backend.store import settings as stored_settings
from backend.store.database import Database
from backend.store.metadata import encode
from backend.store.parameters import storable_text
from tests.helpers.builders import make_answer, make_guest
from tests.helpers.clock import FakeClock
from tests.helpers.store import ask, lock_and_claim, make_claim

BAD = ["a\0b", "a\ud800b", "\udfff", "\0"]
NOW = Nanoseconds(9_000)


def test_only_what_cannot_be_stored_is_replaced() -> None:
    assert storable_text("a\0\ud800é🖐\ufffd") == "a\ufffd\ufffdé🖐\ufffd"


def test_json_is_cleaned_in_keys_and_values_and_a_backslash_stays_one() -> None:
    cleaned = encode({"a\0": ["\ud83d", "🖐", "\\u0000", {"b": "\udc00"}], "n": [1, None, True]})
    assert cleaned == (
        '{"a\\ufffd":["\\ufffd","\\ud83d\\udd90","\\\\u0000",{"b":"\\ufffd"}],"n":[1,null,true]}'
    )


@pytest.mark.parametrize("bad", BAD)
async def test_a_look_up_by_such_an_id_finds_nothing(
    database: Database, clock: FakeClock, bad: str
) -> None:
    """As for any unknown id: nothing is raised that a door could not translate."""
    pending, session = PendingId(bad), SessionId(bad)
    await ask(database, clock)
    async with database.reading() as tx:
        assert await bundles.load_bundle(tx, pending) is None
        assert await bundles.load_bundles(tx, [pending]) == ()
        assert await drafts.load(tx, pending) is None
        assert await messages.bundle_messages(tx, pending) == ()
        assert await sessions.get_summary(tx, session) is None
        assert await turns.current_turn(tx, session) is None
        assert await deliveries.find_by_key(tx, IdempotencyKey(bad)) is None
        assert await deliveries.find_by_ticket(tx, bad) is None
        assert await stored_settings.get(tx, bad) is None
        assert await intents.find(tx, pending) is None
        with pytest.raises(NotFound):
            await messages.page(tx, session, before=MessageId(bad))
    async with database.writing() as tx:
        assert not await lock_and_claim(tx, make_claim(pending))
        assert not await withdrawals.detach(tx, pending, NOW)
        assert not await intents.restore(tx, pending, ClaimId(bad), NOW)
        await drafts.delete(tx, pending)


@pytest.mark.parametrize("bad", BAD)
async def test_what_an_agent_says_of_itself_is_stored_with_a_replacement(
    database: Database, clock: FakeClock, bad: str
) -> None:
    seen = storable_text(bad)
    guest = make_guest(bad, client=bad, folder=f"/projects/{bad}")
    assert isinstance(guest, GuestIdentity)
    asked = await ask(database, clock, guest=guest, connection=bad, key=f"key {bad}")
    again = await ask(database, clock, guest=guest, connection=bad)
    assert again.session_id == asked.session_id
    async with database.reading() as tx:
        summary = await sessions.get_summary(tx, asked.session_id)
        found = await deliveries.find_by_key(tx, IdempotencyKey(f"key {bad}"))
    assert summary is not None
    assert (summary.agent, summary.workspace) == (seen, f"/projects/{seen}")
    assert found == asked.pending_id


@pytest.mark.parametrize("bad", BAD)
async def test_a_draft_and_a_row_of_the_transcript_are_stored_with_a_replacement(
    database: Database, clock: FakeClock, bad: str
) -> None:
    asked = await ask(database, clock)
    answer = make_answer("q1", text=bad)
    async with database.writing() as tx:
        await drafts.save(tx, AnswerDraft(asked.pending_id, (answer,)), NOW)
        await stored_settings.put(tx, bad, bad)
        await messages.insert_message(
            tx,
            session_id=asked.session_id,
            task_id=asked.task_id,
            turn_id=asked.turn_id,
            kind="message",
            author="agent",
            content=bad,
            metadata={"note": bad, bad: 1},
            now=NOW,
        )
    async with database.reading() as tx:
        draft = await drafts.load(tx, asked.pending_id)
        page = await messages.page(tx, asked.session_id)
    assert draft is not None
    assert draft.answers[0].custom_text == storable_text(bad)
    (note,) = [message for message in page.messages if message.kind == "message"]
    assert note.content == storable_text(bad)
    assert note.metadata == {"note": storable_text(bad), storable_text(bad): 1}
