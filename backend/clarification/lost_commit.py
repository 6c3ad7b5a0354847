"""A settling write whose COMMIT may have been made without anybody being told."""

from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

from backend.clarification.claimed import REREAD_BUDGET, ClaimedAnswer
from backend.clarification.parts import Parts
from backend.clock import Deadline
from backend.domain.clarification import Delivery
from backend.errors import AppError, ErrorCode, StorageFailed, TemporarilyUnavailable
from backend.store import bundles
from backend.store.database import Priority, Transaction
from backend.work.budget import within

T = TypeVar("T")


class CommitUnknown(TemporarilyUnavailable):
    """Whether the write was made could not be seen either; a retry finds what is stored."""


class SettlingWrite(Generic[T]):
    """One transaction, and what the store shows of it where its COMMIT has no result.

    `work` runs inside the transaction. `seen` gives its result as a later look at the store finds
    it, None where there is no trace of it. Each of them raises as the database does.
    """

    def __init__(
        self,
        parts: Parts,
        work: Callable[[Transaction], Awaitable[T]],
        seen: Callable[[Transaction], Awaitable[T | None]],
    ) -> None:
        self._parts = parts
        self._work = work
        self._seen = seen
        self._only_commit_left = False

    async def to_its_end(self, deadline: Deadline) -> T:
        """The result, however long a COMMIT that has started takes.

        Raises:
            CommitUnknown: the write may have been made.
            AppError: it was not made.
        """
        try:
            return await self._run(deadline)
        except (TemporarilyUnavailable, StorageFailed) as error:
            return await self._reread(error, Deadline(self._parts.clock, REREAD_BUDGET))

    async def by(self, deadline: Deadline) -> T:
        """The result, the look at the store included, by then.

        Raises:
            CommitUnknown: the write may have been made.
            AppError, TimeoutError: it was not made.
        """
        try:
            return await within(deadline, self._run(deadline))
        except (TemporarilyUnavailable, StorageFailed, TimeoutError) as error:
            left = min(REREAD_BUDGET, deadline.remaining())
            return await self._reread(error, Deadline(self._parts.clock, left))

    async def _run(self, deadline: Deadline) -> T:
        async with self._parts.database.writing(deadline, priority=Priority.SETTLE) as tx:
            result = await self._work(tx)
            self._only_commit_left = True
        return result

    async def _reread(self, lost: AppError | TimeoutError, deadline: Deadline) -> T:
        """On a fresh connection; not seeing it proves nothing while the COMMIT may be under way."""
        if not self._only_commit_left:
            raise lost
        try:
            seen = await within(deadline, self._look(deadline))
        except (AppError, TimeoutError):
            seen = None
        else:
            if seen is None and isinstance(lost, StorageFailed):
                raise lost
        if seen is None:
            raise commit_unknown() from lost
        return seen

    async def _look(self, deadline: Deadline) -> T | None:
        async with self._parts.database.reading(deadline) as tx:
            return await self._seen(tx)


def commit_unknown() -> CommitUnknown:
    return CommitUnknown(
        ErrorCode.TEMPORARILY_UNAVAILABLE, "the store does not tell what became of the answer"
    )


async def went(tx: Transaction, answer: ClaimedAnswer, delivery: Delivery) -> bool:
    """Whether it is stored that the answer of this claim went there."""
    bundle = await bundles.load_bundle(tx, answer.pending_id)
    return (
        bundle is not None
        and bundle.claim_id == answer.claim.claim_id
        and bundle.delivery is delivery
    )
