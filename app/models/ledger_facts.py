"""The record as lines to read, newest first."""

from typing import Final

from PySide6.QtCore import QObject

from app.models.fact_model import Fact
from app.models.ledger_words import LedgerWords
from app.resources import Icon
from app.text import age_text, clock_text, session_title, workspace_text
from backend.domain.conversation import SessionSummary
from backend.domain.ledger import LedgerEntry

_ICONS: Final = {
    "policy_decision": Icon.PLAN,
    "approval_requested": Icon.PERMISSION,
    "approval_resolved": Icon.HAND_OVER,
    "call_started": Icon.IN_PROGRESS,
    "call_completed": Icon.ANSWERED,
    "call_failed": Icon.FAILED,
    "call_denied": Icon.SKIPPED,
}


class LedgerFacts(QObject):
    """Names of sessions come from whoever knows them."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._words = LedgerWords(self)

    def fact(self, entry: LedgerEntry, session: SessionSummary | None, now: int) -> Fact:
        bad = entry.event_type in {"call_failed", "call_denied"}
        where = self._where(session)
        about = self._words.about(entry)
        return Fact(
            key=entry.event_id,
            title=self._words.happened(entry),
            icon=_ICONS.get(entry.event_type, Icon.INFO),
            second=" · ".join(part for part in (about, where) if part),
            state=age_text(entry.at, now),
            colour="danger" if bad else "text_muted",
            subject=entry,
        )

    def lines(
        self, entry: LedgerEntry, session: SessionSummary | None, now: int
    ) -> list[tuple[str, str]]:
        return [
            (self.tr("When"), clock_text(entry.at, now)),
            (self.tr("What"), self._words.what(entry)),
            (self.tr("Tool"), entry.tool_name),
            (self.tr("Why"), self._words.reason(entry)),
            (self.tr("Decided"), self._words.door(entry.door)),
            (self.tr("By"), self._words.actor(entry)),
            (self.tr("Session"), self._where(session)),
            (self.tr("Code"), " / ".join(filter(None, (entry.event_type, entry.reason)))),
        ]

    def _where(self, session: SessionSummary | None) -> str:
        if session is None:
            return ""
        title = session_title(session.title, session.agent)
        return " · ".join(part for part in (title, workspace_text(session.workspace)) if part)
