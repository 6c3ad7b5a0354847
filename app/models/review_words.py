"""What is said of a request on its card and in the Inbox."""

from typing import Final

from PySide6.QtCore import QObject

from app.models.reason_text import failure_text
from app.models.review_content import command_text
from backend.domain.agents import ToolKind
from backend.domain.review import (
    NOT_TOLD,
    STOPPED_BY_HUMAN,
    STOPPED_WAITING,
    Door,
    Owner,
    Review,
    ReviewStatus,
)

_SECOND: Final = 1_000_000_000
_MINUTE: Final = 60
_HOUR: Final = 60 * _MINUTE


def untold(review: Review) -> bool:
    """Whether nothing has gone wrong and yet nobody can say what came of it."""
    return review.status is ReviewStatus.OUTCOME_UNKNOWN and review.error == NOT_TOLD


def undecided(review: Review) -> bool:
    """Whether it ended without a decision, so that the agent may ask again."""
    return review.status in {ReviewStatus.EXPIRED, ReviewStatus.CANCELLED}


class ReviewWords(QObject):
    """One sentence for each kind of request; what an agent writes itself is told apart."""

    def what(self, review: Review) -> str:
        """What the agent wants, in this desk's words."""
        agent = review.agent_name or self.tr("An agent")
        if review.owner is Owner.GATEWAY and review.server_name:
            words = self.tr("%1 wants to use a tool of %2")
            return words.replace("%2", review.server_name).replace("%1", agent)
        return self._sentence(review).replace("%1", agent)

    def short(self, review: Review) -> str:
        """One line for a list."""
        command = " ".join(command_text(review.call).split())
        return command or " ".join((review.call.title or "").split()) or self.what(review)

    def verdict(self, status: ReviewStatus) -> str:
        match status:
            case ReviewStatus.PENDING:
                return self.tr("Waiting for you")
            case ReviewStatus.APPROVED:
                return self.tr("Approved")
            case ReviewStatus.EXECUTED:
                return self.tr("Succeeded")
            case ReviewStatus.DECLINED:
                return self.tr("Declined")
            case ReviewStatus.CANCELLED:
                return self.tr("Cancelled")
            case ReviewStatus.EXPIRED:
                return self.tr("Expired")
            case ReviewStatus.FAILED:
                return self.tr("Failed")
            case ReviewStatus.OUTCOME_UNKNOWN:
                return self.tr("Outcome unknown")

    def standing(self, review: Review) -> str:
        """The verdict in its words, and what else is to be known of it in a few more."""
        words = self.verdict(review.status)
        if review.owner is Owner.GATEWAY and review.status is ReviewStatus.APPROVED:
            words = self.tr("Approved · running…")
        if untold(review):
            words = self.tr("Approved · this agent does not tell what came of it")
        parts = [words]
        if review.door == Door.RULE.value:
            parts.append(self.tr("by a rule"))
        if review.rule_id is not None and review.door != Door.RULE.value:
            if review.status is ReviewStatus.DECLINED:
                parts.append(self.tr("always declined from now on"))
            else:
                parts.append(self.tr("always allowed from now on"))
        if review.drifted:
            parts.append(self.tr("other arguments than asked for"))
        return " · ".join(parts)

    def outcome(self, review: Review) -> str:
        """What came of a call this desk carries out, with the reason where it failed."""
        words = self.standing(review)
        match review.status:
            case ReviewStatus.OUTCOME_UNKNOWN if untold(review):
                return words
            case ReviewStatus.FAILED | ReviewStatus.OUTCOME_UNKNOWN if review.error:
                return f"{words}. {failure_text(review.error)}"
            case ReviewStatus.OUTCOME_UNKNOWN:
                return f"{words}. {self.ending(review.status)}"
            case _:
                return words

    def expiry(self, review: Review, now: int) -> str:
        """How long it can still be decided; empty where it does not expire."""
        if review.expires_at is None:
            return ""
        seconds = max(0, (review.expires_at - now) // _SECOND)
        if seconds < _MINUTE:
            return self.tr("expires within a minute")
        if seconds < _HOUR:
            return self.tr("expires in %n minute(s)", "", seconds // _MINUTE)
        return self.tr("expires in %n hour(s)", "", seconds // _HOUR)

    def closing(self, review: Review) -> str:
        """What it is, and why nobody can decide it any more."""
        if untold(review):
            return self.standing(review)
        if review.reason == STOPPED_WAITING:
            told = self.tr("The agent stopped waiting before anybody decided. Nothing was run.")
        elif review.reason == STOPPED_BY_HUMAN:
            told = self.tr("You stopped the agent before this was begun. Nothing was run.")
        else:
            told = self.ending(review.status)
        return f"{self.verdict(review.status)}. {told}"

    def again(self, review: Review) -> str:
        """What its human says to the agent after a request nobody has decided."""
        words = self.tr("I did not decide in time, and nothing was run: %1\n\nPlease ask again.")
        if review.reason == STOPPED_BY_HUMAN:
            words = self.tr("I stopped you, and nothing was run: %1\n\nPlease ask again.")
        return words.replace("%1", self.short(review))

    def again_elsewhere(self) -> str:
        return self.tr("To be asked again, tell the agent where it runs to try once more.")

    def ending(self, status: ReviewStatus) -> str:
        """Why nobody can decide any more."""
        match status:
            case ReviewStatus.APPROVED:
                return self.tr("It was approved already. The agent has been told.")
            case ReviewStatus.EXECUTED:
                return self.tr("It was approved, and carried out.")
            case ReviewStatus.DECLINED:
                return self.tr("It was declined already. Nothing was run.")
            case ReviewStatus.CANCELLED:
                return self.tr("The agent stopped waiting before anybody decided. Nothing was run.")
            case ReviewStatus.EXPIRED:
                return self.tr("Nobody decided in time. Nothing was run.")
            case ReviewStatus.FAILED:
                return self.tr("It was approved, and failed.")
            case ReviewStatus.OUTCOME_UNKNOWN:
                return self.tr(
                    "It was approved, and the agent ended before it told what came of it. "
                    "Look for yourself before you allow it again."
                )
            case ReviewStatus.PENDING:
                return self.tr("It can no longer be decided here.")

    def _sentence(self, review: Review) -> str:
        call = review.call
        if command_text(call):
            return self.tr("%1 wants to run a command")
        match call.kind:
            case ToolKind.EXECUTE:
                return self.tr("%1 wants to run something")
            case ToolKind.EDIT:
                return self.tr("%1 wants to change a file")
            case ToolKind.DELETE:
                return self.tr("%1 wants to delete a file")
            case ToolKind.MOVE:
                return self.tr("%1 wants to move a file")
            case ToolKind.READ:
                return self.tr("%1 wants to read a file")
            case ToolKind.SEARCH:
                return self.tr("%1 wants to search")
            case ToolKind.FETCH:
                return self.tr("%1 wants to fetch something from the network")
            case ToolKind.SWITCH_MODE:
                return self.tr("%1 wants to work in another mode")
            case _:
                return self.tr("%1 wants to use a tool")
