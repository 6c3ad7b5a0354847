"""Every transition of a request, and none that is not one (T1.2)."""

from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest

from backend.domain.policy import BY_DEFAULT, CallFacts, PolicyDecision, Risk, Ruling
from backend.domain.review import Owner, Review, ReviewStatus
from backend.ids import AgentKey, ClaimId, ClientId, MessageId, ReviewId, SessionId, TaskId, TurnId
from backend.store import messages, review_outcomes, reviews
from backend.store.database import Database, Transaction
from backend.store.review_rows import canonical_call, card_metadata
from tests.helpers.clock import FakeClock
from tests.helpers.place import Place, raw
from tests.helpers.reviewing import OPTIONS, make_call
from tests.helpers.store import RowMaker

R = ReviewId("r1")
Step = Callable[[Transaction, reviews.Stored, FakeClock], Awaitable[bool]]


async def approve(tx: Transaction, stored: reviews.Stored, clock: FakeClock) -> bool:
    return await _decide(tx, stored, clock, "once", "approved")


async def decline(tx: Transaction, stored: reviews.Stored, clock: FakeClock) -> bool:
    return await _decide(tx, stored, clock, "no", "rejected")


async def tell(tx: Transaction, stored: reviews.Stored, clock: FakeClock) -> bool:
    return await review_outcomes.mark_told(tx, stored, clock.now())


async def execute(tx: Transaction, stored: reviews.Stored, clock: FakeClock) -> bool:
    end = review_outcomes.AgentEnd("succeeded")
    return await review_outcomes.mark_executed(tx, stored, end, clock.now())


async def lose(tx: Transaction, stored: reviews.Stored, clock: FakeClock) -> bool:
    return await review_outcomes.mark_unknown(tx, stored, clock.now())


async def cancel(tx: Transaction, stored: reviews.Stored, clock: FakeClock) -> bool:
    return await review_outcomes.cancel(tx, stored, "agent_gone", clock.now())


async def cancel_untold(tx: Transaction, stored: reviews.Stored, clock: FakeClock) -> bool:
    return await review_outcomes.cancel(tx, stored, "agent_gone", clock.now(), untold=True)


async def _decide(
    tx: Transaction, stored: reviews.Stored, clock: FakeClock, option: str, status: str
) -> bool:
    decision = review_outcomes.Decision(
        R, option, status, ClaimId("c1"), ClientId("window"), "window", clock.now()
    )
    return await review_outcomes.decide(tx, stored, decision)


WAYS: dict[str, tuple[Step, ...]] = {
    "pending": (),
    "approved": (approve,),
    "rejected": (decline,),
    "told of a refusal": (decline, tell),
    "executing": (approve, tell),
    "executed": (approve, tell, execute),
    "failed": (approve, lose),
    "cancelled": (cancel,),
}
"""How a request comes to each of its states."""
LEGAL: dict[tuple[str, Step], str] = {
    ("pending", approve): "approved",
    ("pending", decline): "rejected",
    ("pending", cancel): "cancelled",
    ("pending", cancel_untold): "cancelled",
    ("approved", tell): "executing",
    ("approved", execute): "executed",
    ("approved", lose): "failed",
    ("approved", cancel_untold): "cancelled",
    ("rejected", tell): "rejected",
    ("executing", execute): "executed",
    ("executing", lose): "failed",
}
STEPS = (approve, decline, tell, execute, lose, cancel, cancel_untold)


async def open_request(database: Database, clock: FakeClock) -> None:
    call, now = make_call(), clock.now()
    review = Review(
        R,
        SessionId("s1"),
        TurnId("turn1"),
        MessageId(""),
        "Codex",
        "/home/ada/p",
        call,
        OPTIONS,
        ReviewStatus.PENDING,
        now,
    )
    async with database.writing() as tx:
        card = await messages.insert_message(
            tx,
            session_id=review.session_id,
            task_id=TaskId("task-s1"),
            turn_id=review.turn_id,
            kind="permission_request",
            author="agent",
            content="rm",
            metadata=card_metadata(review),
            now=now,
        )
        asker = await reviews.find_asker(tx, review.session_id, review.turn_id)
        assert asker is not None
        placed = replace(review, message_id=card.message_id)
        facts = CallFacts("w", AgentKey("codex"), "/home/ada/p", "execute", Risk.WRITE)
        new = reviews.Stored(
            placed, asker.place, facts, "i1", "pending", canonical_call(call), "d", None
        )
        attempt = reviews.NewCall(
            invocation_id="i1",
            session_id=review.session_id,
            turn_id=review.turn_id,
            owner=Owner.AGENT,
            call_id="c",
            place=asker.place,
            facts=facts,
            arguments_hash="h",
            now=now,
            ruling=Ruling(PolicyDecision.ASK, BY_DEFAULT),
        )
        await reviews.open_request(tx, attempt, new)


async def take(database: Database, clock: FakeClock, step: Step) -> bool:
    async with database.writing() as tx:
        stored = await reviews.find(tx, R)
        assert stored is not None
        return await step(tx, stored, clock)


def counted(place: Place) -> tuple[str, int, str]:
    """The status, how many rows the ledger has, and the card as it stands."""
    with raw(place) as connection:
        status = connection.execute("SELECT status FROM tool_action_requests").fetchone()[0]
        events = connection.execute("SELECT COUNT(*) FROM tool_call_events").fetchone()[0]
        card = connection.execute("SELECT metadata FROM task_session_messages").fetchone()[0]
    return str(status), int(events), str(card)


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.__name__)
@pytest.mark.parametrize("state", WAYS)
async def test_a_request_moves_only_where_it_may(
    database: Database,
    rows: RowMaker,
    place: Place,
    clock: FakeClock,
    state: str,
    step: Step,
) -> None:
    """T1.2: no transition leaves a final state, and each is written with its row in the ledger."""
    await open_request(database, clock)
    for way in WAYS[state]:
        assert await take(database, clock, way)
    before = counted(place)

    moved = await take(database, clock, step)

    status, events, card = counted(place)
    wanted = LEGAL.get((state, step))
    assert moved is (wanted is not None)
    if wanted is None:
        assert (status, events, card) == before
    else:
        assert status == wanted
        assert events == before[1] + 1
