"""The line under a request: why it cannot be decided yet, or how it ended."""

from PySide6.QtCore import QObject

from app.models.review_content import is_long
from app.models.review_words import ReviewWords, undecided
from app.text import error_text
from app.viewmodels.reviews import ReviewCard, ReviewPhase
from backend.domain.conversation import SessionKind, SessionSummary
from backend.domain.review import ReviewStatus
from backend.errors import InvalidInput


def is_hosted(session: SessionSummary | None) -> bool:
    """Whether its agent takes messages from here."""
    return session is not None and session.kind is SessionKind.HOSTED


def is_bad(card: ReviewCard) -> bool:
    """Whether something went wrong, with the call or with the decision."""
    wrong = card.review.status in {ReviewStatus.FAILED, ReviewStatus.OUTCOME_UNKNOWN}
    return card.error is not None or card.phase is ReviewPhase.ERROR or (card.kept and wrong)


class ReviewStatusText(QObject):
    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._words = ReviewWords(self)

    def words(self, card: ReviewCard, session: SessionSummary | None) -> str:
        """Empty while there is nothing to say."""
        if card.kept:
            return self._words.outcome(card.review)
        match card.phase:
            case ReviewPhase.CLOSED:
                told = self._words.closing(card.review)
                elsewhere = undecided(card.review) and not is_hosted(session)
                return f"{told} {self._words.again_elsewhere()}" if elsewhere else told
            case ReviewPhase.COVERED:
                told = self._words.standing(card.review)
                return told if card.error is None else f"{told}. {error_text(card.error)}"
            case ReviewPhase.ERROR:
                return self._error(card)
            case ReviewPhase.OPEN if not card.seen:
                if not card.whole and is_long(card.review):
                    return self.tr(
                        "It is longer than shown. Show all of it and read to its end first."
                    )
                return self.tr("Read to its end before you allow it.")
            case _:
                return ""

    def _error(self, card: ReviewCard) -> str:
        if isinstance(card.error, InvalidInput):
            return self.tr("This cannot be remembered. Nothing was decided.")
        if card.error is not None:
            return error_text(card.error)
        return self.tr("It is not known whether this was taken. Trying again is safe.")
