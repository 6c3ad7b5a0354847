"""Permissions on a real store that can fail, with agents that only ask."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from backend.clock import Nanoseconds
from backend.domain.agents import (
    PermissionAsked,
    PermissionOption,
    ToolCallChange,
    ToolKind,
    ToolStatus,
)
from backend.domain.conversation import ProjectionRevision
from backend.domain.policy import RuleScope
from backend.domain.review import Review, ReviewOutcome
from backend.events import Event, EventBus, ReviewChanged, ReviewOpened
from backend.ids import ClaimId, ClientId, ReviewId, SessionId, TurnId, new_id
from backend.review.parts import ReviewParts
from backend.review.reviews import Reviews
from backend.store.database import Database, Transaction
from backend.work.deadline_worker import DeadlineWorker
from backend.work.supervisor import TaskSupervisor
from tests.helpers.clock import FakeClock
from tests.helpers.faults import FaultyDatabase
from tests.helpers.place import Place, open_store, raw
from tests.helpers.store import RowMaker
from tests.helpers.waiting import until

S = SessionId("s1")
TURN = TurnId("turn1")
SERVER = "kandesk-0a1b2c3d"
WINDOW = ClientId("window-1")
OPTIONS = (
    PermissionOption("once", "Yes", "allow_once"),
    PermissionOption("always", "Yes, and do not ask again", "allow_always"),
    PermissionOption("no", "No", "reject_once"),
)


def make_call(
    call_id: str = "call-1", *, raw_input: object = None, **parts: object
) -> ToolCallChange:
    given = {"command": "rm -r build", "cwd": "/home/ada/p"} if raw_input is None else raw_input
    wanted: dict[str, object] = {"title": "rm -r build", "kind": ToolKind.EXECUTE, **parts}
    return ToolCallChange(call_id, raw_input=given, **wanted)  # type: ignore[arg-type]


def make_asked(
    call_id: str = "call-1",
    *,
    options: tuple[PermissionOption, ...] = OPTIONS,
    raw_input: object = None,
    meta: dict[str, object] | None = None,
) -> PermissionAsked:
    return PermissionAsked(make_call(call_id, raw_input=raw_input), options, meta or {})


def new_token() -> ClaimId:
    return ClaimId(new_id())


@dataclass
class ReviewDesk:
    """What a test needs of the permissions of one running desk."""

    reviews: Reviews
    faults: FaultyDatabase
    rows: RowMaker
    place: Place
    supervisor: TaskSupervisor
    clock: FakeClock
    parts: ReviewParts
    events: list[Event] = field(default_factory=list)
    asked: "list[asyncio.Task[str | None]]" = field(default_factory=list)

    def ask(
        self,
        asked: PermissionAsked | None = None,
        *,
        session: SessionId = S,
        turn: TurnId = TURN,
    ) -> "asyncio.Task[str | None]":
        task = asyncio.create_task(
            self.reviews.permissions.permission_asked(session, turn, asked or make_asked())
        )
        self.asked.append(task)
        return task

    async def opened(self, count: int = 1) -> tuple[Review, ...]:
        """Wait until the window has heard of so many requests."""
        await until(lambda: len(self.heard(ReviewOpened)) >= count)
        return tuple(event.review for event in self.heard(ReviewOpened))

    async def ask_one(self) -> "tuple[asyncio.Task[str | None], Review]":
        before = len(self.heard(ReviewOpened))
        waiting = self.ask()
        return waiting, (await self.opened(before + 1))[-1]

    async def decide(
        self,
        review: Review | ReviewId,
        option: str = "once",
        *,
        token: ClaimId | None = None,
        remember: RuleScope | None = None,
        remember_for: float | None = None,
        reason: str = "",
    ) -> ReviewOutcome:
        review_id = review.review_id if isinstance(review, Review) else review
        return await self.reviews.decide(
            review_id,
            option,
            client_id=WINDOW,
            claim_token=token or new_token(),
            remember=remember,
            remember_for=remember_for,
            reason=reason,
        )

    async def dies(self) -> None:
        """The process ends: nothing that waits or is planned goes on."""
        self.faults.refuse_writes = True
        for task in self.asked:
            task.cancel()
        await asyncio.gather(*self.asked, return_exceptions=True)
        await self.supervisor.stop(0)

    def tool_ended(
        self, status: ToolStatus = ToolStatus.COMPLETED, *, call_id: str = "call-1", **parts: object
    ) -> None:
        change = ToolCallChange(call_id, status=status, **parts)  # type: ignore[arg-type]
        self.reviews.permissions.updated(S, change)

    def heard(self, kind: "type[ReviewOpened | ReviewChanged]") -> "list[ReviewOpened]":
        return [event for event in self.events if isinstance(event, kind)]  # type: ignore[misc]

    async def becomes(self, status: str, *, review_id: ReviewId | None = None) -> None:
        """Wait until the store says so of the request, or of the only one."""
        await until(lambda: self.status(review_id) == status)

    def status(self, review_id: ReviewId | None = None) -> str:
        found = self.table("tool_action_requests", review_id)
        return str(found[-1]["status"]) if found else ""

    def call_statuses(self) -> list[tuple[str, str, str]]:
        return [
            (str(row["status"]), str(row["approval_state"]), str(row["error_code"]))
            for row in self.table("tool_invocations")
        ]

    def ledger(self) -> list[tuple[str, str, str]]:
        """Event, outcome and reason of every row, oldest first."""
        return [
            (str(row["event_type"]), str(row["outcome"]), str(row["reason_code"]))
            for row in self.table("tool_call_events")
        ]

    def cards(self) -> list[dict[str, object]]:
        with raw(self.place) as connection:
            rows = connection.execute(
                "SELECT metadata FROM task_session_messages WHERE type = 'permission_request'"
                " ORDER BY created_at, id"
            ).fetchall()
        return [json.loads(row["metadata"]) for row in rows]

    def table(self, name: str, key: str | None = None) -> list[Any]:
        which = "" if key is None else " WHERE id = ?"
        with raw(self.place) as connection:
            rows = connection.execute(
                f"SELECT * FROM {name}{which} ORDER BY created_at, id",  # noqa: S608
                () if key is None else (key,),
            ).fetchall()
        return list(rows)


@asynccontextmanager
async def review_desk(
    place: Place,
    clock: FakeClock,
    *,
    signing_key: bytes = b"key",
    server: str | None = SERVER,
    make_rows: bool = True,
) -> AsyncIterator[ReviewDesk]:
    """The permissions of a desk with one hosted session whose prompt runs."""
    real = await open_store(place, clock)
    rows = RowMaker(place)
    if make_rows:
        folder = {"kind": "hosted", "agent": "codex", "agent_name": "Codex", "folder": "/home/a/p"}
        rows.session(metadata=json.dumps({"kandesk": folder}))
        rows.turn("turn1")
    desk = build_review_desk(real, place, clock, rows, signing_key=signing_key, server=server)
    try:
        yield desk
    finally:
        desk.faults.reads = None
        await desk.reviews.permissions.nobody_waits(S)
        await desk.supervisor.stop(1.0)
        await real.close()


def build_review_desk(
    real: Database,
    place: Place,
    clock: FakeClock,
    rows: RowMaker,
    *,
    signing_key: bytes = b"key",
    server: str | None = SERVER,
) -> ReviewDesk:
    supervisor, bus = TaskSupervisor(), EventBus()
    faults = FaultyDatabase(real)
    numbers = iter(range(1, 1_000_000))

    async def store_now(_: Transaction) -> Nanoseconds:
        return clock.now()

    parts = ReviewParts(
        database=faults,
        clock=clock,
        bus=bus,
        supervisor=supervisor,
        worker=DeadlineWorker(clock, supervisor),
        signing_key=signing_key,
        next_projection=lambda: ProjectionRevision(1, next(numbers)),
        server_name=lambda session_id: server if session_id == S else None,
        store_now=store_now,
    )
    desk = ReviewDesk(Reviews(parts), faults, rows, place, supervisor, clock, parts)
    bus.subscribe(desk.events.append)
    return desk
