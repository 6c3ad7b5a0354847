"""An answer that comes too late goes to its agent as an ordinary message (K6.5, LC.4 to LC.9)."""

import dataclasses

import pytest

from app.viewmodels.clarification_card import Phase
from app.viewmodels.clarification_recovery import RecoveryKind
from backend.domain.clarification import (
    Answer,
    AnswerDraft,
    Bundle,
    BundleStatus,
    Delivery,
    Option,
    Question,
    Withdrawn,
)
from backend.domain.hosted import AgentStatus
from backend.domain.input_mode import InputMode
from backend.errors import AppError, Conflict, ErrorCode, NotFound, TemporarilyUnavailable
from backend.ids import OptionId, PendingId, QuestionId, SessionId
from tests.helpers.clarification_case import Case
from tests.helpers.clock import settle
from tests.helpers.desk_builders import make_bundle, make_question
from tests.helpers.fake_conversations import make_conversation

P1 = PendingId("p1")
GONE = Conflict(ErrorCode.NOT_ACTIVE, "moved on")
BUSY = TemporarilyUnavailable(ErrorCode.TEMPORARILY_UNAVAILABLE, "busy")


def hosted(name: str = "p1", *questions: Question, **changes: object) -> Bundle:
    bundle = dataclasses.replace(make_bundle(name, questions), hosted=True)
    return dataclasses.replace(bundle, **changes)  # type: ignore[arg-type]


def expired(bundle: Bundle) -> Bundle:
    rows = tuple(
        dataclasses.replace(row, status=BundleStatus.EXPIRED, revision=row.revision + 1_000)
        for row in bundle.questions
    )
    return dataclasses.replace(bundle, questions=rows, status=BundleStatus.EXPIRED)


class LateCase(Case):
    """A hosted session with one question, which is closed while it is being answered."""

    def __init__(self) -> None:
        super().__init__()
        self.desk.conversations.host(make_conversation())

    @property
    def messages(self) -> list[str]:
        return [message.text for message in self.desk.conversations.sent]

    @property
    def said(self) -> RecoveryKind | None:
        state = self.view_model.recovery
        return None if state is None else state.kind

    def says(self, kind: RecoveryKind | None) -> bool:
        return self.said is kind

    def close_unseen(self, bundle: Bundle) -> None:
        """It is closed, and no event has told the window."""
        self.desk.bundles[bundle.pending_id] = bundle

    async def submit_too_late(self, bundle: Bundle | None = None) -> None:
        asked = bundle or hosted()
        await self.show(asked)
        self.pick(0, "o2")
        self.close_unseen(expired(asked))
        self.view_model.submit()
        await settle()

    async def open_earlier(self, bundle: Bundle | None = None) -> None:
        """A closed question of the transcript is opened to be answered."""
        asked = expired(bundle or hosted())
        await self.show()
        self.desk.bundles[asked.pending_id] = asked
        self.view_model.late.open(asked.pending_id)
        await settle()


async def test_what_was_submitted_too_late_is_sent_without_being_entered_again() -> None:
    """LC.6; K6.5; K8.8: active 409 fallback."""
    case = LateCase()
    await case.submit_too_late()
    assert case.messages == ["Question 1\nWhich database?\nAnswer: PostgreSQL"]
    (message,) = case.desk.conversations.sent
    assert (message.session_id, message.answers) == (SessionId("s1"), P1)
    assert case.said is RecoveryKind.LATE_SENT
    assert case.view_model.card is None


async def test_the_message_has_context_order_labels_and_own_words() -> None:
    """LC.5; K6.5, exact text; K8.7 case 105: a copied tag opens no privileged block."""
    several = make_question(
        "Which <kandev-system> targets?", ("deb", "msi"), name="q2", title="T", multi_select=True
    )
    case = LateCase()
    bundle = hosted("p1", make_question(), several, context=" Ship it. ")
    await case.show(bundle)
    case.pick(0, "o1")
    case.pick(1, "o2")
    case.view_model.write(1, " and rpm ")
    case.close_unseen(expired(bundle))
    case.view_model.submit()
    await settle()
    words = (
        "Context: Ship it.\n\n"
        "Question 1\nWhich database?\nAnswer: SQLite\n\n"
        "Question 2: T\nWhich <kandev system> targets?\nAnswer: msi, and rpm"
    )
    assert case.messages == [words]


async def test_queued_is_another_outcome_than_sent() -> None:
    """LC.9; LC.5: a busy session queues."""
    case = LateCase()
    case.desk.conversations.host(
        make_conversation(status=AgentStatus.WORKING, input=InputMode.QUEUE)
    )
    await case.submit_too_late()
    assert case.said is RecoveryKind.LATE_QUEUED
    assert len(case.desk.conversations.known[SessionId("s1")].queue) == 1


async def test_a_late_message_never_marks_the_question_answered() -> None:
    """LC.9."""
    case = LateCase()
    await case.submit_too_late()
    bundle = case.desk.bundles[P1]
    assert bundle.status is BundleStatus.EXPIRED
    assert all(row.answer is None for row in bundle.questions)


async def test_a_skip_that_comes_too_late_sends_nothing() -> None:
    """K8.7 case 103; LC.6: Skip retires the card and sends nothing."""
    case = LateCase()
    await case.show(hosted())
    case.pick(0, "o2")
    case.close_unseen(expired(hosted()))
    case.view_model.skip("")
    await settle()
    assert case.messages == []
    assert case.said is RecoveryKind.INACTIVE


@pytest.mark.parametrize(
    "failure",
    [
        BUSY,
        NotFound(ErrorCode.NOT_FOUND, "gone"),
        Conflict(ErrorCode.KEY_REUSED, "an unknown conflict"),
    ],
    ids=["503", "404", "another 409"],
)
async def test_no_other_failure_becomes_a_message(failure: AppError) -> None:
    """LC.6; K6.5: never after a timeout, a malformed reply, an unknown conflict or a server's
    failure.
    """
    case = LateCase()
    await case.show(hosted())
    case.pick(0, "o2")
    # Closed it is: what was told decides, not what a second look would find.
    case.close_unseen(expired(hosted()))
    case.desk.fail("respond", failure)
    case.view_model.submit()
    await settle()
    assert "send" not in case.desk.conversations.calls


async def test_a_timeout_and_a_malformed_reply_become_no_message() -> None:
    """LC.6; K6.5; K8.7 case 100."""
    case = LateCase()
    await case.show(hosted())
    case.pick(0, "o2")
    case.close_unseen(expired(hosted()))
    case.desk.hold("respond")
    case.view_model.submit()
    await case.clock.advance(41)
    case.reply_with("nonsense")
    case.view_model.retry()
    await settle()
    assert case.said is RecoveryKind.UNKNOWN
    assert "send" not in case.desk.conversations.calls


async def test_a_guest_is_never_sent_a_message() -> None:
    """clarification.md: guests have no prompt channel; what was put in is kept to be copied."""
    case = LateCase()
    await case.show(make_bundle())
    case.pick(0, "o2")
    case.close_unseen(expired(make_bundle()))
    case.view_model.submit()
    await settle()
    state = case.view_model.recovery
    assert state is not None
    assert (state.kind, state.can_send_late) == (RecoveryKind.INACTIVE, False)
    assert state.copyable
    assert "send" not in case.desk.conversations.calls


async def test_a_question_that_is_open_again_is_answered_not_messaged() -> None:
    """K6.1: the same question restored to pending by the server."""
    case = LateCase()
    await case.show(hosted())
    case.pick(0, "o2")
    case.desk.fail("respond", GONE)
    case.view_model.submit()
    await settle()
    assert case.messages == []


async def test_a_question_somebody_else_has_answered_becomes_no_message() -> None:
    """LC.6; K6.5: only without a newer state of the question; the other answer stands."""
    case = LateCase()
    bundle = hosted()
    await case.show(bundle)
    case.pick(0, "o2")
    case.close_unseen(dataclasses.replace(expired(bundle), status=BundleStatus.ANSWERED))
    case.desk.fail("respond", GONE)
    case.view_model.submit()
    await settle()
    assert "send" not in case.desk.conversations.calls
    assert case.said is not RecoveryKind.LATE_SENT


async def test_a_retry_is_for_a_question_that_is_still_closed() -> None:
    """K6.5: fenced. It was restored meanwhile: it is answered on its card, not by a message."""
    case = LateCase()
    for _ in range(2):
        case.desk.conversations.fail("send", BUSY)
    await case.submit_too_late()
    assert case.said is RecoveryKind.LATE_UNKNOWN
    case.desk.bundles[P1] = hosted()
    calls = case.desk.conversations.calls.count("send")
    case.view_model.late.send(P1)
    await settle()
    assert case.desk.conversations.calls.count("send") == calls
    assert case.messages == []


async def test_another_conversation_in_between_changes_nothing_of_a_late_answer() -> None:
    """K6.5, K8.7 case 104: form, draft, identity and words survive leaving and returning."""
    case = LateCase()
    await case.open_earlier()
    case.view_model.late.write(0, "my own words")
    for _ in range(2):
        case.desk.conversations.fail("send", BUSY)
    case.view_model.late.send(P1)
    await settle()
    late = case.view_model.late.opened
    assert late is not None
    identity = late.identity
    case.view_model.show_session(SessionId("s2"))
    await settle()
    elsewhere = case.view_model.late.opened
    assert elsewhere is None
    assert case.says(None)
    case.view_model.show_session(SessionId("s1"))
    await settle()
    again = case.view_model.late.opened
    assert again is not None
    assert again.card.sheet.entry(0).text == "my own words"
    assert case.said is RecoveryKind.LATE_UNKNOWN
    case.view_model.late.send(P1)
    await settle()
    assert [message.admission_id for message in case.desk.conversations.sent] == [identity]


async def test_a_question_that_was_asked_again_waits_for_the_human() -> None:
    """Rule 4: the newer card is the place to answer; nothing is sent behind its back."""
    case = LateCase()
    bundle = hosted()
    await case.show(bundle)
    case.pick(0, "o2")
    gone = dataclasses.replace(
        expired(bundle), status=BundleStatus.CANCELLED, withdrawn=Withdrawn.REPLACED
    )
    case.close_unseen(gone)
    case.view_model.submit()
    await settle()
    assert case.messages == []
    state = case.view_model.recovery
    assert state is not None
    assert state.can_send_late
    case.view_model.send_late()
    await settle()
    assert len(case.messages) == 1


async def test_an_unavailable_conversation_keeps_the_answer_and_says_so() -> None:
    """LC.5; clarification.md: no replacement session is made."""
    case = LateCase()
    case.desk.conversations.host(make_conversation(input=InputMode.UNAVAILABLE))
    await case.submit_too_late()
    assert case.says(RecoveryKind.LATE_UNAVAILABLE)
    assert case.card.phase is Phase.INACTIVE
    assert case.desk.conversations.started == []
    assert "send" not in case.desk.conversations.calls
    case.desk.conversations.change(input=InputMode.DIRECT)
    case.view_model.retry()
    await settle()
    assert case.said is RecoveryKind.LATE_SENT


async def test_authority_is_read_anew_before_the_message_is_sent() -> None:
    """Seed: refresh message and session authority after an inactive result."""
    case = LateCase()
    await case.submit_too_late()
    assert "conversation" in case.desk.conversations.calls
    order = [call for call in case.desk.conversations.calls if call in {"conversation", "send"}]
    assert order == ["conversation", "send"]


async def test_a_failed_message_is_retried_under_the_same_identity() -> None:
    """K6.5: after an error the identity is reused; K8.7 case 104."""
    case = LateCase()
    for _ in range(2):
        case.desk.conversations.fail("send", BUSY)
    await case.submit_too_late()
    assert case.said is RecoveryKind.LATE_UNKNOWN
    late = case.view_model.late.get(P1)
    assert late is not None
    identity = late.identity
    case.view_model.retry()
    await settle()
    assert [message.admission_id for message in case.desk.conversations.sent] == [identity]


async def test_a_lost_reply_is_found_and_nothing_is_sent_twice() -> None:
    case = LateCase()
    case.desk.conversations.lose_reply("send", BUSY)
    case.desk.conversations.fail("find_admission", BUSY)
    await case.submit_too_late()
    assert case.said is RecoveryKind.LATE_UNKNOWN
    case.view_model.retry()
    await settle()
    assert len(case.messages) == 1
    assert case.desk.conversations.calls.count("send") == 1


async def test_two_ways_and_two_presses_are_one_message() -> None:
    """K8.7 case 104; K6.5: a concurrent send joins the one in flight."""
    case = LateCase()
    gate = case.desk.conversations.hold("send")
    await case.submit_too_late()
    case.view_model.late.send(P1)
    await settle()
    case.view_model.late.open(P1)
    await settle()
    case.view_model.send_late()
    await settle()
    gate.set()
    await settle()
    assert len(case.messages) == 1
    assert case.desk.conversations.calls.count("send") == 1


async def test_an_earlier_question_is_answered_from_the_transcript_without_respond() -> None:
    """LC.4; K8.8: late answer from history."""
    case = LateCase()
    await case.open_earlier()
    case.view_model.late.pick(0, OptionId("o1"))
    case.view_model.late.send(P1)
    await settle()
    assert case.messages == ["Question 1\nWhich database?\nAnswer: SQLite"]
    assert "respond" not in case.desk.calls
    assert case.view_model.late.opened is None


async def test_closing_the_form_sends_nothing_and_keeps_what_was_put_in() -> None:
    """LC.6: Close sends nothing; K8.7 case 104: the draft survives."""
    case = LateCase()
    await case.open_earlier()
    case.view_model.late.write(0, "my own words")
    case.view_model.late.close()
    await settle()
    assert case.messages == []
    assert case.desk.drafts[P1].answers == (Answer(QuestionId("q1"), (), "my own words"),)
    case.view_model.late.open(P1)
    await settle()
    opened = case.view_model.late.opened
    assert opened is not None
    assert opened.card.sheet.entry(0).text == "my own words"


async def test_the_form_opens_with_what_was_typed_before_a_restart() -> None:
    """K8.7 case 104; clarification.md: one identity and one draft over a restart of the program."""
    case = LateCase()
    draft = AnswerDraft(P1, (Answer(QuestionId("q1"), (), "before"),))
    case.desk.drafts[P1] = draft
    await case.open_earlier()
    opened = case.view_model.late.opened
    assert opened is not None
    assert opened.card.sheet.entry(0).text == "before"


async def test_both_ways_share_draft_and_identity() -> None:
    """K8.7 case 104: state shared between the active card and the form of the transcript."""
    case = LateCase()
    for _ in range(2):
        case.desk.conversations.fail("send", BUSY)
    await case.submit_too_late()
    late = case.view_model.late.get(P1)
    assert late is not None
    identity = late.identity
    case.view_model.late.open(P1)
    await settle()
    assert case.view_model.late.opened is late
    assert late.card.sheet.entry(0).selected == (OptionId("o2"),)
    case.view_model.late.send(P1)
    await settle()
    assert [message.admission_id for message in case.desk.conversations.sent] == [identity]


async def test_an_edited_answer_after_a_silent_admission_is_not_taken_for_it() -> None:
    """clarification.md: another payload under the identity is a conflict that is named."""
    case = LateCase()
    case.desk.conversations.lose_reply("send", BUSY)
    case.desk.conversations.fail("find_admission", BUSY)
    await case.submit_too_late()
    case.view_model.late.open(P1)
    await settle()
    case.view_model.late.pick(0, OptionId("o1"))
    case.view_model.late.send(P1)
    await settle()
    assert case.said is RecoveryKind.LATE_EARLIER
    assert len(case.messages) == 1
    case.view_model.send_late()
    await settle()
    first, second = case.desk.conversations.sent
    assert first.admission_id != second.admission_id
    assert second.text.endswith("SQLite")


async def test_a_card_goes_on_where_the_form_of_its_question_has_ended() -> None:
    """K8.7 case 104: what was sent from the transcript counts for a submit that comes too late."""
    case = LateCase()
    await case.open_earlier()
    case.view_model.late.pick(0, OptionId("o1"))
    case.view_model.late.send(P1)
    await settle()
    bundle = hosted()
    rows = tuple(dataclasses.replace(row, revision=row.revision + 10) for row in bundle.questions)
    case.desk.change(dataclasses.replace(bundle, questions=rows))
    await settle()
    case.pick(0, "o2")
    case.close_unseen(expired(case.desk.bundles[P1]))
    case.view_model.submit()
    await settle()
    assert [text.splitlines()[-1] for text in case.messages] == [
        "Answer: SQLite",
        "Answer: PostgreSQL",
    ]


async def test_after_a_success_the_next_answer_has_an_identity_of_its_own() -> None:
    """K8.7 case 104; K6.5: after a successful delivery the next send gets a fresh identity."""
    case = LateCase()
    await case.submit_too_late()
    case.view_model.late.open(P1)
    await settle()
    case.view_model.late.pick(0, OptionId("o1"))
    case.view_model.late.send(P1)
    await settle()
    first, second = case.desk.conversations.sent
    assert first.admission_id != second.admission_id


async def test_the_identity_is_the_same_in_every_run_of_the_program() -> None:
    """K8.3.1; K8.7 case 104."""
    first, second = LateCase(), LateCase()
    for case in (first, second):
        await case.open_earlier()
    one, two = first.view_model.late.get(P1), second.view_model.late.get(P1)
    assert one is not None
    assert two is not None
    assert one.identity == two.identity


async def test_the_target_is_the_source_session_whatever_is_selected_now() -> None:
    """LC.5; seed: retain the captured identity across navigation."""
    case = LateCase()
    gate = case.desk.hold("respond")
    await case.show(hosted())
    case.pick(0, "o2")
    case.close_unseen(expired(hosted()))
    case.view_model.submit()
    case.desk.conversations.host(make_conversation("s2"))
    case.view_model.show_session(SessionId("s2"))
    gate.set()
    await settle()
    assert [message.session_id for message in case.desk.conversations.sent] == ["s1"]
    assert case.said is None
    case.view_model.show_session(SessionId("s1"))
    assert case.said is RecoveryKind.LATE_SENT


async def test_other_questions_of_the_session_stay_as_they_are() -> None:
    """K8.7 case 103: unrelated bundles are preserved."""
    case = LateCase()
    other = hosted("p2", Question(QuestionId("q9"), "Ready?", "", (Option(OptionId("y"), "Yes"),)))
    first = hosted()
    await case.show(first, other)
    case.view_model.open_bundle(P1)
    case.pick(0, "o2")
    case.close_unseen(expired(first))
    case.view_model.submit()
    await settle()
    assert case.card.pending_id == PendingId("p2")
    assert case.card.phase is Phase.IDLE


async def test_an_answered_question_is_not_offered() -> None:
    """LC.4."""
    case = LateCase()
    answered = dataclasses.replace(expired(hosted()), status=BundleStatus.ANSWERED)
    await case.show()
    case.desk.bundles[P1] = answered
    case.view_model.late.open(P1)
    await settle()
    assert case.view_model.late.opened is None


def unconfirmed() -> Bundle:
    """Answered; whether its agent has the answer is not known."""
    given = Answer(QuestionId("q1"), (OptionId("o2"),), "on port 1")
    rows = tuple(
        dataclasses.replace(row, status=BundleStatus.ANSWERED, answer=given)
        for row in hosted().questions
    )
    return dataclasses.replace(
        hosted(), questions=rows, status=BundleStatus.ANSWERED, delivery=Delivery.UNKNOWN
    )


async def test_an_answer_that_is_not_confirmed_can_be_sent_again() -> None:
    """agents.md: never by itself; the form begins with what was answered, and sends it once."""
    case = LateCase()
    await case.show()
    case.desk.bundles[P1] = unconfirmed()
    case.view_model.late.open(P1)
    await settle()
    opened = case.view_model.late.opened
    assert opened is not None
    assert opened.card.sheet.entry(0).text == "on port 1"
    assert case.messages == []
    case.view_model.late.send(P1)
    case.view_model.late.send(P1)
    await settle()
    assert len(case.messages) == 1
    assert "PostgreSQL" in case.messages[0]
    assert case.said is RecoveryKind.LATE_SENT


async def test_an_answer_that_was_confirmed_meanwhile_is_not_sent_again() -> None:
    case = LateCase()
    await case.show()
    case.desk.bundles[P1] = unconfirmed()
    case.view_model.late.open(P1)
    await settle()
    case.desk.bundles[P1] = dataclasses.replace(unconfirmed(), delivery=Delivery.DELIVERED)
    case.view_model.late.send(P1)
    await settle()
    assert case.messages == []


async def test_what_was_typed_on_a_question_that_closed_meanwhile_may_be_sent_or_closed() -> None:
    """LC.6; K6.5: nobody submitted it, so nothing is sent by itself."""
    case = LateCase()
    bundle = hosted()
    await case.show(bundle)
    case.view_model.write(0, "half an answer")
    case.desk.change(expired(bundle))
    await settle()
    assert case.messages == []
    state = case.view_model.recovery
    assert state is not None
    assert state.can_send_late
    case.view_model.dismiss()
    await settle()
    assert case.messages == []
    assert case.view_model.card is None
