"""The messages that wait for a session's agent (K7.3; K8.3.7; K8.6, 80, 83, 84)."""

import asyncio

import pytest

from backend.conversation.dispatcher import LiveAgent
from backend.conversation.next_prompt import Drain
from backend.domain.conversation import SessionState
from backend.domain.hosted import AdmissionOutcome
from backend.domain.input_mode import ForegroundActivity
from backend.errors import Conflict, ErrorCode, InvalidInput, NotFound, TemporarilyUnavailable
from backend.ids import PendingId, QueueEntryId, SessionId
from backend.store.database import Database
from tests.helpers.clock import FakeClock
from tests.helpers.faults import Fault, FaultyDatabase, unavailable
from tests.helpers.place import Place, raw
from tests.helpers.sending import S, Sending, sending_desk
from tests.helpers.store import lock_and_claim, make_claim

ABC = ("a", "b", "c")


async def take(sending: Sending, drain: Drain = Drain.PARKED) -> str | None:
    """The text of what was made the next prompt."""
    admitted = await sending.queue.take_next(S, drain)
    return None if admitted is None else admitted.message.content


async def test_messages_are_sent_in_their_order_one_at_a_time(sending: Sending) -> None:
    """K7.3: FIFO; nothing is taken while one is on its way or the agent works."""
    sending.session(SessionState.RUNNING)
    await sending.fill(*ABC)
    assert await take(sending) is None
    await sending.set_state(SessionState.IDLE)
    for text in ABC:
        assert await take(sending) == text
        assert await take(sending) is None
        await sending.run_and_end()
    assert await take(sending) is None
    assert sending.user_rows() == [(text, text) for text in ABC]
    assert await sending.texts() == []


async def test_what_is_taken_is_told_and_reserved(sending: Sending) -> None:
    """K5.5: an entry becomes a row with its sender's identity and a reserved turn at once."""
    sending.session(SessionState.RUNNING)
    await sending.fill("a")
    await sending.set_state(SessionState.IDLE)
    admitted = await sending.queue.take_next(S, Drain.PARKED)
    assert admitted is not None
    assert sending.dispatcher.told == [admitted]
    (prompt,) = await sending.undispatched()
    assert (prompt.turn_id, prompt.message_id) == (admitted.turn_id, "a")
    admission = await sending.send("a")
    assert (admission.outcome, admission.message_id) == (AdmissionOutcome.QUEUED, "a")


async def test_a_queued_late_answer_still_says_what_it_answers(sending: Sending) -> None:
    """LC.5, busy: the same message, sent later."""
    sending.session(SessionState.RUNNING)
    sending.rows.question("p1", turn="turn-s1", status="expired")
    await sending.send("Yes", answers="p1")
    await sending.set_state(SessionState.IDLE)
    assert await take(sending) == "Yes"
    assert [prompt.answers for prompt in await sending.undispatched()] == [PendingId("p1")]


@pytest.mark.parametrize("state", [SessionState.STARTING, SessionState.COMPLETED])
async def test_nothing_is_taken_for_an_agent_that_takes_nothing(
    sending: Sending, state: SessionState
) -> None:
    """K7.1; K7.3."""
    sending.session(SessionState.RUNNING)
    await sending.fill("a")
    await sending.set_state(state)
    assert await take(sending) is None
    assert await sending.texts() == ["a"]


async def test_an_agent_that_works_in_the_background_takes_the_next(sending: Sending) -> None:
    """K7.1 row 5; a steered agent is given nothing by itself."""
    sending.session(SessionState.RUNNING)
    await sending.fill("a")
    sending.dispatcher.live = LiveAgent(supports_steering=True)
    assert await take(sending) is None
    sending.dispatcher.live = LiveAgent(ForegroundActivity.BACKGROUND)
    assert await take(sending) == "a"


@pytest.mark.parametrize("drain", list(Drain))
async def test_a_live_question_holds_the_queue_back(sending: Sending, drain: Drain) -> None:
    """K8.6 84; K7.3; K8.6, 83."""
    sending.session(SessionState.RUNNING)
    await sending.fill("a")
    sending.rows.question("p1", turn="turn-s1")
    await sending.set_state(SessionState.WAITING_FOR_INPUT)
    assert await take(sending, drain) is None
    assert await sending.texts() == ["a"]


async def test_a_detached_question_lets_a_parked_session_go_on(sending: Sending) -> None:
    """K7.3; K8.6, 80 and 84 "drains after detach", 83 "detached is not live"; it supersedes it."""
    sending.session(SessionState.RUNNING)
    await sending.fill(*ABC)
    sending.rows.question("p1", turn="turn-s1", agent_disconnected=True)
    await sending.set_state(SessionState.WAITING_FOR_INPUT)
    with raw(sending.place) as connection:
        connection.execute("UPDATE tasks SET state = 'REVIEW'")
    admitted = await sending.queue.take_next(S, Drain.PARKED)
    assert admitted is not None
    assert (admitted.message.content, admitted.superseded) == ("a", ("p1",))
    with raw(sending.place) as connection:
        assert connection.execute("SELECT state FROM tasks").fetchone()[0] == "IN_PROGRESS"
    async with sending.database.writing() as tx:
        assert not await lock_and_claim(tx, make_claim(PendingId("p1")))


async def test_no_human_bypasses_a_question_that_is_open(sending: Sending) -> None:
    """K7.3: auto-run on, or sending by hand; K8.6, 84. Detached or not."""
    sending.session(SessionState.RUNNING)
    (entry,) = await sending.fill("a")
    await sending.queue.set_auto_run(S, auto_run=False)
    sending.rows.question("p1", turn="turn-s1", agent_disconnected=True)
    await sending.set_state(SessionState.WAITING_FOR_INPUT)

    assert await sending.queue.set_auto_run(S, auto_run=True) is None
    with pytest.raises(Conflict) as refused:
        await sending.queue.send_now(S, entry)
    assert refused.value.code is ErrorCode.NOT_ACTIVE
    assert await take(sending, Drain.ASKED_FOR) is None
    assert await sending.texts() == ["a"]
    assert sending.user_rows() == []


async def test_an_open_review_holds_the_queue_back(sending: Sending) -> None:
    """K7.1, composer rule, for what an agent may not do unasked."""
    sending.session(SessionState.RUNNING)
    await sending.fill("a")
    await sending.set_state(SessionState.WAITING_FOR_INPUT)
    with raw(sending.place) as connection:
        connection.execute(
            "INSERT INTO tool_invocations (id, owner, session_id, arguments_hash, created_at,"
            " updated_at) VALUES ('i1', 'agent', 's1', '', '', '')"
        )
        connection.execute(
            "INSERT INTO tool_action_requests (id, owner, invocation_id, session_id,"
            " canonical_arguments_hash, signed_arguments, created_at, updated_at)"
            " VALUES ('r1', 'agent', 'i1', 's1', '', '', '', '')"
        )
    assert await take(sending) is None
    assert (await sending.send("b")).outcome is AdmissionOutcome.QUEUED
    with raw(sending.place) as connection:
        connection.execute("UPDATE tool_action_requests SET status = 'rejected'")
    assert await take(sending) == "a"


async def test_an_answer_on_its_way_holds_the_queue_back(sending: Sending) -> None:
    """K8.6 85; K8.6, 83: fails closed while the answer's own prompt may still come."""
    sending.session(SessionState.RUNNING)
    await sending.fill("a")
    sending.rows.question("p1", turn="turn-s1", status="answered", response_delivery_pending=True)
    await sending.set_state(SessionState.WAITING_FOR_INPUT)
    assert await take(sending) is None


async def test_a_queue_that_does_not_run_by_itself_waits(sending: Sending) -> None:
    """K8.3.7; K7.3 auto-run; it is remembered for the session, and goes on when it is turned on
    again.
    """
    sending.session(SessionState.RUNNING)
    await sending.fill(*ABC)
    await sending.queue.set_auto_run(S, auto_run=False)
    assert not (await sending.view()).auto_run
    await sending.set_state(SessionState.IDLE)
    assert await take(sending) is None
    admitted = await sending.queue.set_auto_run(S, auto_run=True)
    assert admitted is not None
    assert admitted.message.content == "a"
    assert (await sending.view()).auto_run


async def test_one_message_is_sent_now_though_the_queue_does_not_run(sending: Sending) -> None:
    """agents.md "send now": it alone goes, and the others stay."""
    sending.session(SessionState.RUNNING)
    entries = await sending.fill(*ABC)
    await sending.queue.set_auto_run(S, auto_run=False)
    await sending.set_state(SessionState.IDLE)
    admitted = await sending.queue.send_now(S, entries[1])
    assert admitted is not None
    assert admitted.message.content == "b"
    await sending.run_and_end()
    assert await take(sending) is None
    assert await sending.texts() == ["a", "c"]


async def test_sent_now_while_the_agent_works_it_is_the_next(sending: Sending) -> None:
    """agents.md "send now": when the turn ends, before everything else; the last wish is first."""
    sending.session(SessionState.RUNNING)
    entries = await sending.fill(*ABC)
    await sending.queue.set_auto_run(S, auto_run=False)
    assert await sending.queue.send_now(S, entries[1]) is None
    assert await sending.queue.send_now(S, entries[2]) is None
    assert await sending.texts() == ["c", "b", "a"]
    await sending.set_state(SessionState.IDLE)
    assert await take(sending) == "c"
    await sending.run_and_end()
    assert await take(sending) == "b"
    await sending.run_and_end()
    assert await take(sending) is None
    assert await sending.texts() == ["a"]


async def test_a_session_that_has_ended_sends_nothing_now(sending: Sending) -> None:
    """K7.1 row 4: what waits stays to be read and removed."""
    sending.session(SessionState.RUNNING)
    (entry,) = await sending.fill("a")
    await sending.set_state(SessionState.FAILED)
    with pytest.raises(Conflict):
        await sending.queue.send_now(S, entry)
    await sending.queue.remove(S, entry)
    assert await sending.texts() == []


async def test_an_edit_names_the_text_it_saw(sending: Sending) -> None:
    """agents.md "edit": of two edits of one text the second is told, and nothing is overwritten."""
    sending.session(SessionState.RUNNING)
    entries = await sending.fill(*ABC)
    await sending.queue.edit(S, entries[1], "B", revision=0)
    with pytest.raises(Conflict) as refused:
        await sending.queue.edit(S, entries[1], "other", revision=0)
    assert refused.value.code is ErrorCode.KEY_REUSED
    await sending.queue.edit(S, entries[1], "BB", revision=1)
    assert await sending.texts() == ["a", "BB", "c"]
    assert [entry.revision for entry in (await sending.view()).entries] == [0, 2, 0]
    with pytest.raises(InvalidInput):
        await sending.queue.edit(S, entries[1], "  ", revision=2)


async def test_of_two_edits_at_once_one_is_refused(sending: Sending) -> None:
    sending.session(SessionState.RUNNING)
    (entry,) = await sending.fill("a")
    results = await asyncio.gather(
        *(sending.queue.edit(S, entry, text, revision=0) for text in ("x", "y", "z")),
        return_exceptions=True,
    )
    assert [type(each) for each in results if each is not None] == [Conflict, Conflict]
    assert (await sending.texts())[0] in {"x", "y", "z"}


@pytest.mark.parametrize(
    ("entry", "position", "order"),
    [(0, 2, "bca"), (2, 0, "cab"), (1, 99, "acb"), (1, -5, "bac"), (1, 1, "abc")],
)
async def test_a_message_is_moved_to_its_place(
    sending: Sending, entry: int, position: int, order: str
) -> None:
    """agents.md "positions": from 0, dense; outside is the nearest end."""
    sending.session(SessionState.RUNNING)
    entries = await sending.fill(*ABC)
    await sending.queue.move(S, entries[entry], position)
    assert "".join(await sending.texts()) == order


async def test_what_is_not_queued_any_more_is_not_found(sending: Sending) -> None:
    """Also an entry of another session: it is not this queue's."""
    sending.session(SessionState.RUNNING)
    sending.session(SessionState.RUNNING, "s2")
    (gone,) = await sending.fill("a")
    (foreign,) = await sending.fill("x", session=SessionId("s2"))
    await sending.queue.remove(S, gone)
    for entry in (gone, foreign, QueueEntryId("never")):
        for change in (
            sending.queue.edit(S, entry, "t", revision=0),
            sending.queue.remove(S, entry),
            sending.queue.move(S, entry, 0),
            sending.queue.send_now(S, entry),
        ):
            with pytest.raises(NotFound):
                await change
    assert await sending.texts(SessionId("s2")) == ["x"]
    with pytest.raises(NotFound):
        await sending.queue.set_auto_run(SessionId("nobody"), auto_run=True)


async def test_entries_of_another_program_are_sent_and_numbered_too(sending: Sending) -> None:
    """K2.6: Kandev's rows have no identity of a sender, and positions with gaps from 1."""
    sending.session(SessionState.RUNNING)
    with raw(sending.place) as connection:
        for position, text in ((3, "x"), (7, "y")):
            connection.execute(
                "INSERT INTO queued_messages (id, session_id, task_id, position, content,"
                " queued_at, queued_by) VALUES (?, 's1', 'task-s1', ?, ?,"
                " '2026-01-01 00:00:00', 'user')",
                (f"row-{text}", position, text),
            )
    assert [entry.position for entry in (await sending.view()).entries] == [0, 1]
    await sending.fill("z")
    await sending.queue.move(S, QueueEntryId("row-y"), 0)
    assert await sending.texts() == ["y", "x", "z"]
    await sending.set_state(SessionState.IDLE)
    assert await take(sending) == "y"
    assert sending.user_rows() == [("row-y", "y")]


async def test_a_queue_another_program_has_made_is_taken_over(
    place: Place, clock: FakeClock
) -> None:
    """K2.6: its table has none of our columns; its rows stay."""
    async with sending_desk(place, clock) as desk:
        desk.session(SessionState.RUNNING)
    kept = "id, session_id, task_id, position, content, model, plan_mode, attachments_json"
    with raw(place) as connection:
        for column in ("admission_id", "revision", "send_now"):
            connection.execute(f"ALTER TABLE queued_messages DROP COLUMN {column}")
        connection.execute(
            "INSERT INTO queued_messages (id, session_id, task_id, position, content, queued_at)"
            " VALUES ('theirs', 's1', 'task-s1', 1, 'x', '2026-01-01 00:00:00')"
        )
        before = tuple(connection.execute(f"SELECT {kept} FROM queued_messages").fetchone())  # noqa: S608

    async with sending_desk(place, clock) as desk:
        await desk.queue.edit(S, QueueEntryId("theirs"), "x", revision=0)
        with raw(place) as connection:
            after = tuple(connection.execute(f"SELECT {kept} FROM queued_messages").fetchone())  # noqa: S608
        assert after == before
        await desk.fill("ours")
        await desk.queue.move(S, QueueEntryId("theirs"), 5)
        assert await desk.texts() == ["ours", "x"]


async def test_the_queue_survives_a_restart(place: Place, clock: FakeClock) -> None:
    """K8.3: order, texts, revisions, what is to be sent now, and whether it runs by itself."""
    async with sending_desk(place, clock) as desk:
        desk.session(SessionState.RUNNING)
        entries = await desk.fill(*ABC)
        await desk.queue.edit(S, entries[0], "A", revision=0)
        await desk.queue.set_auto_run(S, auto_run=False)
        await desk.queue.send_now(S, entries[2])
        before = await desk.view()

    async with sending_desk(place, clock) as desk:
        assert await desk.view() == before
        assert await desk.texts() == ["c", "A", "b"]
        await desk.set_state(SessionState.IDLE)
        assert await take(desk) == "c"


async def test_a_session_that_is_deleted_takes_its_queue_along(sending: Sending) -> None:
    sending.session(SessionState.RUNNING)
    await sending.fill(*ABC)
    await sending.queue.set_auto_run(S, auto_run=False)
    with raw(sending.place) as connection:
        if not isinstance(sending.place, str):
            connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("DELETE FROM task_sessions WHERE id = 's1'")
        for table in ("queued_messages", "queue_session_state", "message_admissions"):
            left = connection.execute(f"SELECT COUNT(*) FROM {table}").fetchone()  # noqa: S608
            assert left[0] == 0


async def test_every_change_is_told_also_one_that_was_refused(sending: Sending) -> None:
    """The window that was refused shows what is not so."""
    sending.session(SessionState.RUNNING)
    (entry,) = await sending.fill("a")
    sending.dispatcher.changed.clear()
    await sending.queue.edit(S, entry, "b", revision=0)
    with pytest.raises(Conflict):
        await sending.queue.edit(S, entry, "c", revision=0)
    await sending.queue.remove(S, entry)
    assert sending.dispatcher.changed == [S, S, S]
    assert await take(sending) is None
    assert sending.dispatcher.changed == [S, S, S]


@pytest.mark.parametrize("when", ["before", "at commit", "after commit"])
async def test_a_take_whose_result_is_lost_neither_loses_nor_doubles_the_message(
    database: Database, clock: FakeClock, place: Place, when: str
) -> None:
    """K5.7: at each point the message is queued or a reserved prompt, never both, never none."""
    faulty = FaultyDatabase(database)
    sending = Sending(faulty, clock, place)
    sending.session(SessionState.RUNNING)
    await sending.fill("a")
    await sending.set_state(SessionState.IDLE)
    faulty.plan(Fault(when, unavailable()))  # type: ignore[arg-type]
    with pytest.raises(TemporarilyUnavailable):
        await take(sending)
    assert sending.dispatcher.looks == [S]
    prompts = [prompt.text for prompt in await sending.undispatched()]
    assert prompts + await sending.texts() == ["a"]
    assert prompts == (["a"] if when == "after commit" else [])


async def test_taken_by_hand_and_by_itself_at_once_it_is_sent_once(sending: Sending) -> None:
    """Send now against the automatic drain: one prompt, the other messages stay."""
    sending.session(SessionState.RUNNING)
    for _ in range(8):
        entries = await sending.fill(*(f"{text}{len(sending.user_rows())}" for text in ABC))
        await sending.set_state(SessionState.IDLE)
        before = len(sending.user_rows())
        await asyncio.gather(
            sending.queue.send_now(S, entries[2]),
            sending.queue.take_next(S, Drain.PARKED),
            sending.queue.take_next(S, Drain.ASKED_FOR),
        )
        assert len(sending.user_rows()) == before + 1
        assert len(await sending.undispatched()) == 1
        await sending.set_state(SessionState.RUNNING)
        for entry in (await sending.view()).entries:
            await sending.queue.remove(S, entry.entry_id)
        await sending.run_and_end()
        await sending.set_state(SessionState.RUNNING)


async def test_a_message_and_the_answer_of_an_open_question_at_once(sending: Sending) -> None:
    """K7.1 with K5.3: whoever is first, the answer is claimed and the message waits behind it."""
    sending.session(SessionState.WAITING_FOR_INPUT)
    for number in range(8):
        pending = PendingId(f"p{number}")
        sending.rows.question(pending, turn="turn-s1")

        async def answer(pending: PendingId = pending) -> bool:
            async with sending.database.writing() as tx:
                return await lock_and_claim(tx, make_claim(pending, claim_id=f"claim of {pending}"))

        admission, claimed = await asyncio.gather(sending.send(f"m{number}"), answer())
        assert claimed
        assert admission.outcome is AdmissionOutcome.QUEUED
    assert sending.user_rows() == []
