"""What a scripted model does next, read out of the conversation it is given; it keeps no state.

A user message may hold steps; the last message that holds some counts. They run one for each turn
of the model, told apart by the results of tools behind that message:

    <<call NAME {json}>>   call the offered tool whose name ends in NAME
    <<drip N>>             say N words, one every half second
    <<say TEXT>>           say TEXT

Behind the last step it says `TOOL_RESULT: ` and the last result. A result that is a ticket for an
answer that is still to come is followed by `get_answer`, as the tool tells every model to.
"""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]

NAMESPACE = "\0"
"""Between a namespace of tools and a tool's own name."""

_STEP = re.compile(r"<<(call|drip|say)\s+(.*?)>>", re.DOTALL)
_WAITING = re.compile(r'status\W+waiting\W.*?ticket\W+([\w.=-]{8,})"?', re.DOTALL)
_DRIP_SECONDS = 0.5


@dataclass(frozen=True)
class Call:
    tool: str
    arguments: Json


@dataclass(frozen=True)
class Speech:
    words: tuple[str, ...]
    seconds: float = 0.0
    """Between two of the words."""

    @property
    def text(self) -> str:
        return "".join(self.words)

    async def chunks(self) -> AsyncIterator[str]:
        for word in self.words:
            yield word
            await asyncio.sleep(self.seconds)


Step = Call | Speech


def text_of(content: object) -> str:
    """The text of a part of a message, whatever its shape."""
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        return next(
            (text_of(content[key]) for key in ("text", "content", "output") if content.get(key)), ""
        )
    if isinstance(content, list):
        return "\n".join(text_of(part) for part in content)
    return ""


def next_step(turns: list[tuple[str, str]], tools: list[str]) -> Step:
    """`turns` are pairs of a role (`user`, `tool` or another) and a text."""
    if not tools:
        return Speech(("a title",))
    places = [
        place for place, (role, text) in enumerate(turns) if role == "user" and _STEP.search(text)
    ]
    if not places:
        return Speech(("nothing to do",))
    steps = _STEP.findall(turns[places[-1]][1])
    results = [text for role, text in turns[places[-1] + 1 :] if role == "tool"]
    waiting = _WAITING.search(results[-1]) if results else None
    if waiting is not None:
        return _call("get_answer", json.dumps({"ticket": waiting.group(1)}), tools)
    asked_again = sum(1 for result in results if _WAITING.search(result))
    done = len(results) - asked_again
    if done >= len(steps):
        return Speech((f"TOOL_RESULT: {results[-1]}",))
    kind, argument = steps[done]
    if kind == "call":
        name, arguments = argument.split(None, 1)
        return _call(name, arguments, tools)
    if kind == "drip":
        return Speech(tuple(f"drip{number} " for number in range(int(argument))), _DRIP_SECONDS)
    return Speech((argument,))


def _call(name: str, arguments: str, tools: list[str]) -> Step:
    ending = re.compile(rf"[_.\0/-]{re.escape(name)}$")
    found = next((tool for tool in tools if tool == name), None)
    # A tool of ours may have the name of one that is built in: its longer name comes first.
    found = next((tool for tool in tools if ending.search(tool)), found)
    if found is None:
        return Speech((f"NO_SUCH_TOOL {name}; offered: {sorted(tools)}",))
    try:
        return Call(found, json.loads(arguments))
    except ValueError:
        # Some command lines pass the prompt on with its quotes escaped.
        return Call(found, json.loads(arguments.replace('\\"', '"')))
