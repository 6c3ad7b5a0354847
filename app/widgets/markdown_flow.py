"""One Markdown text as a column of documents: what has been laid out stays laid out."""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QSizeF
from PySide6.QtGui import QFont, QPalette

from app.widgets.markdown_document import CODE_PADDING, MarkdownDocument, gap_before, is_code
from app.widgets.markdown_sections import Section, Sections, definitions, with_definitions
from backend.ids import MessageId

KEPT_DOCUMENTS: Final = 400
"""Documents of sections alive at once; others are made again when they are painted."""
_KEPT_FLOWS: Final = 100


@dataclass(frozen=True, slots=True)
class Style:
    """What the look of all sections depends on."""

    font: QFont
    code_font: QFont
    palette: QPalette


class LaidSection:
    """A section at one width: its size is known, its document is made when it is needed."""

    def __init__(self, section: Section, source: str, flows: "MarkdownFlows") -> None:
        self.section = section
        self.source = source
        self.size = QSizeF()
        self.gap = 0
        """Room before it, unless it is the first."""
        self._flows = flows
        self._document: MarkdownDocument | None = None
        self._width = -1.0
        self._begins_with_code = self._ends_with_code = False

    @property
    def document(self) -> MarkdownDocument:
        if self._document is None:
            self._document = self._flows.build(self.source)
            self._document.setTextWidth(self._width)
        self._flows.touch(self)
        return self._document

    @property
    def padding(self) -> tuple[int, int]:
        """What a box around code takes above and below the document."""
        above = self._begins_with_code and not self.section.continues
        below = self._ends_with_code and not self.section.goes_on
        return (CODE_PADDING if above else 0, CODE_PADDING if below else 0)

    def lay_out(self, width: float) -> None:
        if width == self._width:
            return
        self._width = width
        document = self.document
        document.setTextWidth(width)
        self.size = document.size()
        first = document.firstBlock()
        self.gap = 0 if self.section.continues else gap_before(first)
        self._begins_with_code = is_code(first)
        self._ends_with_code = is_code(document.lastBlock())

    def release(self) -> None:
        self._document = None


class MarkdownFlows:
    """The sections of all texts in view, by the message they are of."""

    def __init__(self, style: Style) -> None:
        self._style = style
        self._flows: OrderedDict[MessageId, _Flow] = OrderedDict()
        self._alive: OrderedDict[LaidSection, None] = OrderedDict()

    def restyle(self, style: Style) -> None:
        """Other fonts: everything is laid out anew. Other colours only: what is seen is."""
        before, self._style = self._style, style
        if (before.font, before.code_font) != (style.font, style.code_font):
            self.clear()
            return
        for section in self._alive:
            section.release()
        self._alive.clear()

    def clear(self) -> None:
        self._flows.clear()
        self._alive.clear()

    def sections(self, message_id: MessageId, text: str) -> Sequence[LaidSection]:
        """The sections of a text; only those that are new are not laid out yet."""
        flow = self._flows.setdefault(message_id, _Flow(self))
        self._flows.move_to_end(message_id)
        if len(self._flows) > _KEPT_FLOWS:
            self._flows.popitem(last=False)
        return flow.update(text)

    def build(self, source: str) -> MarkdownDocument:
        style = self._style
        return MarkdownDocument(source, style.font, style.code_font, style.palette)

    def touch(self, section: LaidSection) -> None:
        """`section` is in use; the document of the one that was not for longest may go."""
        self._alive[section] = None
        self._alive.move_to_end(section)
        if len(self._alive) > KEPT_DOCUMENTS:
            self._alive.popitem(last=False)[0].release()


class _Flow:
    def __init__(self, flows: MarkdownFlows) -> None:
        self._flows = flows
        self._sections = Sections()
        self._laid: list[LaidSection] = []

    def update(self, text: str) -> list[LaidSection]:
        known = definitions(text) if "]:" in text else {}
        before = iter(self._laid)
        laid = []
        for section in self._sections.update(text):
            source = with_definitions(section.text, known) if known else section.text
            old = next(before, None)
            same = old is not None and (old.section is section or old.section == section)
            if old is not None and same and old.source == source:
                laid.append(old)
            else:
                laid.append(LaidSection(section, source, self._flows))
        self._laid = laid
        return laid
