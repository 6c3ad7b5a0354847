"""An answer given between two calls of an agent that works on: its client ends every call after a
while, whatever is sent to it (agents.md, Patience).
"""

from pathlib import Path

import pytest

from backend.domain.clarification import Bundle, Delivery
from backend.domain.hosted import AgentStatus
from backend.ids import SessionId
from backend.mcp import held_calls
from tests.flows.hosted.test_asking import asks
from tests.helpers.builders import make_answer
from tests.helpers.hosting_desk import HostingDesk, hosting_desk, prompts_in
from tests.helpers.scripted_agents import scripted_command
from tests.helpers.waiting import eventually, until


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every call ends with a ticket after a third of a second."""

    def limit(*_place: object, **_known: object) -> float:
        return 0.3

    monkeypatch.setattr(held_calls, "waiting_limit", limit)


async def asked(desk: HostingDesk, session: SessionId) -> Bundle:
    """Wait until the call has ended with its ticket and the agent has gone on."""

    async def told() -> bool:
        return any('"status": "waiting"' in line for line in await desk.said(session))

    await eventually(told, seconds=20)
    return await desk.question(session)


def working_on(go: Path, *behind: str) -> str:
    return "\n".join((asks(), "say goes on", f"until {go}", *behind))


async def test_get_answer_later_in_the_same_turn_has_it(desk: HostingDesk, tmp_path: Path) -> None:
    log, go = tmp_path / "frames", tmp_path / "go"
    session = await desk.start(working_on(go, "collect"), command=scripted_command(log=str(log)))
    bundle = await asked(desk, session)
    outcome = await desk.answer(bundle, make_answer("q1", "pg"))
    assert outcome.delivery is Delivery.WAITING_FOR_AGENT
    go.touch()
    await desk.ready(session)
    assert '"status": "answered"' in (await desk.said(session))[-1]
    assert '"pg"' in (await desk.said(session))[-1]
    assert (await desk.desk.get_bundle(bundle.pending_id)).delivery is Delivery.DELIVERED
    assert len(prompts_in(log)) == 1


async def test_a_turn_that_ends_without_it_is_followed_by_it(
    desk: HostingDesk, tmp_path: Path
) -> None:
    """K5.5 a-e, once."""
    log, go = tmp_path / "frames", tmp_path / "go"
    session = await desk.start(working_on(go), command=scripted_command(log=str(log)))
    bundle = await asked(desk, session)
    await desk.answer(bundle, make_answer("q1", "pg"))
    go.touch()
    await until(lambda: len(prompts_in(log)) == 2, seconds=20)
    await desk.ready(session)
    assert "PostgreSQL" in prompts_in(log)[1]
    assert (await desk.desk.get_bundle(bundle.pending_id)).delivery is Delivery.DELIVERED
    assert len(prompts_in(log)) == 2


async def test_a_skip_is_told_to_the_call_that_comes_and_to_nobody_else(
    desk: HostingDesk, tmp_path: Path
) -> None:
    """K5.5: it resumes nobody."""
    log, go = tmp_path / "frames", tmp_path / "go"
    session = await desk.start(working_on(go, "collect"), command=scripted_command(log=str(log)))
    bundle = await asked(desk, session)
    assert (await desk.skip(bundle)).delivery is Delivery.DISCARDED
    go.touch()
    await desk.ready(session)
    assert '"status": "skipped"' in (await desk.said(session))[-1]
    assert len(prompts_in(log)) == 1


async def test_an_agent_that_dies_before_it_came_for_it_is_given_it(
    desk: HostingDesk, tmp_path: Path
) -> None:
    log, go = tmp_path / "frames", tmp_path / "go"
    session = await desk.start(working_on(go, "exit 3"), command=scripted_command(log=str(log)))
    bundle = await asked(desk, session)
    await desk.answer(bundle, make_answer("q1", "pg"))
    go.touch()
    await until(lambda: len(prompts_in(log)) == 2, seconds=20)
    await desk.ready(session)
    assert (await desk.desk.get_bundle(bundle.pending_id)).delivery is Delivery.DELIVERED


async def test_a_turn_that_is_stopped_leaves_it_to_its_human(
    desk: HostingDesk, tmp_path: Path
) -> None:
    log = tmp_path / "frames"
    session = await desk.start(
        working_on(tmp_path / "never"), command=scripted_command(log=str(log))
    )
    bundle = await asked(desk, session)
    await desk.answer(bundle, make_answer("q1", "pg"))
    await desk.api.cancel_turn(session)
    await desk.ready(session)
    await desk.send(session, "say on")
    await until(lambda: prompts_in(log)[1:] == ["say on"], seconds=20)
    await desk.ready(session)
    (left,) = await desk.desk.list_uncollected()
    assert left.pending_id == bundle.pending_id


async def test_a_desk_that_starts_again_gives_it_to_the_agent_it_starts(tmp_path: Path) -> None:
    """K5.7: the agent that asked is gone with the desk."""
    async with hosting_desk(tmp_path) as desk:
        session = await desk.start(working_on(tmp_path / "never"))
        bundle = await asked(desk, session)
        await desk.answer(bundle, make_answer("q1", "pg"))
    async with hosting_desk(tmp_path) as desk:

        async def delivered() -> bool:
            return (await desk.desk.get_bundle(bundle.pending_id)).delivery is Delivery.DELIVERED

        await eventually(delivered, seconds=20)
        await desk.until(session, lambda seen: seen.status is AgentStatus.READY)
        assert any("PostgreSQL" in line for line in await desk.said(session))
