"""The words of the status banner: what happened, what is safe, what can be done."""

from PySide6.QtCore import QObject

from app.agent_text import message_error_text
from app.text import error_text, status_text, superseded_text
from app.viewmodels.clarification_recovery import RecoveryKind, RecoveryState, answers_text
from backend.domain.clarification import BundleStatus, Delivery


class StatusTexts(QObject):
    """One text for each state; what is unknown is never called a success."""

    def words(self, state: RecoveryState) -> str:
        if state.kind is RecoveryKind.LATE_REFUSED and state.error is not None:
            return message_error_text(state.error)
        if state.bundle.status is BundleStatus.ANSWERED:
            again = self._again_words(state)
            if again:
                return again
        fixed = (self._fixed_words() | self._late_words()).get(state.kind)
        if fixed is not None:
            return fixed
        if state.kind is RecoveryKind.ERROR:
            return error_text(state.error) if state.error is not None else ""
        if state.kind is RecoveryKind.INACTIVE:
            return self._inactive_words(state)
        if state.kind is RecoveryKind.ELSEWHERE:
            return self._elsewhere_words(state)
        return self._delivery_words(state)

    def _fixed_words(self) -> dict[RecoveryKind, str]:
        return {
            RecoveryKind.SUBMITTING: self.tr("Sending…"),
            RecoveryKind.UNKNOWN: self.tr(
                "No reply yet: it is not known whether this was taken. "
                "Your answer is kept, and trying again is safe."
            ),
            RecoveryKind.RETURNED: self.tr(
                "The store was away. Nothing was sent or changed; what you put in is kept."
            ),
            RecoveryKind.UNCONFIRMED: self.tr(
                "Saved, delivery not confirmed. Nothing is lost, and it goes on by itself."
            ),
            RecoveryKind.COLLECTED: self.tr(
                "The earlier answer is no longer stored: its call has collected it, or it was "
                "discarded. Nothing was sent now."
            ),
        }

    def _late_words(self) -> dict[RecoveryKind, str]:
        return {
            RecoveryKind.LATE_SENDING: self.tr("Sending your answer as a new message…"),
            RecoveryKind.LATE_SENT: self.tr(
                "Sent as a new message. The question itself stays unanswered."
            ),
            RecoveryKind.LATE_QUEUED: self.tr(
                "Queued as a new message. It is sent when the agent is free."
            ),
            RecoveryKind.LATE_REFUSED: self.tr("Your answer was not sent. It is kept."),
            RecoveryKind.LATE_UNAVAILABLE: self.tr(
                "This session takes no message now. Your answer was not sent; it is kept."
            ),
            RecoveryKind.LATE_UNKNOWN: self.tr(
                "It is not known whether your answer was sent as a new message. It is kept, and "
                "trying again sends it once."
            ),
            RecoveryKind.LATE_EARLIER: self.tr(
                "An earlier answer to this question was sent as a message. This one was not."
            ),
        }

    def _again_words(self, state: RecoveryState) -> str:
        """Of an answer that is not known to have reached its agent, and of sending it again."""
        if state.kind is RecoveryKind.LATE_SENT:
            return self.tr("Your answer was sent again as a new message.")
        unknown = state.outcome is not None and state.outcome.delivery is Delivery.UNKNOWN
        if state.kind is RecoveryKind.UNCONFIRMED and unknown and state.bundle.hosted:
            return self.tr(
                "Saved; it is not confirmed that the agent got your answer. If that stays so, you "
                "can send it again from the question in the conversation."
            )
        return ""

    def _inactive_words(self, state: RecoveryState) -> str:
        bundle = state.bundle
        what = status_text(bundle.status, bundle.withdrawn)
        if bundle.superseded or bundle.status is BundleStatus.PENDING:
            what = superseded_text()
        if state.own:
            words = self.tr("{what}. The question is closed; your answer was not sent.")
        else:
            words = self.tr("{what}. The question is closed.")
        return words.format(what=what)

    def _elsewhere_words(self, state: RecoveryState) -> str:
        if _skipped(state):
            return self.tr("This question was skipped elsewhere.")
        answers = state.outcome.answers if state.outcome is not None else ()
        words = " · ".join(filter(None, answers_text(state.bundle, answers).split("\n")))
        if not words:
            return self.tr("This question was answered elsewhere.")
        return self.tr("Answered elsewhere: {answer}").format(answer=words)

    def _delivery_words(self, state: RecoveryState) -> str:
        delivered = state.kind is RecoveryKind.DELIVERED
        if _skipped(state):
            if state.outcome is not None and state.outcome.delivery is Delivery.DISCARDED:
                return self.tr("Skipped. The agent did not wait, so nothing was sent to it.")
            if delivered:
                return self.tr("Skipped. The agent has been told.")
            return self.tr("Skipped. The agent will be told when it calls again.")
        if delivered:
            return self.tr("Delivered. The agent has your answer.")
        if state.bundle.hosted:
            return self.tr(
                "Saved. The agent gets your answer when it calls again, or as its next prompt when "
                "its turn ends."
            )
        return self.tr("Saved. The agent gets your answer when it calls again.")


def _skipped(state: RecoveryState) -> bool:
    return state.outcome is not None and state.outcome.status is BundleStatus.REJECTED
