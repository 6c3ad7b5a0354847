"""Permissions that agents ask for over MCP, decided on a real store (owner = agent, T8.3)."""

from collections.abc import AsyncIterator

import pytest

from backend.domain.policy import RuleScope
from backend.domain.review import NOT_TOLD, STOPPED_WAITING, ReviewStatus
from backend.errors import Conflict
from backend.review.prompt_answer import PromptAnswer, Prompted, PromptEnd
from backend.review.recovery import recover
from tests.helpers.clock import FakeClock
from tests.helpers.place import Place
from tests.helpers.prompting import BASH, HOSTED, PromptCase, guest, prompt_case
from tests.helpers.receipts import receipts_of
from tests.helpers.reviewing import SERVER, S
from tests.helpers.waiting import until


@pytest.fixture
async def case(place: Place, clock: FakeClock) -> AsyncIterator[PromptCase]:
    """Every test runs on both dialects."""
    async with prompt_case(place, clock) as opened:
        yield opened


async def test_a_guests_permission_is_a_card_in_its_own_session(case: PromptCase) -> None:
    """agents.md: the session of the caller, as for a question."""
    _, _, review = await case.ask_one()
    assert review.session_id != S
    assert (review.agent_name, review.folder) == ("claude-code", "/home/ada/p")
    assert [option.kind for option in review.options] == ["allow_once", "reject_once"]
    assert review.call.tool_name == "Bash"


async def test_an_agent_this_desk_runs_asks_in_its_session(case: PromptCase) -> None:
    _, _, review = await case.ask_one(HOSTED)
    assert (review.session_id, review.agent_name) == (S, "Codex")


async def test_an_allow_brings_the_stored_input_and_a_guests_outcome_is_never_told(
    case: PromptCase,
) -> None:
    """T8.3, reviewed arguments: enforced; T8.4, Approve & run. Over MCP nothing tells whether
    it ran: it is not called executed.
    """
    prompt, answer, review = await case.ask_one()
    await case.decide(review, "allow")
    told = await answer
    assert told == PromptAnswer(PromptEnd.ALLOWED, {"command": "rm -r build", "n": 1.5})
    assert case.desk.status() == "approved"
    prompt.told(told)
    await case.desk.becomes("failed")
    found = await case.desk.reviews.get_review(review.review_id)
    assert (found.status, found.error) == (ReviewStatus.OUTCOME_UNKNOWN, NOT_TOLD)
    assert [row[0] for row in case.desk.ledger()] == [
        "approval_requested",
        "approval_resolved",
        "call_started",
        "call_failed",
    ]


async def test_of_an_agent_this_desk_runs_the_end_is_told(case: PromptCase) -> None:
    """T8.3, executed/failed: from tool_call_update for the call's id."""
    prompt, answer, review = await case.ask_one(HOSTED, Prompted("Bash", {"command": "ls"}, "t1"))
    await case.decide(review, "allow")
    prompt.told(await answer)
    await case.desk.becomes("executing")
    case.desk.tool_ended(call_id="t1")
    await case.desk.becomes("executed")


async def test_a_turn_that_ends_without_a_word_leaves_the_outcome_unknown(case: PromptCase) -> None:
    """T8.3: turn ended without one."""
    prompt, answer, review = await case.ask_one(HOSTED)
    await case.decide(review, "allow")
    prompt.told(await answer)
    await case.desk.becomes("executing")
    await case.desk.reviews.permissions.nobody_waits(S)
    await case.desk.becomes("failed")
    found = await case.desk.reviews.get_review(review.review_id)
    assert found.error != NOT_TOLD


async def test_a_decline_says_why(case: PromptCase) -> None:
    """T8.4, Decline (reason)."""
    prompt, answer, review = await case.ask_one()
    await case.decide(review, "deny", reason="not today")
    told = await answer
    prompt.told(told)
    assert told == PromptAnswer(PromptEnd.DECLINED, reason="not today")
    await case.desk.becomes("rejected")


async def test_at_the_limit_it_expires_and_nothing_late_grants_anything(case: PromptCase) -> None:
    """tool-review.md, owner = agent; T6.3 case 67."""
    prompt, _, review = await case.ask_one()
    assert prompt.expire() == PromptAnswer(PromptEnd.UNDECIDED, reason=STOPPED_WAITING)
    with pytest.raises(Conflict):
        await case.decide(review, "allow")
    await case.desk.becomes("expired")
    found = await case.desk.reviews.get_review(review.review_id)
    assert (found.status, found.reason) == (ReviewStatus.EXPIRED, STOPPED_WAITING)
    assert case.desk.cards()[0]["status"] == "expired"
    with pytest.raises(Conflict):
        await case.decide(review, "allow")


async def test_what_was_approved_and_not_told_expires_too(case: PromptCase) -> None:
    """T1.2, approved to expired: the answer came in the moment its caller gave up."""
    prompt, answer, review = await case.ask_one()
    await case.decide(review, "allow")
    answer.cancel()
    prompt.expire()
    await case.desk.becomes("expired")


@pytest.mark.parametrize("decided", [False, True])
async def test_a_cancelled_call_is_cancelled(case: PromptCase, *, decided: bool) -> None:
    """T6.3 case 64; T8.3, requester gone before answer."""
    prompt, answer, review = await case.ask_one()
    if decided:
        await case.decide(review, "allow")
        await answer
    prompt.leave()
    prompt.leave()
    await case.desk.becomes("cancelled")
    assert len(case.desk.ledger()) == (3 if decided else 2)


async def test_a_stopped_session_stops_its_agent(case: PromptCase) -> None:
    """T6.3 case 65; T8.4, stop turn."""
    prompt, answer, _ = await case.ask_one(HOSTED)
    await case.desk.reviews.permissions.nobody_waits(S)
    told = await answer
    prompt.told(told)
    assert told.end is PromptEnd.STOPPED
    await case.desk.becomes("cancelled")


async def test_our_own_tools_are_never_asked_about(case: PromptCase) -> None:
    """agents.md, ACP: only what names the server given to this caller, and a tool of ours."""
    own = Prompted("mcp__kandesk__ask_user_question", {"questions": []})
    prompt, answer = await case.ask(None, own)
    told = await answer
    prompt.told(told)
    assert told == PromptAnswer(PromptEnd.ALLOWED, {"questions": []})
    assert case.desk.table("tool_action_requests") == []
    hosted = Prompted(f"mcp__{SERVER}__send_note", {"text": "x"})
    assert (await (await case.ask(HOSTED, hosted))[1]).end is PromptEnd.ALLOWED


@pytest.mark.parametrize("name", ["mcp__kandesk__rm", "mcp__other__send_note", "send_note"])
async def test_a_name_like_ours_is_asked_about(case: PromptCase, name: str) -> None:
    _, answer, _ = await case.ask_one(None, Prompted(name, {}))
    assert not answer.done()


async def test_a_rule_answers_an_equal_call_and_no_other(case: PromptCase) -> None:
    """T8.4, policy allow (no card); T5.4."""
    _, answer, review = await case.ask_one()
    await case.decide(review, "allow", remember=RuleScope.THIS_CALL)
    await answer
    prompt, again = await case.ask(guest("i2"))
    told = await again
    prompt.told(told)
    assert told == PromptAnswer(PromptEnd.ALLOWED, dict(BASH.arguments))
    await case.ask_one(None, Prompted("Bash", {"command": "rm -r src"}))


async def test_a_rule_may_say_no(case: PromptCase) -> None:
    """T8.4, Decline always, and policy deny (no card)."""
    _, answer, review = await case.ask_one()
    await case.decide(review, "deny", remember=RuleScope.THIS_CALL)
    await answer
    _, again = await case.ask()
    assert (await again).end is PromptEnd.RULED_OUT


async def test_of_a_caller_that_proves_no_folder_nothing_is_remembered(case: PromptCase) -> None:
    _, _, review = await case.ask_one(guest(folder=""))
    assert review.scopes == ()


async def test_a_rule_of_a_guest_is_none_of_an_agent_this_desk_runs(case: PromptCase) -> None:
    await case.ask_one()
    row = case.desk.table("tool_action_requests")[0]
    assert str(row["requested_by_agent"]) == "guest:claude-code"


async def test_a_call_sent_again_opens_a_fresh_card(place: Place, clock: FakeClock) -> None:
    """tool-review.md: re-issued by the shim after a restart; nothing was decided before."""
    async with prompt_case(place, clock) as first:
        await first.ask_one(guest(call="i1:7"))
        await first.desk.dies()
    async with prompt_case(place, clock, make_rows=False) as case:
        assert await recover(case.desk.faults, clock) == 1
        _, answer, review = await case.ask_one(guest(call="i1:7"))
        await case.decide(review, "allow")
        assert (await answer).end is PromptEnd.ALLOWED


async def test_an_approval_whose_writing_was_lost_is_never_given_again(
    place: Place, clock: FakeClock
) -> None:
    """tool-review.md: the agent gets "outcome unknown: ask again"; T8.3, app restart."""
    async with prompt_case(place, clock) as first:
        _, answer, review = await first.ask_one(guest(call="i1:7"))
        await first.decide(review, "allow")
        await answer
        await first.desk.dies()
    async with prompt_case(place, clock, make_rows=False) as case:
        assert await recover(case.desk.faults, clock) == 1
        prompt, again = await case.ask(guest(call="i1:7"))
        told = await again
        prompt.told(told)
        assert told == PromptAnswer(PromptEnd.UNKNOWN)
        assert len(case.desk.table("tool_action_requests")) == 1
        # The agent asks again: that is another call.
        await case.ask_one(guest(call="i1:8"))


async def test_a_decline_whose_writing_was_lost_is_still_one(
    place: Place, clock: FakeClock
) -> None:
    """T1.4: whether it was told is not known until the call comes again and is."""
    async with prompt_case(place, clock) as first:
        _, answer, review = await first.ask_one(guest(call="i1:7"))
        await first.decide(review, "deny")
        await answer
        await first.desk.dies()
    async with prompt_case(place, clock, make_rows=False) as case:
        await recover(case.desk.faults, clock)
        assert receipts_of(place) == ["unknown"]
        prompt, again = await case.ask(guest(call="i1:7"))
        told = await again
        assert told == PromptAnswer(PromptEnd.DECLINED)
        prompt.told(told)
        await until(lambda: receipts_of(place) == ["delivered"])


async def test_a_call_sent_again_to_the_same_desk_replaces_its_own_card(
    case: PromptCase, clock: FakeClock
) -> None:
    """No approval ever moves to another call: the old card is over before the new one opens."""
    _, old_answer, old = await case.ask_one(guest(call="i1:7"))
    _, answer = await case.ask(guest(call="i1:7"))
    await until(old_answer.done)
    await case.desk.becomes("cancelled", review_id=old.review_id)
    await clock.advance(2)
    fresh = (await case.desk.opened(2))[-1]
    with pytest.raises(Conflict):
        await case.decide(old, "allow")
    await case.decide(fresh, "allow")
    assert (await answer).end is PromptEnd.ALLOWED


async def test_fifty_at_once_are_fifty_cards_and_no_verdict(case: PromptCase) -> None:
    """Bad input: 50 permissions in one second from six sessions."""
    for number in range(50):
        await case.ask(
            guest(f"i{number % 6}", folder=f"/p{number % 6}"),
            Prompted("Bash", {"command": f"echo {number}"}, f"t{number}"),
        )
    await case.desk.opened(50)
    statuses = {str(row["status"]) for row in case.desk.table("tool_action_requests")}
    assert statuses == {"pending"}
    assert not any(answer.done() for answer in case.waiting)


async def test_odd_input_comes_back_as_it_was(case: PromptCase) -> None:
    """Bad input: arguments with NUL and lone surrogates."""
    odd = {"command": "a\0b\ud800", "big": 10**20}
    _, answer, review = await case.ask_one(None, Prompted("Bash", odd))
    await case.decide(review, "allow")
    assert (await answer).arguments == odd


async def test_without_a_key_nothing_is_put_before_anybody(place: Place, clock: FakeClock) -> None:
    """T6.2 case 46: fails closed, and says that nobody declined."""
    async with prompt_case(place, clock, signing_key=b"") as case:
        _, answer = await case.ask()
        told = await answer
        assert (told.end, told.reason) == (PromptEnd.UNDECIDED, "signing_secret_unconfigured")


async def test_a_guest_that_waits_for_a_permission_is_there(case: PromptCase) -> None:
    """agents.md: the next shim in the folder continues a session only when no other is in it."""
    _, answer, review = await case.ask_one(guest("i1"))
    _, _, other = await case.ask_one(guest("i2"), Prompted("Bash", {"command": "ls"}))
    assert other.session_id != review.session_id
    await case.decide(review, "deny")
    await answer
    _, _, third = await case.ask_one(guest("i3"), Prompted("Bash", {"command": "pwd"}))
    assert third.session_id == review.session_id
