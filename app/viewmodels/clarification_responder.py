"""Carries out what the human decided: one request per bundle, settled exactly once."""

import asyncio
from collections.abc import Callable
from typing import Final

from app.bridge.client import BackendClient
from app.viewmodels.clarification_afterwords import Afterwords
from app.viewmodels.clarification_attempt import Sender
from app.viewmodels.clarification_board import CardBoard
from app.viewmodels.clarification_card import (
    ActionKind,
    Attempt,
    Card,
    Failed,
    Phase,
    Replied,
    Returned,
    Settlement,
    Unknown,
    open_questions,
)
from app.viewmodels.clarification_recovery import (
    RecoveryKind,
    RecoveryState,
    filled,
    recovery_of_outcome,
)
from app.viewmodels.timing import Background, Deadline
from backend.domain.clarification import Answer, Bundle, BundleStatus, Delivery, ResponseOutcome
from backend.errors import AppError, Conflict, ErrorCode, NotFound
from backend.ids import ClaimId, ClientId, new_id

READ_SECONDS: Final = 5.0
QUIET_SECONDS: Final = 0.05
"""How long a request may take before the window says that it is under way."""
_ON_STORED: Final = frozenset({ActionKind.HAND_OVER, ActionKind.DISCARD})


class Responder:
    """Starts attempts and settles them on the card that made them, never on another.

    `closed` is called when the human's own action has closed the card that is shown, `told` after
    anything to show has changed, `too_late` with a card whose answers were refused because the
    question is closed: never after a skip, a timeout or any other failure (K6.5).
    """

    def __init__(
        self,
        client: BackendClient,
        deadline: Deadline,
        background: Background,
        client_id: ClientId,
        *,
        board: CardBoard,
        afterwords: Afterwords,
        closed: Callable[[], None],
        told: Callable[[], None],
        too_late: Callable[[Card], None],
    ) -> None:
        self._client = client
        self._deadline = deadline
        self._background = background
        self._sender = Sender(client, deadline, client_id)
        self._board = board
        self._afterwords = afterwords
        self._closed = closed
        self._told = told
        self._too_late = too_late
        self._returns = 0

    def perform(self, card: Card, kind: ActionKind, reason: str = "") -> None:
        """Send one request for `card`; nothing while one is in flight."""
        if not card.editable:
            return
        self._afterwords.forget(card.bundle.session_id)
        attempt = _attempt(card, kind, reason)
        card.attempt, card.settlement, card.phase = attempt, None, Phase.SUBMITTING
        self._background.start(self._run(card, attempt), name=f"clarification {kind.value}")

    def retry(self, card: Card) -> None:
        """Repeat the last action: a submit with the answers as they are now, a skip as it was."""
        last = card.attempt
        if card.phase is not Phase.ERROR or last is None:
            return
        if last.kind is ActionKind.SUBMIT and not card.sheet.complete:
            return
        self.perform(card, last.kind, last.reason)

    def store_is_back(self) -> None:
        """Everything open was read again: what failed for the store's sake can be sent again.

        It is offered, never sent: the human may have changed their mind meanwhile.
        """
        self._returns += 1
        for card in self._board.cards():
            _offer_again(card)
        self._told()

    def closed_elsewhere(self, card: Card, outcome: ResponseOutcome | None) -> None:
        """Another client, the agent or time has closed a card that has no request in flight."""
        result = outcome or _outcome_of(card.bundle)
        if result is None:
            self._end(card, keep=card.sheet.touched)
        else:
            token = card.attempt.token if card.attempt is not None else None
            ours = token is not None and card.bundle.claim_id == token
            self._afterwords.put(recovery_of_outcome(card, result, ours=ours))
            self._board.retire(card)
        self._told()

    async def _run(self, card: Card, attempt: Attempt) -> None:
        settlement: Settlement = Unknown()
        returns = self._returns
        sending = asyncio.ensure_future(self._sender.send(attempt, card.bundle))
        try:
            # An answer is mostly through before "submitting" could be read, and repainting for it
            # would only hold up the thread that delivers it.
            await asyncio.wait({sending}, timeout=QUIET_SECONDS)
            if not sending.done():
                self._told()
            settlement = await sending
            if _came_too_late(attempt, settlement):
                card.bundle = await self._read(card) or card.bundle
        finally:
            sending.cancel()
            self._settle(card, attempt, settlement)
        refused = isinstance(settlement, Failed) and card.phase is not Phase.ERROR
        if refused or attempt.kind is ActionKind.DISCARD:
            await self._reread(card)
        elif card.failed_by_store and self._returns > returns and await self._reread(card):
            _offer_again(card)
            self._told()

    def _settle(self, card: Card, attempt: Attempt, settlement: Settlement) -> None:
        owns = card.attempt is attempt and card.generation == attempt.generation
        if not owns or not card.busy:
            return
        shown = card is self._board.current
        card.settlement = settlement
        if isinstance(settlement, Replied):
            self._settle_reply(card, attempt, settlement.outcome)
        elif isinstance(settlement, Failed):
            self._settle_failure(card, attempt, settlement.error)
        else:
            card.phase = Phase.ERROR
        if card.phase is Phase.ERROR:
            self._follow_bundle(card)
        if shown and card.phase is Phase.RESOLVED:
            self._closed()
        self._told()

    def _settle_reply(self, card: Card, attempt: Attempt, outcome: ResponseOutcome | None) -> None:
        if attempt.kind is ActionKind.DISCARD:
            card.phase = Phase.IDLE
            card.sheet.clear_restored()
            return
        card.phase = Phase.RESOLVED
        self._board.pool.close(card.bundle)
        if outcome is not None:
            ours = outcome.claimed
            self._afterwords.put(recovery_of_outcome(card, outcome, ours=ours))
        self._board.retire(card)

    def _settle_failure(self, card: Card, attempt: Attempt, error: AppError) -> None:
        collected = isinstance(error, Conflict) and error.code is ErrorCode.TICKET_COLLECTED
        gone = isinstance(error, NotFound)
        if collected or (gone and attempt.kind in _ON_STORED):
            card.phase = Phase.IDLE
            self._afterwords.put(RecoveryState(RecoveryKind.COLLECTED, card.bundle, attempt.kind))
        elif gone or (isinstance(error, Conflict) and error.code is ErrorCode.NOT_ACTIVE):
            self._end(card, keep=attempt.kind is ActionKind.SUBMIT)
            if _came_too_late(attempt, Failed(error)):
                self._too_late(card)
        else:
            card.phase = Phase.ERROR

    def _follow_bundle(self, card: Card) -> None:
        """Catch up with what events said about the bundle while its request was in flight."""
        if not card.bundle.answerable:
            self.closed_elsewhere(card, None)
        elif open_questions(card.bundle) != card.questions:
            self._board.renew(card, card.bundle)

    def _end(self, card: Card, *, keep: bool) -> None:
        """It can no longer be answered; `keep` what the human put in until they close it."""
        self._board.pool.close(card.bundle)
        if keep:
            card.phase = Phase.INACTIVE
            return
        kind = card.attempt.kind if card.attempt is not None else ActionKind.SUBMIT
        self._afterwords.put(
            RecoveryState(RecoveryKind.INACTIVE, card.bundle, kind, own=filled(card))
        )
        self._board.retire(card)

    async def _reread(self, card: Card) -> bool:
        """Ask for the words of what happened: withdrawn by whom, answered, moved on.

        Whether it was read and is open.
        """
        bundle = await self._read(card)
        if bundle is None:
            return False
        self._afterwords.follow(bundle, None)
        if card.phase is Phase.INACTIVE or (card.editable and bundle.answerable):
            card.bundle = bundle
        self._told()
        return bundle.answerable

    async def _read(self, card: Card) -> Bundle | None:
        try:
            async with self._deadline(READ_SECONDS):
                return await self._client.call(lambda api: api.get_bundle(card.pending_id))
        except (AppError, TimeoutError):
            return None


def _came_too_late(attempt: Attempt, settlement: Settlement) -> bool:
    """An affirmative answer, and the recognized refusal: nothing else becomes a message."""
    return (
        attempt.kind is ActionKind.SUBMIT
        and isinstance(settlement, Failed)
        and isinstance(settlement.error, Conflict)
        and settlement.error.code is ErrorCode.NOT_ACTIVE
    )


def _offer_again(card: Card) -> None:
    """Take the alarm off a card whose bundle was read after the store came back, and is open."""
    if not card.failed_by_store or not card.bundle.answerable:
        return
    card.settlement = Returned()
    discarding = card.attempt is not None and card.attempt.kind is ActionKind.DISCARD
    if discarding and card.bundle.stored_answer is None:
        card.phase, card.settlement = Phase.IDLE, None


def _attempt(card: Card, kind: ActionKind, reason: str) -> Attempt:
    """A new attempt; an unchanged repetition of the last one keeps its claim token."""
    fresh = Attempt(
        card.pending_id,
        card.generation,
        kind,
        card.outcome(kind, reason),
        ClaimId(new_id()),
        reason,
    )
    last = card.attempt
    if last is not None and fresh.repeats(last) and last.generation == fresh.generation:
        return Attempt(
            last.pending_id, last.generation, last.kind, last.outcome, last.token, last.reason
        )
    return fresh


def _outcome_of(bundle: Bundle) -> ResponseOutcome | None:
    """The answer a closed bundle holds; None when it was closed without one."""
    if bundle.status not in {BundleStatus.ANSWERED, BundleStatus.REJECTED}:
        return None
    answers: tuple[Answer, ...] = tuple(
        row.answer for row in bundle.questions if row.answer is not None
    )
    responded = bundle.responded_at
    return ResponseOutcome(
        pending_id=bundle.pending_id,
        status=bundle.status,
        claimed=False,
        delivery=bundle.delivery or Delivery.UNKNOWN,
        responded_at=bundle.updated_at if responded is None else responded,
        answers=answers,
        reject_reason=bundle.reject_reason,
    )
