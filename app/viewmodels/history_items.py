"""What is closed, in the order in which it was asked, and what of it has the words looked for."""

from bisect import insort
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from app.viewmodels.answer_text import answer_text
from backend.domain.agents import ToolCallChange
from backend.domain.listing import ListedBundle
from backend.domain.review import Review
from backend.ids import SessionId


@dataclass(frozen=True, slots=True)
class HistoryItem:
    """A closed question or a closed permission."""

    key: str
    since: int
    session_id: SessionId
    listed: ListedBundle | None = None
    review: Review | None = None
    words: str = field(default="", compare=False)
    """Everything in it that can be searched for, case folded."""

    @property
    def place(self) -> tuple[int, str]:
        """Newest first."""
        return (-self.since, self.key)


class HistoryItems:
    """Kept in order; what is looked for is looked for once in each item."""

    def __init__(self) -> None:
        self._all: dict[str, HistoryItem] = {}
        self._found: list[HistoryItem] = []
        self._wanted: list[str] = []

    def __contains__(self, key: object) -> bool:
        return key in self._all

    def __len__(self) -> int:
        return len(self._all)

    def look_for(self, text: str) -> None:
        """Only what has all these words."""
        self._wanted = text.casefold().split()
        self._sort(self._all.values())

    def put(self, item: HistoryItem) -> None:
        before = self._all.get(item.key)
        self._all[item.key] = item
        if before is not None and self._has(before):
            self._found = [each for each in self._found if each.key != item.key]
        if self._has(item):
            insort(self._found, item, key=_place)

    def drop(self, gone: Callable[[HistoryItem], bool]) -> None:
        self._all = {key: item for key, item in self._all.items() if not gone(item)}
        self._found = [item for item in self._found if item.key in self._all]

    def clear(self) -> None:
        self._all.clear()
        self._found.clear()

    def found(self, floor: int) -> tuple[HistoryItem, ...]:
        """From the newest down to the moment `floor`."""
        end = len(self._found)
        while end and self._found[end - 1].since < floor:
            end -= 1
        return tuple(self._found[:end])

    def _sort(self, items: Iterable[HistoryItem]) -> None:
        self._found = sorted((item for item in items if self._has(item)), key=_place)

    def _has(self, item: HistoryItem) -> bool:
        return all(word in item.words for word in self._wanted)


def item_of_bundle(listed: ListedBundle) -> HistoryItem:
    bundle = listed.bundle
    return HistoryItem(
        bundle.pending_id,
        bundle.created_at,
        bundle.session_id,
        listed=listed,
        words=_words_of_bundle(listed).casefold(),
    )


def item_of_review(review: Review) -> HistoryItem:
    return HistoryItem(
        review.review_id,
        review.asked_at,
        review.session_id,
        review=review,
        words=_words_of(review).casefold(),
    )


def _place(item: HistoryItem) -> tuple[int, str]:
    return item.place


def _words_of(review: Review) -> str:
    parts = (
        review.agent_name,
        review.folder,
        review.server_name,
        review.reason,
        _call_words(review.call),
    )
    return "\n".join(parts)


def _call_words(call: ToolCallChange) -> str:
    given = "" if call.raw_input is None else str(call.raw_input)
    return "\n".join((call.title or "", call.tool_name or "", given))


def _words_of_bundle(listed: ListedBundle) -> str:
    bundle = listed.bundle
    asked = (f"{row.question.title}\n{row.question.prompt}" for row in bundle.questions)
    origin = listed.origin
    return "\n".join((*asked, answer_text(bundle), origin.agent, origin.workspace))
