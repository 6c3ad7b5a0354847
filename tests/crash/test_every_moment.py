"""kill -9 at every moment of every way of an answer: never lost, never doubled (K5.6, K5.7).

The moments are counted, not chosen: before and after the COMMIT of every write transaction, and
every word between the desk, its agents, calls and humans.
"""

import json
import os
import pickle
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field

import httpx2
import pytest

from app.models.message_text import question_status
from app.viewmodels.inbox import InboxViewModel
from app.viewmodels.question_row import read_question
from backend.ids import PendingId, SessionId
from tests.crash.account import account
from tests.crash.books import Books, read_books
from tests.crash.forks import KILLED, Fork, ForkServer, forked_desk
from tests.crash.journal import Journal
from tests.crash.moments import AFTER, BEFORE
from tests.crash.play import RECOVERED, Job
from tests.crash.scenes import SCENES
from tests.crash.stages import Stage, Stages
from tests.helpers.clock import FakeClock
from tests.helpers.desk import open_desk
from tests.helpers.fake_backend import FakeBackend
from tests.helpers.place import Place, open_store
from tests.helpers.store import RowMaker, ask, claim, make_claim

pytestmark = [
    pytest.mark.crash,
    pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is POSIX"),
]

LONG = os.environ.get("KANDESK_LONG") == "1"
PLAY = "tests.crash.play:play"
WITH_ROLLBACKS = {"answer", "answer, agent refuses", "call"}
ON_A_SERVER = {"answer", "call"}
LEADING = re.compile(r"^\d+")
ON_THE_WIRE = ("prompted, not acknowledged", "about to return")
ROWS = {
    "answer": {
        "6, claimed, nothing delivered": f"Claiming._run: {AFTER}",
        "13, marker rolled back": f"DetachedDelivery._mark: {BEFORE}",
        "14, finalized, not cleared": f"DetachedDelivery._finalizing: {AFTER}",
        "15, acknowledged, not finalized": "agent: acknowledged",
        "18, reserved, no attempt": f"DetachedDelivery._reserve: {AFTER}",
        "19, attempted, not prompted": f"DetachedDelivery._mark: {AFTER}",
        "19, prompted, not acknowledged": "agent: prompted, not acknowledged",
        "before the reply": "human: about to be told",
    },
    "answer, agent refuses": {
        "11, before the restore": f"Compensation._undoing: {BEFORE}",
        "17, restored, not told": f"Compensation._undoing: {AFTER}",
        "20, reserved turn and rows in one transaction": f"Compensation._undoing: {BEFORE}",
    },
    "answer, restore fails": {"12, settled later": f"Settler._settle: {AFTER}"},
    "answer, marker fails": {"13": f"Compensation._undoing: {AFTER}"},
    "answer, clear fails": {"14": f"Settler._settle: {AFTER}"},
    "answer, finalize fails": {"15": f"Settler._settle: {AFTER}"},
    "skip": {"16, not finalized": f"Claiming._run: {AFTER}"},
    "skip, finalize fails": {"16": f"Settler._settle: {AFTER}"},
    "call": {
        "7, a waiter, nothing consumed": f"Claiming._run: {AFTER}",
        "10, confirmation runs": f"HostedDelivery._finalizing: {BEFORE}",
        "confirmed, the call has not returned": "call: about to return",
    },
    "call, confirmation fails": {"9": f"Compensation._undoing: {AFTER}"},
    "call does not take it": {"7": f"Compensation._undoing: {AFTER}"},
    "call, a turn begins": {
        "8, not given back yet": "session: has moved on",
        "8, refused, not told": f"Compensation._undoing: {AFTER}",
        "8, before the reply": "human: about to be told of a failure",
        "8, settled later": f"Settler._settle: {AFTER}",
    },
    "call, session ends": {
        "8, not given back yet": "session: has moved on",
        "8, refused, not told": f"Compensation._undoing: {AFTER}",
        "8, before the reply": "human: about to be told of a failure",
        "8, settled later": f"Settler._settle: {AFTER}",
    },
    "call leaves": {
        "22, the call is there": "call: is held the answer",
        "22, the call has left": "call: has left without it",
        "22, on its way as a prompt": f"DetachedDelivery._mark: {AFTER}",
        "22, prompted": "agent: prompted, not acknowledged",
    },
}
"""Where the rows of K5.6 are among the moments; one that is gone fails its scene.

Row 22 is a race of two tasks of one process, so no kill makes it: the call leaves in the scene,
and the kills come around it. Rows 1-5 claim nothing, 21 is no crash but rows nobody can settle,
and 23 is on the side of the client.
"""


@dataclass
class Theatre:
    """Where scenes are played: seeded stores, and the server that forks the desks."""

    forks: ForkServer
    stages: Stages
    hosted: Stage
    guest: Stage
    played: dict[str, list[str]] = field(default_factory=dict)
    """The moments of every scene so far."""

    def run(self, stage: Stage, scene: str, **more: object) -> Fork:
        job = Job(str(stage.folder), stage.database, scene, **more)  # type: ignore[arg-type]
        return self.forks.run(PLAY, job.written(), folder=stage.folder / "process")

    def moments(self, stage: Stage, scene: str, **more: object) -> list[str]:
        """Play to the end; the names of all moments."""
        ended = self.run(stage, scene, **more)
        assert ended.returncode == 0, ended.err.read_text()
        return list(json.loads((stage.folder / "told.json").read_text()))

    def moments_of(self, scene: str) -> list[str]:
        with self.seeded(scene).copied() as stage:
            return self.moments(stage, scene, run=1)

    def seeded(self, scene: str) -> Stage:
        return self.guest if SCENES[scene].guest else self.hosted


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def theatre(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, forks: ForkServer
) -> Iterator[Theatre]:
    folder = tmp_path_factory.mktemp("stages")
    if request.param == "sqlite":
        yield _theatre(forks, Stages(folder, ""))
        return
    with request.getfixturevalue("postgres").database() as url:
        theatre = _theatre(forks, Stages(folder, url))
        yield theatre
        for stage in (theatre.hosted, theatre.guest):
            theatre.stages.drop(stage)


def _theatre(forks: ForkServer, stages: Stages) -> Theatre:
    guest = stages.make()
    theatre = Theatre(forks, stages, guest, guest)
    theatre.moments(guest, "")
    theatre.hosted = stages.make(guest)
    rows = RowMaker(theatre.hosted.place)
    rows.session(state="WAITING_FOR_INPUT")
    rows.turn("turn1")
    rows.question("p1")
    return theatre


def check_kill(theatre: Theatre, scene: str, number: int) -> tuple[str, list[str]]:
    """Die at this moment, start again, go on; the moment's name and what is wrong."""
    with theatre.seeded(scene).copied() as stage:
        killed = theatre.run(stage, scene, last=number, run=1)
        assert killed.returncode == KILLED, (scene, number, killed.err.read_text())
        journal = Journal(stage.folder / "journal")
        (died,) = journal.read("desk", "killed")
        before = read_books(stage.place)
        theatre.moments(stage, scene, run=2, goes_on=True)
        recovered: Books = pickle.loads((stage.folder / RECOVERED).read_bytes())  # noqa: S301
        found = account(before, recovered, read_books(stage.place), journal)
    return died["at"], found.problems()


def chosen(names: list[str], scene: str, theatre: Theatre) -> list[int]:
    """The numbers of the moments to die at; all of them in a long run.

    A short run leaves out what leaves the same behind as a moment it has: most rollbacks, and
    beginnings that two scenes share.
    """
    numbers = range(1, len(names) + 1)
    if LONG:
        return list(numbers)
    shared = [
        told for other, told in theatre.played.items() if SCENES[other].play is SCENES[scene].play
    ]
    theatre.played[scene] = names
    if theatre.stages.server:
        return [at for at in numbers if names[at - 1].endswith((AFTER, *ON_THE_WIRE))]
    rollbacks = scene in WITH_ROLLBACKS
    return [
        number
        for number in numbers
        if all(told[:number] != names[:number] for told in shared)
        and (rollbacks or not names[number - 1].endswith(BEFORE))
    ]


@pytest.mark.timeout(1_200)
@pytest.mark.parametrize("scene", [name for name in SCENES if name])
def test_a_desk_killed_at_any_moment_loses_and_doubles_nothing(
    theatre: Theatre, scene: str
) -> None:
    """K5.6 rows 6-20 and 22, each at the moments in `ROWS`."""
    if theatre.stages.server and not LONG and scene not in ON_A_SERVER:
        pytest.skip("the same statements on a server: in a long run")
    names = theatre.moments_of(scene)
    missing = set(ROWS.get(scene, {}).values()) - set(names)
    assert not missing, names
    wrong = {}
    for number in chosen(names, scene, theatre):
        at, problems = check_kill(theatre, scene, number)
        if problems:
            wrong[number, at] = problems
    assert wrong == {}


def test_every_row_a_kill_can_leave_behind_has_a_moment() -> None:
    """K5.6 rows 6-20 and 22."""
    named = {int(found) for row in ROWS.values() for key in row for found in LEADING.findall(key)}
    assert named == {*range(6, 21), 22}


async def seed_three(place: Place) -> None:
    """What K5.7 settles, all at once: attempted, reserved, claimed, kept and not yet told."""
    rows = RowMaker(place)
    carried = {}
    for session in ("s2", "s3", "s4"):
        rows.session(session, state="RUNNING")
        rows.turn(f"turn of {session}", session)
        pending = f"p of {session}"
        carried[session] = rows.question(pending, turn=f"turn of {session}", session=session)
    clock = FakeClock()
    database = await open_store(place, clock)
    for session in carried:
        wanted = make_claim(PendingId(f"p of {session}"), claim_id=f"claim of {session}")
        assert await claim(database, wanted)
    asked = await ask(database, clock)
    assert await claim(database, make_claim(asked.pending_id, claim_id="claim of the guest"))
    await database.close()
    for session, more in (("s2", {"prompt_dispatch_attempted": True}), ("s3", {})):
        keys: dict[str, object] = {
            "prompt_dispatch_pending": True,
            "prompt_dispatch_clarification_pending_id": f"p of {session}",
            "prompt_dispatch_clarification_turn_id": f"turn of {session}",
            "prompt_dispatch_clarification_message_ids": [carried[session]],
        }
        rows.turn(f"successor of {session}", session, **keys, **more)


@pytest.mark.timeout(600)
async def test_a_start_killed_between_any_two_steps_of_recovery_is_simply_repeated(
    theatre: Theatre,
) -> None:
    """K5.7 steps 1-3: reservations, intents, events; the same store as without the kill."""
    with theatre.hosted.copied() as seeded:
        await seed_three(seeded.place)
        with seeded.copied() as whole:
            names = theatre.moments(whole, "", run=1)
            expected = read_books(whole.place)
        assert [entry.delivery for entry in expected.entries.values()].count("unknown") == 1
        assert {entry.status for entry in expected.entries.values()} == {"answered", "pending"}
        assert len(names) >= 2 * 5
        for number, name in enumerate(names, start=1):
            if not LONG and name.endswith(BEFORE) and theatre.stages.server:
                continue
            with seeded.copied() as stage:
                killed = theatre.run(stage, "", last=number, run=1)
                assert killed.returncode == KILLED
                theatre.moments(stage, "", run=2)
                assert read_books(stage.place) == expected, name
                told = Journal(stage.folder / "journal").read("desk", "published")
                assert {seen["turn"] for seen in told} == {"successor of s2"}, name


async def test_an_answer_that_may_have_arrived_is_shown_so_over_http_and_in_the_window(
    theatre: Theatre,
) -> None:
    """K5.6 row 19: after the restart `GET /:id` says `unknown`, and the transcript in words."""
    with theatre.hosted.copied() as stage:
        names = theatre.moments_of("answer")
        number = names.index("agent: prompted, not acknowledged") + 1
        assert theatre.run(stage, "answer", last=number, run=1).returncode == KILLED
        home = stage.folder / "home"
        if stage.database:
            (home / "desk.toml").write_text(f'[store]\ndatabase = "{stage.database}"\n')
        async with forked_desk(theatre.forks, home, "tests.crash.desk_that_dies:serve", "") as desk:
            headers = {"Authorization": f"Bearer {desk.token}"}
            async with httpx2.AsyncClient(base_url=desk.api, headers=headers) as http:
                reply = await http.get("/api/v1/clarification/p1")
            assert (reply.json()["status"], reply.json()["delivery"]) == ("answered", "unknown")
        async with open_desk(stage.place, FakeClock()) as again:
            page = await again.desk.list_messages(SessionId("s1"))
        (message,) = page.messages
        inbox = InboxViewModel(FakeBackend())
        words = question_status(message, read_question(message), inbox)
        assert words == "Answered · saved, delivery not confirmed"
