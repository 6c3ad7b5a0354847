"""Taking a claim back when its answer certainly did not reach the agent."""

import logging

from backend.clarification.claimed import ClaimedAnswer
from backend.clarification.parts import Parts
from backend.clarification.settling import Settler, Unsettled
from backend.clock import Deadline
from backend.errors import AppError
from backend.ids import PendingId, SessionId, TurnId
from backend.store import bundles, intents, open_bundles, reservations
from backend.store.database import Priority
from backend.store.locks import lock_sessions
from backend.work.budget import within

_log = logging.getLogger(__name__)


class Compensation:
    """Makes bundles answerable again; a session it could not free of a reserved turn takes no
    prompt until the desk starts again (K5.6 row 20).
    """

    def __init__(self, parts: Parts, settler: Settler) -> None:
        self._parts = parts
        self._settler = settler
        self._quarantined: dict[SessionId, TurnId] = {}

    async def is_quarantined(self, session_id: SessionId, deadline: Deadline) -> bool:
        """Whether the session holds a reserved turn nobody can tell the fate of."""
        turn_id = self._quarantined.get(session_id)
        if turn_id is None:
            return False
        async with self._parts.database.reading(deadline) as tx:
            held = await reservations.load(tx, turn_id) is not None
        if not held:
            # It was freed by a COMMIT that seemed to fail.
            del self._quarantined[session_id]
        return held

    async def restore(
        self, answer: ClaimedAnswer, deadline: Deadline, *, reserved: TurnId | None = None
    ) -> bool:
        """Restore the rows and delete the reserved turn in one transaction; tell the window.

        False when that is refused or fails: the bundle stays answered with its intent, which is
        settled later unless a reserved turn owns it.
        """
        reopened = [answer.pending_id]
        try:
            freed, restored = await within(
                deadline, self._restore(answer, deadline, reserved, reopened)
            )
        except (AppError, TimeoutError) as error:
            _log.warning("the answer of %s was not taken back: %s", answer.pending_id, error)
            freed, restored = reserved is None, False
        if reserved is not None and not freed:
            self._quarantined[answer.bundle.session_id] = reserved
        if not restored:
            self._settler.hint(Unsettled(answer.pending_id, answer.claim.claim_id))
            if reserved is not None:
                # Nobody settles what a reserved turn carries, so nobody else would tell.
                for pending_id in reopened:
                    self._parts.announcer.later(pending_id)
            return False
        self._parts.supervisor.start(self._tell(reopened), name="announce restored question")
        return True

    async def _tell(self, reopened: list[PendingId]) -> None:
        for pending_id in reopened:
            self._parts.waiters.look_again(pending_id)
        for pending_id in reopened:
            await self._parts.announcer.settled(pending_id)

    async def _restore(
        self,
        answer: ClaimedAnswer,
        deadline: Deadline,
        reserved: TurnId | None,
        reopened: list[PendingId],
    ) -> tuple[bool, bool]:
        """Whether the session is free of the reserved turn, and whether the rows are restored.

        Adds to `reopened` what that turn had superseded and is answerable again.
        """
        claim, now = answer.claim, self._parts.clock.now()
        freed = True
        async with self._parts.database.writing(deadline, priority=Priority.SETTLE) as tx:
            await lock_sessions(tx, [answer.bundle.session_id])
            if reserved is not None:
                freed = await reservations.release(tx, reserved)
            restored = await intents.restore(tx, claim.pending_id, claim.claim_id, now)
            if reserved is not None:
                others = await open_bundles.open_in_session(tx, answer.bundle.session_id)
                reopened.extend(each for each in others if each != claim.pending_id)
            if restored:
                return freed, True
            bundle = await bundles.load_bundle(tx, claim.pending_id)
        # Recovery after an outage of the store may have been here first.
        return freed, bundle is not None and bundle.answerable
