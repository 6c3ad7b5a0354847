"""What a desk does when it is killed: every way of an answer and of what ends a question."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from backend.domain.clarification import Answered, Skipped, Withdrawn
from backend.domain.conversation import SessionState
from backend.ids import PendingId, SessionId, TaskId
from tests.crash.play import P, World
from tests.helpers.builders import make_answer, make_draft
from tests.helpers.clock import settle
from tests.helpers.desk import HUMAN, make_caller, new_token
from tests.helpers.waiting import eventually, until

S = SessionId("s1")
TASK = TaskId("task-s1")
YES = Answered((make_answer("q1", "q1_opt1"),))
NO = Answered((make_answer("q1", "q1_opt2"),))
SKIP = Skipped("not now")
_KEY = "instance 1, request 1"
_OTHER_KEY = "instance 2, request 1"


@dataclass(frozen=True)
class Scene:
    """`broken` names writers whose next transactions fail."""

    play: Callable[[World], Awaitable[None]]
    guest: bool = False
    promptable: bool = True
    refuses: bool = False
    comes_back: str = ""
    """By which key the agent's call is made again after a restart, unless it has returned."""
    retries: bool = False
    """Whether the human gives the same answer again after a restart, open or not."""
    expire_after: float | None = None
    broken: Mapping[str, int] = field(default_factory=dict)


async def start_only(world: World) -> None:
    del world


async def answer_without_a_call(world: World) -> None:
    await world.answer(YES)


async def skip_without_a_call(world: World) -> None:
    await world.answer(SKIP)


async def answer_a_call(world: World) -> None:
    await _call_waits(world, P)
    await world.answer(YES)


async def skip_a_call(world: World) -> None:
    await _call_waits(world, P)
    await world.answer(SKIP)


async def answer_a_call_that_does_not_take_it(world: World) -> None:
    stuck = world.services.desk._waiters.add(P, S)
    answering = asyncio.create_task(world.answer(YES))
    await until(stuck.wake.done)
    world.moments.reach("call: wakes and takes nothing")
    await world.clock.advance(30)
    await answering


async def answer_after_which_a_turn_begins(world: World) -> None:
    """Row 8: no call takes it, and a newer turn owns the session when it is to be given back."""
    await _answer_and_meanwhile(world, lambda: world.services.lifecycle.open_turn(S, TASK))


async def answer_after_which_the_session_ends(world: World) -> None:
    """Row 8: no call takes it, and the session has ended when it is to be given back."""
    lifecycle = world.services.lifecycle
    await _answer_and_meanwhile(
        world, lambda: lifecycle.expire_session(S, ends_as=SessionState.FAILED)
    )


async def _answer_and_meanwhile(world: World, change: Callable[[], Awaitable[object]]) -> None:
    stuck = world.services.desk._waiters.add(P, S)
    answering = asyncio.create_task(world.answer(YES))
    await until(stuck.wake.done)
    await change()
    world.moments.reach("session: has moved on")
    await world.clock.advance(30)
    await answering


async def answer_a_call_that_leaves(world: World) -> None:
    """Row 22: the call ends after the claim and before it takes the answer."""
    leaving = world.services.desk._waiters.add(P, S)
    answering = asyncio.create_task(world.answer(YES))
    await until(leaving.wake.done)
    world.moments.reach("call: is held the answer")
    world.services.desk._waiters.remove(leaving)
    world.moments.reach("call: has left without it")
    await answering


async def detach(world: World) -> None:
    await world.services.lifecycle.detach_session(S)
    world.moments.reach("done")


async def end_session(world: World) -> None:
    await world.services.lifecycle.expire_session(S, ends_as=SessionState.FAILED)
    world.moments.reach("done")


async def run_out(world: World) -> None:
    """Nobody answers in time: the shared timer expires the question."""
    await world.pass_time(0)
    world.moments.reach("done")


async def withdraw(world: World) -> None:
    await world.services.lifecycle.cancel(P, Withdrawn.BY_HUMAN)
    world.moments.reach("done")


async def move_on(world: World) -> None:
    await world.services.lifecycle.open_turn(S, TASK)
    world.moments.reach("done")


async def request(world: World) -> None:
    """One more question of the same turn, and an answer to the first."""
    await world.services.desk.request_answer(S, TASK, make_draft())
    world.moments.reach("second question is open")
    await world.answer(YES)


async def guest_call(world: World) -> None:
    pending = await guest_asks(world)
    await _call_waits(world, pending)
    await world.answer(YES, pending)


async def guest_skip(world: World) -> None:
    pending = await guest_asks(world)
    await _call_waits(world, pending)
    await world.answer(SKIP, pending)


async def guest_call_is_gone(world: World) -> None:
    """The call is cut, the answer is kept, the agent comes back for it."""
    pending = await guest_asks(world)
    await _call_waits(world, pending)
    world.calls.pop().cancel()
    await settle()
    world.services.asking.cut(pending)
    await settle(50)
    await world.answer(YES, pending)
    await guest_asks(world)
    await _call_waits(world, pending)


async def guest_asks_again(world: World) -> None:
    """Rule 4: the stored answer of an earlier call is handed over to an equal new question."""
    first = await guest_asks(world)
    await world.answer(YES, first)
    second = await guest_asks(world, _OTHER_KEY)
    await _call_waits(world, second)
    world.journal.write("human", "gave", pending=second, choice=["q1_opt1"], claim="")
    told = await world.services.desk.hand_over_stored_answer(
        second, client_id=HUMAN, claim_token=new_token()
    )
    world.moments.reach("human: about to be told")
    delivery = told.delivery.value
    world.journal.write("human", "told", pending=second, delivery=delivery, choice=["q1_opt1"])


async def guest_asks(world: World, key: str = _KEY) -> PendingId:
    """Open the question, or find it by its key; the same questions each time."""
    caller = make_caller(idempotency_key=key)
    opened = await world.services.asking.open(caller, make_draft())
    world.moments.reach("guest: question is open")
    return opened.pending_id


async def _call_waits(world: World, pending_id: PendingId) -> None:
    world.call(pending_id)

    async def waiting() -> bool:
        if world.calls[-1].done():
            return True
        return (await world.services.desk.get_bundle(pending_id)).waiting_calls > 0

    await eventually(waiting)


async def go_on(world: World, scene: Scene) -> None:
    """After a restart: calls that come back come back, and the human answers what is open."""
    returned = world.journal.read("call", "returned")
    if scene.comes_back and not returned:
        pending = await guest_asks(world, scene.comes_back) if scene.guest else P
        await _call_waits(world, pending)
    if scene.retries:
        await world.answer(YES)
    for bundle in await world.services.desk.list_open_bundles():
        await world.answer(NO, bundle.pending_id)


SCENES: dict[str, Scene] = {
    "": Scene(start_only),
    "answer": Scene(answer_without_a_call),
    "answer, agent refuses": Scene(answer_without_a_call, refuses=True),
    "answer, agent busy": Scene(answer_without_a_call, promptable=False),
    "answer, marker fails": Scene(answer_without_a_call, broken={"DetachedDelivery._mark": 1}),
    "answer, clear fails": Scene(answer_without_a_call, broken={"DetachedDelivery._clearing": 1}),
    "answer, finalize fails": Scene(
        answer_without_a_call, broken={"DetachedDelivery._finalizing": 1}
    ),
    "answer, restore fails": Scene(
        answer_without_a_call, promptable=False, broken={"Compensation._undoing": 1}
    ),
    "answer, release fails": Scene(
        answer_without_a_call,
        broken={"DetachedDelivery._mark": 1, "Compensation._undoing": 1},
    ),
    "skip": Scene(skip_without_a_call),
    "skip, finalize fails": Scene(skip_without_a_call, broken={"HostedDelivery._finalizing": 1}),
    "call": Scene(answer_a_call, comes_back=_KEY),
    "call, skip": Scene(skip_a_call, comes_back=_KEY),
    "call, confirmation fails": Scene(
        answer_a_call, comes_back=_KEY, broken={"HostedDelivery._finalizing": 1}
    ),
    "call does not take it": Scene(answer_a_call_that_does_not_take_it),
    "call, a turn begins": Scene(answer_after_which_a_turn_begins, comes_back=_KEY, retries=True),
    "call, session ends": Scene(answer_after_which_the_session_ends, retries=True),
    "call leaves": Scene(answer_a_call_that_leaves),
    "detach": Scene(detach),
    "session ends": Scene(end_session),
    "expire": Scene(run_out, expire_after=600),
    "withdraw": Scene(withdraw),
    "turn": Scene(move_on),
    "request": Scene(request),
    "guest": Scene(guest_call, guest=True, comes_back=_KEY),
    "guest, skip": Scene(guest_skip, guest=True, comes_back=_KEY),
    "guest, call gone": Scene(guest_call_is_gone, guest=True, comes_back=_KEY),
    "guest, asks again": Scene(guest_asks_again, guest=True, comes_back=_OTHER_KEY),
}
