"""What agents should not do: each is a clear row or trouble in its own session, and no session
waits for another.

Beside each of them an agent talks on undisturbed.
"""

import shutil
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import pytest

from backend.agents import launcher
from backend.conversation import watching
from backend.domain.agents import AgentCommand
from backend.domain.conversation import Message
from backend.domain.hosted import AgentProblem, AgentStatus, AgentTrouble
from backend.errors import InvalidInput
from backend.events import ReviewOpened
from backend.ids import ClaimId, ReviewId, new_id
from tests.helpers.desk import HUMAN
from tests.helpers.hosting_desk import HostingDesk, is_free
from tests.helpers.scripted_agents import scripted_command
from tests.helpers.waiting import eventually, until

WORDS: Final = 40
_TALK: Final = f"stream {WORDS} 0.01 word,"


@asynccontextmanager
async def another_talks(desk: HostingDesk) -> AsyncIterator[None]:
    """Another session has its whole turn meanwhile, and a second one right after."""
    other = await desk.start(_TALK)
    await desk.until(other, lambda seen: seen.turn_id is not None)
    yield
    await desk.ready(other)
    assert await desk.said(other) == [f"user: {_TALK}", "agent: " + "word," * WORDS]
    await desk.send(other, "say and on")
    await desk.until(other, is_free)
    assert (await desk.said(other))[-1] == "agent: and on"


def shown(rows: list[Message]) -> list[tuple[str, str]]:
    """Kind and beginning of everything behind the prompt."""
    return [(row.kind, row.content[:40]) for row in rows[1:]]


TWENTY: Final = 20 * 1024 * 1024


@dataclass(frozen=True)
class Bad:
    """What an agent does in a turn, and what stands behind its prompt then."""

    script: str
    rows: list[tuple[str, str]]
    ends: bool = False
    """Its turn is over with it."""


IN_A_TURN: Final = {
    "frames that are not JSON": Bad(
        'raw no JSON\nraw {"broken\nraw [1, 2]\nraw \\u0000\nsay after',
        [("line_without_message", "line_without_message"), ("message", "after")],
    ),
    "a frame of 20 MB": Bad(
        f"bytes {TWENTY}\nsay after", [("message", "x" * 40)] * 5 + [("message", "after")]
    ),
    "a frame of 20 MB that is no text": Bad(
        'update {"sessionUpdate": "blob", "data": "' + "x" * 900_000 + '"}\nsay after',
        [("blob", "blob"), ("message", "after")],
    ),
    "unknown methods": Bad(
        'request terminal/create {"command": "ls"}\nrequest x/y {}',
        [
            ("request_of_unknown_method", "request_of_unknown_method"),
            ("message", 'reply: {"code": -32601, "message": "Meth'),
        ],
    ),
    "a form of an unknown session": Bad(
        'request elicitation/create {"sessionId": "nobody", "mode": "form", "message": "?"}',
        [
            ("form_of_unknown_session", "form_of_unknown_session"),
            ("message", 'reply: {"action": "cancel"}'),
        ],
    ),
    "a form in a way nobody knows": Bad(
        'request elicitation/create {"sessionId": "scripted-session", "mode": "hologram"}',
        [
            ("form_of_unknown_mode", "form_of_unknown_mode"),
            ("message", 'reply: {"action": "cancel"}'),
        ],
    ),
    "a permission without options": Bad(
        'request session/request_permission {"sessionId": "scripted-session",'
        ' "toolCall": {"toolCallId": "c"}, "options": []}',
        [
            ("permission_without_options", "permission_without_options"),
            ("message", 'reply: {"outcome": {"outcome": "cancelle'),
        ],
    ),
    "an unknown notification": Bad("notify some/thing {}\nsay after", [("message", "after")]),
    "an unknown kind of update": Bad(
        'update {"sessionUpdate": "hologram"}\nsay after',
        [("hologram", "hologram"), ("message", "after")],
    ),
    "an unknown session": Bad(
        "foreign psst",
        [
            ("update_of_unknown_session", "update_of_unknown_session"),
            ("permission_of_unknown_session", "permission_of_unknown_session"),
            ("message", "permission: cancelled"),
        ],
    ),
    "a flood on stderr": Bad("stderr 3000000\nsay after", [("message", "after")]),
    "a refused prompt": Bad(
        "fail no more tokens",
        [("error", "The agent answered with an error: no mor")],
        ends=True,
    ),
}


@pytest.mark.parametrize("bad", IN_A_TURN.values(), ids=IN_A_TURN)
async def test_what_is_wrong_in_a_turn_stands_in_its_transcript(
    desk: HostingDesk, bad: Bad, tmp_path: Path
) -> None:
    """And its turn is not over before another session has had two."""
    go = tmp_path / "go"
    async with another_talks(desk):
        session = await desk.start(f"{bad.script}\nuntil {go}")
        await desk.until(session, lambda seen: bad.ends or seen.turn_id is not None)
    assert bad.ends or (await desk.conversation(session)).turn_id is not None
    go.touch()
    await desk.until(session, is_free)
    assert shown(await desk.rows(session)) == bad.rows
    await desk.send(session, "say still here")
    await desk.until(session, is_free)
    assert (await desk.said(session))[-1] == "agent: still here"


def opened(desk: HostingDesk) -> list[ReviewId]:
    """The permissions that were asked for so far."""
    events = (event for event in desk.events if isinstance(event, ReviewOpened))
    return [event.review.review_id for event in events]


async def test_ids_that_are_used_again_are_asked_again(desk: HostingDesk) -> None:
    """Request ids repeat across turns, and within one: our ids are our own."""
    async with another_talks(desk):
        session = await desk.start("reuse Run it")
        for number in (1, 2):
            await until(lambda number=number: len(opened(desk)) == number, seconds=20)  # type: ignore[misc]
            asked = opened(desk)[-1]
            await desk.desk.reviews.decide(
                asked, "reject", client_id=HUMAN, claim_token=ClaimId(new_id())
            )
        await desk.until(session, is_free)
    assert len(set(opened(desk))) == 2
    assert (await desk.said(session))[-1].count("permission: reject") == 1


@dataclass(frozen=True)
class Ends:
    """What ends an agent, and what is told of it: the trouble, and the rows behind the prompt."""

    script: str
    problem: AgentProblem
    words: str
    rows: list[tuple[str, str]]
    command: AgentCommand = field(default_factory=scripted_command)


_OURS: Final = [("error", "The agent ended unexpectedly")]
_NO_MESSAGE: Final = ("line_without_message", "line_without_message")
ENDS: Final = {
    "exits at once": Ends(
        "say x",
        AgentProblem.START_FAILED,
        "cannot start: no configuration",
        [],
        scripted_command(start="exit"),
    ),
    "hangs at initialize": Ends(
        "say x", AgentProblem.HANGS_AT_START, "initialize", [], scripted_command(start="hang")
    ),
    "is no agent": Ends(
        "say x",
        AgentProblem.NOT_ACP,
        "Hello, human",
        [],
        AgentCommand((sys.executable, "-c", "print('Hello, human')")),
    ),
    "is not there": Ends(
        "say x", AgentProblem.COMMAND_MISSING, "no-such-agent", [], AgentCommand(("no-such-agent",))
    ),
    "floods stderr and exits": Ends(
        "stderr 3000000\nexit 3", AgentProblem.EXITED, "the last line", _OURS
    ),
    "exits in half a frame": Ends(
        'half {"jsonrpc": "2', AgentProblem.EXITED, "", [_NO_MESSAGE, *_OURS]
    ),
    "writes after its exit": Ends("orphan 1", AgentProblem.EXITED, "", [_NO_MESSAGE, *_OURS]),
    "sends a frame without end": Ends("bytes 34000000", AgentProblem.EXITED, "", _OURS),
}


@pytest.mark.parametrize("bad", ENDS.values(), ids=ENDS)
async def test_an_agent_that_ends_is_told_where_it_was_talked_to(
    desk: HostingDesk, bad: Ends, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launcher, "GREETING_SECONDS", 1.0)
    async with another_talks(desk):
        session = await desk.start(bad.script, command=bad.command)
        seen = await desk.until(session, lambda seen: seen.status is AgentStatus.FAILED)
        assert seen.trouble is not None
        assert seen.trouble.problem is bad.problem
        assert bad.words in seen.trouble.detail

        async def told() -> bool:
            return shown(await desk.rows(session)) == bad.rows

        await eventually(told, seconds=20)
    assert (await desk.said(session))[0] == f"user: {bad.script}"


async def test_an_agent_that_hangs_at_its_start_keeps_no_other_waiting(desk: HostingDesk) -> None:
    """The other is started, talks and talks again before the greeting is given up."""
    session = await desk.start("say x", command=scripted_command(start="hang"))
    await desk.until(session, lambda seen: seen.status is AgentStatus.STARTING)
    async with another_talks(desk):
        pass
    assert (await desk.conversation(session)).status is AgentStatus.STARTING
    await desk.api.end_session(session)
    await desk.until(session, lambda seen: seen.status is AgentStatus.ABSENT)


async def test_an_agent_that_ignores_a_stop_keeps_no_other_waiting(
    desk: HostingDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching, "CANCEL_PATIENCE", 0.2)
    async with another_talks(desk):
        session = await desk.start("sleep 60", command=scripted_command(ignore=["cancel", "eof"]))
        await desk.until(session, lambda seen: seen.turn_id is not None)
        await desk.api.cancel_turn(session)
        seen = await desk.until(session, lambda seen: seen.trouble is not None)
        assert seen.trouble is not None
        assert seen.trouble.problem is AgentProblem.IGNORES_CANCEL
    await desk.api.end_session(session)
    seen = await desk.until(session, is_free)
    assert (seen.status, seen.trouble) == (AgentStatus.ABSENT, None)
    assert [kind for kind, _ in shown(await desk.rows(session))] == ["status"]


async def test_a_folder_that_goes_between_two_turns_is_told_when_the_agent_is_to_start_again(
    desk: HostingDesk, tmp_path: Path
) -> None:
    """A running agent keeps its folder; what was sent meanwhile waits for its return."""
    folder = tmp_path / "project"
    folder.mkdir()
    async with another_talks(desk):
        session = await desk.start("say one", folder=folder)
        await desk.ready(session)
        shutil.rmtree(folder)
        await desk.send(session, "say two")
        await desk.until(session, is_free)
        assert (await desk.said(session))[-1] == "agent: two"
        await desk.api.end_session(session)
        await desk.send(session, "say three")
        seen = await desk.until(session, lambda seen: seen.status is AgentStatus.FAILED)
        assert seen.trouble == AgentTrouble(
            AgentProblem.FOLDER_MISSING, f"there is no folder {folder}"
        )
        await desk.api.resume(session)
        await desk.until(session, lambda seen: seen.status is AgentStatus.FAILED)
    folder.mkdir()
    await desk.api.resume(session)
    await desk.until(session, lambda seen: seen.status is AgentStatus.READY and is_free(seen))
    assert (await desk.said(session))[-2:] == ["user: say three", "agent: three"]


async def test_a_folder_that_is_not_there_is_refused_before_anything_is_made(
    desk: HostingDesk, tmp_path: Path
) -> None:
    with pytest.raises(InvalidInput) as caught:
        await desk.start("say x", folder=tmp_path / "nowhere")
    assert caught.value.params["field"] == "folder"
    assert await desk.desk.list_sessions() == ()
