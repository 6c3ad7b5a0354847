"""The claim of a bundle, with everything that is true together with it (K5.1 step 4)."""

from dataclasses import dataclass, field
from functools import partial

from backend.clarification.claimed import COMMIT_GRACE, REREAD_BUDGET, ClaimedAnswer
from backend.clarification.parts import Parts
from backend.clarification.settling import Settler, Unsettled
from backend.clock import Deadline
from backend.domain.clarification import Bundle, Delivery, Withdrawn
from backend.errors import (
    AppError,
    Conflict,
    ErrorCode,
    StorageFailed,
    TemporarilyUnavailable,
)
from backend.ids import PendingId
from backend.store import bundles, claims, deliveries, drafts, session_states, withdrawals
from backend.store.database import Priority, Transaction
from backend.store.locks import lock_bundles
from backend.work.budget import abandon, finished_by, within


@dataclass(slots=True)
class _Attempt:
    """One transaction that tries to claim, and how far it came."""

    claim: claims.Claim
    taken_from: Bundle | None
    touched: set[PendingId]
    """Whose questions the answer may change, as far as it is known."""
    before: Bundle | None = None
    written: bool = False
    """The rows are claimed; only COMMIT is left."""
    obsolete: list[PendingId] = field(default_factory=list)


class Claiming:
    """Claims at most once per attempt, whatever becomes of its COMMIT."""

    def __init__(self, parts: Parts, settler: Settler) -> None:
        self._parts = parts
        self._settler = settler

    async def claim(
        self,
        claim: claims.Claim,
        deadline: Deadline,
        *,
        seen: Bundle,
        taken_from: Bundle | None = None,
    ) -> ClaimedAnswer | None:
        """Claim the bundle that was `seen`; None when it can no longer be answered, or was before.

        Raises:
            TemporarilyUnavailable: not known to be claimed. Should it turn out that it was, the
                answer is settled in the background, and a retry finds it.
            TimeoutError: as before, and it was the deadline.
            StorageFailed: the store is broken; nothing was claimed.
        """
        attempt = _Attempt(claim, taken_from, _touched_by_answer(seen))
        running = self._parts.supervisor.start(self._run(attempt, deadline), name="claim answer")
        try:
            done = await finished_by(deadline, running)
            if not done and attempt.written:
                grace = Deadline(self._parts.clock, COMMIT_GRACE)
                done = await finished_by(grace, running)
        finally:
            abandon(running)
        if not done and not attempt.written:
            raise TimeoutError
        claimed = running.result() if done and running.exception() is None else None
        if claimed is None:
            claimed = await self._known_by_reread(attempt, running.exception() if done else None)
        if not claimed or attempt.before is None:
            return None
        for pending_id in attempt.obsolete:
            self._parts.waiters.look_again(pending_id)
            self._parts.supervisor.start(
                self._parts.announcer.settled(pending_id), name="announce obsolete"
            )
        return ClaimedAnswer(claim, attempt.before)

    async def _known_by_reread(self, attempt: _Attempt, error: BaseException | None) -> bool:
        """Whether a claim whose COMMIT has no result is stored, on a fresh connection."""
        lost = error if isinstance(error, TemporarilyUnavailable | StorageFailed) else None
        if error is not None and (lost is None or not attempt.written):
            raise error
        try:
            held = await within(
                Deadline(self._parts.clock, REREAD_BUDGET), self._holds(attempt.claim)
            )
        except (AppError, TimeoutError):
            held = False
        if not held:
            # A COMMIT that is still under way may make it true after this look.
            self._settler.hint(Unsettled(attempt.claim.pending_id, attempt.claim.claim_id))
            for pending_id in attempt.obsolete:
                self._parts.announcer.later(pending_id)
            if lost is not None:
                raise lost
            raise TimeoutError
        return True

    async def _holds(self, claim: claims.Claim) -> bool:
        async with self._parts.database.reading(Deadline(self._parts.clock, REREAD_BUDGET)) as tx:
            bundle = await bundles.load_bundle(tx, claim.pending_id)
        return bundle is not None and bundle.claim_id == claim.claim_id

    async def _run(self, attempt: _Attempt, deadline: Deadline) -> bool:
        """Claim in one transaction that holds every session whose questions the answer changes.

        Another question may become one of those until they are held; then it begins anew.
        """
        while True:
            async with self._parts.database.writing(deadline, priority=Priority.CLAIM) as tx:
                stored = await tx.in_place(lambda tx: _held(tx, attempt))
                if stored is None:
                    return False
                touched = _touched_by_answer(stored)
                if touched <= attempt.touched:
                    attempt.before = self._parts.announcer.live(stored)
                    claim = partial(_claim, attempt=attempt, before=attempt.before)
                    attempt.written = await tx.in_place(claim)
                    return attempt.written
            attempt.touched |= touched


def _touched_by_answer(bundle: Bundle) -> set[PendingId]:
    """Every bundle that an answer to this one changes."""
    earlier = bundle.stored_answer.pending_id if bundle.stored_answer else None
    touched = (bundle.pending_id, bundle.asked_again_of, earlier)
    return {each for each in touched if each is not None}


async def _held(tx: Transaction, attempt: _Attempt) -> Bundle | None:
    """The bundle, with every session held whose questions the answer may change."""
    await lock_bundles(tx, attempt.touched)
    return await bundles.load_bundle(tx, attempt.claim.pending_id)


async def _claim(tx: Transaction, attempt: _Attempt, before: Bundle) -> bool:
    """Claim, close what this answer makes obsolete, drop the draft."""
    claim = attempt.claim
    if not await claims.claim(tx, claim):
        return False
    await _retire_older(tx, before, attempt)
    refreshing = session_states.refreshing(tx.dialect, before.session_id, claim.now)
    await tx.execute_each([drafts.deletion(claim.pending_id), *refreshing])
    return True


async def _retire_older(tx: Transaction, bundle: Bundle, attempt: _Attempt) -> None:
    """Rule 4: a fresh answer replaces a stored one and withdraws an equal open question."""
    claim, stored, source = attempt.claim, bundle.stored_answer, attempt.taken_from
    if source is not None and (stored is None or stored.pending_id != source.pending_id):
        raise Conflict(ErrorCode.TICKET_COLLECTED, "the earlier answer is no longer stored")
    if source is not None and stored is not None and stored.delivery != source.delivery:
        raise Conflict(
            ErrorCode.TICKET_COLLECTED, "the earlier call has collected the answer meanwhile"
        )
    if stored is not None:
        attempt.obsolete.append(stored.pending_id)
        await deliveries.move(
            tx,
            stored.pending_id,
            expected=Delivery.WAITING_FOR_AGENT,
            to=Delivery.REPLACED,
            now=claim.now,
            replaced_by=claim.pending_id,
        )
    older = bundle.asked_again_of
    if older is not None:
        attempt.obsolete.append(older)
        await withdrawals.withdraw(
            tx, older, Withdrawn.REPLACED, claim.now, replaced_by=claim.pending_id
        )
