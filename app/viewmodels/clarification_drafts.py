"""Keeps the answers that are being worked out."""

from app.bridge.client import BackendClient
from app.viewmodels.draft_keeper import DraftKeeper
from app.viewmodels.timing import Background, Deadline, WindowClock
from backend.domain.clarification import AnswerDraft
from backend.ids import PendingId


class AnswerDraftKeeper(DraftKeeper[PendingId, AnswerDraft]):
    """Saves the draft of each bundle."""

    def __init__(
        self,
        client: BackendClient,
        clock: WindowClock,
        deadline: Deadline,
        background: Background,
    ) -> None:
        async def save(draft: AnswerDraft) -> None:
            await client.call(lambda api: api.save_draft(draft))

        super().__init__(save, clock, deadline, background)

    def note(self, draft: AnswerDraft) -> None:
        self.put(draft.pending_id, draft)
