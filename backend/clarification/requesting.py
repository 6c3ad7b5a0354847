"""Questions put into a session that exists already, by whoever holds the desk's token (K4.1)."""

from typing import Final

from backend.clarification.parts import Parts
from backend.clarification.places import in_session
from backend.clock import Deadline
from backend.domain.clarification import QuestionBundleDraft
from backend.domain.digest import question_digest
from backend.domain.validation import validate_draft
from backend.errors import (
    StorageFailed,
    TemporarilyUnavailable,
)
from backend.ids import PendingId, SessionId, TaskId, new_id
from backend.store import deliveries, messages, session_states

REQUEST_BUDGET: Final = 5.0


class Requesting:
    """Opens bundles beside `Asking.open`: no call waits for them until somebody does."""

    def __init__(self, parts: Parts) -> None:
        self._database = parts.database
        self._clock = parts.clock
        self._announcer = parts.announcer
        self._supervisor = parts.supervisor

    async def request(
        self, session_id: SessionId, task_id: TaskId | None, draft: QuestionBundleDraft
    ) -> PendingId:
        """Make the bundle durable in the session's current turn; goes on when cancelled.

        Raises:
            InvalidInput: names the field and the limit.
            NotFound: no such session, or it belongs to another task than `task_id`; the same
                for both, `params["session_id"]` is what was asked for.
            Conflict: `not_active`, the session has ended.
            TemporarilyUnavailable: not known to have happened.
        """
        valid = validate_draft(draft)
        opening = self._open(session_id, task_id, valid)
        return await self._supervisor.run_to_end(opening, name="request answer")

    async def _open(
        self, session_id: SessionId, task_id: TaskId | None, draft: QuestionBundleDraft
    ) -> PendingId:
        pending_id = PendingId(new_id())
        try:
            await self._insert(pending_id, session_id, task_id, draft)
        except (TemporarilyUnavailable, StorageFailed):
            self._announcer.later(pending_id)
            raise
        self._supervisor.start(self._announcer.opened(pending_id), name="announce bundle")
        return pending_id

    async def _insert(
        self,
        pending_id: PendingId,
        session_id: SessionId,
        task_id: TaskId | None,
        draft: QuestionBundleDraft,
    ) -> None:
        async with self._database.writing(Deadline(self._clock, REQUEST_BUDGET)) as tx:
            now = self._clock.now()
            place = await in_session(tx, session_id, task_id, now)
            await messages.insert_bundle(
                tx,
                messages.NewBundle(
                    pending_id, session_id, place.task_id, place.turn_id, draft, now
                ),
            )
            await deliveries.open_delivery(
                tx,
                deliveries.NewDelivery(
                    pending_id=pending_id,
                    session_id=session_id,
                    idempotency_key=None,
                    ticket_hash="",
                    question_digest=question_digest(draft),
                    connection_id="",
                    now=now,
                ),
            )
            await session_states.refresh(tx, session_id, now)
