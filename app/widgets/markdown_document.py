"""Markdown from agents as a document: HTML inert, nothing fetched, code kept apart."""

from typing import Final

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFont,
    QPalette,
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextFrameFormat,
    QTextLength,
    QTextOption,
    QTextTable,
)

from app.widgets.large_tables import MAX_CELLS, without_large_tables

LINE_HEIGHT: Final = 145
"""Percent of the font's height."""
CODE_PADDING: Final = 10
QUOTE_INDENT: Final = 14
_PARAGRAPH_GAP: Final = 8
_ITEM_GAP: Final = 3
_CODE_GAP: Final = 6
_HEADING_GAP: Final = 14
_HEADING_SCALE: Final = {1: 1.4, 2: 1.2, 3: 1.1}
_FEATURES = (
    QTextDocument.MarkdownFeature.MarkdownDialectGitHub
    | QTextDocument.MarkdownFeature.MarkdownNoHTML
)


_PROPORTIONAL: Final = QTextBlockFormat.LineHeightTypes.ProportionalHeight.value
_QUOTE_LEVEL: Final = QTextFormat.Property.BlockQuoteLevel
_CODE_LANGUAGE: Final = QTextFormat.Property.BlockCodeLanguage


class MarkdownDocument(QTextDocument):
    """Shows `text` in the colours of `palette`; pictures become their description."""

    def __init__(self, text: str, font: QFont, code_font: QFont, palette: QPalette) -> None:
        super().__init__()
        self.setDocumentMargin(0)
        self.setUndoRedoEnabled(False)
        self.setDefaultFont(font)
        self._palette = palette
        self._code_font = code_font
        self._code_blocks: list[tuple[QTextBlock, QTextBlock]] | None = None
        self._quotes: list[QTextBlock] | None = None
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        option.setTextDirection(Qt.LayoutDirection.LayoutDirectionAuto)
        self.setDefaultTextOption(option)
        # Qt takes what stands between two rules at the very beginning for data and hides it.
        shown = f"\n{text}" if text.startswith("---") else text
        self.setMarkdown(without_large_tables(shown), _FEATURES)
        cells = self._cells()
        self._has_tables = cells > 0
        if cells > MAX_CELLS:
            # Whoever hides a table from us is not worth the time its layout would take.
            self.setPlainText(text)
        whole = QTextCursor(self)
        whole.beginEditBlock()
        if "![" in text:
            self._replace_pictures()
        self._style_blocks(font)
        self._style_tables()
        whole.endEditBlock()

    def loadResource(self, kind: int, name: QUrl | str) -> object:  # noqa: ARG002 - Qt's signature
        """Nothing a document names is ever read, from disk or from the network."""
        return None

    def code_blocks(self) -> list[tuple[QTextBlock, QTextBlock]]:
        """First and last block of each code block."""
        if self._code_blocks is None:
            self._code_blocks = self._find_code_blocks()
        return self._code_blocks

    def _find_code_blocks(self) -> list[tuple[QTextBlock, QTextBlock]]:
        found: list[tuple[QTextBlock, QTextBlock]] = []
        block = self.begin()
        while block.isValid():
            if is_code(block):
                last = block
                while last.next().isValid() and is_code(last.next()):
                    last = last.next()
                found.append((block, last))
                block = last
            block = block.next()
        return found

    def quotes(self) -> list[QTextBlock]:
        """Every block of a quotation."""
        if self._quotes is None:
            self._quotes = []
            block = self.begin()
            while block.isValid():
                if block.blockFormat().intProperty(_QUOTE_LEVEL):
                    self._quotes.append(block)
                block = block.next()
        return self._quotes

    def code_text(self, block: QTextBlock) -> str:
        """The whole code block that `block` is in; empty outside of code."""
        for first, last in self.code_blocks():
            if first.blockNumber() <= block.blockNumber() <= last.blockNumber():
                numbers = range(first.blockNumber(), last.blockNumber() + 1)
                return "\n".join(self.findBlockByNumber(number).text() for number in numbers)
        return ""

    def _cells(self) -> int:
        frames = self.rootFrame().childFrames()
        tables = (frame for frame in frames if isinstance(frame, QTextTable))
        return sum(table.rows() * table.columns() for table in tables)

    def _replace_pictures(self) -> None:
        block = self.begin()
        while block.isValid():
            for position, length, form in reversed(_parts(block)):
                if form.isImageFormat():
                    picture = form.toImageFormat()
                    words = picture.property(QTextFormat.Property.ImageAltText) or picture.name()
                    self._select(position, length).insertText(f"[{words}]", QTextCharFormat())
            block = block.next()

    def _style_blocks(self, font: QFont) -> None:
        code_ground = self._palette.color(QPalette.ColorRole.AlternateBase)
        cursor = QTextCursor(self)
        block = self.begin()
        code, after_code = is_code(block), False
        while block.isValid():
            following = block.next()
            before_code = is_code(following)
            form = QTextBlockFormat()
            if code:
                self._style_code(block, form, after_code=after_code, before_code=before_code)
            else:
                self._style_text(block, form, font)
                self._style_inline(block, code_ground)
            cursor.setPosition(block.position())
            cursor.mergeBlockFormat(form)
            block, code, after_code = following, before_code, code

    def _style_text(self, block: QTextBlock, form: QTextBlockFormat, font: QFont) -> None:
        form.setLineHeight(LINE_HEIGHT, _PROPORTIONAL)
        given = block.blockFormat()
        level = given.intProperty(_QUOTE_LEVEL)
        if given.headingLevel():
            self._style_heading(block, font)
        elif level:
            form.setLeftMargin(level * QUOTE_INDENT)
            form.setRightMargin(0)
        elif self._has_tables and QTextCursor(block).currentTable() is not None:
            form.setBottomMargin(0)
        form.setTopMargin(gap_before(block) if block.blockNumber() else 0)

    def _style_code(
        self, block: QTextBlock, form: QTextBlockFormat, *, after_code: bool, before_code: bool
    ) -> None:
        form.setNonBreakableLines(False)
        form.setLeftMargin(CODE_PADDING)
        form.setRightMargin(CODE_PADDING)
        form.setTopMargin(0 if after_code else CODE_PADDING + _CODE_GAP)
        form.setBottomMargin(0 if before_code else CODE_PADDING + _CODE_GAP)
        form.setLineHeight(130, _PROPORTIONAL)
        cursor = QTextCursor(block)
        cursor.select(QTextCursor.SelectionType.BlockUnderCursor)
        characters = QTextCharFormat()
        characters.setFont(self._code_font)
        cursor.mergeCharFormat(characters)

    def _style_heading(self, block: QTextBlock, font: QFont) -> None:
        scale = _HEADING_SCALE.get(block.blockFormat().headingLevel(), 1.0)
        for position, length, form in _parts(block):
            form.clearProperty(QTextFormat.Property.FontSizeAdjustment)
            form.setProperty(QTextFormat.Property.FontPixelSize, round(font.pixelSize() * scale))
            form.setFontWeight(QFont.Weight.DemiBold)
            self._select(position, length).setCharFormat(form)

    def _style_inline(self, block: QTextBlock, ground: QColor) -> None:
        for position, length, form in _parts(block):
            link, code = form.isAnchor(), form.fontFixedPitch()
            if not link and not code:
                continue
            changed = QTextCharFormat()
            if link:
                changed.setForeground(self._palette.color(QPalette.ColorRole.Link))
                changed.setFontUnderline(True)
            if code:
                changed.setFont(self._code_font)
                changed.setBackground(ground)
            self._select(position, length).mergeCharFormat(changed)

    def _select(self, position: int, length: int) -> QTextCursor:
        cursor = QTextCursor(self)
        cursor.setPosition(position)
        cursor.setPosition(position + length, QTextCursor.MoveMode.KeepAnchor)
        return cursor

    def _style_tables(self) -> None:
        line = QBrush(self._palette.color(QPalette.ColorRole.Mid))
        for frame in self.rootFrame().childFrames():
            if isinstance(frame, QTextTable):
                form = frame.format()
                form.setBorderBrush(line)
                form.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
                form.setBorderCollapse(True)
                form.setBorder(1)
                form.setCellPadding(6)
                form.setCellSpacing(0)
                above = frame.firstCursorPosition().block().previous()
                form.setTopMargin(CODE_PADDING + 8 if is_code(above) else 6)
                form.setBottomMargin(6)
                form.setWidth(QTextLength(QTextLength.Type.VariableLength, 0))
                frame.setFormat(form)
                self._mend_header(frame)

    def _mend_header(self, table: QTextTable) -> None:
        """Qt leaves an empty line in the first cell and its text without the header's weight."""
        cell = table.cellAt(0, 0)
        cursor = cell.firstCursorPosition()
        if not cursor.block().text() and cursor.block() != cell.lastCursorPosition().block():
            cursor.deleteChar()
        bold = QTextCharFormat()
        bold.setFontWeight(QFont.Weight.DemiBold)
        for column in range(table.columns()):
            header = table.cellAt(0, column)
            words = header.firstCursorPosition()
            words.setPosition(
                header.lastCursorPosition().position(), QTextCursor.MoveMode.KeepAnchor
            )
            words.mergeCharFormat(bold)


def is_code(block: QTextBlock) -> bool:
    """Whether `block` is a line of a code block, fenced or indented."""
    return block.isValid() and block.blockFormat().hasProperty(_CODE_LANGUAGE)


def gap_before(block: QTextBlock) -> int:
    """Room between `block` and what stands above it, whether that is in the same document."""
    form = block.blockFormat()
    if form.hasProperty(_CODE_LANGUAGE):
        return _CODE_GAP
    if form.headingLevel():
        return _HEADING_GAP
    if block.textList() is not None and block.previous().textList() is not None:
        return _ITEM_GAP
    if QTextCursor(block).currentTable() is not None:
        return 0
    return _PARAGRAPH_GAP


def _parts(block: QTextBlock) -> list[tuple[int, int, QTextCharFormat]]:
    """Position, length and format of each run of equal characters."""
    found = []
    iterator = block.begin()
    while not iterator.atEnd():
        part = iterator.fragment()
        found.append((part.position(), part.length(), part.charFormat()))
        iterator += 1
    return found
