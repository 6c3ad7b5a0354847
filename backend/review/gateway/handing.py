"""Telling the agent how a call ended that its human was asked about: noted before it is told."""

import asyncio
import weakref

from backend.ids import ReviewId
from backend.review.delivery_news import tell_deliveries
from backend.review.gateway.running import ReviewNews
from backend.review.parts import ReviewParts
from backend.store import gateway_calls, receipts
from backend.store.database import Transaction


class HandOvers:
    """What is noted as told is never told by itself again, also by the next run of the desk."""

    def __init__(self, parts: ReviewParts, news: ReviewNews) -> None:
        self._parts = parts
        self._news = news
        self._order: weakref.WeakValueDictionary[str, asyncio.Lock] = weakref.WeakValueDictionary()

    async def hand_over(self, invocation_id: str, review_id: ReviewId) -> None:
        """Return once it is noted; cancelled before, it is owed again, unless another was told."""
        left = asyncio.Event()
        noting = self._parts.supervisor.start(
            self._note(invocation_id, review_id, left), name="hand over tool call"
        )
        try:
            await asyncio.shield(noting)
        except asyncio.CancelledError:
            left.set()
            if noting.done() and not noting.cancelled() and noting.result():
                self._parts.supervisor.start(
                    self._take_back(invocation_id), name="take back tool call"
                )
            raise

    async def _note(self, invocation_id: str, review_id: ReviewId, left: asyncio.Event) -> bool:
        """Whether it was not noted before. It counts as heard until it is."""

        async def mark(tx: Transaction) -> bool:
            return await gateway_calls.mark_collected(tx, invocation_id, self._parts.clock.now())

        watching = self._news.watch(review_id)
        try:
            async with self._order.setdefault(invocation_id, asyncio.Lock()):
                noted = await self._parts.write_at_last(mark)
                if noted and left.is_set():
                    await self._take_back(invocation_id)
                elif noted:
                    telling = tell_deliveries(self._parts, [review_id])
                    self._parts.supervisor.start(telling, name="tell delivery")
            return noted
        finally:
            self._news.leave(review_id, watching)

    async def _take_back(self, invocation_id: str) -> None:
        async def take_back(tx: Transaction) -> None:
            await receipts.take_back(tx, invocation_id, self._parts.clock.now())

        await self._parts.write_at_last(take_back)
