"""Which of two states of one transcript row came later."""

from app.viewmodels.activity_row import read_thought
from app.viewmodels.row_metadata import is_streaming, stream_counter
from backend.domain.conversation import Message


def is_newer(told: Message, shown: Message) -> bool:
    """Whether `told` is a later state of the row `shown`.

    A state that is published before it is stored carries the revision that is stored and a counter
    that grows. A stored state of text that still grows may be told after more of it was shown; it
    is let pass by, so that words never leave again that somebody may be reading.
    """
    if (told.revision, stream_counter(told)) <= (shown.revision, stream_counter(shown)):
        return False
    return not (is_streaming(told) and is_streaming(shown) and _is_beginning(told, shown))


def _is_beginning(told: Message, shown: Message) -> bool:
    if told.kind != shown.kind:
        return False
    text, longer = read_thought(told), read_thought(shown)
    return len(text) < len(longer) and longer.startswith(text)
