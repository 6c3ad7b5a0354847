"""Reads and edits JSON with comments as text, so that everything else keeps its bytes."""

import json
from dataclasses import dataclass, field

_SPACE = " \t\r\n"


class JsoncError(ValueError):
    """The text is not JSON, with or without comments."""


@dataclass(slots=True)
class Node:
    """A value and where it stands in the text."""

    start: int
    end: int = 0
    value: object = None
    members: "dict[str, Member] | None" = None
    """Only of objects, in their order."""


@dataclass(slots=True)
class Member:
    """One `"key": value` of an object; `start` is where the key begins."""

    start: int
    node: Node


@dataclass(slots=True)
class _Scanner:
    text: str
    at: int = 0
    decoder: json.JSONDecoder = field(default_factory=json.JSONDecoder)

    def document(self) -> Node:
        self.skip()
        node = self.value()
        self.skip()
        if self.at < len(self.text):
            raise self.error("nothing may follow the value")
        return node

    def value(self) -> Node:
        if self.peek("{"):
            return self.object()
        if self.peek("["):
            return self.array()
        start = self.at
        try:
            value, self.at = self.decoder.raw_decode(self.text, start)
        except (ValueError, RecursionError) as error:
            raise self.error("a value is expected") from error
        return Node(start, self.at, value)

    def object(self) -> Node:
        node, members, values = Node(self.at), {}, {}
        self.at += 1
        while not self.close("}"):
            start = self.at
            if not self.peek('"'):
                raise self.error("a key in double quotes is expected")
            key = str(self.value().value)
            self.skip()
            self.expect(":")
            self.skip()
            members[key] = Member(start, self.value())
            values[key] = members[key].node.value
            self.comma("}")
        node.end, node.value, node.members = self.at, values, members
        return node

    def array(self) -> Node:
        node, values = Node(self.at), []
        self.at += 1
        while not self.close("]"):
            values.append(self.value().value)
            self.comma("]")
        node.end, node.value = self.at, values
        return node

    def close(self, bracket: str) -> bool:
        self.skip()
        if not self.peek(bracket):
            return False
        self.at += 1
        return True

    def comma(self, bracket: str) -> None:
        self.skip()
        if not self.peek(bracket):
            self.expect(",")

    def expect(self, character: str) -> None:
        if not self.peek(character):
            raise self.error(f"{character!r} is expected")
        self.at += 1

    def peek(self, character: str) -> bool:
        return self.text.startswith(character, self.at)

    def skip(self) -> None:
        self.at = skip_blank(self.text, self.at)

    def error(self, what: str) -> JsoncError:
        line = self.text.count("\n", 0, self.at) + 1
        return JsoncError(f"line {line}: {what}")


def parse(text: str) -> Node:
    """The value of `text` with its places; comments and trailing commas are allowed.

    Raises:
        JsoncError: with the line.
    """
    try:
        return _Scanner(text).document()
    except RecursionError as error:
        raise JsoncError("nested too deeply") from error


def skip_blank(text: str, at: int) -> int:
    """The first place from `at` on that is neither space nor comment."""
    while at < len(text):
        if text[at] in _SPACE:
            at += 1
        elif text.startswith("//", at):
            end = text.find("\n", at)
            at = len(text) if end < 0 else end
        elif text.startswith("/*", at):
            end = text.find("*/", at + 2)
            if end < 0:
                raise JsoncError("a comment has no end")
            at = end + 2
        else:
            break
    return at


def set_member(text: str, path: tuple[str, ...], value: object) -> str:
    """`text` with the member at `path` set; objects on the way are made where they are missing.

    Raises:
        JsoncError: the text is no JSON, or something on the way is not an object.
    """
    node, left = parse(text), list(path)
    while node.members is not None:
        if left[0] not in node.members:
            for key in reversed(left[1:]):
                value = {key: value}
            return _insert(text, node, left[0], value)
        node = node.members[left.pop(0)].node
        if not left:
            indent = _indent_at(text, node.start)
            return text[: node.start] + _dump(text, value, indent) + text[node.end :]
    raise JsoncError(f"{'.'.join(path[: len(path) - len(left)]) or 'the file'} is not an object")


def remove_member(text: str, path: tuple[str, ...]) -> str:
    """`text` without the member at `path`; unchanged when there is none."""
    node = parse(text)
    for key in path[:-1]:
        if node.members is None or key not in node.members:
            return text
        node = node.members[key].node
    if node.members is None or path[-1] not in node.members:
        return text
    members = list(node.members.values())
    index = [member.start for member in members].index(node.members[path[-1]].start)
    member = members[index]
    after = skip_blank(text, member.node.end)
    comma = text.startswith(",", after)
    if len(members) == 1:
        return _empty(text, node, member.start, after + 1 if comma else member.node.end)
    if index + 1 < len(members) or comma:
        return _without_line(text, member.start, after + 1)
    before = skip_blank(text, members[index - 1].node.end)
    kept = text[before + 1 : _line_tail(text, before + 1)]
    return text[:before] + kept + text[member.node.end :]


def _empty(text: str, node: Node, start: int, end: int) -> str:
    inner = text[node.start + 1 : start].rstrip(_SPACE) + text[end : node.end - 1]
    return text[: node.start + 1] + (inner if inner.strip(_SPACE) else "") + text[node.end - 1 :]


def _without_line(text: str, start: int, end: int) -> str:
    """Cut from `start` to `end`, with the whole line where nothing else stands on it."""
    line = text.rfind("\n", 0, start) + 1
    rest = text.find("\n", end)
    if rest >= 0 and not text[line:start].strip(_SPACE) and not text[end:rest].strip(_SPACE):
        return text[:line] + text[rest + 1 :]
    while end < len(text) and text[end] in " \t":
        end += 1
    return text[:start] + text[end:]


def _line_tail(text: str, at: int) -> int:
    """Behind the comments that follow on the same line, or `at` when other things do."""
    line_end = text.find("\n", at)
    if line_end < 0:
        return at
    end = min(line_end, skip_blank(text, at))
    tail = text[at:line_end].rstrip(_SPACE)
    return at + len(tail) if end == line_end and tail else at


def _insert(text: str, node: Node, key: str, value: object) -> str:
    members = list((node.members or {}).values())
    name = json.dumps(key, ensure_ascii=False)
    if not members:
        outer = _indent_at(text, node.start)
        inner = outer + _step(text)
        line = _newline(text)
        body = f"{line}{inner}{name}: {_dump(text, value, inner)}{line}{outer}"
        kept = text[node.start + 1 : node.end - 1].rstrip(_SPACE)
        return text[: node.start + 1] + kept + body + text[node.end - 1 :]
    last = members[-1].node.end
    comma_at = skip_blank(text, last)
    trailing = text.startswith(",", comma_at)
    at = comma_at + 1 if trailing else last
    if "\n" in text[node.start : members[0].start]:
        indent = _indent_at(text, members[0].start)
        added = f"{_newline(text)}{indent}{name}: {_dump(text, value, indent)}"
    else:
        added = f" {name}: {json.dumps(value, ensure_ascii=False)}"
    tail = _line_tail(text, at)
    if trailing:
        return text[:tail] + added + "," + text[tail:]
    return f"{text[:last]},{text[last:tail]}{added}{text[tail:]}"


def _dump(text: str, value: object, indent: str) -> str:
    """The value over several lines, in the manner of the file."""
    lines = json.dumps(value, ensure_ascii=False, indent=_step(text)).split("\n")
    return f"{_newline(text)}{indent}".join(lines)


def _indent_at(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _step(text: str) -> str:
    """What the file indents with: the indent of its first indented line, else two spaces."""
    for line in text.splitlines():
        stripped = line.lstrip(" \t")
        if stripped.startswith('"') and len(stripped) < len(line):
            return line[: len(line) - len(stripped)]
    return "  "


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"
