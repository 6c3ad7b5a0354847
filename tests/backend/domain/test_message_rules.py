"""What a human's message must be, and when two are the same (K7.2, K8.3)."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.domain.digest import message_digest
from backend.domain.hosted import MAX_ADMISSION_ID, MAX_MESSAGE_BYTES, OutgoingMessage
from backend.domain.message_rules import check_message, check_message_text
from backend.errors import ErrorCode, InvalidInput
from backend.ids import AdmissionId, PendingId, SessionId

MESSAGE = OutgoingMessage(AdmissionId("m"), SessionId("s"), "Go on")


@pytest.mark.parametrize("text", ["x", " x\r\n", "\N{GRINNING FACE}", "x" * MAX_MESSAGE_BYTES])
def test_any_text_that_says_something_may_be_sent(text: str) -> None:
    check_message(replace(MESSAGE, text=text))


def test_the_limit_counts_bytes() -> None:
    """Of UTF-8: what is stored and sent, not what is seen."""
    check_message_text("\N{GRINNING FACE}" * (MAX_MESSAGE_BYTES // 4))
    with pytest.raises(InvalidInput) as refused:
        check_message_text("\N{GRINNING FACE}" * (MAX_MESSAGE_BYTES // 4) + "x")
    assert refused.value.code is ErrorCode.TOO_LONG
    assert refused.value.params == {"field": "text", "limit": MAX_MESSAGE_BYTES}


def test_an_identity_has_at_most_128_characters() -> None:
    """K7.2."""
    check_message(replace(MESSAGE, admission_id=AdmissionId("i" * MAX_ADMISSION_ID)))
    with pytest.raises(InvalidInput) as refused:
        check_message(replace(MESSAGE, admission_id=AdmissionId("i" * 129)))
    assert refused.value.params == {"field": "admission_id", "limit": 128}


@given(st.text(), st.text(), st.one_of(st.none(), st.text()), st.text())
def test_two_messages_are_the_same_only_if_all_they_say_is(
    session: str, text: str, answers: str | None, other: str
) -> None:
    """The identity is no part of it; neither the order nor the joints of the parts matter."""
    message = OutgoingMessage(
        AdmissionId("a"), SessionId(session), text, PendingId(answers) if answers else None
    )
    digest = message_digest(message)
    assert message_digest(replace(message, admission_id=AdmissionId("b"))) == digest
    if other != text:
        assert message_digest(replace(message, text=other)) != digest
    if other != session:
        changed = replace(message, session_id=SessionId(other))
        assert message_digest(changed) != digest
    if other and other != answers:
        assert message_digest(replace(message, answers=PendingId(other))) != digest


def test_an_id_that_cannot_be_written_has_a_digest_too() -> None:
    """It is not found, rather than an error of the program."""
    assert message_digest(replace(MESSAGE, session_id=SessionId("\ud800")))
