"""What is still worth saying about a question after its card has gone, one per session."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from app.viewmodels.clarification_recovery import RecoveryKind, RecoveryState, delivery_kind
from app.viewmodels.timing import Timer, WindowClock
from backend.domain.clarification import Answer, Bundle, ResponseOutcome
from backend.ids import SessionId

DELIVERED_SECONDS: Final = 8.0
"""How long "delivered" stands before it makes room; the transcript keeps the answer."""

_ABOUT_DELIVERY: Final = frozenset(
    {RecoveryKind.SAVED, RecoveryKind.DELIVERED, RecoveryKind.UNCONFIRMED}
)


class Afterwords:
    """Stands until the human closes it or does the next thing; only "delivered" leaves alone."""

    def __init__(self, clock: WindowClock, told: Callable[[], None]) -> None:
        self._clock = clock
        self._told = told
        self._words: dict[SessionId, RecoveryState] = {}
        self._timers: dict[SessionId, Timer] = {}

    def get(self, session_id: SessionId) -> RecoveryState | None:
        return self._words.get(session_id)

    def put(self, word: RecoveryState) -> None:
        session_id = word.bundle.session_id
        self.forget(session_id)
        self._words[session_id] = word
        if word.kind is RecoveryKind.DELIVERED:
            self._timers[session_id] = self._clock.call_later(
                DELIVERED_SECONDS, lambda: self._expire(session_id)
            )

    def forget(self, session_id: SessionId) -> None:
        self._words.pop(session_id, None)
        timer = self._timers.pop(session_id, None)
        if timer is not None:
            timer.cancel()

    def close(self) -> None:
        """The window closes: nothing leaves by itself any more."""
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()

    def follow(self, bundle: Bundle, outcome: ResponseOutcome | None) -> bool:
        """Take in what became of the bundle spoken of; True when the words changed."""
        word = self._words.get(bundle.session_id)
        if word is None or word.pending_id != bundle.pending_id:
            return False
        if bundle.answerable and word.kind in _ABOUT_DELIVERY:
            # The answer did not reach the agent after all: the question itself is back.
            self.forget(bundle.session_id)
            return True
        fresh = replace(word, bundle=bundle)
        if outcome is not None and word.kind in _ABOUT_DELIVERY:
            fresh = replace(
                fresh,
                kind=delivery_kind(outcome.delivery),
                outcome=replace(outcome, answers=outcome.answers or _answers(word)),
            )
        if fresh.kind is not word.kind:
            self.put(fresh)
        else:
            self._words[bundle.session_id] = fresh
        return fresh != word

    def _expire(self, session_id: SessionId) -> None:
        self.forget(session_id)
        self._told()


def _answers(word: RecoveryState) -> tuple[Answer, ...]:
    return word.outcome.answers if word.outcome is not None else ()
