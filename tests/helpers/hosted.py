"""A desk with a hosted session whose agent is scripted, on a store that can fail."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from backend.clarification.ask_result import AskResult
from backend.clarification.resume import ResumeRequest
from backend.domain.clarification import (
    AnswerDraft,
    Answered,
    Bundle,
    Delivery,
    Outcome,
    ResponseOutcome,
)
from backend.errors import AppError
from backend.events import Event
from backend.ids import ClaimId, PendingId, SessionId, TurnId
from backend.store.database import Database
from tests.helpers.builders import make_answer
from tests.helpers.clock import FakeClock
from tests.helpers.desk import HUMAN, TestDesk, new_token, open_desk
from tests.helpers.faults import FaultyDatabase
from tests.helpers.place import Place, raw
from tests.helpers.store import RowMaker
from tests.helpers.waiting import eventually

P = PendingId("p1")
S = SessionId("s1")
YES = Answered((make_answer("q1", "q1_opt1"),))
NO = Answered((make_answer("q1", "q1_opt2"),))


class ScriptedResumer:
    """Implements `DetachedResumer`: takes every prompt, unless told otherwise."""

    def __init__(self) -> None:
        self.requests: list[ResumeRequest] = []
        self.is_promptable = True
        self.working: set[TurnId] = set()
        self.error: AppError | None = None
        self.reached = asyncio.Event()
        self.answers = asyncio.Event()
        self.answers.set()

    def hang(self) -> None:
        """Acknowledge nothing until `answers` is set."""
        self.answers.clear()

    def works_on(self, session_id: SessionId, turn_id: TurnId) -> bool:
        del session_id
        return turn_id in self.working

    async def promptable(self, session_id: SessionId) -> bool:
        del session_id
        return self.is_promptable

    async def dispatch(self, request: ResumeRequest) -> None:
        self.requests.append(request)
        self.reached.set()
        await self.answers.wait()
        if self.error is not None:
            raise self.error


@dataclass
class HostedDesk:
    """The desk, what can fail on the way, and the rows as somebody else would write them."""

    desk: TestDesk
    faults: FaultyDatabase
    resumer: ScriptedResumer
    rows: RowMaker
    place: Place

    @property
    def events(self) -> list[Event]:
        return self.desk.events

    def start_response(
        self,
        outcome: Outcome = YES,
        *,
        token: ClaimId | None = None,
        pending_id: PendingId = P,
    ) -> "asyncio.Task[ResponseOutcome]":
        return asyncio.create_task(self.respond(outcome, token=token, pending_id=pending_id))

    async def respond(
        self,
        outcome: Outcome = YES,
        *,
        token: ClaimId | None = None,
        pending_id: PendingId = P,
    ) -> ResponseOutcome:
        return await self.desk.desk.respond(
            pending_id, outcome, client_id=HUMAN, claim_token=token or new_token()
        )

    async def bundle(self, pending_id: PendingId = P) -> Bundle:
        return await self.desk.desk.get_bundle(pending_id)

    async def delivery(self) -> Delivery | None:
        return (await self.bundle()).delivery

    async def draft(self) -> AnswerDraft | None:
        return await self.desk.desk.load_draft(P)

    async def waiting_call(self) -> "asyncio.Task[AskResult]":
        """A call of the agent that waits and is known to the desk."""
        task = asyncio.create_task(self.desk.asking.wait(P))

        async def registered() -> bool:
            return (await self.bundle()).waiting_calls > 0

        await eventually(registered)
        return task

    def turns(self) -> list[str]:
        with raw(self.place) as connection:
            rows = connection.execute(
                "SELECT id FROM task_session_turns ORDER BY started_at"
            ).fetchall()
        return [str(row[0]) for row in rows]

    def states(self) -> tuple[str, str]:
        """The state of the session and of its task."""
        with raw(self.place) as connection:
            row = connection.execute(
                "SELECT s.state, t.state FROM task_sessions s JOIN tasks t ON t.id = s.task_id"
                " WHERE s.id = 's1'"
            ).fetchone()
        return str(row[0]), str(row[1])


@asynccontextmanager
async def hosted_desk(
    place: Place,
    clock: FakeClock,
    *,
    resumer: ScriptedResumer | None = None,
    has_resumer: bool = True,
    ask: bool = True,
) -> AsyncIterator[HostedDesk]:
    """Open the desk; the first time its session s1 asks one question, p1, in turn1."""
    wrapped: list[FaultyDatabase] = []

    def wrap(database: Database) -> Database:
        wrapped.append(FaultyDatabase(database))
        return wrapped[0]

    scripted = resumer or ScriptedResumer()
    given = scripted if has_resumer else None
    async with open_desk(place, clock, wrap=wrap, resumer=given) as desk:
        rows = RowMaker(place)
        if ask:
            rows.session(state="WAITING_FOR_INPUT")
            rows.turn("turn1")
            rows.question(P)
            with raw(place) as connection:
                connection.execute("UPDATE tasks SET state = 'REVIEW'")
        yield HostedDesk(desk, wrapped[0], scripted, rows, place)
        wrapped[0].reads = None
        scripted.answers.set()
