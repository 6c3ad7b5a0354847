"""What the rows of the failure matrix have in common (K5.6)."""

import asyncio

import pytest

from backend.domain.clarification import AnswerDraft
from backend.errors import (
    AgentFailed,
    ErrorCode,
    StorageFailed,
)
from backend.events import BundleOpened
from backend.store import reservations
from tests.helpers.faults import Fault, unavailable
from tests.helpers.hosted import YES, HostedDesk, P
from tests.helpers.waiting import until

BROKEN = StorageFailed(ErrorCode.STORE_FULL, "injected")
REFUSED = AgentFailed(ErrorCode.AGENT_FAILED, "the agent is gone")


async def failed(response: "asyncio.Task[object]") -> str:
    with pytest.raises(AgentFailed) as caught:
        await response
    assert caught.value.code is ErrorCode.DELIVERY_FAILED
    return caught.value.detail


async def is_restored(hosted: HostedDesk) -> None:
    """Answerable again, pre-filled, nothing of the attempt left, and the window was told."""
    bundle = await hosted.bundle()
    assert bundle.answerable
    assert (bundle.delivery, bundle.claim_id, bundle.responded_at) == (None, None, None)
    assert await hosted.draft() == AnswerDraft(P, YES.answers)
    assert hosted.turns() == ["turn1"]
    assert hosted.states() == ("WAITING_FOR_INPUT", "REVIEW")
    await until(lambda: any(isinstance(event, BundleOpened) for event in hosted.events))


async def end(response: "asyncio.Task[object]", dying: HostedDesk) -> None:
    """What a crash leaves: nothing of the attempt goes on."""
    del dying
    names = {"respond", "deliver answer", "claim answer", "follow dispatch", "resume agent"}
    left = [task for task in asyncio.all_tasks() if task.get_name() in names]
    for task in left:
        task.cancel()
    await asyncio.gather(response, *left, return_exceptions=True)


async def end_without_compensation(dying: HostedDesk, response: "asyncio.Task[object]") -> None:
    """A crash after which nothing more is written."""
    dying.faults.plan(*(Fault("before", BROKEN) for _ in range(9)))
    await end(response, dying)


def blinding(hosted: HostedDesk, fault: Fault) -> Fault:
    """From this fault on nothing can be read either, until `hosted.faults.reads` is None."""

    class _Blinding(asyncio.Event):
        def set(self) -> None:
            hosted.faults.reads = Fault("before", unavailable())
            super().set()

    fault.reached = _Blinding()
    return fault


async def no_reservation(hosted: HostedDesk) -> bool:
    async with hosted.desk.database.reading() as tx:
        return await reservations.list_reserved(tx) == ()
