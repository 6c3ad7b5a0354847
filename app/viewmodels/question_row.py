"""What a transcript row says about one question, read from its metadata (K1.3)."""

from collections.abc import Mapping
from dataclasses import dataclass

from backend.domain.clarification import BundleStatus, Withdrawn
from backend.domain.conversation import Message

QUESTION_KIND = "clarification_request"


@dataclass(frozen=True, slots=True)
class ShownOption:
    label: str
    description: str
    chosen: bool


@dataclass(frozen=True, slots=True)
class QuestionRow:
    """A question with what became of it; `status` is None for a word nobody knows."""

    prompt: str
    title: str = ""
    options: tuple[ShownOption, ...] = ()
    custom_text: str = ""
    status: BundleStatus | None = BundleStatus.PENDING
    status_word: str = ""
    withdrawn: Withdrawn | None = None
    context: str = ""
    number: int = 1
    total: int = 1

    @property
    def chosen(self) -> tuple[str, ...]:
        """The labels the human chose, in the order of the options."""
        return tuple(option.label for option in self.options if option.chosen)


def read_question(message: Message) -> QuestionRow:
    """Read a row leniently: imported rows may lack any key (K1.3, K1.5)."""
    metadata = message.metadata
    question = _mapping(metadata.get("question"))
    response = _mapping(metadata.get("response"))
    chosen = {str(option) for option in _items(response.get("selected_options"))}
    word = str(metadata.get("status") or BundleStatus.PENDING.value)
    return QuestionRow(
        prompt=str(question.get("prompt") or message.content),
        title=str(question.get("title") or ""),
        options=tuple(_option(entry, chosen) for entry in _items(question.get("options"))),
        custom_text=str(response.get("custom_text") or ""),
        status=_status(word),
        status_word=word,
        withdrawn=_withdrawn(_mapping(metadata.get("kandesk")).get("reason")),
        context=str(metadata.get("context") or ""),
        number=_whole(metadata.get("question_index"), 0) + 1,
        total=max(1, _whole(metadata.get("question_total"), 1)),
    )


def _option(entry: object, chosen: set[str]) -> ShownOption:
    option = _mapping(entry)
    name = str(option.get("option_id") or option.get("id") or "")
    return ShownOption(
        label=str(option.get("label") or name),
        description=str(option.get("description") or ""),
        chosen=name in chosen,
    )


def _status(word: str) -> BundleStatus | None:
    return next((status for status in BundleStatus if status.value == word), None)


def _withdrawn(word: object) -> Withdrawn | None:
    return next((reason for reason in Withdrawn if reason.value == word), None)


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, Mapping) else {}


def _items(value: object) -> tuple[object, ...]:
    return tuple(value) if isinstance(value, list | tuple) else ()


def _whole(value: object, otherwise: int) -> int:
    return value if isinstance(value, int) else otherwise
