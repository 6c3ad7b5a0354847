"""Calls an earlier run of the desk has left without an end (tool-review.md, Decide once)."""

import logging
from typing import Final

from backend.ids import ReviewId
from backend.review.gateway.executing import EXPIRED_END, UNKNOWN_END, Executing
from backend.review.gateway.running import RunningCalls
from backend.review.parts import ReviewParts
from backend.store import gateway_calls, review_outcomes, reviews
from backend.store.database import Transaction
from backend.store.locks import lock_sessions

SERVER_REMOVED: Final = "server_removed"

_log = logging.getLogger(__name__)


class GatewayRecovery:
    """Nothing that was begun is begun again; what was approved and never claimed may still run."""

    def __init__(self, parts: ReviewParts, executing: Executing, running: RunningCalls) -> None:
        self._parts = parts
        self._executing = executing
        self._running = running
        self._to_run: list[ReviewId] = []

    async def begin(self) -> int:
        """Settle what has no end; before any door opens, and again when a lost store is back.

        Returns how many were settled.
        """
        async with self._parts.database.reading() as tx:
            found = await gateway_calls.list_unsettled(tx)
            begun = await gateway_calls.list_running(tx)
            without = await gateway_calls.list_without_server(tx)
        self._to_run = []
        settled = 0
        for review_id in without:
            settled += await self._cancel(review_id)
        for review_id in found:
            if review_id not in self._executing and review_id not in without:
                settled += await self._settle_request(review_id)
        for call in begun:
            if call.invocation_id not in self._running:
                settled += await self._settle_call(call)
        if settled:
            _log.info("settled %d call(s) of the last run", settled)
        return settled

    def go_on(self) -> None:
        """Run what was approved and never begun, once everybody may be told of it."""
        for review_id in self._to_run:
            self._executing.start(review_id)
        self._to_run = []

    async def _cancel(self, review_id: ReviewId) -> bool:
        """Its server is gone, and the run that removed it ended before it said so."""
        async with self._parts.database.writing() as tx:
            return await cancel_without_server(self._parts, review_id, tx)

    async def _settle_request(self, review_id: ReviewId) -> bool:
        async with self._parts.database.writing() as tx:
            seen = await reviews.find(tx, review_id)
            if seen is None:
                return False
            await lock_sessions(tx, [seen.review.session_id])
            stored = await reviews.find(tx, review_id)
            call = await gateway_calls.find_by_request(tx, review_id)
            if stored is None or call is None:
                return False
            now = self._parts.clock.now()
            if stored.status == "executing":
                return await gateway_calls.lose(tx, stored, call, UNKNOWN_END, now)
            if call.expires_at is not None and await self._parts.store_now(tx) < call.expires_at:
                self._to_run.append(review_id)
                return False
            return await gateway_calls.fail_approved(tx, stored, call, EXPIRED_END, now)

    async def _settle_call(self, call: gateway_calls.Call) -> bool:
        async def settle(tx: Transaction) -> bool:
            await lock_sessions(tx, [call.session_id])
            now = self._parts.clock.now()
            return await gateway_calls.settle_allowed(tx, call, UNKNOWN_END, now)

        async with self._parts.database.writing() as tx:
            return await settle(tx)


async def cancel_without_server(parts: ReviewParts, review_id: ReviewId, tx: Transaction) -> bool:
    """The server that was to carry it out was removed; whether that ended the request."""
    seen = await reviews.find(tx, review_id)
    if seen is None:
        return False
    await lock_sessions(tx, [seen.review.session_id])
    stored = await reviews.find(tx, review_id)
    now = parts.clock.now()
    return stored is not None and await review_outcomes.cancel(
        tx, stored, SERVER_REMOVED, now, untold=True
    )
