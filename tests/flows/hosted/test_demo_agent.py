"""The demo agent in a whole desk (agents.md, Catalog)."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from backend.agents.discovery import demo_offer
from backend.domain.agents import AgentCommand
from backend.events import MessagesChanged
from backend.ids import ClaimId, ClientId, SessionId, new_id
from tests.helpers.hosting_desk import HostingDesk, hosting_desk
from tests.helpers.human import Human
from tests.helpers.waiting import eventually


def demo_command() -> AgentCommand:
    command = demo_offer().command
    assert command is not None
    return command


@asynccontextmanager
async def demo(folder: Path) -> AsyncIterator[tuple[HostingDesk, Human, SessionId]]:
    """A desk with one conversation with the demo agent, whose words come at once."""
    async with hosting_desk(folder) as desk:
        token = (folder / "home" / "token").read_text().strip()
        async with Human(desk.runtime.api_url, token) as human:
            session = await desk.start(command=demo_command())
            await desk.ready(session)
            await desk.until(session, lambda seen: bool(seen.options))
            await desk.api.set_option(session, "pace", "swift")
            yield desk, human, session


def listing(folder: Path) -> list[Path]:
    return list(folder.iterdir())


async def kinds(desk: HostingDesk, session: SessionId) -> list[str]:
    return [row.kind for row in await desk.rows(session)]


async def test_it_asks_in_its_own_session_and_goes_on_with_the_answer(tmp_path: Path) -> None:
    async with demo(tmp_path) as (desk, human, session):
        await desk.send(session, "/several")
        [bundle] = await human.wait_for(1)
        assert bundle["session_id"] == session
        assert len(bundle["questions"]) == 3
        await human.answer(bundle, text="orders")
        await desk.ready(session)
        said = await desk.said(session)
        assert said[-1].startswith("agent: ")
        assert "Python" in said[-1]
        assert "orders" in said[-1]


async def test_it_asks_one_question_and_streams_markdown_word_by_word(tmp_path: Path) -> None:
    """agents.md, Catalog: single questions; a row that grows, with a table and code."""
    async with demo(tmp_path) as (desk, human, session):
        await desk.api.set_option(session, "pace", "calm")
        await desk.send(session, "/ask")
        [bundle] = await human.wait_for(1)
        [question] = bundle["questions"]
        assert len(question["options"]) == 3
        told = [
            row.content
            for event in desk.events
            if isinstance(event, MessagesChanged)
            for row in event.messages
            if row.author == "agent" and row.kind == "message"
        ]
        assert len(set(told)) > 2
        assert all(told[-1].startswith(state) for state in told)
        await desk.api.set_option(session, "pace", "swift")
        await human.answer(bundle)
        await desk.ready(session)
        assert "**SQLite**" in (await desk.said(session))[-1]
        await desk.send(session, "/help")
        await desk.ready(session)
        last = (await desk.said(session))[-1]
        assert "| `/ask` | one question" in last
        assert "```python\n" in last


@pytest.mark.parametrize(("choice", "words"), [("allow", "All of them"), ("reject", "Then I")])
async def test_it_waits_for_a_permission(tmp_path: Path, choice: str, words: str) -> None:
    async with demo(tmp_path) as (desk, _, session):
        await desk.send(session, "/permission")

        async def asked() -> bool:
            return bool(await desk.desk.reviews.list_open_reviews())

        await eventually(asked, seconds=20)
        [review] = await desk.desk.reviews.list_open_reviews()
        assert review.session_id == session
        await desk.desk.reviews.decide(
            review.review_id,
            choice,
            client_id=ClientId("test"),
            claim_token=ClaimId(new_id()),
        )
        await desk.ready(session)
        assert words in (await desk.said(session))[-1]


async def test_it_changes_a_file_that_is_nobodys(tmp_path: Path) -> None:
    async with demo(tmp_path) as (desk, _, session):
        await desk.send(session, "/edit")
        await desk.ready(session)
        assert (await kinds(desk, session)).count("tool_edit") == 2
        assert "tool_read" in await kinds(desk, session)
    assert [path.name for path in listing(tmp_path)] == ["home"]


async def test_it_gives_up_and_takes_the_answer_as_a_new_message(tmp_path: Path) -> None:
    """K8.6 80; agents.md: times out on purpose; the question stays (K1.7)."""
    async with demo(tmp_path) as (desk, human, session):
        await desk.send(session, "/timeout 1")
        [bundle] = await human.wait_for(1)
        gave_up = "I could not wait any longer"

        async def given_up() -> bool:
            return any(gave_up in words for words in await desk.said(session))

        await eventually(given_up, seconds=20)
        await desk.until(session, lambda seen: seen.turn_id is None)
        [still_open] = await human.pending()
        assert still_open["pending_id"] == bundle["pending_id"]
        await human.answer(bundle)

        async def answered() -> bool:
            said = await desk.said(session)
            return said[-1].startswith("agent: ") and "Good." in said[-1]

        await eventually(answered, seconds=20)
        assert (await desk.said(session))[-1] == "agent: So it is **Yes, deploy**. Good."
