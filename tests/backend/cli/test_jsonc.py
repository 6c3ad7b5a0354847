"""Editing JSON with comments as text."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.cli.jsonc import JsoncError, parse, remove_member, set_member

PATH = ("servers", "ours")

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner),
    max_leaves=12,
)
documents = st.dictionaries(st.text(max_size=6), values, max_size=4)


@given(documents, st.sampled_from([None, 0, 2, "\t"]))
def test_set_and_remove_mean_what_they_do_to_the_value(
    document: dict[str, object], indent: int | str | None
) -> None:
    if not isinstance(document.get("servers", {}), dict):
        return
    text = json.dumps(document, indent=indent, ensure_ascii=False)
    edited = set_member(text, PATH, {"command": "x"})
    servers = document.get("servers", {})
    assert isinstance(servers, dict)
    expected = {**document, "servers": {**servers, "ours": {"command": "x"}}}
    assert parse(edited).value == json.loads(edited) == expected
    removed = {**servers}
    removed.pop("ours", None)
    assert json.loads(remove_member(edited, PATH)) == {**document, "servers": removed}


@pytest.mark.parametrize(
    "text",
    [
        '{\n  "servers": {\n    "a": 1 // note\n  }\n}\n',
        '{\n  "servers": {\n    "a": 1, // note\n  },\n}\n',
        '{"servers": {"a": 1}}',
        '{\n\t"servers": {\n\t\t"a": {}\n\n\t\t// last words\n\t}\n}',
        '{\r\n  "servers": {\r\n    "a": [1, 2]\r\n  }\r\n}',
        '{"servers": {"a": {\n}}}',
    ],
)
def test_removing_what_was_added_restores_the_text(text: str) -> None:
    edited = set_member(text, PATH, 1)
    assert edited != text
    assert remove_member(edited, PATH) == text


def test_a_comment_stays_with_the_member_it_follows() -> None:
    edited = set_member('{\n  "servers": {\n    "a": 1 // one\n  }\n}', PATH, 2)
    assert '"a": 1, // one\n    "ours": 2\n' in edited


def test_removing_the_first_of_two_keeps_the_comment_of_the_second() -> None:
    text = '{\n  "servers": {\n    "ours": 1,\n    // two\n    "b": 2\n  }\n}'
    assert remove_member(text, PATH) == '{\n  "servers": {\n    // two\n    "b": 2\n  }\n}'


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        '{"a"}',
        '{"a" 1}',
        '{"a":1 "b":2}',
        "{a:1}",
        "/*",
        "[1",
        "{} {}",
        "nul",
        "[" * 99999,
    ],
)
def test_what_is_not_json_is_refused(text: str) -> None:
    with pytest.raises(JsoncError):
        parse(text)
