"""From a started session to a streamed reply and back, with an agent in a child process."""

from pathlib import Path

from backend.domain.hosted import AgentStatus
from tests.helpers.hosting_desk import hosting_desk, prompts_in
from tests.helpers.scripted_agents import scripted_command


async def test_a_session_is_started_prompted_answered_and_idle_again(tmp_path: Path) -> None:
    log = tmp_path / "frames"
    async with hosting_desk(tmp_path) as desk:
        session = await desk.start("say Hello, human", command=scripted_command(log=str(log)))
        conversation = await desk.ready(session)
        assert conversation.status is AgentStatus.READY
        assert await desk.said(session) == ["user: say Hello, human", "agent: Hello, human"]
        assert prompts_in(log) == ["say Hello, human"]
        await desk.send(session, "say Again")
        await desk.until(session, lambda seen: len(seen.queue) == 0)
        await desk.ready(session)
        assert (await desk.said(session))[-1] == "agent: Again"
