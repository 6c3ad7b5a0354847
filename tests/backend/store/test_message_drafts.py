"""What is being typed to an agent stays in the store as it was typed."""

from backend.clock import Nanoseconds
from backend.domain.hosted import MessageDraft
from backend.ids import AdmissionId, SessionId
from backend.store import message_drafts
from backend.store.database import Database
from tests.helpers.place import Place
from tests.helpers.store import RowMaker

S1 = SessionId("s1")
NOW = Nanoseconds(5)


async def save(database: Database, draft: MessageDraft) -> None:
    async with database.writing() as tx:
        await message_drafts.save(tx, draft, NOW)


async def load(database: Database, session_id: SessionId = S1) -> MessageDraft | None:
    async with database.reading() as tx:
        return await message_drafts.load(tx, session_id)


async def test_a_draft_reads_back_as_it_was_typed(database: Database, place: Place) -> None:
    """K8.3.1: with the identity of a message whose result is not known."""
    RowMaker(place).session("s1")
    typed = MessageDraft(S1, "  zwei\n\n中文 🐘 \n", AdmissionId("a1"), "zwei")
    await save(database, MessageDraft(S1, "first"))
    await save(database, typed)
    assert await load(database) == typed


async def test_a_blank_draft_leaves_nothing_behind(database: Database, place: Place) -> None:
    RowMaker(place).session("s1")
    await save(database, MessageDraft(S1, "words"))
    await save(database, MessageDraft(S1))
    assert await load(database) is None


async def test_a_draft_of_a_session_that_is_gone_is_silently_nothing(database: Database) -> None:
    await save(database, MessageDraft(SessionId("gone"), "words"))
    assert await load(database, SessionId("gone")) is None


async def test_a_draft_goes_with_its_session(database: Database, place: Place) -> None:
    RowMaker(place).session("s1")
    await save(database, MessageDraft(S1, "words"))
    async with database.writing() as tx:
        await tx.execute("DELETE FROM task_sessions WHERE id = :id", {"id": "s1"})
    assert await load(database) is None
