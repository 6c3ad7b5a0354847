"""How much of a long text is shown: its beginning, or what has been seen of it while it grew."""

from PySide6.QtCore import QCoreApplication

from app.widgets.markdown_flow import MarkdownFlows
from app.widgets.row_facts import PAGE, SHORTENED, RowFacts
from app.widgets.row_layout import Action, ShowMore
from app.widgets.row_page import RowPage
from backend.domain.conversation import Message


class LongText:
    """Shortens texts; laying out a book must not make anybody wait."""

    def __init__(self, flows: MarkdownFlows) -> None:
        self._flows = flows

    def beginning(self, text: str, facts: RowFacts) -> tuple[str, tuple[str, Action] | None]:
        """What is shown of `text`, and what shows more of it."""
        room = SHORTENED + facts.pages * PAGE
        if len(text) <= room:
            return text, None
        last_line = text.rfind("\n", room // 2, room)
        shown = text[: last_line if last_line > 0 else room]
        if len(text) - room > PAGE:
            words = QCoreApplication.translate("Transcript", "Show more")
        else:
            words = QCoreApplication.translate("Transcript", "Show all")
        return shown, (words, ShowMore())

    def flow(
        self,
        page: RowPage,
        message: Message,
        text: str,
        facts: RowFacts,
        *,
        indent: float = 0,
    ) -> None:
        """Lay out Markdown that may grow; only what is new of it costs time."""
        if facts.tail is not None:
            self._growing(page, message, text, facts, indent)
            return
        shown, action = self.beginning(text, facts)
        page.flow(self._flows.sections(message.message_id, shown), indent=indent)
        if action is not None:
            page.action(*action, indent=indent)

    def _growing(
        self, page: RowPage, message: Message, text: str, facts: RowFacts, indent: float
    ) -> None:
        sections = self._flows.sections(message.message_id, text)
        start = max(0, (facts.tail or 0) - facts.pages * PAGE)
        shown = [section for section in sections if section.section.start >= start]
        if not shown:
            # The text may have been replaced by a shorter one; the last section may be a long one.
            shown = list(sections) if start >= len(text) else [sections[-1]]
        if shown[0].section.start > 0:
            words = QCoreApplication.translate("Transcript", "Show what stands before")
            page.action(words, ShowMore(), indent=indent)
        page.flow(shown, indent=indent)
