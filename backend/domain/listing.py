"""Pages of questions: the open ones (the Inbox) and the closed ones (the history) (K3.5, K4.5)."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from backend.clock import Nanoseconds
from backend.domain.clarification import Bundle, BundleStatus
from backend.ids import PendingId, SessionId, TurnId

PAGE_DEFAULT: Final = 50
PAGE_MAX: Final = 200


@dataclass(frozen=True, slots=True)
class Position:
    """A place in the order of bundles: when the bundle was asked, then its id.

    `time` is RFC 3339 with nine fraction digits and no zone, so that text order is time order.
    """

    time: str
    pending_id: PendingId


@dataclass(frozen=True, slots=True)
class PageQuery:
    """Which bundles. An empty `workspace` means all; `after` is where the page before ended."""

    workspace: str = ""
    since: Nanoseconds | None = None
    after: Position | None = None
    limit: int = PAGE_DEFAULT


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a question comes from: its session and task, in words for a human."""

    session_id: SessionId
    agent: str = ""
    workspace: str = ""
    session_state: str = ""
    task_title: str = ""


class Unanswerable(StrEnum):
    """Why a bundle whose rows still say pending cannot be answered (K4.5)."""

    SUPERSEDED = "superseded"
    SESSION_ENDED = "session_ended"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class ListedBundle:
    """One line of a page; the last two are known for closed bundles only."""

    bundle: Bundle
    origin: Origin
    unanswerable: Unanswerable | None = None
    superseding_turn: TurnId | None = None

    @property
    def reason(self) -> str:
        """Why it closed without an answer; empty where the status says it."""
        if self.unanswerable is not None:
            return self.unanswerable.value
        if self.bundle.status is BundleStatus.CANCELLED and self.bundle.withdrawn is not None:
            return self.bundle.withdrawn.value
        return ""


@dataclass(frozen=True, slots=True)
class BundlePage:
    """`total` counts every bundle of the query, whatever page; `after` is None on the last one."""

    bundles: tuple[ListedBundle, ...]
    total: int
    after: Position | None = None
