"""Transcript rows of a running turn, which change until they are closed."""

import re
from dataclasses import dataclass
from typing import Final

from backend.clock import Nanoseconds
from backend.domain.json_size import json_size
from backend.ids import MessageId, SessionId, TurnId
from backend.store.metadata import OWN_KEY, JsonDict
from backend.store.parameters import storable_text
from backend.store.transcript_rows import RowState

LONGEST_TEXT: Final = 4 * 1024 * 1024
"""Characters of one row of text; what comes after begins another."""
_SURROGATE: Final = re.compile("[\\ud800-\\udfff]")
_HIGH_SURROGATE_AT_END: Final = re.compile("[\\ud800-\\udbff]\\Z")


@dataclass(frozen=True, slots=True)
class TurnPlace:
    """The turn a row belongs to."""

    session_id: SessionId
    turn_id: TurnId


@dataclass(slots=True)
class Standing:
    """How far a row has come: versions of it, 0 for none."""

    saved: int = 0
    shown: int = 0
    durable: tuple[int, RowState] | None = None
    """The version that is stored and not shown yet."""
    revision: int = 0
    stream: int = 0
    """Counts what was shown of it before it was stored."""
    not_before: float = 0.0
    """Seconds of the monotonic clock; a long row that grows is not written again sooner."""
    given_up: bool = False
    """It cannot be stored, ever."""


class LiveRow:
    """One row. `version` grows with every change; `weight` is about its size in characters."""

    def __init__(
        self, place: TurnPlace, message_id: MessageId, created_at: Nanoseconds, kind: str
    ) -> None:
        self.place = place
        self.message_id = message_id
        self.created_at = created_at
        self.kind = kind
        self.version = 1
        self.standing = Standing()
        self.content = ""
        self.metadata: JsonDict = {}

    @property
    def streaming(self) -> bool:
        """Its text may be shown before it is stored."""
        return False

    @property
    def weight(self) -> int:
        return len(self.content) + 512

    @property
    def may_go_on(self) -> bool:
        """Whether more may be told of it once it is stored and shown."""
        return False

    @property
    def away(self) -> int:
        """About how many characters of it are in the store only; 0 when it is here.

        They have to be read before it can be written again.
        """
        return 0

    def put_away(self) -> None:
        """It is stored and shown: let its content go."""

    def recall(self, metadata: JsonDict) -> None:
        """Take back what was put away, as the store has it."""

    def changed(self) -> None:
        self.version += 1

    def state(self, now: Nanoseconds) -> RowState:
        """The row as it is now; later changes do not touch it."""
        return RowState(
            message_id=self.message_id,
            session_id=self.place.session_id,
            turn_id=self.place.turn_id,
            kind=self.kind,
            content=self.content,
            metadata=self.metadata,
            created_at=self.created_at,
            updated_at=now,
        )


class TextRow(LiveRow):
    """What the agent says or thinks, chunk by chunk."""

    def __init__(
        self,
        place: TurnPlace,
        message_id: MessageId,
        created_at: Nanoseconds,
        kind: str,
        said_as: str = "",
    ) -> None:
        super().__init__(place, message_id, created_at, kind)
        self.said_as = said_as
        """The agent's own id of the message."""
        self.metadata = {OWN_KEY: {"streaming": True}}
        self._parts: list[str] = []
        self._held = ""
        self._text = ""
        self._length = 0
        self._closed = False

    @property
    def streaming(self) -> bool:
        return not self._closed

    @property
    def weight(self) -> int:
        return self._length + 512

    @property
    def takes_more(self) -> bool:
        return self._length < LONGEST_TEXT and not self.standing.given_up

    def append(self, text: str) -> None:
        """Half a character at the end of a chunk waits for its other half."""
        joined = self._held + text
        self._held = joined[-1:] if _HIGH_SURROGATE_AT_END.search(joined) else ""
        joined = joined[: len(joined) - len(self._held)]
        self._add(joined)
        self.changed()

    def settle(self) -> None:
        """It does not stream any more, though more may be said in it."""
        self._closed = True
        self.metadata = {}

    def close(self) -> bool:
        """Nothing more is said in this row; False when nothing changes by that."""
        if self._closed and not self._held:
            return False
        self._add(self._held)
        self._held = ""
        self.settle()
        self.changed()
        return True

    def state(self, now: Nanoseconds) -> RowState:
        text = self._joined()
        if self.kind == "thinking":
            self.content, self.metadata = "", {**self.metadata, "thinking": text}
        else:
            self.content = text
        return super().state(now)

    def _add(self, text: str) -> None:
        if _SURROGATE.search(text):
            text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        self._parts.append(storable_text(text))
        self._length += len(text)

    def _joined(self) -> str:
        if self._parts:
            self._text += "".join(self._parts)
            self._parts.clear()
        return self._text


class PlainRow(LiveRow):
    """A row whose content and metadata are set as a whole."""

    def __init__(
        self,
        place: TurnPlace,
        message_id: MessageId,
        created_at: Nanoseconds,
        kind: str,
        content: str,
        metadata: JsonDict,
    ) -> None:
        super().__init__(place, message_id, created_at, kind)
        self.content = content
        self.metadata = metadata
        self._metadata_size = json_size(metadata)

    @property
    def weight(self) -> int:
        return super().weight + self._metadata_size

    def replace(self, content: str, metadata: JsonDict) -> None:
        self.content = content
        self.metadata = metadata
        self._metadata_size = json_size(metadata)
        self.changed()
