import pytest

from backend.clock import Nanoseconds
from backend.domain.clarification import Bundle, Delivery, Withdrawn
from backend.domain.conversation import GuestIdentity
from backend.domain.digest import question_digest
from backend.errors import Conflict, ErrorCode
from backend.ids import ClaimId, IdempotencyKey, PendingId
from backend.store import bundles, deliveries, intents, withdrawals
from backend.store.database import Database
from backend.store.same_questions import OFFERED_FOR
from tests.helpers.builders import make_draft, make_guest, make_question
from tests.helpers.clock import FakeClock
from tests.helpers.store import SKIP, YES, Asked, ask, claim, make_claim

DIGEST = question_digest(make_draft())
OTHER = make_draft(make_question(prompt="Another?"))
LONG_AGO = Nanoseconds(0)


async def load(database: Database, asked: Asked) -> Bundle:
    async with database.reading() as tx:
        bundle = await bundles.load_bundle(tx, asked.pending_id)
    assert bundle is not None
    return bundle


async def answer(
    database: Database,
    clock: FakeClock,
    asked: Asked,
    delivery: Delivery = Delivery.WAITING_FOR_AGENT,
    *,
    skip: bool = False,
) -> None:
    token = f"claim of {asked.pending_id}"
    wanted = make_claim(asked.pending_id, SKIP if skip else YES, claim_id=token, now=clock.now())
    assert await claim(database, wanted)
    async with database.writing() as tx:
        assert await intents.finalize(tx, asked.pending_id, ClaimId(token), delivery, clock.now())


async def move(database: Database, asked: Asked, expected: Delivery, to: Delivery) -> bool:
    async with database.writing() as tx:
        return await deliveries.move(
            tx, asked.pending_id, expected=expected, to=to, now=Nanoseconds(9)
        )


async def cut(database: Database, clock: FakeClock, asked: Asked) -> None:
    async with database.writing() as tx:
        await deliveries.note_cut(tx, asked.pending_id, clock.now())


async def rejoinable(
    database: Database, connection: str = "mcp-1", *, cut_after: Nanoseconds = LONG_AGO
) -> PendingId | None:
    async with database.writing() as tx:
        return await deliveries.rejoinable(
            tx, connection_id=connection, question_digest=DIGEST, cut_after=cut_after
        )


async def test_a_call_is_found_by_its_key_and_by_its_ticket(
    database: Database, clock: FakeClock
) -> None:
    asked = await ask(database, clock, key="shim:1")
    async with database.reading() as tx:
        assert await deliveries.find_by_key(tx, IdempotencyKey("shim:1")) == asked.pending_id
        assert await deliveries.find_by_key(tx, IdempotencyKey("shim:2")) is None
        ticket = f"hash of {asked.pending_id}"
        assert await deliveries.find_by_ticket(tx, ticket) == asked.pending_id
        assert await deliveries.find_by_ticket(tx, "another") is None
        assert await deliveries.digest_of(tx, asked.pending_id) == DIGEST
        assert await deliveries.digest_of(tx, PendingId("none")) is None


async def test_a_key_belongs_to_one_bundle(database: Database, clock: FakeClock) -> None:
    await ask(database, clock, key="shim:1")
    with pytest.raises(Conflict) as caught:
        await ask(database, clock, OTHER, key="shim:1")
    assert caught.value.code is ErrorCode.KEY_REUSED
    async with database.reading() as tx:
        assert len(await bundles.list_open(tx)) == 1


async def test_an_answer_moves_on_once_and_only_from_where_it_is(
    database: Database, clock: FakeClock
) -> None:
    asked = await ask(database, clock)
    waiting, delivered = Delivery.WAITING_FOR_AGENT, Delivery.DELIVERED
    assert not await move(database, asked, waiting, delivered)
    await answer(database, clock, asked)
    assert not await move(database, asked, Delivery.PENDING, delivered)
    assert await move(database, asked, waiting, delivered)
    assert not await move(database, asked, waiting, Delivery.DISCARDED)
    assert (await load(database, asked)).delivery is delivered


async def test_what_replaced_an_answer_is_remembered(database: Database, clock: FakeClock) -> None:
    asked = await ask(database, clock)
    await answer(database, clock, asked)
    async with database.writing() as tx:
        assert await deliveries.move(
            tx,
            asked.pending_id,
            expected=Delivery.WAITING_FOR_AGENT,
            to=Delivery.REPLACED,
            now=clock.now(),
            replaced_by=PendingId("newer"),
        )
    assert (await load(database, asked)).replaced_by == "newer"


async def test_a_cut_ask_of_the_same_mcp_session_can_be_rejoined(
    database: Database, clock: FakeClock
) -> None:
    """clarification.md, rule 3."""
    asked = await ask(database, clock, connection="mcp-1")
    assert await rejoinable(database) is None
    await cut(database, clock, asked)
    assert await rejoinable(database) == asked.pending_id
    assert await rejoinable(database) is None
    await cut(database, clock, asked)
    await answer(database, clock, asked)
    assert await rejoinable(database) == asked.pending_id
    await cut(database, clock, asked)
    await move(database, asked, Delivery.WAITING_FOR_AGENT, Delivery.DELIVERED)
    assert await rejoinable(database) is None


async def test_an_ask_is_not_rejoined_from_elsewhere_too_late_or_after_another_ask(
    database: Database, clock: FakeClock
) -> None:
    """clarification.md, rule 3."""
    asked = await ask(database, clock, connection="mcp-1")
    await cut(database, clock, asked)
    assert await rejoinable(database, "mcp-2") is None
    assert await rejoinable(database, "") is None
    assert await rejoinable(database, cut_after=clock.now()) is None
    await ask(database, clock, OTHER, connection="mcp-1")
    assert await rejoinable(database) is None


async def test_an_ask_in_between_counts_although_the_clock_was_set_back(
    database: Database, clock: FakeClock
) -> None:
    """Rule 3: a yes to "Proceed?" is never consumed by the next "Proceed?"."""
    asked = await ask(database, clock, connection="mcp-1")
    await cut(database, clock, asked)
    earlier = FakeClock(Nanoseconds(clock.now() - 3_600_000_000_000))
    await ask(database, earlier, OTHER, connection="mcp-1")
    assert await rejoinable(database) is None


async def test_a_withdrawn_ask_is_not_rejoined(database: Database, clock: FakeClock) -> None:
    asked = await ask(database, clock, connection="mcp-1")
    await cut(database, clock, asked)
    async with database.writing() as tx:
        await withdrawals.withdraw(tx, asked.pending_id, Withdrawn.BY_HUMAN, clock.now())
    assert await rejoinable(database) is None


async def test_an_equal_question_is_offered_the_answer_that_waits(
    database: Database, clock: FakeClock
) -> None:
    """clarification.md, rule 4."""
    earlier = await ask(database, clock)
    await answer(database, clock, earlier)
    again = await load(database, await ask(database, clock))
    assert again.stored_answer is not None
    assert again.stored_answer.pending_id == earlier.pending_id
    assert again.stored_answer.answers == YES.answers
    assert again.stored_answer.delivery is Delivery.WAITING_FOR_AGENT
    assert again.asked_again_of is None
    assert (await load(database, earlier)).stored_answer is None


async def test_the_newest_answer_is_offered_and_a_skip_never(
    database: Database, clock: FakeClock
) -> None:
    first, second, third = [await ask(database, clock) for _ in range(3)]
    await answer(database, clock, second)
    await answer(database, clock, first)
    await answer(database, clock, third, skip=True)
    again = await load(database, await ask(database, clock))
    assert again.stored_answer is not None
    assert again.stored_answer.pending_id == first.pending_id


@pytest.mark.parametrize(("past", "offered"), [(OFFERED_FOR - 10**9, True), (OFFERED_FOR, False)])
async def test_a_delivered_answer_is_offered_for_a_day(
    database: Database, clock: FakeClock, past: int, *, offered: bool
) -> None:
    earlier = await ask(database, clock)
    await answer(database, clock, earlier, Delivery.DELIVERED)
    await clock.advance(past / 1e9)
    again = await load(database, await ask(database, clock))
    assert (again.stored_answer is not None) is offered


@pytest.mark.parametrize("gone", [Delivery.DISCARDED, Delivery.REPLACED])
async def test_an_answer_that_is_gone_is_not_offered(
    database: Database, clock: FakeClock, gone: Delivery
) -> None:
    earlier = await ask(database, clock)
    await answer(database, clock, earlier)
    await move(database, earlier, Delivery.WAITING_FOR_AGENT, gone)
    assert (await load(database, await ask(database, clock))).stored_answer is None


@pytest.mark.parametrize(
    ("guest", "same"),
    [
        (make_guest("other shim"), True),
        (make_guest("other shim", client="another"), False),
        (make_guest("other shim", folder="/elsewhere"), False),
        (make_guest("other shim", folder=""), False),
    ],
)
async def test_equal_questions_meet_in_a_session_or_a_folder_of_one_client(
    database: Database, clock: FakeClock, guest: GuestIdentity, *, same: bool
) -> None:
    earlier = await ask(database, clock)
    await answer(database, clock, earlier)
    again = await ask(database, clock, guest=guest, connected=(earlier.session_id,))
    assert again.session_id != earlier.session_id
    assert ((await load(database, again)).stored_answer is not None) is same


async def test_a_guest_without_a_folder_meets_only_its_like(
    database: Database, clock: FakeClock
) -> None:
    """A plain HTTP client proves no folder, and its next session should find the answer."""
    await answer(database, clock, await ask(database, clock, guest=make_guest("a", folder="")))
    again = await ask(database, clock, guest=make_guest("b", folder=""))
    assert (await load(database, again)).stored_answer is not None
    other = await ask(database, clock, guest=make_guest("c", folder="", client="another"))
    assert (await load(database, other)).stored_answer is None


async def test_another_question_or_context_is_offered_nothing(
    database: Database, clock: FakeClock
) -> None:
    await answer(database, clock, await ask(database, clock))
    for draft in (OTHER, make_draft(context="other circumstances")):
        found = await load(database, await ask(database, clock, draft))
        assert (found.stored_answer, found.asked_again_of) == (None, None)


async def test_the_newer_of_two_equal_open_questions_names_the_older(
    database: Database, clock: FakeClock
) -> None:
    """clarification.md, rule 4: the card group "asked again"."""
    oldest, middle, newest = [await ask(database, clock) for _ in range(3)]
    assert (await load(database, oldest)).asked_again_of is None
    assert (await load(database, middle)).asked_again_of == oldest.pending_id
    assert (await load(database, newest)).asked_again_of == middle.pending_id
    async with database.writing() as tx:
        await withdrawals.withdraw(tx, middle.pending_id, Withdrawn.BY_AGENT, clock.now())
    assert (await load(database, newest)).asked_again_of == oldest.pending_id
