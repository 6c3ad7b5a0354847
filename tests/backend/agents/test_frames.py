"""Lines and frames of an agent's output."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.agents.frames import FrameBuffer, FrameTooLong, NoFrame, parse_frame


@given(st.lists(st.binary(max_size=20)), st.integers(1, 7))
def test_lines_are_the_same_however_they_arrive(lines: list[bytes], size: int) -> None:
    lines = [line.replace(b"\n", b"").strip() for line in lines]
    stream = b"".join(line + b"\n" for line in lines) + b"rest"
    buffer = FrameBuffer()
    for start in range(0, len(stream), size):
        buffer.feed(stream[start : start + size])
    found = []
    while (line := buffer.next_line()) is not None:
        found.append(line)
    assert found == [line for line in lines if line]
    assert buffer.rest() == b"rest"


def test_an_endless_line_is_refused_before_it_fills_the_memory() -> None:
    buffer = FrameBuffer(limit=100)
    buffer.feed(b"x" * 100)
    with pytest.raises(FrameTooLong):
        buffer.feed(b"x")


def test_what_cannot_be_stored_is_replaced() -> None:
    """architecture.md, The store: NUL and lone surrogates become U+FFFD in agent output."""
    line = (
        rb'{"a\u0000": "b\ud800c", "d": ["\uDFFF\u0000"], "e": "\ud83d\ude00", '
        rb'"f": [NaN, 1e999, 1.5]}'
    )
    assert parse_frame(line) == {
        "a\ufffd": "b\ufffdc",
        "d": ["\ufffd\ufffd"],
        "e": "😀",
        "f": [None, None, 1.5],
    }
    assert parse_frame(b'{"a": "\xff\xed\xa0\x80"}')["a"] == "\ufffd" * 4
    json.dumps(parse_frame(line), allow_nan=False).encode()


@pytest.mark.parametrize("inner", [b"1", b'"]}[{\\""', b'[{"b": []}, "}"]'])
def test_what_is_nested_without_end_is_cut(inner: bytes) -> None:
    found = parse_frame(b'{"a":' * 500 + inner + b"}" * 500)
    assert len(json.dumps(found)) < 1000


def test_what_is_broad_stays_whole() -> None:
    line = b'{"a": [' + b'{"b": ["[[[", {}]},' * 5000 + b"1]}"
    assert parse_frame(line) == json.loads(line)


@pytest.mark.parametrize(
    "line",
    [b"", b"[]", b"1", b'"a"', b"{", b"\xff", b"null", b"{} {}", b"[" * 100_000, b"9" * 5000],
)
def test_what_is_no_object_is_no_frame(line: bytes) -> None:
    with pytest.raises(NoFrame):
        parse_frame(line)
