"""A message is admitted once, under one identity, and its words are kept until it is (K7.2)."""

import pytest

from app.viewmodels.messages import SendPhase
from backend.domain.hosted import AdmissionOutcome, MessageDraft
from backend.domain.input_mode import InputMode
from backend.errors import (
    Conflict,
    ErrorCode,
    InvalidInput,
    StorageFailed,
    TemporarilyUnavailable,
)
from backend.ids import AdmissionId, SessionId
from tests.helpers.clock import settle
from tests.helpers.composer_case import ComposerCase
from tests.helpers.fake_conversations import make_conversation

S1 = SessionId("s1")
BUSY = TemporarilyUnavailable(ErrorCode.TEMPORARILY_UNAVAILABLE, "busy")


async def test_a_message_is_sent_and_its_words_make_room() -> None:
    case = ComposerCase()
    await case.show()
    await case.send("  Add a test.\n")
    assert case.sent == ["Add a test."]
    assert (case.writing.text, case.writing.outcome) == ("", AdmissionOutcome.SENT)
    assert case.hosted.drafts == {}


async def test_queued_is_another_outcome_than_sent() -> None:
    """LC.9 for the composer: different words."""
    case = ComposerCase()
    await case.show(make_conversation(input=InputMode.QUEUE))
    await case.send("Then the docs.")
    assert case.writing.outcome is AdmissionOutcome.QUEUED
    conversation = case.view_model.conversation
    assert conversation is not None
    assert [entry.text for entry in conversation.queue] == ["Then the docs."]


async def test_each_message_has_an_identity_of_its_own() -> None:
    """K8.3.1."""
    case = ComposerCase()
    await case.show()
    for text in ("one", "one"):
        await case.send(text)
    first, second = case.hosted.sent
    assert first.admission_id != second.admission_id


@pytest.mark.parametrize(
    "lost", [BUSY, StorageFailed(ErrorCode.STORE_UNREACHABLE, "gone")], ids=["busy", "store"]
)
async def test_a_lost_reply_is_found_by_its_identity_and_nothing_is_sent_twice(
    lost: TemporarilyUnavailable | StorageFailed,
) -> None:
    """K8.3.4; K7.2; K8.7 case 113: a lost response is reconciled from the committed identity."""
    case = ComposerCase()
    await case.show()
    case.hosted.lose_reply("send", lost)
    await case.send("Once.")
    assert case.sent == ["Once."]
    assert case.hosted.calls.count("send") == 1
    assert (case.writing.phase, case.writing.text) == (SendPhase.IDLE, "")


async def test_what_never_arrived_is_sent_once_more_under_the_same_identity() -> None:
    """K7.2; K8.3.4; K8.7 case 113: one resend, after a look-up."""
    case = ComposerCase()
    await case.show()
    case.hosted.fail("send", BUSY)
    await case.send("Once.")
    talk = [call for call in case.hosted.calls if call in {"send", "find_admission"}]
    assert talk == ["send", "find_admission", "send"]
    assert case.sent == ["Once."]


async def test_after_two_losses_it_is_not_known_and_the_words_stay() -> None:
    """K8.7 case 113; K8.3.6: uncertain is another word than refused; K8.3.4: retried at most once
    by itself.
    """
    case = ComposerCase()
    await case.show()
    for _ in range(2):
        case.hosted.fail("send", BUSY)
    await case.send("Once.")
    assert (case.writing.phase, case.writing.text) == (SendPhase.UNCERTAIN, "Once.")
    assert case.hosted.calls.count("send") == 2
    before = case.writing.identity
    case.view_model.send()
    await settle()
    assert case.hosted.sent[0].admission_id == before
    assert case.sent == ["Once."]


async def test_retry_after_a_silent_admission_looks_first_and_sends_nothing() -> None:
    """K8.3.4; K7.2: the same identity is the same message."""
    case = ComposerCase()
    await case.show()
    case.hosted.lose_reply("send", BUSY)
    case.hosted.fail("find_admission", BUSY)
    await case.send("Once.")
    assert case.writing.phase is SendPhase.UNCERTAIN
    case.view_model.send()
    await settle()
    assert case.sent == ["Once."]
    assert case.hosted.calls.count("send") == 1
    assert case.writing.text == ""


async def test_words_changed_after_an_earlier_wording_was_admitted_are_not_taken_for_it() -> None:
    """clarification.md: the edited draft gets a new id only after the first is known."""
    case = ComposerCase()
    await case.show()
    case.hosted.lose_reply("send", BUSY)
    case.hosted.fail("find_admission", BUSY)
    await case.send("Delete the old one.")
    case.view_model.write("Keep the old one.")
    case.view_model.send()
    await settle()
    assert case.sent == ["Delete the old one."]
    assert (case.writing.phase, case.writing.text) == (SendPhase.EARLIER, "Keep the old one.")
    case.view_model.send()
    await settle()
    assert case.sent == ["Delete the old one.", "Keep the old one."]
    first, second = case.hosted.sent
    assert first.admission_id != second.admission_id


async def test_words_changed_while_nothing_was_admitted_keep_the_identity() -> None:
    case = ComposerCase()
    await case.show()
    for _ in range(2):
        case.hosted.fail("send", BUSY)
    await case.send("first")
    identity = case.writing.identity
    case.view_model.write("second")
    case.view_model.send()
    await settle()
    assert case.sent == ["second"]
    assert case.hosted.sent[0].admission_id == identity


@pytest.mark.parametrize(
    "refusal",
    [
        InvalidInput(ErrorCode.TOO_LONG, "", field="text", limit=5),
        Conflict(ErrorCode.QUEUE_FULL, "", limit=10),
        Conflict(ErrorCode.NOT_ACTIVE, ""),
    ],
    ids=lambda error: error.code.value,
)
async def test_a_refusal_keeps_the_words_and_is_not_repeated(
    refusal: InvalidInput | Conflict,
) -> None:
    """K8.3.6: a rejection keeps the draft; LC.5: an unavailable conversation too."""
    case = ComposerCase()
    await case.show()
    case.hosted.fail("send", refusal)
    await case.send("words")
    assert (case.writing.phase, case.writing.error) == (SendPhase.REFUSED, refusal)
    assert case.writing.text == "words"
    assert case.hosted.calls.count("send") == 1
    case.view_model.write("other words")
    assert case.writing.phase is SendPhase.IDLE


@pytest.mark.parametrize(
    ("length", "seconds"), [(99_999, 10), (100_000, 30)], ids=["short", "large"]
)
async def test_a_message_nobody_answers_for_is_uncertain_in_time(
    length: int, seconds: float
) -> None:
    """K7.2, K8.3.4: 10 s, 30 s for a large one, each of the two times."""
    case = ComposerCase()
    await case.show()
    case.hosted.hold("send")
    await case.send("x" * length)
    await case.clock.advance(2 * seconds - 0.5)
    assert case.is_in(SendPhase.SENDING)
    await case.clock.advance(1)
    assert case.is_in(SendPhase.UNCERTAIN)
    assert len(case.writing.text) == length
    await case.messages.close()
    assert case.clock.pending_timers == 0


async def test_a_double_press_sends_once() -> None:
    case = ComposerCase()
    await case.show()
    gate = case.hosted.hold("send")
    await case.send("Once.")
    case.view_model.send()
    gate.set()
    await settle()
    assert case.sent == ["Once."]
    assert case.hosted.calls.count("send") == 1


async def test_what_is_written_while_a_message_is_sent_stays() -> None:
    """K8.3.5: only the submitted draft is cleared."""
    case = ComposerCase()
    await case.show()
    gate = case.hosted.hold("send")
    await case.send("First.")
    case.view_model.write("First.\nSecond.")
    gate.set()
    await settle()
    assert case.sent == ["First."]
    assert case.writing.text == "Second."


async def test_what_fails_after_a_message_was_admitted_is_no_refusal() -> None:
    """K8.3.5: it is sent, whatever is not read or kept afterwards; nothing is sent again."""
    case = ComposerCase()
    await case.show()
    gate = case.hosted.hold("send")
    await case.send("Once.")
    for method in ("save_message_draft", "conversation", "find_admission"):
        case.hosted.fail(method, BUSY)
    gate.set()
    await settle()
    assert (case.writing.text, case.writing.outcome) == ("", AdmissionOutcome.SENT)
    assert (case.writing.phase, case.writing.error) == (SendPhase.IDLE, None)
    assert case.hosted.calls.count("send") == 1
    await case.clock.advance(2)
    assert case.hosted.drafts == {}


async def test_a_draft_is_kept_as_typed_for_each_session_and_over_a_restart() -> None:
    """window.md, Composer: draft per session, stored as typed; K8.7 case 104."""
    case = ComposerCase()
    case.hosted.host(make_conversation("s2"))
    await case.show()
    case.view_model.write("  halb fertig\n")
    await case.go("s2")
    assert case.writing.text == ""
    case.view_model.write("另一个")
    await case.go("s1")
    assert case.writing.text == "  halb fertig\n"
    await case.messages.close()
    again = ComposerCase(case.backend)
    await again.go("s1")
    _ = again.writing
    await settle()
    assert again.writing.text == "  halb fertig\n"


async def test_a_draft_is_saved_within_300_ms_of_a_keystroke() -> None:
    case = ComposerCase()
    await case.show()
    case.view_model.write("a")
    await case.clock.advance(0.3)
    assert case.hosted.drafts[S1].text == "a"


async def test_an_identity_is_durable_before_it_is_used() -> None:
    """K8.3.1; clarification.md: one identity covers restarting the program."""
    case = ComposerCase()
    await case.show()
    case.hosted.hold("send")
    await case.send("words")
    kept = case.hosted.drafts[S1]
    assert (kept.attempted, kept.admission_id) == ("words", case.writing.identity)


async def test_a_message_admitted_just_before_the_program_died_is_not_offered_again() -> None:
    """K8.3.4: reconciled by its identity after a restart."""
    case = ComposerCase()
    await case.show()
    case.hosted.lose_reply("send", BUSY)
    case.hosted.fail("find_admission", BUSY)
    await case.send("Once.")
    again = ComposerCase(case.backend)
    await again.go("s1")
    _ = again.writing
    await settle()
    assert (again.writing.text, again.writing.outcome) == ("", AdmissionOutcome.SENT)
    assert again.sent == ["Once."]
    assert again.hosted.calls.count("send") == 1


async def test_a_message_that_never_arrived_is_a_plain_draft_after_a_restart() -> None:
    case = ComposerCase()
    case.hosted.drafts[S1] = MessageDraft(S1, "words", AdmissionId("a1"), "words")
    await case.show()
    _ = case.writing
    await settle()
    assert (case.writing.text, case.writing.phase) == ("words", SendPhase.IDLE)
    assert case.sent == []


async def test_when_the_store_is_back_what_became_of_a_message_is_found_out() -> None:
    """K8.3.4."""
    case = ComposerCase()
    await case.show()
    case.hosted.lose_reply("send", BUSY)
    case.hosted.fail("find_admission", BUSY)
    await case.send("Once.")
    assert case.writing.phase is SendPhase.UNCERTAIN
    await case.view_model.reload()
    await settle()
    assert (case.writing.phase, case.writing.text) == (SendPhase.IDLE, "")
    assert case.sent == ["Once."]
