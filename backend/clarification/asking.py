"""The asking side: open a bundle, wait for its answer, collect it by ticket."""

import asyncio
import itertools
import logging
from dataclasses import dataclass, replace
from typing import Final

from backend.clarification.ask_result import AskResult, handed_over, result_of
from backend.clarification.parts import Parts
from backend.clarification.places import Place, of_caller
from backend.clarification.tickets import TicketBook
from backend.clock import Deadline, Nanoseconds
from backend.domain.clarification import (
    MAX_CONTEXT,
    Bundle,
    Delivery,
    QuestionBundleDraft,
)
from backend.domain.conversation import GuestIdentity
from backend.domain.digest import question_digest, ticket_hash
from backend.domain.validation import check_note, validate_draft
from backend.errors import (
    Conflict,
    ErrorCode,
    NotFound,
    StorageFailed,
    TemporarilyUnavailable,
)
from backend.events import EventBus, MessagesChanged
from backend.ids import IdempotencyKey, PendingId, SessionId, Ticket, new_id
from backend.store import bundles, deliveries, messages, session_states, withdrawals
from backend.store.database import Transaction
from backend.store.locks import lock_bundle

OPEN_BUDGET: Final = 5.0
REJOIN_WINDOW: Final = 600_000_000_000
"""Nanoseconds after the cut in which an equal re-ask of the same connection joins (rule 3)."""
CLOCK_SLACK: Final = 60_000_000_000
"""Nanoseconds by which a clock is set right now and then without anybody noticing."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class AskCaller:
    """Who asks. `connection_id` is empty when the transport has no session.

    `hosted` is the session of an agent this desk runs: its questions belong there, into the turn
    that runs, and `identity` only tells which client it uses.
    """

    identity: GuestIdentity
    connection_id: str = ""
    idempotency_key: IdempotencyKey | None = None
    hosted: SessionId | None = None


@dataclass(frozen=True, slots=True)
class OpenAsk:
    """A bundle that is durable; `replayed` when an earlier call had opened it."""

    pending_id: PendingId
    session_id: SessionId
    ticket: Ticket
    replayed: bool = False


class Asking:
    """What the doors offer to agents. Every method raises `TemporarilyUnavailable` when the store
    does not answer in time; nothing is then known to have happened and the call may be repeated.
    """

    def __init__(self, parts: Parts, *, bus: EventBus, tickets: TicketBook) -> None:
        self._database = parts.database
        self._clock = parts.clock
        self._waiters = parts.waiters
        self._worker = parts.worker
        self._announcer = parts.announcer
        self._supervisor = parts.supervisor
        self._bus = bus
        self._tickets = tickets
        self.draining = asyncio.Event()

    async def open(self, caller: AskCaller, draft: QuestionBundleDraft) -> OpenAsk:
        """Make the bundle durable, or find the one this call or an equal cut call has opened.

        Raises:
            InvalidInput: names the field and the limit; no row was written.
            Conflict: `key_reused`, the idempotency key belongs to other questions.
        """
        valid = validate_draft(draft)
        return await self._supervisor.run_to_end(self._open(caller, valid), name="open bundle")

    async def wait(self, pending_id: PendingId, *, limit: float | None = None) -> AskResult:
        """Return the result once there is one and its hand-over is durable.

        Cancelling only removes this caller; see `cut`. `limit` says after how many seconds the
        caller will do that by itself; it ends nothing here, the human is told of it.

        Raises:
            NotFound: no such bundle.
        """
        bundle = await self._load(pending_id)
        announced = False
        ends_at = None
        if limit is not None:
            ends_at = Nanoseconds(self._clock.now() + int(limit * 1e9))
        try:
            while True:
                waiter = self._waiters.add(pending_id, bundle.session_id, ends_at)
                try:
                    result = await self._collect(pending_id)
                    if result is not None:
                        return result
                    if not announced:
                        announced = True
                        self._tell_changed(pending_id)
                    offer = await waiter.wake
                    if offer is not None and await offer.take():
                        result = handed_over(bundle, offer.outcome)
                        if result is not None:
                            return result
                finally:
                    self._waiters.remove(waiter)
        finally:
            if announced:
                self._tell_changed(pending_id)

    def cut(self, pending_id: PendingId) -> None:
        """The caller is gone without a result: detach the bundle in the background (K1.7).

        Calls that end because the desk stops are not gone: they come back to the next desk.
        """
        if self.draining.is_set():
            return
        detaching = self._detach_at_last(pending_id, self._clock.now())
        self._supervisor.start(detaching, name="detach bundle", repeats=True)

    async def redeem(self, ticket: Ticket) -> OpenAsk:
        """Find the bundle of a ticket; `wait` then gives its result, any number of times.

        Raises:
            NotFound: no such ticket.
        """
        async with self._database.reading(Deadline(self._clock, OPEN_BUDGET)) as tx:
            pending_id = await deliveries.find_by_ticket(tx, ticket_hash(ticket))
            bundle = await bundles.load_bundle(tx, pending_id) if pending_id else None
        if bundle is None:
            raise NotFound(ErrorCode.NOT_FOUND, "no question belongs to this ticket")
        return OpenAsk(bundle.pending_id, bundle.session_id, ticket, replayed=True)

    async def note(self, caller: AskCaller, text: str) -> None:
        """Write a one-way message into the caller's transcript.

        Raises:
            InvalidInput: the text is empty, too long or holds what cannot be stored.
        """
        check_note("text", text, MAX_CONTEXT)
        await self._supervisor.run_to_end(self._note(caller, text), name="send note")

    async def _open(self, caller: AskCaller, draft: QuestionBundleDraft) -> OpenAsk:
        pending_id = PendingId(new_id())
        try:
            opened = await self._find_or_insert(caller, draft, pending_id)
        except (TemporarilyUnavailable, StorageFailed):
            # Should its COMMIT have been made, the bundle is there and the call that asked is gone.
            self.cut(pending_id)
            raise
        if not opened.replayed:
            self._supervisor.start(self._announcer.opened(pending_id), name="announce bundle")
        return opened

    async def _find_or_insert(
        self, caller: AskCaller, draft: QuestionBundleDraft, pending_id: PendingId
    ) -> OpenAsk:
        digest = question_digest(draft)
        deadline = Deadline(self._clock, OPEN_BUDGET)
        async with self._database.writing(deadline) as tx:
            found = await self._find_open(tx, caller, digest)
            if found is not None:
                return found
            now = self._clock.now()
            place = await self._place(tx, caller, now)
            ticket = self._tickets.ticket(pending_id)
            await messages.insert_bundle(
                tx,
                messages.NewBundle(
                    pending_id, place.session_id, place.task_id, place.turn_id, draft, now
                ),
            )
            await deliveries.open_delivery(
                tx,
                deliveries.NewDelivery(
                    pending_id=pending_id,
                    session_id=place.session_id,
                    idempotency_key=caller.idempotency_key,
                    ticket_hash=ticket_hash(ticket),
                    question_digest=digest,
                    connection_id=caller.connection_id,
                    now=now,
                ),
            )
            await session_states.refresh(tx, place.session_id, now)
        return OpenAsk(pending_id, place.session_id, ticket)

    async def _place(self, tx: Transaction, caller: AskCaller, now: Nanoseconds) -> Place:
        return await of_caller(
            tx, caller.identity, caller.hosted, connected=self._waiters.sessions(), now=now
        )

    async def _find_open(self, tx: Transaction, caller: AskCaller, digest: str) -> OpenAsk | None:
        pending_id: PendingId | None = None
        if caller.idempotency_key is not None:
            pending_id = await deliveries.find_by_key(tx, caller.idempotency_key)
            if pending_id is not None and await deliveries.digest_of(tx, pending_id) != digest:
                raise Conflict(
                    ErrorCode.KEY_REUSED, "this idempotency key was used for other questions"
                )
        if pending_id is None and caller.connection_id:
            now = self._clock.now()
            # A cut that lies ahead: the clock was set back, and nobody knows how long ago it was.
            pending_id = await deliveries.rejoinable(
                tx,
                connection_id=caller.connection_id,
                question_digest=digest,
                cut_after=Nanoseconds(now - REJOIN_WINDOW),
                cut_before=Nanoseconds(now + CLOCK_SLACK),
            )
        bundle = await bundles.load_bundle(tx, pending_id) if pending_id else None
        if bundle is None:
            return None
        ticket = self._tickets.ticket(bundle.pending_id)
        return OpenAsk(bundle.pending_id, bundle.session_id, ticket, replayed=True)

    async def _load(self, pending_id: PendingId) -> Bundle:
        async with self._database.reading(Deadline(self._clock, OPEN_BUDGET)) as tx:
            return await bundles.require_bundle(tx, pending_id)

    async def _collect(self, pending_id: PendingId) -> AskResult | None:
        """The result of a closed bundle; hands a stored answer over durably first."""
        bundle = await self._load(pending_id)
        if bundle.delivery is Delivery.WAITING_FOR_AGENT:
            return await self._supervisor.run_to_end(self._hand_over(pending_id), name="hand over")
        return result_of(bundle)

    async def _hand_over(self, pending_id: PendingId) -> AskResult | None:
        """Once it counts as collected, the call has it: nothing that may fail comes after."""
        try:
            return await self._collect_stored(pending_id)
        except (TemporarilyUnavailable, StorageFailed):
            self._announcer.later(pending_id)
            bundle = await self._load(pending_id)
            if bundle.delivery is Delivery.WAITING_FOR_AGENT:
                raise
            return result_of(bundle)

    async def _collect_stored(self, pending_id: PendingId) -> AskResult | None:
        async with self._database.writing(Deadline(self._clock, OPEN_BUDGET)) as tx:
            if not self._waiters.count(pending_id):
                return None
            await lock_bundle(tx, pending_id)
            bundle = await bundles.require_bundle(tx, pending_id)
            moved = await deliveries.move(
                tx,
                pending_id,
                expected=Delivery.WAITING_FOR_AGENT,
                to=Delivery.DELIVERED,
                now=self._clock.now(),
            )
        if not moved:
            return result_of(bundle)
        self._supervisor.start(self._announcer.settled(pending_id), name="announce hand-over")
        return result_of(replace(bundle, delivery=Delivery.DELIVERED))

    async def _detach_at_last(self, pending_id: PendingId, cut_at: Nanoseconds) -> None:
        """A store that is busy or full for a while must not show an agent that is gone."""
        for failures in itertools.count():
            try:
                await self._detach(pending_id, cut_at)
            except (TemporarilyUnavailable, StorageFailed) as error:
                if self.draining.is_set():
                    raise
                _log.warning("the cut of %s is not stored yet: %s", pending_id, error.detail)
            else:
                return
            await self._worker.pause(failures)

    async def _detach(self, pending_id: PendingId, cut_at: Nanoseconds) -> None:
        async with self._database.writing(Deadline(self._clock, OPEN_BUDGET)) as tx:
            if self._waiters.count(pending_id):
                return
            await lock_bundle(tx, pending_id)
            await deliveries.note_cut(tx, pending_id, cut_at)
            changed = await withdrawals.detach(tx, pending_id, self._clock.now())
        if changed:
            await self._announcer.changed(pending_id)

    async def _note(self, caller: AskCaller, text: str) -> None:
        async with self._database.writing(Deadline(self._clock, OPEN_BUDGET)) as tx:
            now = self._clock.now()
            place = await self._place(tx, caller, now)
            message = await messages.insert_message(
                tx,
                session_id=place.session_id,
                task_id=place.task_id,
                turn_id=place.turn_id,
                kind="message",
                author="agent",
                content=text,
                metadata={"kandesk": {"note": True}},
                now=now,
            )
        self._bus.publish(MessagesChanged(place.session_id, (message,)))
        await self._announcer.session(place.session_id)

    def _tell_changed(self, pending_id: PendingId) -> None:
        if not self.draining.is_set():
            self._supervisor.start(self._announcer.changed(pending_id), name="announce calls")
