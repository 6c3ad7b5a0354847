"""What a human has said once and for all: rules made with a verdict, used, shown and revoked."""

import asyncio
import json

import pytest

from backend.domain.agents import PermissionAsked, PermissionOption, ToolKind
from backend.domain.ledger import LedgerEntry
from backend.domain.policy import PolicyDecision, RuleScope
from backend.domain.review import ReviewStatus
from backend.errors import Conflict, InvalidInput, NotFound, StorageFailed
from backend.events import ReviewOpened, RuleChanged
from backend.ids import EventId, RuleId, SessionId, TurnId
from backend.store import policies
from tests.helpers.place import raw
from tests.helpers.reviewing import OPTIONS, WINDOW, ReviewDesk, S, make_asked, make_call
from tests.helpers.waiting import until

EXACT = RuleScope.THIS_CALL
ONLY_ALWAYS = (OPTIONS[1], OPTIONS[2])


async def always(desk: ReviewDesk, option: str = "once", **parts: object) -> RuleId:
    """Decide a call for good, and go on once its agent has been told."""
    waiting, review = await desk.ask_one()
    outcome = await desk.decide(review, option, remember=EXACT, **parts)  # type: ignore[arg-type]
    assert await waiting == option
    assert outcome.review.rule_id is not None
    if outcome.review.status is ReviewStatus.APPROVED:
        # Written behind its back; a test that opens the store itself must not meet that.
        await desk.becomes("executing", review_id=review.review_id)
    return outcome.review.rule_id


async def still_asks(desk: ReviewDesk, asked: PermissionAsked, session: str = "s1") -> None:
    before = len(desk.heard(ReviewOpened))
    turn = TurnId("turn1" if session == "s1" else f"turn-{session}")
    waiting = desk.ask(asked, session=SessionId(session), turn=turn)
    review = (await desk.opened(before + 1))[-1]
    assert not waiting.done()
    await desk.decide(review, "no")
    assert await waiting == "no"


def other_session(desk: ReviewDesk, name: str, **parts: str) -> None:
    own = {"kind": "hosted", "agent": "codex", "agent_name": "Codex", "folder": "/home/a/p"}
    desk.rows.session(name, metadata=json.dumps({"kandesk": {**own, **parts}}))
    desk.rows.turn(f"turn-{name}", name)


async def test_what_is_always_allowed_is_not_asked_again(desk: ReviewDesk) -> None:
    """T5.1, T5.4, T8.4; T6.2 case 58: also in another session of the agent in the folder."""
    rule_id = await always(desk)
    other_session(desk, "s2")

    assert await desk.ask(make_asked("call-2")) == "once"
    other = desk.ask(make_asked("call-3"), session=SessionId("s2"), turn=TurnId("turn-s2"))
    assert await other == "once"

    assert len(desk.cards()) == 1
    (rule,) = await desk.reviews.rules.list_rules()
    assert (rule.rule_id, rule.hits, rule.decision) == (rule_id, 2, PolicyDecision.ALLOW)
    assert rule.sample == "rm -r build"
    assert desk.ledger().count(("policy_decision", "success", "rule")) == 2
    assert desk.ledger().count(("trust_rule_used", "success", "rule")) == 2
    assert desk.ledger().count(("trust_rule_created", "success", "")) == 1
    changed = [event.rule.hits for event in desk.events if isinstance(event, RuleChanged)]
    assert changed == [0, 1, 2]


async def test_changed_arguments_another_agent_and_another_folder_ask(desk: ReviewDesk) -> None:
    """T6.2 case 58: a rule is of exactly what was reviewed, of its agent in its folder."""
    await always(desk)
    other_session(desk, "s2", agent="claude")
    other_session(desk, "s3", folder="/home/a/q")

    await still_asks(desk, make_asked("b", raw_input={"command": "rm -r build /"}))
    await still_asks(desk, make_asked("c"), "s2")
    await still_asks(desk, make_asked("d"), "s3")


async def test_two_who_always_allow_at_once_make_one_rule(desk: ReviewDesk) -> None:
    """T6.2 case 58: one call, one rule."""
    waiting, review = await desk.ask_one()

    one, two = await asyncio.gather(
        desk.decide(review, remember=EXACT), desk.decide(review, remember=EXACT)
    )

    assert await waiting == "once"
    assert sorted([one.winner, two.winner]) == [False, True]
    assert one.review.rule_id == two.review.rule_id
    assert len(await desk.reviews.rules.list_rules()) == 1
    assert desk.ledger().count(("approval_resolved", "success", "")) == 1


async def test_the_same_rule_is_made_once_by_two_cards(desk: ReviewDesk) -> None:
    first, second = desk.ask(make_asked("a")), desk.ask(make_asked("b"))
    one, two = await desk.opened(2)

    await desk.decide(one, remember=EXACT)
    await desk.decide(two, remember=EXACT)

    assert (await first, await second) == ("once", "once")
    assert len(await desk.reviews.rules.list_rules()) == 1


async def test_a_rule_that_cannot_be_kept_decides_nothing(
    desk: ReviewDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """T5.1, T6.2 case 59: the request and its card still pending, nothing told."""
    waiting, review = await desk.ask_one()

    async def full(*_: object) -> None:
        raise StorageFailed("store_full", "no room")  # type: ignore[arg-type]

    with monkeypatch.context() as patched:
        patched.setattr(policies, "keep", full)
        with pytest.raises(StorageFailed):
            await desk.decide(review, remember=EXACT)

    assert desk.status() == "pending"
    assert "status" not in desk.cards()[0]
    assert not waiting.done()
    assert desk.ledger() == [("approval_requested", "pending", "default")]
    await desk.decide(review)
    assert await waiting == "once"


async def test_what_is_always_declined_is_declined_unasked(desk: ReviewDesk) -> None:
    """T8.4: rejected and a deny rule; the agent is told reject_once each time."""
    await always(desk, "no")

    assert await desk.ask(make_asked("call-2")) == "no"

    assert len(desk.cards()) == 1
    assert ("policy_decision", "denied", "rule") in desk.ledger()
    assert desk.call_statuses()[-1] == ("denied", "not_required", "rule")


async def test_a_denying_rule_wins_over_one_that_allows(desk: ReviewDesk) -> None:
    """T6.2 case 58: an explicit block wins, whichever came first."""
    first, second = desk.ask(make_asked("a")), desk.ask(make_asked("b"))
    one, two = await desk.opened(2)
    await desk.decide(one, "once", remember=EXACT)
    await desk.decide(two, "no", remember=EXACT)
    assert (await first, await second) == ("once", "no")

    assert await desk.ask(make_asked("c")) == "no"


async def test_a_denial_that_cannot_be_said_is_told_as_cancelled(desk: ReviewDesk) -> None:
    """T8.4: no suitable option is offered: never the first; the ledger says so."""
    await always(desk, "no")

    assert await desk.ask(make_asked("b", options=OPTIONS[:1])) is None

    assert desk.ledger()[-2:][0][2] == "permission_option_unavailable"


async def test_a_refusal_that_cannot_be_said_is_in_the_ledger(desk: ReviewDesk) -> None:
    """T8.4: `permission_option_unavailable`, the agent is told `cancelled`."""
    waiting = desk.ask(make_asked(options=OPTIONS[:1]))
    (review,) = await desk.opened()
    await desk.decide(review, "")
    assert await waiting is None
    wanted = ("call_denied", "denied", "permission_option_unavailable")
    await until(lambda: desk.ledger()[-1] == wanted)


async def test_our_rule_stays_ours(desk: ReviewDesk) -> None:
    """T8.4: always allowed, the agent hears allow_once; allow_always only if nothing else is."""
    waiting, review = await desk.ask_one()
    outcome = await desk.decide(review, "always", remember=EXACT)
    assert await waiting == outcome.review.chosen == "once"

    only = desk.ask(make_asked("b", options=ONLY_ALWAYS, raw_input={"command": "ls"}))
    review = (await desk.opened(2))[-1]
    await desk.decide(review, "always", remember=EXACT)
    assert await only == "always"


async def test_a_rule_never_gives_an_agent_more_than_this_once(desk: ReviewDesk) -> None:
    """T8.4: an agent that offers allow_always alone is put before the human each time."""
    await always(desk)
    await still_asks(desk, make_asked("b", options=ONLY_ALWAYS))


async def test_of_an_unknown_option_nothing_is_remembered(desk: ReviewDesk) -> None:
    """T8.4: unknown kinds stay extra buttons, by their ids; no rule speaks for them."""
    options = (*OPTIONS, PermissionOption("amend", "Yes, and more", "amend_policy"))
    waiting = desk.ask(make_asked(options=options))
    (review,) = await desk.opened()

    with pytest.raises(InvalidInput) as refused:
        await desk.decide(review, "amend", remember=EXACT)

    assert refused.value.params["field"] == "remember"
    assert not waiting.done()
    await desk.decide(review, "amend")
    assert await waiting == "amend"


async def test_what_destroys_is_never_always_allowed(desk: ReviewDesk) -> None:
    """T5.4: destructive asks each time; it can be declined for good."""
    asked = PermissionAsked(make_call(kind=ToolKind.DELETE), OPTIONS)
    waiting = desk.ask(asked)
    (review,) = await desk.opened()
    assert (review.scopes, review.decline_scopes) == ((), (EXACT,))

    with pytest.raises(InvalidInput):
        await desk.decide(review, "once", remember=EXACT)
    await desk.decide(review, "no", remember=EXACT)

    assert await waiting == "no"
    again = PermissionAsked(make_call("call-2", kind=ToolKind.DELETE), OPTIONS)
    assert await desk.ask(again) == "no"


async def test_an_agents_own_tool_is_never_remembered_whole(desk: ReviewDesk) -> None:
    """T5.4: its shell does anything."""
    waiting, review = await desk.ask_one()
    assert review.scopes == (EXACT,)
    with pytest.raises(InvalidInput):
        await desk.decide(review, remember=RuleScope.THIS_TOOL)
    await desk.decide(review, "no")
    assert await waiting == "no"


async def test_a_revoked_rule_asks_again_and_stays_in_the_list(desk: ReviewDesk) -> None:
    """T5.4, T5.6: revoked with a reason, never deleted; twice changes nothing."""
    rule_id = await always(desk)

    revoked = await desk.reviews.rules.revoke_rule(rule_id, reason="too much")
    again = await desk.reviews.rules.revoke_rule(rule_id, reason="other")

    assert revoked == again
    assert revoked.revoked_because == "too much"
    assert revoked.revoked_at is not None
    assert await desk.reviews.rules.list_rules() == (revoked,)
    assert desk.ledger().count(("trust_rule_revoked", "success", "")) == 1
    await still_asks(desk, make_asked("b"))
    with pytest.raises(NotFound):
        await desk.reviews.rules.revoke_rule(RuleId("none"))


async def test_a_rule_that_was_revoked_can_be_made_anew(desk: ReviewDesk) -> None:
    first = await always(desk)
    await desk.reviews.rules.revoke_rule(first)
    second = await always(desk)
    holding, revoked = await desk.reviews.rules.list_rules()
    assert (holding.rule_id, revoked.rule_id) == (second, first)


async def test_a_rule_that_has_expired_asks_again(desk: ReviewDesk) -> None:
    """T5.4: and the same can be made in its place."""
    first = await always(desk)
    with raw(desk.place) as connection:
        connection.execute("UPDATE tool_policies SET expires_at = '2020-01-01T00:00:00Z'")

    await still_asks(desk, make_asked("b"))

    second = await always(desk)
    assert [rule.rule_id for rule in await desk.reviews.rules.list_rules()] == [second, first]


async def test_covered_requests_are_listed_and_wait_for_their_human(desk: ReviewDesk) -> None:
    """T5.4: queued siblings are settled only on confirmation."""
    asked = [desk.ask(make_asked(name)) for name in ("a", "b", "c")]
    other = desk.ask(make_asked("d", raw_input={"command": "ls"}))
    reviews = await desk.opened(4)
    first, rest = reviews[0], reviews[1:3]

    outcome = await desk.decide(first, remember=EXACT)

    assert [review.call.call_id for review in outcome.covered] == ["b", "c"]
    assert not any(waiting.done() for waiting in asked[1:])
    rule_id = outcome.review.rule_id
    assert rule_id is not None
    rules = desk.reviews.rules
    assert await rules.list_covered(rule_id) == outcome.covered
    settled = await rules.settle_covered(
        rule_id, [rest[0].review_id, reviews[3].review_id], client_id=WINDOW
    )
    assert [each.status for each in settled] == [ReviewStatus.APPROVED, ReviewStatus.PENDING]
    assert settled[0].rule_id == rule_id
    assert await asked[1] == "once"
    assert not asked[2].done()
    assert not other.done()
    assert (await rules.list_rules())[0].hits == 1


async def test_a_revoked_rule_covers_nothing(desk: ReviewDesk) -> None:
    first, second = desk.ask(make_asked("a")), desk.ask(make_asked("b"))
    one, two = await desk.opened(2)
    outcome = await desk.decide(one, remember=EXACT)
    assert await first == "once"
    assert outcome.review.rule_id is not None
    await desk.reviews.rules.revoke_rule(outcome.review.rule_id)

    covered = await desk.reviews.rules.settle_covered(
        outcome.review.rule_id, [two.review_id], client_id=WINDOW
    )

    assert [each.status for each in covered] == [ReviewStatus.PENDING]
    assert not second.done()


async def test_what_a_rule_denies_by_now_is_not_approved(desk: ReviewDesk) -> None:
    """T5.2: the policy is looked at again in the decision; it stays open."""
    first, second = desk.ask(make_asked("a")), desk.ask(make_asked("b"))
    one, two = await desk.opened(2)
    await desk.decide(one, "no", remember=EXACT)
    assert await first == "no"

    with pytest.raises(Conflict):
        await desk.decide(two, "once")

    assert not second.done()
    assert (await desk.reviews.get_review(two.review_id)).status is ReviewStatus.PENDING
    await desk.decide(two, "no")
    assert await second == "no"


async def test_the_reason_for_declining_is_kept(desk: ReviewDesk) -> None:
    """T5.1: the reason is kept with the request; the agent's side is handed it."""
    waiting, review = await desk.ask_one()

    outcome = await desk.decide(review, "no", reason=" not on a Friday ")

    assert await waiting == "no"
    assert outcome.review.reason == "not on a Friday"
    (event,) = [row for row in desk.table("tool_call_events") if row["decision"] == "rejected"]
    assert json.loads(event["metadata"])["reason"] == "not on a Friday"


@pytest.mark.parametrize(
    ("option", "reason"), [("no", "x" * 2_001), ("no", "\x00"), ("no", "\ud800"), ("once", "why")]
)
async def test_a_reason_nobody_can_keep_is_refused(
    desk: ReviewDesk, option: str, reason: str
) -> None:
    waiting, review = await desk.ask_one()
    with pytest.raises(InvalidInput) as refused:
        await desk.decide(review, option, reason=reason)
    assert refused.value.params["field"] == "reason"
    assert not waiting.done()


async def test_a_verdict_without_the_rule_is_not_one_with_it(desk: ReviewDesk) -> None:
    """T5.1: who wants it always is not told that it is so when it was allowed once."""
    waiting, review = await desk.ask_one()
    await desk.decide(review)
    assert await waiting == "once"
    with pytest.raises(Conflict):
        await desk.decide(review, remember=EXACT)


async def test_the_record_is_read_page_by_page(desk: ReviewDesk) -> None:
    """T5.6: newest first, of all, of a session or of one request."""
    await always(desk)
    await desk.ask(make_asked("b"))
    rules = desk.reviews.rules
    whole = await rules.ledger()
    pages: list[LedgerEntry] = []
    after: EventId | None = None
    while True:
        page = await rules.ledger(after=after, limit=2)
        pages += page.entries
        after = page.after
        if after is None:
            break
    assert tuple(pages) == whole.entries
    assert len(whole.entries) == len(desk.ledger())
    assert {entry.event_type for entry in whole.entries} >= {"policy_decision", "trust_rule_used"}
    (review,) = (await desk.reviews.list_closed_reviews()).reviews
    of_one = await rules.ledger(review_id=review.review_id)
    assert {entry.review_id for entry in of_one.entries} == {review.review_id}
    assert {entry.call for entry in of_one.entries if entry.call != review.call} == set()
    assert (await rules.ledger(session_id=SessionId("other"))).entries == ()
    assert (await rules.ledger(session_id=S)).entries == whole.entries


async def test_closed_requests_are_read_page_by_page(desk: ReviewDesk) -> None:
    for number in range(3):
        waiting, review = await desk.ask_one()
        await desk.decide(review, "no")
        await waiting
        await desk.clock.advance(1)
        del number
    first = await desk.reviews.list_closed_reviews(limit=2)
    second = await desk.reviews.list_closed_reviews(after=first.after, limit=2)
    asked = [review.asked_at for review in first.reviews + second.reviews]
    assert asked == sorted(asked, reverse=True)
    assert (len(first.reviews), len(second.reviews), second.after) == (2, 1, None)
