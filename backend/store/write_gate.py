"""Whether this process may write to a store it shares with nobody, and under which epoch."""

import asyncio
from typing import Final

from backend.errors import ErrorCode, TemporarilyUnavailable

_NOT_YET: Final = "the store is not ready yet"


class Term:
    """One uninterrupted time of owning the store; over for good once it has ended."""

    def __init__(self) -> None:
        self.epoch = 0
        self.recovered = False
        """Recovery has run: everybody may write."""
        self.reason = ""
        self.over = asyncio.Event()

    def end(self, reason: str) -> None:
        """Nothing more may be written under this term; the first reason stays."""
        if not self.over.is_set():
            self.reason = reason
            self.over.set()

    def check(self, *, recovering: bool = False) -> None:
        """Raises `TemporarilyUnavailable` unless a write may begin, go on or be committed now."""
        if self.over.is_set():
            raise _away(self.reason)
        if not self.recovered and not recovering:
            raise _away(_NOT_YET)


class WriteGate:
    """Holds the current term. Closed until `enter`, and again from the moment the term ends."""

    def __init__(self) -> None:
        self.term = Term()

    def enter(self, term: Term) -> None:
        """Let writes be judged by `term` from now on."""
        self.term.end("the desk owns the store anew")
        self.term = term

    def admit(self, *, recovering: bool) -> Term:
        """The term under which a write may begin.

        Raises:
            TemporarilyUnavailable: the store is away, or recovery has not run yet.
        """
        self.term.check(recovering=recovering)
        return self.term


def _away(reason: str) -> TemporarilyUnavailable:
    return TemporarilyUnavailable(ErrorCode.TEMPORARILY_UNAVAILABLE, f"the store is away: {reason}")
