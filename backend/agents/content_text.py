"""Content blocks of ACP as Markdown people can read."""

import re
from typing import Final

from backend.agents.frames import JsonMap
from backend.agents.json_reading import as_map, maps, text_of

_KILO: Final = 1024
_FENCES: Final = re.compile(r"`{3,}")


def content_text(block: object) -> str:
    """The text of a block, or of all blocks of a list; what is no text is named."""
    if isinstance(block, str):
        return block
    if isinstance(block, list):
        return "\n\n".join(filter(None, (content_text(part) for part in maps(block))))
    if not isinstance(block, dict):
        return ""
    kind = block.get("type")
    if kind == "text":
        return text_of(block, "text")
    if kind in ("image", "audio"):
        return _named(text_of(block, "mimeType") or str(kind), block, "data")
    if kind == "resource_link":
        return _link(text_of(block, "title") or text_of(block, "name"), text_of(block, "uri"))
    if kind == "resource":
        return _resource(as_map(block.get("resource")))
    return f"[{kind}]" if isinstance(kind, str) else ""


def fenced(text: str) -> str:
    """A code block that no fence inside can end."""
    longest = max((len(fence) for fence in _FENCES.findall(text)), default=2)
    fence = "`" * max(3, longest + 1)
    end = "" if text.endswith("\n") else "\n"
    return f"{fence}\n{text}{end}{fence}"


def _resource(resource: JsonMap) -> str:
    uri = text_of(resource, "uri")
    text = resource.get("text")
    if isinstance(text, str):
        return f"{_link('', uri)}\n\n{fenced(text)}" if uri else fenced(text)
    kind = text_of(resource, "mimeType") or "file"
    return f"{_link('', uri)} {_named(kind, resource, 'blob')}".strip()


def _link(name: str, uri: str) -> str:
    label = (name or uri).replace("[", "\\[").replace("]", "\\]")
    target = uri.replace(" ", "%20").replace("(", "%28").replace(")", "%29")
    return f"[{label}]({target})" if uri else label


def _named(kind: str, block: JsonMap, data: str) -> str:
    """Base64 has four characters for three bytes."""
    size = len(text_of(block, data)) * 3 // 4
    if size < _KILO:
        return f"[{kind}, {size} bytes]"
    return f"[{kind}, {round(size / _KILO)} kB]"
