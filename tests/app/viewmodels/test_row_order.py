"""Of two states of a row the later one is shown, and text that was shown never leaves again."""

import pytest

from app.viewmodels.row_order import is_newer
from backend.domain.conversation import JsonObject, Message
from tests.helpers.desk_builders import make_message


def _row(
    text: str, revision: int, counter: int | None = None, *, streaming: bool = True
) -> Message:
    own: dict[str, object] = {"streaming": streaming}
    if counter is not None:
        own["stream"] = counter
    metadata: JsonObject = {"kandesk": own}
    return make_message("m", text, revision=revision, metadata=metadata)


@pytest.mark.parametrize(
    ("told", "shown", "newer"),
    [
        (_row("ab", 2), _row("a", 1), True),
        (_row("a", 1), _row("ab", 2), False),
        (_row("ab", 1, 2), _row("a", 1, 1), True),
        (_row("a", 1, 1), _row("ab", 1, 2), False),
        (_row("a", 1), _row("ab", 1, 2), False),
        (_row("ab", 1, 1), _row("a", 1), True),
        (_row("abc", 2), _row("abc", 1, 9), True),
        (_row("ab", 2), _row("abc", 1, 9), False),
        (_row("ab", 2, streaming=False), _row("abc", 1, 9), True),
        (_row("xy", 2), _row("abc", 1, 9), True),
    ],
    ids=[
        "a later revision",
        "an earlier revision",
        "the next chunk",
        "a chunk that was overtaken",
        "what was stored before the chunks",
        "the first chunk after it was stored",
        "the same text, stored now",
        "less text, stored late",
        "the end of the turn has the last word",
        "another text",
    ],
)
def test_only_a_later_state_replaces_what_is_shown(
    told: Message, shown: Message, *, newer: bool
) -> None:
    """K8.7 case 115; K6.6."""
    assert is_newer(told, shown) is newer
    assert not is_newer(shown, shown)
