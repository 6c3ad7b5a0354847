"""The real Claude Code, started with the desk's permission-prompt tool (T8.1)."""

import asyncio
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from pathlib import Path

import pytest

from backend.domain.clarification import Answer, Answered
from backend.domain.review import NOT_TOLD, Review, ReviewStatus
from tests.helpers.desk import HUMAN, new_token
from tests.helpers.hosting_desk import HostingDesk, hosting_desk
from tests.helpers.peer_agents import AGENTS_ROOT, PEER_AGENTS, call, user_environment
from tests.helpers.program import ROOT
from tests.helpers.waiting import eventually

pytestmark = [pytest.mark.peers, pytest.mark.timeout(180)]

PROGRAM = (
    AGENTS_ROOT / "npm/claude-acp/node_modules/@anthropic-ai/claude-agent-sdk-linux-x64/claude"
)
TOOL = "mcp__kandesk__request_permission"


class Claude:
    """One run of `claude --print` in a project, as a guest over the shim `connect` has set up."""

    def __init__(self, tmp_path: Path, model: str) -> None:
        self.user, self.project = tmp_path / "user", tmp_path / "project"
        self.home = tmp_path / "desk"
        self.project.mkdir()
        agent = next(agent for agent in PEER_AGENTS if agent.key == "claude-code")
        self.env = {
            **user_environment(self.user),
            **agent.prepare(self.user, self.project, model),
            "PYTHONPATH": str(ROOT),
        }

    async def connect(self) -> None:
        connect = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "app.launch",
            "connect",
            "claude-code",
            "--home",
            str(self.home),
            env=self.env,
            stdout=DEVNULL,
        )
        assert await connect.wait() == 0

    async def run(self, prompt: str) -> Process:
        return await asyncio.create_subprocess_exec(
            str(PROGRAM),
            "--print",
            "--permission-prompt-tool",
            TOOL,
            prompt,
            env=self.env,
            cwd=self.project,
            stdin=DEVNULL,
            stdout=PIPE,
            stderr=PIPE,
        )


async def said(process: Process) -> str:
    out, err = await asyncio.wait_for(process.communicate(), 90)
    return out.decode() + err.decode()


@pytest.fixture
async def claude(tmp_path: Path, model: str) -> Claude:
    if not PROGRAM.exists():
        pytest.fail("Claude Code is not installed; run packaging/dev/agents.sh")
    found = Claude(tmp_path, model)
    await found.connect()
    return found


async def open_review(hosting: HostingDesk) -> Review:
    found: list[Review] = []

    async def is_open() -> bool:
        found.extend(await hosting.desk.reviews.list_open_reviews())
        return bool(found)

    await eventually(is_open, seconds=60)
    return found[0]


async def decide(hosting: HostingDesk, review: Review, option: str) -> None:
    await hosting.desk.reviews.decide(
        review.review_id, option, client_id=HUMAN, claim_token=new_token()
    )


def touch(name: str) -> str:
    return call("Bash", command=f"touch {name}", description="make a file")


async def test_what_is_allowed_runs_and_what_is_declined_does_not(claude: Claude) -> None:
    """Shows 3: permission allow and deny of a guest; its outcome is never told over MCP."""
    async with hosting_desk(claude.project, home=claude.home) as hosting:
        for option, name in (("allow", "yes.txt"), ("deny", "no.txt")):
            process = await claude.run(touch(name))
            review = await open_review(hosting)
            assert review.call.tool_name == "Bash"
            assert review.folder == str(claude.project)
            await decide(hosting, review, option)
            text = await said(process)
            assert process.returncode == 0, text
            assert (claude.project / name).exists() is (option == "allow"), text
            if option == "deny":
                assert "The user declined this" in text
            else:

                async def is_settled(review: Review = review) -> bool:
                    stored = await hosting.desk.reviews.get_review(review.review_id)
                    return (
                        stored.status is ReviewStatus.OUTCOME_UNKNOWN and stored.error == NOT_TOLD
                    )

                await eventually(is_settled)


async def test_its_own_questions_are_question_cards(claude: Claude) -> None:
    """agents.md: AskUserQuestion through the permission prompt is answered, not allowed."""
    options = [
        {"label": "Rouge vif", "description": "stands out"},
        {"label": "Bleu nuit", "description": "calm"},
    ]
    question = {
        "question": "Which colour?",
        "header": "Colour",
        "options": options,
        "multiSelect": False,
    }
    async with hosting_desk(claude.project, home=claude.home) as hosting:
        process = await claude.run(call("AskUserQuestion", questions=[question]))

        async def is_asked() -> bool:
            return bool(await hosting.desk.list_open_bundles())

        await eventually(is_asked, seconds=60)
        (bundle,) = await hosting.desk.list_open_bundles()
        asked = bundle.questions[0].question
        answer = Answer(asked.id, (asked.options[1].id,), "")
        await hosting.desk.respond(
            bundle.pending_id, Answered((answer,)), client_id=HUMAN, claim_token=new_token()
        )
        text = await said(process)
    assert "Bleu nuit" in text


async def test_our_own_tools_are_not_asked_about(claude: Claude) -> None:
    """agents.md, ACP. With --print Claude itself refuses a tool that needs a human in its own
    terminal, whatever it is answered: its own questions are what comes here then.
    """
    async with hosting_desk(claude.project, home=claude.home) as hosting:
        text = await said(await claude.run(call("mcp__kandesk__send_note", text="half way")))
        assert "The note is in the transcript." in text
        ask = call("mcp__kandesk__ask_user_question", questions=[{"prompt": "Which?"}])
        text = await said(await claude.run(ask))
        assert "requires user interaction" in text
        assert await hosting.desk.list_open_bundles() == ()
        assert await hosting.desk.reviews.list_open_reviews() == ()
