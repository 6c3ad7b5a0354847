"""Text that is no Markdown as a document: output of programs, and the lines of a diff."""

from itertools import groupby
from typing import Final

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextOption,
)

from app.models.diff_lines import Diff, Sign
from app.theme import Colours

PLAIN_LINE_HEIGHT: Final = 130
"""Percent of the font's height."""


class PlainDocument(QTextDocument):
    """`text` as it is, in one font and colour; `prose` is broken between words."""

    def __init__(self, text: str, font: QFont, colour: str, *, prose: bool = False) -> None:
        super().__init__()
        _prepare(self, font, prose=prose)
        cursor = QTextCursor(self)
        cursor.setBlockFormat(_block_format())
        form = QTextCharFormat()
        form.setForeground(QColor(colour))
        cursor.insertText(text, form)


class DiffDocument(QTextDocument):
    """`diff` line by line, each with its sign; at most `limit` lines of it."""

    def __init__(self, diff: Diff, font: QFont, colours: Colours, limit: int) -> None:
        super().__init__()
        _prepare(self, font)
        self._grounds = {Sign.ADDED: colours.added_soft, Sign.REMOVED: colours.removed_soft}
        self._signs = [line.sign for line in diff.lines[:limit]]
        cursor = QTextCursor(self)
        cursor.beginEditBlock()
        cursor.setBlockFormat(_block_format())
        for number, line in enumerate(diff.lines[:limit]):
            form = QTextCharFormat()
            quiet = line.sign is Sign.PLACE
            form.setForeground(QColor(colours.text_muted if quiet else colours.text))
            if number:
                cursor.insertBlock(_block_format(), form)
            sign = "" if quiet else f"{line.sign} "
            cursor.insertText(f"{sign}{line.text}", form)
        cursor.endEditBlock()

    def bands(self) -> list[tuple[QRectF, str]]:
        """The grounds of lines that came or went, at the width in force."""
        found: list[tuple[QRectF, str]] = []
        block = self.firstBlock()
        for sign, run in groupby(self._signs):
            first = last = block
            for _ in run:
                last, block = block, block.next()
            if sign in self._grounds:
                layout = self.documentLayout()
                rect = layout.blockBoundingRect(first).united(layout.blockBoundingRect(last))
                rect.setLeft(0)
                rect.setRight(self.textWidth())
                found.append((rect, self._grounds[sign]))
        return found


def _prepare(document: QTextDocument, font: QFont, *, prose: bool = False) -> None:
    document.setDocumentMargin(0)
    document.setUndoRedoEnabled(False)
    document.setDefaultFont(font)
    option = QTextOption()
    modes = QTextOption.WrapMode
    option.setWrapMode(modes.WrapAtWordBoundaryOrAnywhere if prose else modes.WrapAnywhere)
    option.setTextDirection(Qt.LayoutDirection.LayoutDirectionAuto)
    option.setTabStopDistance(4 * _advance(font))
    document.setDefaultTextOption(option)


def _advance(font: QFont) -> float:
    return font.pixelSize() * 0.6


def _block_format() -> QTextBlockFormat:
    form = QTextBlockFormat()
    form.setLineHeight(PLAIN_LINE_HEIGHT, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
    return form
