"""The box behind code and the bar beside a quotation, which a document does not draw itself."""

from typing import Final

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPalette

from app.widgets.markdown_document import CODE_PADDING, MarkdownDocument

_RADIUS: Final = 6
_BAR: Final = 3


def code_rects(document: MarkdownDocument, origin: QPointF | None = None) -> list[QRectF]:
    """Where the boxes of the code blocks are, in the coordinates of whoever drew at `origin`."""
    layout = document.documentLayout()
    start = origin or QPointF(0, 0)
    rects = []
    for first, last in document.code_blocks():
        rect = layout.blockBoundingRect(first).united(layout.blockBoundingRect(last))
        rect.setLeft(0)
        rect.setRight(document.textWidth())
        rects.append(rect.adjusted(0, -CODE_PADDING, 0, CODE_PADDING).translated(start))
    return rects


def paint_grounds(
    painter: QPainter,
    document: MarkdownDocument,
    palette: QPalette,
    *,
    continues: bool = False,
    goes_on: bool = False,
) -> None:
    """Paint under the text; call before the document draws itself at the same place.

    `continues` and `goes_on`: a code block at that edge is one with the document beyond it.
    """
    painter.save()
    if continues or goes_on:
        height = document.size().height()
        above = 0 if continues else -CODE_PADDING
        below = height + (0 if goes_on else CODE_PADDING)
        painter.setClipRect(
            QRectF(0, above, document.textWidth(), below - above), Qt.ClipOperation.IntersectClip
        )
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(palette.color(QPalette.ColorRole.AlternateBase))
    for rect in code_rects(document):
        painter.drawRoundedRect(rect, _RADIUS, _RADIUS)
    painter.setBrush(palette.color(QPalette.ColorRole.Mid))
    for rect in _quote_bars(document):
        painter.drawRoundedRect(rect, _BAR / 2, _BAR / 2)
    painter.restore()


def _quote_bars(document: MarkdownDocument) -> list[QRectF]:
    layout = document.documentLayout()
    rects = map(layout.blockBoundingRect, document.quotes())
    return [QRectF(0, rect.top(), _BAR, rect.height()) for rect in rects]
