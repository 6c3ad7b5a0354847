"""A made-up language for tests: English, accented and longer, so that what is missed shows."""

import re
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

PSEUDO: Final = "en_XA"
_ACCENTED: Final = str.maketrans(
    "aeiouyAEIOUYcnsz",
    "åéîöûýÅÉÎÖÛÝçñšž",
)
_KEPT: Final = re.compile(r"%(?:n|\d|\{\w+\})|\{\w+\}|&\w+;|<[^>]+>")
_LONGER: Final = 0.35


def write_pseudo_catalog(source: Path, target: Path) -> Path:
    """Fill the English catalog's texts with their pseudo forms and write them to `target`."""
    tree = ElementTree.parse(source)  # noqa: S314 - the project's own file
    root = tree.getroot()
    root.set("language", "en_US")
    for message in root.iter("message"):
        text = message.findtext("source") or ""
        translation = message.find("translation")
        if translation is None:
            continue
        translation.attrib.pop("type", None)
        forms = translation.findall("numerusform")
        if message.get("numerus") == "yes":
            for form in forms:
                form.text = pseudo(text)
        else:
            translation.text = pseudo(text)
    target.parent.mkdir(parents=True, exist_ok=True)
    tree.write(target, encoding="utf-8", xml_declaration=True)
    return target


def pseudo(text: str) -> str:
    """`text` with accents, marks at both ends and about a third more length."""
    parts: list[str] = []
    end = 0
    for match in _KEPT.finditer(text):
        parts.extend((text[end : match.start()].translate(_ACCENTED), match.group()))
        end = match.end()
    parts.append(text[end:].translate(_ACCENTED))
    padding = "~" * max(1, round(len(text) * _LONGER))
    return f"[{''.join(parts)} {padding}]"
