"""Taking a claim back when its answer certainly did not reach the agent."""

import logging
from enum import Enum, auto

from backend.clarification.claimed import ClaimedAnswer
from backend.clarification.lost_commit import CommitUnknown, SettlingWrite, went
from backend.clarification.parts import Parts
from backend.clarification.settling import Settler, Unsettled
from backend.clock import Deadline
from backend.domain.clarification import Delivery
from backend.errors import AppError
from backend.ids import PendingId, SessionId, TurnId
from backend.store import (
    bundles,
    deliveries,
    intents,
    open_bundles,
    reservations,
    session_states,
)
from backend.store.database import Transaction
from backend.store.locks import lock_sessions

_log = logging.getLogger(__name__)


class Returned(Enum):
    """What has become of an answer that was to be taken back."""

    ANSWERABLE = auto()
    """The bundle is open again."""
    WAITING = auto()
    """It was kept before, and waits for its agent again."""
    DELIVERED = auto()
    """There was nothing to take back: that its agent has it is stored."""
    KEPT = auto()
    """Refused: the bundle stays answered."""
    FAILED = auto()
    """The store cannot be written; the bundle is as it was."""
    UNKNOWN = auto()
    """The store does not say which of these."""


_Undone = tuple[bool, Returned]
"""Whether the session is free of the reserved turn, and what became of the answer."""


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
    ) -> Returned:
        """Restore the rows and delete the reserved turn in one transaction; tell the window.

        Where the bundle stays answered with its intent, it is settled later unless a reserved
        turn owns it.
        """
        reopened = [answer.pending_id]
        undoing = self._undoing(answer, reserved, reopened)
        try:
            freed, returned = await undoing.by(deadline)
        except (AppError, TimeoutError) as error:
            _log.warning("the answer of %s was not taken back: %s", answer.pending_id, error)
            unknown = isinstance(error, CommitUnknown)
            freed, returned = reserved is None, Returned.UNKNOWN if unknown else Returned.FAILED
        if reserved is not None and not freed:
            self._quarantined[answer.bundle.session_id] = reserved
        if returned is Returned.WAITING:
            # Nobody was told that it was on its way.
            return returned
        if returned in {Returned.ANSWERABLE, Returned.DELIVERED}:
            self._parts.supervisor.start(self._tell(reopened), name="announce restored question")
            return returned
        self._settler.hint(Unsettled(answer.pending_id, answer.claim.claim_id))
        if reserved is not None:
            # Nobody settles what a reserved turn carries, so nobody else would tell.
            for pending_id in reopened:
                self._parts.announcer.later(pending_id)
        return returned

    async def _tell(self, reopened: list[PendingId]) -> None:
        for pending_id in reopened:
            self._parts.waiters.look_again(pending_id)
        for pending_id in reopened:
            await self._parts.announcer.settled(pending_id)

    def _undoing(
        self, answer: ClaimedAnswer, reserved: TurnId | None, reopened: list[PendingId]
    ) -> SettlingWrite[_Undone]:
        """Adds to `reopened` what the reserved turn had superseded and is answerable again."""
        claim = answer.claim

        async def undo(tx: Transaction) -> _Undone:
            freed, now = True, self._parts.clock.now()
            await lock_sessions(tx, [answer.bundle.session_id])
            if reserved is not None:
                freed = await reservations.release(tx, reserved)
            if answer.kept:
                unknown, waiting = Delivery.UNKNOWN, Delivery.WAITING_FOR_AGENT
                if await deliveries.move(
                    tx, claim.pending_id, expected=unknown, to=waiting, now=now
                ):
                    await session_states.come_to_rest(tx, answer.bundle.session_id, now)
                return freed, await _standing(tx, answer)
            restored = await intents.restore(tx, claim.pending_id, claim.claim_id, now)
            if reserved is not None:
                others = await open_bundles.open_in_session(tx, answer.bundle.session_id)
                reopened.extend(each for each in others if each != claim.pending_id)
            if restored:
                return freed, Returned.ANSWERABLE
            return freed, await _standing(tx, answer)

        async def seen(tx: Transaction) -> _Undone | None:
            if reserved is not None and await reservations.load(tx, reserved) is not None:
                return None
            returned = await _standing(tx, answer)
            return None if returned is Returned.KEPT and reserved is None else (True, returned)

        return SettlingWrite(self._parts, undo, seen)


async def _standing(tx: Transaction, answer: ClaimedAnswer) -> Returned:
    """What others have made of it: a recovery after an outage, a confirmation told too late."""
    if await went(tx, answer, Delivery.DELIVERED):
        return Returned.DELIVERED
    if await went(tx, answer, Delivery.WAITING_FOR_AGENT):
        return Returned.WAITING
    bundle = await bundles.load_bundle(tx, answer.pending_id)
    return Returned.ANSWERABLE if bundle is not None and bundle.answerable else Returned.KEPT
