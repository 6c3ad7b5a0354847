"""What becomes of a message a human sends (K6.5, K7.1-K7.3; LC.5, LC.9)."""

import asyncio
import json

import psycopg
import pytest

from backend.conversation.dispatcher import LiveAgent
from backend.conversation.next_prompt import Drain
from backend.domain.conversation import SessionState
from backend.domain.hosted import MAX_MESSAGE_BYTES, AdmissionOutcome, OutgoingMessage
from backend.domain.input_mode import ForegroundActivity
from backend.errors import Conflict, ErrorCode, InvalidInput, NotFound, TemporarilyUnavailable
from backend.ids import AdmissionId, SessionId
from backend.store.database import Database
from backend.store.dialect import Dialect, session_lock
from tests.helpers.clock import FakeClock
from tests.helpers.faults import Fault, FaultyDatabase, unavailable
from tests.helpers.place import Place, raw
from tests.helpers.sending import S, Sending, sending_desk
from tests.helpers.waiting import until

PARKED = Drain.PARKED
MOMENT = "2026-03-01T12:00:00.000000000Z"
DIRECT = [SessionState.CREATED, SessionState.IDLE, SessionState.WAITING_FOR_INPUT]
QUEUED = [SessionState.STARTING, SessionState.RUNNING]
ENDED = [SessionState.COMPLETED, SessionState.FAILED, SessionState.CANCELLED]


def metadata(sending: Sending, table: str, row: str) -> dict[str, object]:
    with raw(sending.place) as connection:
        found = connection.execute(
            f"SELECT metadata FROM {table} WHERE id = ?",  # noqa: S608
            (row,),
        ).fetchone()
    value: dict[str, object] = json.loads(found[0])
    return value


@pytest.mark.parametrize("state", DIRECT)
async def test_a_session_that_is_ready_takes_a_message_as_its_next_prompt(
    sending: Sending, state: SessionState
) -> None:
    """LC.5; LC.9; K8.7 case 113; K7.1 row 2; K7.2: the sender's identity is the row's; durable
    before anybody is given it.
    """
    sending.session(state)
    admission = await sending.send("Go on", identity="m-1")

    assert admission.outcome is AdmissionOutcome.SENT
    assert (admission.message_id, admission.entry_id, admission.replayed) == ("m-1", None, False)
    assert sending.user_rows() == [("m-1", "Go on")]
    (prompt,) = await sending.undispatched()
    assert (prompt.message_id, prompt.text, prompt.attempted) == ("m-1", "Go on", False)
    (told,) = sending.dispatcher.told
    assert (told.turn_id, told.message.message_id) == (prompt.turn_id, "m-1")
    assert told.message.turn_id == prompt.turn_id


@pytest.mark.parametrize("state", QUEUED)
async def test_a_session_that_is_busy_queues_it(sending: Sending, state: SessionState) -> None:
    """LC.5; K8.7 case 113; K7.1 rows 3 and 7; LC.9: queued is another word than sent."""
    sending.session(state)
    admission = await sending.send("Then this")

    assert admission.outcome is AdmissionOutcome.QUEUED
    assert admission.message_id is None
    assert [entry.entry_id for entry in (await sending.view()).entries] == [admission.entry_id]
    assert await sending.texts() == ["Then this"]
    assert sending.user_rows() == []
    assert not sending.dispatcher.told
    assert sending.dispatcher.changed == [S]


@pytest.mark.parametrize("state", ENDED)
async def test_a_session_that_has_ended_takes_none(sending: Sending, state: SessionState) -> None:
    """K8.7 case 113; K7.1 row 4; K7.2 "Session has ended"; LC.5, unavailable."""
    sending.session(state)
    with pytest.raises(Conflict) as refused:
        await sending.send("Hello?")
    assert refused.value.code is ErrorCode.NOT_ACTIVE
    assert await sending.admissions.find_admission(AdmissionId("Hello?")) is None


async def test_a_session_in_a_state_nobody_knows_takes_none(sending: Sending) -> None:
    """K7.1 row 4, "anything else"."""
    sending.rows.session(state="DREAMING")
    with pytest.raises(Conflict):
        await sending.send("Hello?")


async def test_an_agent_of_elsewhere_takes_no_messages(sending: Sending) -> None:
    """clarification.md: guests have no prompt channel."""
    sending.rows.session(state="IDLE", metadata='{"kandesk":{"kind":"guest"}}')
    with pytest.raises(Conflict) as refused:
        await sending.send("Hello?")
    assert refused.value.code is ErrorCode.NOT_ACTIVE


async def test_a_session_that_does_not_exist_is_not_found(sending: Sending) -> None:
    """K7.1 row 1."""
    with pytest.raises(NotFound):
        await sending.send("Hello?", session=SessionId("nobody"))


@pytest.mark.parametrize(
    ("live", "outcome"),
    [
        (LiveAgent(ForegroundActivity.BACKGROUND), AdmissionOutcome.SENT),
        (LiveAgent(ForegroundActivity.FOREGROUND), AdmissionOutcome.QUEUED),
        (LiveAgent(supports_steering=True), AdmissionOutcome.SENT),
    ],
)
async def test_what_the_running_agent_says_decides_too(
    sending: Sending, live: LiveAgent, outcome: AdmissionOutcome
) -> None:
    """K7.1 rows 5, 6 and 7."""
    sending.session(SessionState.RUNNING)
    sending.dispatcher.live = live
    assert (await sending.send("Now")).outcome is outcome


async def test_an_agent_is_steered_only_past_an_empty_queue(sending: Sending) -> None:
    """K7.1 row 6."""
    sending.session(SessionState.RUNNING)
    await sending.fill("before")
    sending.dispatcher.live = LiveAgent(supports_steering=True)
    assert (await sending.send("after")).outcome is AdmissionOutcome.QUEUED


async def test_a_turn_that_runs_is_not_overtaken_whatever_its_session_says(
    sending: Sending,
) -> None:
    """K7.1, RUNNING: a question withdrawn while its turn runs leaves WAITING_FOR_INPUT behind."""
    sending.session(SessionState.WAITING_FOR_INPUT)
    sending.dispatcher.live = LiveAgent(works=True)
    assert (await sending.send("After this")).outcome is AdmissionOutcome.QUEUED
    assert await sending.queue.take_next(S, PARKED) is None
    sending.dispatcher.live = LiveAgent()
    assert await sending.queue.take_next(S, PARKED) is not None


async def test_a_prompt_on_its_way_makes_the_session_busy(sending: Sending) -> None:
    """K5.5: one dispatch at a time; until it is settled, a second message waits behind it."""
    sending.session(SessionState.IDLE)
    await sending.send("first")
    assert (await sending.send("second")).outcome is AdmissionOutcome.QUEUED
    await sending.run_and_end()
    assert await sending.queue.take_next(S, PARKED) is not None
    await sending.run_and_end()
    assert (await sending.send("third")).outcome is AdmissionOutcome.SENT


async def test_what_waits_is_not_overtaken_between_a_turns_end_and_the_next(
    sending: Sending,
) -> None:
    """K8.3.7; K8.6 84; K7.3 FIFO: the turn has ended, and nobody has taken the first of the queue
    yet.
    """
    sending.session(SessionState.RUNNING)
    await sending.fill("first", "second")
    await sending.set_state(SessionState.IDLE)
    assert (await sending.send("third")).outcome is AdmissionOutcome.QUEUED
    assert sending.dispatcher.changed[-1] == S
    taken = []
    while (admitted := await sending.queue.take_next(S, PARKED)) is not None:
        taken.append(admitted.message.content)
        await sending.run_and_end()
    assert taken == ["first", "second", "third"]


async def test_a_queue_that_does_not_run_by_itself_holds_nothing_back(sending: Sending) -> None:
    """K8.3.7; K7.1: an idle session takes a message directly; what waits is sent when its human
    says so.
    """
    sending.session(SessionState.RUNNING)
    await sending.fill("later")
    await sending.queue.set_auto_run(S, auto_run=False)
    await sending.set_state(SessionState.IDLE)
    assert (await sending.send("now")).outcome is AdmissionOutcome.SENT
    assert await sending.texts() == ["later"]


async def test_what_is_to_be_sent_now_is_not_overtaken_either(sending: Sending) -> None:
    """K8.3.7; agents.md "send now": it is the next, also of a queue that does not run by itself."""
    sending.session(SessionState.RUNNING)
    (wanted,) = await sending.fill("wanted")
    await sending.queue.set_auto_run(S, auto_run=False)
    await sending.queue.send_now(S, wanted)
    await sending.set_state(SessionState.IDLE)
    assert (await sending.send("new")).outcome is AdmissionOutcome.QUEUED


def keep_answer(sending: Sending, *, ended: str = "completed") -> None:
    """An answer whose call has gone; the turn that asked has ended."""
    sending.rows.session(state="IDLE", metadata='{"kandesk":{"kind":"hosted"}}')
    sending.rows.turn("turn1", kandesk={"ended": {"outcome": ended}})
    sending.rows.question("p1", status="answered")
    with raw(sending.place) as connection:
        connection.execute(
            "INSERT INTO interaction_deliveries (pending_id, session_id, connection_id,"
            " question_digest, state, outcome, opened_at, claimed_at, updated_at) VALUES"
            " ('p1', 's1', '', '', 'waiting_for_agent', 'answered', ?, ?, ?)",
            (MOMENT, MOMENT, MOMENT),
        )


async def test_an_answer_that_waits_for_the_agent_is_before_a_new_message(
    sending: Sending,
) -> None:
    """K7.1, K5.5: it was given first; between two turns too, and what is said of it is true."""
    keep_answer(sending)
    assert (await sending.send("And then this")).outcome is AdmissionOutcome.QUEUED
    assert await sending.undispatched() == ()


@pytest.mark.parametrize("why", ["stopped", "failed"])
async def test_an_answer_that_does_not_go_by_itself_holds_nothing_back(
    sending: Sending, why: str
) -> None:
    """Its turn was stopped, or its agent does not run before its human says so."""
    keep_answer(sending, ended="cancelled" if why == "stopped" else "interrupted")
    sending.dispatcher.live = LiveAgent(failed=why == "failed")
    assert (await sending.send("And then this")).outcome is AdmissionOutcome.SENT


async def test_the_queue_of_an_agent_that_has_failed_holds_nothing_back(sending: Sending) -> None:
    """It does not run by itself: the message is the human's wish to start the agent again."""
    sending.session(SessionState.RUNNING)
    await sending.fill("later")
    await sending.set_state(SessionState.IDLE)
    sending.dispatcher.live = LiveAgent(failed=True)
    assert (await sending.send("go on")).outcome is AdmissionOutcome.SENT


@pytest.mark.parametrize("detached", [True, False])
async def test_an_open_question_is_not_overtaken(sending: Sending, *, detached: bool) -> None:
    """K8.7 case 113; K7.1, composer rule; K8.6, 84: the fast way is skipped while a question is
    open.
    """
    sending.session(SessionState.WAITING_FOR_INPUT)
    sending.rows.question("p1", turn="turn-s1", agent_disconnected=detached)
    assert (await sending.send("Instead")).outcome is AdmissionOutcome.QUEUED


async def test_an_answer_on_its_way_is_not_overtaken(sending: Sending) -> None:
    """K1.6 `delivery_claimed`: a newer turn would take the answer's agent away from it."""
    sending.session(SessionState.WAITING_FOR_INPUT)
    sending.rows.question("p1", turn="turn-s1", status="answered", response_delivery_pending=True)
    assert (await sending.send("And also")).outcome is AdmissionOutcome.QUEUED


async def test_a_question_of_an_earlier_turn_holds_nothing_back(sending: Sending) -> None:
    """LC.5; LC.2; K6.5: the stale question itself never makes the session busy."""
    sending.session(SessionState.IDLE)
    sending.rows.question("p1", turn="turn-s1")
    sending.rows.turn("turn2")
    admission = await sending.send("Late", answers="p1")
    assert admission.outcome is AdmissionOutcome.SENT


async def test_another_open_question_holds_a_late_answer_back(sending: Sending) -> None:
    """LC.5; K6.5: the stale question does not count, another one that is open does."""
    sending.session(SessionState.WAITING_FOR_INPUT)
    sending.rows.question("p1", turn="turn-s1", status="expired")
    sending.rows.question("p2", turn="turn-s1")
    admission = await sending.send("Late", answers="p1")
    assert admission.outcome is AdmissionOutcome.QUEUED


async def test_a_late_answer_never_answers_the_question_itself(sending: Sending) -> None:
    """LC.9; the row names what it answers without becoming a row of that question."""
    sending.session(SessionState.IDLE)
    row = sending.rows.question("p1", turn="turn-s1", status="expired")
    before = metadata(sending, "task_session_messages", row)
    await sending.send("Question 1\nGo on?\nAnswer: Yes", identity="late-1", answers="p1")

    assert metadata(sending, "task_session_messages", row) == before
    assert metadata(sending, "task_session_messages", "late-1") == {"kandesk": {"answers": "p1"}}
    (prompt,) = await sending.undispatched()
    assert prompt.answers == "p1"


async def test_a_late_answer_goes_to_the_session_that_asked(sending: Sending) -> None:
    """LC.5: never to whatever else is shown."""
    sending.session(SessionState.IDLE)
    sending.session(SessionState.IDLE, "s2")
    sending.rows.question("p1", turn="turn-s1", status="expired")
    with pytest.raises(NotFound):
        await sending.send("Yes", answers="p1", session=SessionId("s2"))
    with pytest.raises(NotFound):
        await sending.send("Yes", answers="no such question")
    assert await sending.admissions.find_admission(AdmissionId("Yes")) is None


async def test_a_question_that_is_open_takes_its_answer_itself(sending: Sending) -> None:
    """K6.5: only an inactive question is answered by a message; LC.6."""
    sending.session(SessionState.WAITING_FOR_INPUT)
    sending.rows.question("p1", turn="turn-s1")
    with pytest.raises(Conflict) as refused:
        await sending.send("Yes", answers="p1")
    assert refused.value.code is ErrorCode.NOT_ACTIVE


async def test_a_second_late_answer_needs_an_identity_of_its_own(sending: Sending) -> None:
    """K6.5: after a success the next one is a new message; the same identity stays the first."""
    sending.session(SessionState.IDLE)
    sending.rows.question("p1", turn="turn-s1", status="expired")
    first = await sending.send("Yes", identity="a", answers="p1")
    with pytest.raises(Conflict) as refused:
        await sending.send("No", identity="a", answers="p1")
    assert refused.value.code is ErrorCode.KEY_REUSED
    second = await sending.send("No, wait", identity="b", answers="p1")
    assert (first.outcome, second.outcome) == (AdmissionOutcome.SENT, AdmissionOutcome.QUEUED)
    assert await sending.texts() == ["No, wait"]


async def test_the_new_turn_supersedes_an_open_question_of_a_session_that_goes_on(
    sending: Sending,
) -> None:
    """K1.8: the message makes its turn own the session, and who shows the question is told."""
    sending.session(SessionState.IDLE)
    sending.rows.question("p1", turn="turn-s1", agent_disconnected=True)
    await sending.fill("Instead")
    admitted = await sending.queue.take_next(S, PARKED)
    assert admitted is not None
    assert admitted.superseded == ("p1",)
    assert (await sending.send("next")).outcome is AdmissionOutcome.QUEUED


@pytest.mark.parametrize(
    ("message", "field", "code"),
    [
        (OutgoingMessage(AdmissionId(""), S, "x"), "admission_id", ErrorCode.INVALID),
        (OutgoingMessage(AdmissionId("i" * 129), S, "x"), "admission_id", ErrorCode.TOO_LONG),
        (OutgoingMessage(AdmissionId("a\0"), S, "x"), "admission_id", ErrorCode.INVALID),
        (OutgoingMessage(AdmissionId("a"), S, " \n"), "text", ErrorCode.INVALID),
        (OutgoingMessage(AdmissionId("a"), S, "nul \0"), "text", ErrorCode.INVALID),
        (OutgoingMessage(AdmissionId("a"), S, "half \ud800"), "text", ErrorCode.INVALID),
        (
            OutgoingMessage(AdmissionId("a"), S, "é" * (MAX_MESSAGE_BYTES // 2 + 1)),
            "text",
            ErrorCode.TOO_LONG,
        ),
    ],
)
async def test_what_cannot_be_a_message_is_refused_by_its_field(
    sending: Sending, message: OutgoingMessage, field: str, code: ErrorCode
) -> None:
    """K7.2: an identity has at most 128 characters; limits are named."""
    sending.session(SessionState.IDLE)
    with pytest.raises(InvalidInput) as refused:
        await sending.admissions.send(message)
    assert (refused.value.code, refused.value.params["field"]) == (code, field)
    if code is ErrorCode.TOO_LONG:
        assert refused.value.params["limit"] in {128, MAX_MESSAGE_BYTES}


async def test_the_largest_message_is_sent_whole(sending: Sending) -> None:
    sending.session(SessionState.IDLE)
    text = "é" * (MAX_MESSAGE_BYTES // 2)
    await sending.send(text, identity="i" * 128)
    assert [prompt.text for prompt in await sending.undispatched()] == [text]


async def test_the_same_message_again_is_a_read(sending: Sending) -> None:
    """K8.7 case 113; K7.2, K8.3.1: no second row, no second prompt; who may not have been told is
    told again.
    """
    sending.session(SessionState.IDLE)
    first = await sending.send("Once", identity="m")
    again = await sending.send("Once", identity="m")
    assert (again.outcome, again.message_id) == (first.outcome, first.message_id)
    assert again.replayed
    assert sending.user_rows() == [("m", "Once")]
    assert len(sending.dispatcher.told) == 1
    assert sending.dispatcher.looks == [S]


@pytest.mark.parametrize("change", ["text", "session", "question"])
async def test_an_identity_names_one_message_only(sending: Sending, change: str) -> None:
    """K7.2 "already used", with the payload compared; K8.3."""
    sending.session(SessionState.IDLE)
    sending.session(SessionState.IDLE, "s2")
    sending.rows.question("p1", turn="turn-s1", status="expired")
    await sending.send("Once", identity="m")
    with pytest.raises(Conflict) as refused:
        await sending.send(
            "Twice" if change == "text" else "Once",
            identity="m",
            session=SessionId("s2") if change == "session" else S,
            answers="p1" if change == "question" else None,
        )
    assert refused.value.code is ErrorCode.KEY_REUSED
    assert sending.user_rows() == [("m", "Once")]


async def test_an_identity_that_is_a_row_of_something_else_is_taken(sending: Sending) -> None:
    """K7.2: the identity is the row's primary key."""
    sending.session(SessionState.IDLE)
    row = sending.rows.message(turn="turn-s1")
    with pytest.raises(Conflict) as refused:
        await sending.send("Mine", identity=row)
    assert refused.value.code is ErrorCode.KEY_REUSED


async def test_a_message_is_recognized_in_every_state_of_its_session(sending: Sending) -> None:
    """K7.2: the look-up is before every check of the state; K8.3: after sent, edited, removed."""
    sending.session(SessionState.RUNNING)
    sent, edited, removed = await sending.fill("to send", "to edit", "to remove")
    await sending.queue.edit(S, edited, "edited", revision=0)
    await sending.queue.remove(S, removed)
    await sending.set_state(SessionState.IDLE)
    await sending.queue.take_next(S, PARKED)
    await sending.run_and_end()
    await sending.set_state(SessionState.COMPLETED)

    for text, entry in (("to send", sent), ("to edit", edited), ("to remove", removed)):
        again = await sending.send(text)
        assert (again.outcome, again.entry_id) == (AdmissionOutcome.QUEUED, entry)
        assert again.replayed
    with pytest.raises(Conflict) as refused:
        await sending.send("edited", identity="to edit")
    assert refused.value.code is ErrorCode.KEY_REUSED
    assert (await sending.send("to send")).message_id == "to send"


async def test_a_message_is_recognized_after_a_restart(place: Place, clock: FakeClock) -> None:
    """K8.3: the identity survives the program; late answers, "restarting the program"."""
    async with sending_desk(place, clock) as desk:
        desk.session(SessionState.IDLE)
        await desk.send("direct")
        await desk.send("queued")

    async with sending_desk(place, clock) as desk:
        direct, queued = await desk.send("direct"), await desk.send("queued")
        assert (direct.outcome, direct.replayed) == (AdmissionOutcome.SENT, True)
        assert (queued.outcome, queued.replayed) == (AdmissionOutcome.QUEUED, True)
        assert [prompt.text for prompt in await desk.undispatched()] == ["direct"]
        assert await desk.texts() == ["queued"]


async def test_a_lost_result_is_found_by_its_identity(sending: Sending) -> None:
    """K8.3.4: reconcile; a rejection and an unknown result are told apart (K8.3.6)."""
    sending.session(SessionState.IDLE)
    await sending.send("Once", identity="m")
    found = await sending.admissions.find_admission(AdmissionId("m"))
    assert found is not None
    assert (found.outcome, found.message_id) == (AdmissionOutcome.SENT, "m")
    assert await sending.admissions.find_admission(AdmissionId("other")) is None


async def test_the_eleventh_message_in_the_queue_is_refused(sending: Sending) -> None:
    """K8.3.7; K7.3: the cap is 10, of each session; the refused one may be sent again later."""
    sending.session(SessionState.RUNNING)
    sending.session(SessionState.RUNNING, "s2")
    entries = await sending.fill(*(f"m{number}" for number in range(10)))
    with pytest.raises(Conflict) as refused:
        await sending.send("m10")
    assert refused.value.code is ErrorCode.QUEUE_FULL
    assert refused.value.params["limit"] == 10
    assert (await sending.send("elsewhere", session=SessionId("s2"))).entry_id
    await sending.queue.remove(S, entries[0])
    assert (await sending.send("m10")).outcome is AdmissionOutcome.QUEUED


async def test_twenty_at_once_leave_one_prompt_ten_in_the_queue_and_nine_errors(
    sending: Sending,
) -> None:
    """K8.3.7; K7.3: the cap holds under concurrency; nothing is doubled."""
    sending.session(SessionState.IDLE)
    results = await asyncio.gather(
        *(sending.send(f"m{number}") for number in range(20)), return_exceptions=True
    )
    full = [each for each in results if isinstance(each, Conflict)]
    admitted = [each for each in results if not isinstance(each, BaseException)]
    assert {each.code for each in full} == {ErrorCode.QUEUE_FULL}
    assert (len(full), len(admitted)) == (9, 11)
    assert len(await sending.texts()) == 10
    assert len(sending.user_rows()) == 1


async def test_one_identity_sent_ten_times_at_once_is_one_message(sending: Sending) -> None:
    """K8.3.1; K7.2: "per-id gate"; whoever loses is told what the winner was told."""
    sending.session(SessionState.IDLE)
    results = await asyncio.gather(*(sending.send("Once", identity="m") for _ in range(10)))
    assert {each.outcome for each in results} == {AdmissionOutcome.SENT}
    assert [each.replayed for each in results].count(False) == 1
    assert sending.user_rows() == [("m", "Once")]
    assert len(sending.dispatcher.told) == 1


async def test_one_identity_for_two_sessions_at_once_is_one_message(sending: Sending) -> None:
    """K8.3.1; K7.2: the two hold different locks and meet at the identity only."""
    sending.session(SessionState.IDLE)
    sending.session(SessionState.IDLE, "s2")
    results = await asyncio.gather(
        sending.send("Once", identity="m"),
        sending.send("Once", identity="m", session=SessionId("s2")),
        return_exceptions=True,
    )
    refused = [each for each in results if isinstance(each, Conflict)]
    assert [each.code for each in refused] == [ErrorCode.KEY_REUSED]
    assert len(sending.user_rows()) + len(sending.user_rows(SessionId("s2"))) == 1


@pytest.mark.parametrize("when", ["before", "at commit", "after commit"])
async def test_a_result_that_is_lost_is_the_same_when_it_is_asked_for_again(
    database: Database, clock: FakeClock, place: Place, when: str
) -> None:
    """K8.3.4 and K8.3.6: 503 means "not known"; the same message again settles it."""
    faulty = FaultyDatabase(database)
    sending = Sending(faulty, clock, place)
    sending.session(SessionState.IDLE)
    faulty.plan(Fault(when, unavailable()))  # type: ignore[arg-type]
    with pytest.raises(TemporarilyUnavailable):
        await sending.send("Once", identity="m")
    assert sending.dispatcher.looks == [S]
    again = await sending.send("Once", identity="m")
    assert (again.outcome, again.replayed) == (AdmissionOutcome.SENT, when == "after commit")
    assert sending.user_rows() == [("m", "Once")]
    assert len(await sending.undispatched()) == 1


async def test_a_caller_that_goes_away_does_not_take_its_message_along(
    database: Database, clock: FakeClock, place: Place
) -> None:
    """clarification.md: nothing durable runs in a door's own task."""
    faulty = FaultyDatabase(database)
    sending = Sending(faulty, clock, place)
    sending.session(SessionState.IDLE)
    fault = Fault("at commit")
    faulty.plan(fault)
    caller = asyncio.create_task(sending.send("Once", identity="m"))
    await fault.reached.wait()
    caller.cancel()
    with pytest.raises(asyncio.CancelledError):
        await caller
    fault.go_on.set()
    again = await sending.send("Once", identity="m")
    assert again.replayed
    assert sending.user_rows() == [("m", "Once")]


async def test_what_is_sent_waits_for_whoever_holds_the_session(
    postgres_store_url: str, clock: FakeClock
) -> None:
    """K2.7: turn authority is read and changed under the session's lock only."""
    async with sending_desk(postgres_store_url, clock) as sending:
        sending.session(SessionState.RUNNING)
        lock = session_lock(Dialect.POSTGRESQL, "'s1'")
        with psycopg.connect(postgres_store_url) as other:
            other.execute(f"SELECT {lock}".encode())
            waiting = asyncio.create_task(sending.send("Once"))
            await until(lambda: is_waited_for(postgres_store_url))
            assert not waiting.done()
            other.rollback()
        assert (await waiting).outcome is AdmissionOutcome.QUEUED


def is_waited_for(url: str) -> bool:
    """Somebody waits for an advisory lock of this database."""
    with raw(url) as connection:
        found = connection.execute(
            "SELECT COUNT(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
            " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
        ).fetchone()
    return bool(found[0])
