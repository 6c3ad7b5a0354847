"""Frames of an agent's output: bytes to lines to JSON values nothing behind has to fear."""

import json
import math
import re
from collections import deque
from typing import Final

JsonMap = dict[str, object]

MAX_FRAME: Final = 32 * 1024 * 1024
"""Bytes of one frame. A longer one is refused, and its agent with it: what it answers is lost."""

_MAX_DEPTH: Final = 100
_ESCAPE: Final = re.compile(rb"\\.")
_NO_BRACKETS: Final = bytes(set(range(256)) - set(b"[]{}"))
_REPLACEMENT: Final = "\ufffd"
_SUSPICIOUS: Final = re.compile(rb"\\u(?:0000|[dD][89abcdefABCDEF])")
_UNSTORABLE: Final = re.compile("[\x00\ud800-\udfff]")


class FrameTooLong(Exception):
    """A frame of more than `MAX_FRAME` bytes."""


class NoFrame(ValueError):
    """A line that is no JSON object."""


class FrameBuffer:
    """Cuts what arrives into lines; keeps no more than one unfinished line."""

    def __init__(self, limit: int = MAX_FRAME) -> None:
        self._limit = limit
        self._parts: list[bytes] = []
        self._size = 0
        self._lines: deque[bytes] = deque()

    def feed(self, data: bytes) -> None:
        """Raises `FrameTooLong` when the unfinished line is beyond the limit."""
        if b"\n" not in data:
            self._keep(data)
            return
        first, *rest = data.split(b"\n")
        self._keep(first)
        self._lines.append(b"".join(self._parts))
        self._parts, self._size = [], 0
        self._lines.extend(rest[:-1])
        self._keep(rest[-1])

    def _keep(self, part: bytes) -> None:
        self._size += len(part)
        if self._size > self._limit:
            raise FrameTooLong
        if part:
            self._parts.append(part)

    def next_line(self) -> bytes | None:
        """The oldest whole line that is not empty."""
        while self._lines:
            line = self._lines.popleft().strip()
            if line:
                return line
        return None

    def rest(self) -> bytes:
        """What stands after the last line end."""
        left = b"".join(self._parts).strip()
        self._parts, self._size = [], 0
        return left


def parse_frame(line: bytes) -> JsonMap:
    """One frame, with nothing in it that cannot be stored (architecture.md, The store).

    NUL, lone surrogates and bytes that are no UTF-8 become U+FFFD, NaN and infinities null, and
    what is nested too deeply a word.

    Raises:
        NoFrame: it is no JSON object.
    """
    try:
        found = _DECODER.decode(line.decode("utf-8", "replace"))
    except (ValueError, RecursionError) as error:
        raise NoFrame(str(error)) from error
    if not isinstance(found, dict):
        message = "not an object"
        raise NoFrame(message)
    if _SUSPICIOUS.search(line) or _is_deep(line):
        tidy = _tidy(found, _MAX_DEPTH)
        return tidy if isinstance(tidy, dict) else {}
    return found


def storable(text: str) -> str:
    """Text without NUL and lone surrogates."""
    return text if text.isascii() and "\x00" not in text else _UNSTORABLE.sub(_REPLACEMENT, text)


def _is_deep(line: bytes) -> bool:
    """Whether a valid frame is nested too deeply, told without walking through it."""
    if line.count(b"[") + line.count(b"{") <= _MAX_DEPTH:
        return False
    plain = _ESCAPE.sub(b"", line) if b"\\" in line else line
    outside_strings = b"".join(plain.split(b'"')[::2])
    brackets = outside_strings.translate(None, _NO_BRACKETS)
    for _ in range(_MAX_DEPTH):
        # Each round takes the innermost pairs away.
        brackets = brackets.replace(b"[]", b"").replace(b"{}", b"")
        if not brackets:
            return False
    return True


def _tidy(value: object, depth: int) -> object:
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, dict):
        if depth == 0:
            return "{…}"
        return {storable(name): _tidy(part, depth - 1) for name, part in value.items()}
    if isinstance(value, list):
        return "[…]" if depth == 0 else [_tidy(part, depth - 1) for part in value]
    return value


def _nothing(_: str) -> None:
    """JSON has no NaN; a store that keeps JSON refuses it."""


def _finite(digits: str) -> float | None:
    """1e999 is written as a number and is infinite all the same."""
    number = float(digits)
    return number if math.isfinite(number) else None


_DECODER: Final = json.JSONDecoder(parse_constant=_nothing, parse_float=_finite)
