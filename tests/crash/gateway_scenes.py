"""What agents and humans do with a tool that counts, each scene with its own end (T1.2)."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Final

from backend.domain.policy import PolicyDecision, RuleScope
from backend.ids import ReviewId
from backend.review.gateway.calls import OpenedCall
from tests.crash.gateway_play import HOUR, SETTINGS, World
from tests.helpers.gateway_case import AGENT, S
from tests.helpers.waiting import until

Play = Callable[[World], Awaitable[None]]


async def start(world: World) -> None:
    """Whatever the last run has left."""


async def register(world: World) -> None:
    await world.case.gateway.api.save_server(SETTINGS, {})


async def approve(world: World) -> None:
    opened = await world.call()
    await world.decide(opened)
    await world.hear(opened)


async def decline(world: World) -> None:
    opened = await world.call()
    await world.decide(opened, "decline")
    await world.hear(opened)


async def tool_fails(world: World) -> None:
    opened = await world.call(fails=True)
    await world.decide(opened)
    await world.hear(opened)


async def by_ticket(world: World) -> None:
    """The call waits no longer; its result is fetched."""
    opened = await world.call()
    await world.decide(opened)
    await world.case.becomes(opened, "executed")
    again = await world.case.gateway.calls.redeem(AGENT, opened.ticket)
    await world.hear(again)
    await until(lambda: world.case.table("tool_invocations")[0]["collected_at"])


async def expires(world: World) -> None:
    opened = await world.call()
    await world.case.clock.advance(HOUR + 1)
    await world.hear(opened)


async def approved_late(world: World) -> None:
    """Nobody has looked at the clock; the decision does."""
    opened = await world.call()
    world.case.clock.set_wall(HOUR + 1)
    await world.decide(opened)
    await world.hear(opened)


async def called_again_late(world: World) -> None:
    """An equal call after the hour is another one."""
    await world.call()
    world.case.clock.set_wall(HOUR + 1)
    opened = await world.call()
    await world.decide(opened)
    await world.hear(opened)


async def session_ends(world: World) -> None:
    """Between the approval and the claim."""
    opened = await world.call()
    await until(lambda: world.case.opened_reviews)
    await world.case.approve_unheard(opened)
    world.case.run("UPDATE task_sessions SET state = 'COMPLETED'")
    await world.case.reviews.tell(_review(opened))
    await world.hear(opened)


async def server_off(world: World) -> None:
    """What was approved is no longer there to be called."""
    opened = await world.call()
    await world.case.gateway.api.save_server(replace(SETTINGS, enabled=False), {})
    await world.decide(opened)
    await world.hear(opened)


async def server_removed(world: World) -> None:
    opened = await world.call()
    await world.case.gateway.api.remove_server(SETTINGS.server_id)
    await world.hear(opened)


async def server_removed_approved(world: World) -> None:
    opened = await world.call()
    await until(lambda: world.case.opened_reviews)
    await world.case.approve_unheard(opened)
    await world.case.gateway.api.remove_server(SETTINGS.server_id)
    await world.hear(opened)


async def stopped(world: World) -> None:
    """The human stops the turn that asked."""
    opened = await world.call()
    await world.case.reviews.permissions.cancel_stopped(S)
    await world.hear(opened)


async def stopped_approved(world: World) -> None:
    opened = await world.call()
    await until(lambda: world.case.opened_reviews)
    await world.case.approve_unheard(opened)
    await world.case.reviews.permissions.cancel_stopped(S)
    await world.hear(opened)


async def tampered(world: World) -> None:
    """Somebody has changed what was signed."""
    opened = await world.call()
    world.case.run(
        "UPDATE tool_action_requests SET signed_arguments ="
        ' replace(signed_arguments, \'"label":"a"\', \'"label":"b"\')'
    )
    await world.decide(opened)
    await world.hear(opened)


async def allowed(world: World) -> None:
    await world.say(PolicyDecision.ALLOW)
    await world.hear(await world.call())


async def denied(world: World) -> None:
    await world.say(PolicyDecision.DENY)
    await world.hear(await world.call())


async def always(world: World) -> None:
    """The rule that is made allows the next call."""
    opened = await world.call()
    await world.decide(opened, remember=RuleScope.THIS_TOOL)
    await world.hear(opened)
    await world.hear(await world.call("b"))


SCENES: Final[dict[str, Play]] = {
    "": start,
    "register": register,
    "approve": approve,
    "decline": decline,
    "the tool fails": tool_fails,
    "by ticket": by_ticket,
    "nobody decides": expires,
    "approved late": approved_late,
    "called again late": called_again_late,
    "session ends": session_ends,
    "server off": server_off,
    "server removed": server_removed,
    "server removed after the approval": server_removed_approved,
    "stopped": stopped,
    "stopped after the approval": stopped_approved,
    "tampered": tampered,
    "allowed": allowed,
    "denied": denied,
    "always allowed": always,
}


def _review(opened: OpenedCall) -> ReviewId:
    assert opened.review_id is not None
    return opened.review_id
