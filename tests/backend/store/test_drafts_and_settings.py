from backend.clock import Nanoseconds
from backend.domain.clarification import AnswerDraft
from backend.ids import PendingId
from backend.store import drafts, settings
from backend.store.database import Database
from tests.helpers.builders import make_answer

P = PendingId("p1")


async def test_the_last_draft_saved_is_the_one_loaded(database: Database) -> None:
    first = AnswerDraft(P, (make_answer("q1", "q1_opt1"),))
    last = AnswerDraft(P, (make_answer("q1", text=" 直接 👋 "), make_answer("q2")), 1)
    async with database.writing() as tx:
        assert await drafts.load(tx, P) is None
        await drafts.save(tx, first, Nanoseconds(1))
        await drafts.save(tx, last, Nanoseconds(2))
    async with database.reading() as tx:
        assert await drafts.load(tx, P) == last
    async with database.writing() as tx:
        await drafts.delete(tx, P)
        await drafts.delete(tx, P)
        assert await drafts.load(tx, P) is None


async def test_a_setting_keeps_its_last_text(database: Database) -> None:
    async with database.writing() as tx:
        assert await settings.get(tx, "port") is None
        await settings.put(tx, "port", "1")
        await settings.put(tx, "port", "2")
    async with database.reading() as tx:
        assert await settings.get(tx, "port") == "2"
