"""What a row of a session tells beside what its agent and its human said."""

from enum import StrEnum


class SessionNotice(StrEnum):
    """Of a `status` row, `metadata.kandesk.notice`; each has words in the window."""

    AGENT_LEFT_OVER = "agent_left_over"
    """A process of the session outlived the desk's last run and was ended."""
    OUTCOME_UNKNOWN = "outcome_unknown"
    """The desk ended while a prompt was handed over; it is not sent again by itself."""
    ANSWER_UNCONFIRMED = "answer_unconfirmed"
    """An answer was handed over, and nothing was heard of the agent before its turn was cut."""
    FORM_DECLINED = "form_declined"
    """The agent sent a form no question can stand for."""
    ANSWER_UNFIT = "answer_unfit"
    """The agent's form does not take the answer; the question is asked again."""
    CHOICE_REFUSED = "choice_refused"
    """The agent does not take a mode or an option that was chosen before; it works with its own."""


CONTENTS = {
    SessionNotice.AGENT_LEFT_OVER: "A process of the last run was still there and was ended",
    SessionNotice.OUTCOME_UNKNOWN: "The desk ended while this was sent; it is not sent again",
    SessionNotice.ANSWER_UNCONFIRMED: "It is not confirmed that the agent got the answer",
    SessionNotice.FORM_DECLINED: "A form of the agent cannot be shown and was declined",
    SessionNotice.ANSWER_UNFIT: "The agent's form does not take this answer",
    SessionNotice.CHOICE_REFUSED: "The agent does not take what was chosen and works with its own",
}
"""For whoever reads the store; the window has words of its own."""
