"""What a rule decides: our own tools once, with a row in the ledger, and nothing else."""

from backend.domain.agents import PermissionAsked, PermissionOption, ToolCallChange, ToolKind
from tests.helpers.clock import FakeClock
from tests.helpers.faults import Fault, unavailable
from tests.helpers.place import Place
from tests.helpers.reviewing import OPTIONS, SERVER, ReviewDesk, S, make_asked, review_desk

CALLED = ToolCallChange(
    "call-9",
    started=True,
    title=f"mcp.{SERVER}.ask_user_question",
    kind=ToolKind.EXECUTE,
    raw_input={"server": SERVER, "tool": "ask_user_question", "arguments": {}},
)


def asked_of_codex(options: tuple[PermissionOption, ...] = OPTIONS) -> PermissionAsked:
    call = ToolCallChange("call-9", kind=ToolKind.EXECUTE)
    return PermissionAsked(call, options, {"is_mcp_tool_approval": True})


async def test_our_own_tool_is_allowed_once_with_a_row_in_the_ledger(desk: ReviewDesk) -> None:
    """agents.md, ACP; T8.4: policy allow, no card."""
    desk.reviews.permissions.updated(S, CALLED)

    assert await desk.ask(asked_of_codex()) == "once"

    assert desk.cards() == []
    assert desk.ledger() == [("policy_decision", "success", "own_tool")]
    assert desk.call_statuses() == [("executing", "not_required", "")]


async def test_without_an_option_for_this_once_a_human_decides(desk: ReviewDesk) -> None:
    desk.reviews.permissions.updated(S, CALLED)

    waiting = desk.ask(asked_of_codex(OPTIONS[1:]))

    (review,) = await desk.opened()
    assert review.call.raw_input == CALLED.raw_input
    await desk.decide(review, "no")
    assert await waiting == "no"


async def test_another_sessions_server_opens_a_card(place: Place, clock: FakeClock) -> None:
    async with review_desk(place, clock, server="kandesk-other") as desk:
        desk.reviews.permissions.updated(S, CALLED)
        waiting = desk.ask(asked_of_codex())
        (review,) = await desk.opened()
        await desk.decide(review, "no")
        assert await waiting == "no"


async def test_a_call_of_an_earlier_id_that_began_anew_is_not_ours(desk: ReviewDesk) -> None:
    """Ids repeat: what was said of an earlier call says nothing of this one."""
    desk.reviews.permissions.updated(S, CALLED)
    desk.tool_ended(call_id="call-9")

    waiting = desk.ask(asked_of_codex())

    (review,) = await desk.opened()
    await desk.decide(review, "no")
    assert await waiting == "no"


async def test_the_rule_waits_for_its_row_in_the_ledger(desk: ReviewDesk) -> None:
    desk.reviews.permissions.updated(S, CALLED)
    desk.faults.plan(Fault("before", unavailable()), Fault("after commit", unavailable()))

    waiting = desk.ask(asked_of_codex())
    await desk.clock.advance(0.5)
    assert not waiting.done()
    await desk.clock.advance(7)

    assert await waiting == "once"
    assert len(desk.ledger()) == 1


async def test_without_a_key_nothing_can_be_allowed(place: Place, clock: FakeClock) -> None:
    """T6.2 case 46: a missing secret fails closed."""
    async with review_desk(place, clock, signing_key=b"") as desk:
        assert await desk.ask(make_asked()) is None
        assert desk.cards() == []
        assert desk.ledger() == [("policy_decision", "denied", "signing_secret_unconfigured")]
