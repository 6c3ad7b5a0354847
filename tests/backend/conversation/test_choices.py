"""What was chosen before the first prompt: taken, or refused in a row of its own."""

from pathlib import Path

import pytest

from backend.domain.agents import ConfigOption, OptionChoice, SessionMode, SessionSetup
from backend.domain.hosted import AgentStatus, SessionStart
from backend.domain.session_notice import SessionNotice
from backend.ids import AdmissionId, TaskId
from backend.store import hosted_sessions, prompts
from backend.store.hosted_sessions import SessionChange
from tests.helpers.clock import FakeClock, settle
from tests.helpers.place import Place
from tests.helpers.scripted_hosting import Hosted, S, hosting
from tests.helpers.scripted_launcher import AGENT, ScriptedLauncher
from tests.helpers.waiting import until

MODES = (SessionMode("ask", "Ask first"), SessionMode("code", "Edit by itself"))
MODEL = ConfigOption("model", "Model", "large", (OptionChoice("large", "Large"),))


async def start(hosted: Hosted, prompt: str = "go") -> None:
    await hosted.desk.desk.conversations.start_session(
        SessionStart(
            S,
            AGENT,
            str(hosted.folder),
            prompt=prompt,
            admission_id=AdmissionId("first") if prompt else None,
            mode="code",
            options=(("model", "small"),),
        )
    )


async def notices(hosted: Hosted) -> list[object]:
    page = await hosted.desk.desk.list_messages(S)
    own = [row.metadata.get("kandesk") for row in page.messages if row.kind == "status"]
    return [part.get("notice") for part in own if isinstance(part, dict)]


async def test_what_was_chosen_is_told_before_the_first_prompt(
    place: Place, clock: FakeClock, tmp_path: Path
) -> None:
    async with hosting(place, clock, tmp_path) as hosted:
        await start(hosted)
        await hosted.works()
        assert hosted.agent.chosen == ["mode code", "model small"]
        assert await notices(hosted) == []


@pytest.mark.parametrize("prompt", ["go", ""])
async def test_a_choice_the_agent_refuses_is_told_and_everything_else_goes_on(
    place: Place, clock: FakeClock, tmp_path: Path, prompt: str
) -> None:
    launcher = ScriptedLauncher()
    launcher.refuses = frozenset({"mode code"})
    async with hosting(place, clock, tmp_path, launcher) as hosted:
        await start(hosted, prompt)
        if prompt:
            await hosted.works()
            assert launcher.given == ["go"]
        else:
            await hosted.status(AgentStatus.READY)
        assert hosted.agent.chosen == ["model small"]
        assert await notices(hosted) == [SessionNotice.CHOICE_REFUSED]


@pytest.mark.parametrize("refused", ["mode code", "model small"])
async def test_a_refused_choice_is_told_once_and_not_at_every_resume(
    place: Place, clock: FakeClock, tmp_path: Path, refused: str
) -> None:
    """What was refused is no choice any more; what was taken is chosen again."""
    launcher = ScriptedLauncher()
    launcher.refuses = frozenset({refused})
    async with hosting(place, clock, tmp_path, launcher) as hosted:
        await start(hosted, "")
        await hosted.status(AgentStatus.READY)
        for _ in range(2):
            await hosted.desk.desk.conversations.end_session(S)
            await hosted.status(AgentStatus.ABSENT)
            await hosted.desk.desk.conversations.resume(S)
            await hosted.status(AgentStatus.READY)
        assert await notices(hosted) == [SessionNotice.CHOICE_REFUSED]
        if refused == "mode code":
            assert hosted.agent.chosen == ["model small"]


async def test_that_row_is_no_proof_that_the_agent_had_the_prompt(
    place: Place, clock: FakeClock, tmp_path: Path
) -> None:
    """K5.7: only what the agent itself has said is."""
    launcher = ScriptedLauncher()
    launcher.refuses = frozenset({"mode code"})
    async with hosting(place, clock, tmp_path, launcher) as hosted:
        await start(hosted)
        await hosted.works()
        (reserved,) = (await hosted.desk.desk.list_messages(S)).messages[:1]
        assert len(await notices(hosted)) == 1
        async with hosted.faults.reading() as tx:
            prompt = prompts.ReservedPrompt(
                turn_id=reserved.turn_id,
                session_id=S,
                task_id=TaskId("any"),
                message_id=reserved.message_id,
                text="go",
                answers=None,
                attempted=True,
            )
            assert not await prompts.was_taken(tx, prompt)


async def test_an_agent_is_offered_with_what_could_be_chosen_when_it_last_ran(
    place: Place, clock: FakeClock, tmp_path: Path
) -> None:
    async with hosting(place, clock, tmp_path) as hosted:
        (offer,) = await hosted.desk.desk.conversations.list_agents()
        assert (offer.modes, offer.options) == ((), ())
        await hosted.start()
        await hosted.status(AgentStatus.READY)
        assert hosted.agent.setup == SessionSetup("agent-0")
        async with hosted.faults.writing() as tx:
            known = SessionChange(modes=MODES, mode="ask", options=(MODEL,))
            await hosted_sessions.change(tx, S, known, clock.now())
        (offer,) = await hosted.desk.desk.conversations.list_agents()
        assert (offer.modes, offer.options) == (MODES, (MODEL,))


async def test_no_prompt_goes_out_before_what_was_chosen_for_it(
    place: Place, clock: FakeClock, tmp_path: Path
) -> None:
    """A message written while the agent starts is meant for the mode that was chosen."""
    launcher = ScriptedLauncher()
    launcher.slow_to_choose = True
    async with hosting(place, clock, tmp_path, launcher) as hosted:
        await start(hosted, "")
        await until(lambda: launcher.agents)
        await hosted.send("go")
        await settle()
        assert hosted.agent.given == []
        hosted.agent.takes_choices.set()
        await hosted.works()
        assert hosted.agent.chosen == ["mode code", "model small"]
