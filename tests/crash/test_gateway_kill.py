"""kill -9 of a desk that carries out calls itself, at every transition of them (T1.2).

The moments are counted, not chosen: before and after the COMMIT of everything that moves a request
or a call, and every word between the desk, the server, the agent and the human.
"""

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

import pytest

from tests.crash import prompt_desk_that_dies, receipt_desk_that_dies, review_desk_that_dies
from tests.crash.forks import KILLED, Fork, ForkServer
from tests.crash.gateway_account import account
from tests.crash.gateway_play import HOUR, Job
from tests.crash.gateway_scenes import SCENES
from tests.crash.journal import Journal
from tests.crash.moments import AFTER, BEFORE
from tests.crash.stages import Stage, Stages
from tests.crash.writers import writers
from tests.helpers.store import RowMaker

pytestmark = [
    pytest.mark.crash,
    pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is POSIX"),
]

LONG = os.environ.get("KANDESK_LONG") == "1"
PLAYED = [name for name in SCENES if name not in {"", "register"}]
MINUTE = 60.0
ROWS = {
    "- to pending": ("approve", "open_request"),
    "- to authorized": ("allowed", "record_ruled"),
    "- to denied": ("denied", "record_ruled"),
    "pending to approved": ("approve", "decide"),
    "pending to rejected": ("decline", "decide"),
    "pending to expired, by the clock": ("nobody decides", "expire"),
    "pending to expired, at the decision": ("approved late", "expire"),
    "pending to expired, at a retry": ("called again late", "free_key"),
    "pending to cancelled, signature": ("tampered", "cancel"),
    "pending to cancelled, withdrawn": ("server removed", "cancel"),
    "pending to cancelled, stopped": ("stopped", "cancel"),
    "approved to executing": ("approve", "claim"),
    "approved to expired": ("session ends", "fail_approved"),
    "approved to failed": ("server off", "fail_approved"),
    "approved to cancelled": ("server removed after the approval", "cancel"),
    "approved to cancelled, stopped": ("stopped after the approval", "cancel"),
    "executing to executed": ("approve", "settle"),
    "executing to failed": ("the tool fails", "settle"),
    "authorized to its end": ("allowed", "settle_allowed"),
    "its end is collected": ("by ticket", "mark_collected"),
}
"""Where the transitions of T1.2 are among the moments; one that is gone fails its scene."""
AT_A_START = {
    "executing to failed, of a desk that ended": (
        ("approve", "server: has taken effect", MINUTE),
        "lose",
    ),
    "approved to executing, of a desk that ended": (
        ("approve", f"decide: {AFTER}", MINUTE),
        "claim",
    ),
    "approved to expired, of a desk that ended": (
        ("approve", f"decide: {AFTER}", HOUR + 1),
        "fail_approved",
    ),
    "authorized to its end, of a desk that ended": (
        ("allowed", "server: has taken effect", MINUTE),
        "settle_allowed",
    ),
}
"""What a start settles: the kill that leaves it behind, and the moment of it."""
OF_AGENTS = {"mark_told", "mark_executed", "mark_unknown"}
"""Transitions only of what agents carry out; those desks die in programs of their own."""


@dataclass
class Theatre:
    forks: ForkServer
    stages: Stages
    seeded: Stage
    played: dict[str, list[str]] = field(default_factory=dict)
    """The moments of every scene so far."""

    def run(self, stage: Stage, scene: str, *, last: int = 0, later: float = 0.0) -> Fork:
        job = job_on(stage, scene, last=last, later=later)
        folder = stage.folder / "process"
        return self.forks.run("tests.crash.gateway_play:play", job.written(), folder=folder)

    def moments(self, stage: Stage, scene: str, *, later: float = 0.0) -> list[str]:
        """Play to the end; the names of all moments."""
        ended = self.run(stage, scene, later=later)
        assert ended.returncode == 0, ended.err.read_text()
        return list(json.loads((stage.folder / "told.json").read_text()))

    def moments_of(self, scene: str) -> list[str]:
        with self.seeded.copied() as stage:
            return self.moments(stage, scene)

    def kill(self, stage: Stage, scene: str, number: int, *, later: float = 0.0) -> None:
        killed = self.run(stage, scene, last=number, later=later)
        assert killed.returncode == KILLED, (scene, number, killed.err.read_text())


def job_on(stage: Stage, scene: str, *, last: int = 0, later: float = 0.0) -> Job:
    return Job(str(stage.folder), stage.database, scene, last, later)


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def theatre(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, forks: ForkServer
) -> Iterator[Theatre]:
    folder = tmp_path_factory.mktemp("stages")
    if request.param == "sqlite":
        yield _theatre(forks, Stages(folder, ""))
        return
    if not LONG:
        pytest.skip("the same statements on a server: in a long run")
    with request.getfixturevalue("postgres").database() as url:
        theatre = _theatre(forks, Stages(folder, url))
        yield theatre
        theatre.stages.drop(theatre.seeded)


def _theatre(forks: ForkServer, stages: Stages) -> Theatre:
    theatre = Theatre(forks, stages, stages.make())
    theatre.moments(theatre.seeded, "")
    rows = RowMaker(theatre.seeded.place)
    own = {"kind": "hosted", "agent": "codex", "agent_name": "Codex", "folder": "/home/a/p"}
    rows.session(metadata=json.dumps({"kandesk": own}))
    rows.turn("turn1")
    theatre.moments(theatre.seeded, "register")
    return theatre


def written(names: list[str], when: str) -> set[str]:
    """What was moved in the transactions that have a moment of this kind."""
    end = f": {when}"
    moments = [name.removesuffix(end) for name in names if name.endswith(end)]
    return {writer for moment in moments for writer in moment.split("+")}


def chosen(names: list[str], scene: str, theatre: Theatre) -> list[int]:
    """The numbers of the moments to die at; in a short run no beginning that two scenes share."""
    numbers = range(1, len(names) + 1)
    if LONG:
        return list(numbers)
    shared = list(theatre.played.values())
    theatre.played[scene] = names
    return [at for at in numbers if all(told[:at] != names[:at] for told in shared)]


@pytest.mark.timeout(1_200)
@pytest.mark.parametrize("scene", PLAYED)
async def test_a_desk_killed_at_any_moment_of_a_call_runs_it_at_most_once(
    theatre: Theatre, scene: str
) -> None:
    """T1.2, owner = gateway; T5.2: every row ends, and who calls again is told the truth."""
    names = theatre.moments_of(scene)
    wanted = {writer for of, writer in ROWS.values() if of == scene}
    assert wanted <= written(names, BEFORE) & written(names, AFTER), names
    wrong = {}
    for number in chosen(names, scene, theatre):
        with theatre.seeded.copied() as stage:
            theatre.kill(stage, scene, number)
            (died,) = Journal(stage.folder / "journal").read("desk", "killed")
            job = job_on(stage, scene, later=2 * MINUTE)
            problems = await account(job, fails=scene == "the tool fails")
        if problems:
            wrong[number, died["at"]] = problems
    assert wrong == {}


@pytest.mark.timeout(600)
@pytest.mark.parametrize("row", AT_A_START)
async def test_a_start_that_is_killed_while_it_settles_a_call_is_simply_repeated(
    theatre: Theatre, row: str
) -> None:
    """T1.2, T8.3, owner = gateway: app restart."""
    (scene, at, later), writer = AT_A_START[row]
    number = theatre.moments_of(scene).index(at) + 1
    wrong = {}
    with theatre.seeded.copied() as left:
        theatre.kill(left, scene, number)
        with left.copied() as whole:
            _copy_effects(left, whole)
            names = theatre.moments(whole, "", later=later)
        assert writer in written(names, BEFORE) & written(names, AFTER), names
        for last, name in enumerate(names, start=1):
            with left.copied() as stage:
                _copy_effects(left, stage)
                theatre.kill(stage, "", last, later=later)
                problems = await account(job_on(stage, "", later=later + MINUTE), fails=False)
            if problems:
                wrong[last, name] = problems
    assert wrong == {}


def _copy_effects(source: Stage, target: Stage) -> None:
    """What was done in the world, which no kill takes back."""
    done = source.folder / "effects"
    if done.exists():
        (target.folder / "effects").write_bytes(done.read_bytes())


def test_every_transition_in_the_store_has_a_moment_to_die_at() -> None:
    """T1.2: what moves a request or a call is found in the code, and killed in its transaction."""
    moving = writers()
    desks = {"receipts": receipt_desk_that_dies.POINTS, "ruled_calls": review_desk_that_dies.RULED}
    ours = {each for name in moving.keys() - desks.keys() for each in moving[name]}
    here = {writer for _, writer in (*ROWS.values(), *AT_A_START.values())}
    assert ours == here | OF_AGENTS
    points = [*review_desk_that_dies.POINTS.values(), *prompt_desk_that_dies.POINTS.values()]
    assert {*OF_AGENTS, "open_request", "decide", "expire", "cancel"} <= patched(points)
    for name, theirs in desks.items():
        assert moving[name] & patched(theirs.values()), name


def patched(points: Iterable[Callable[[], None]]) -> set[object]:
    """What is made to die."""
    return {each for point in points for each in point.__code__.co_consts}
