"""One transcript row as placed pieces: text, icons and grounds that paint themselves."""

from dataclasses import dataclass, field, replace
from typing import Final

from PySide6.QtCore import QPointF, QRectF, Qt, QUrl
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QColor,
    QFont,
    QPainter,
    QPalette,
)

from app.resources import Icon, pixmap
from app.widgets.markdown_document import MarkdownDocument
from app.widgets.markdown_painting import code_rects, paint_grounds

EXPAND_LINK: Final = "kandesk:expand"
"""What a click on "Show all" reports instead of an address."""


@dataclass(frozen=True, slots=True)
class GroundPiece:
    rect: QRectF
    colour: str
    radius: float


@dataclass(frozen=True, slots=True)
class TextPiece:
    """One line of plain text."""

    rect: QRectF
    text: str
    font: QFont
    colour: str
    alignment: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignLeft
    link: str = ""


@dataclass(frozen=True, slots=True)
class IconPiece:
    rect: QRectF
    icon: Icon
    colour: str


@dataclass(frozen=True, slots=True)
class DocumentPiece:
    document: MarkdownDocument
    origin: QPointF

    @property
    def rect(self) -> QRectF:
        return QRectF(self.origin, self.document.size())


@dataclass(slots=True)
class RowLayout:
    """Pieces in the row's own coordinates; `height` is that of the whole row."""

    height: float = 0
    grounds: list[GroundPiece] = field(default_factory=list)
    texts: list[TextPiece] = field(default_factory=list)
    icons: list[IconPiece] = field(default_factory=list)
    documents: list[DocumentPiece] = field(default_factory=list)

    def paint(self, painter: QPainter, palette: QPalette, ratio: float) -> None:
        """Draw at the painter's origin."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for ground in self.grounds:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(ground.colour))
            painter.drawRoundedRect(ground.rect, ground.radius, ground.radius)
        for piece in self.icons:
            picture = pixmap(piece.icon, piece.colour, round(piece.rect.width()), ratio)
            painter.drawPixmap(piece.rect.topLeft(), picture)
        for text in self.texts:
            painter.setFont(text.font)
            painter.setPen(QColor(text.colour))
            painter.drawText(text.rect, text.alignment | Qt.AlignmentFlag.AlignVCenter, text.text)
        for document in self.documents:
            self._paint_document(painter, document, palette)

    def mirror(self, width: float) -> None:
        """Turn the row round for a language written from right to left."""
        self.grounds = [replace(g, rect=_mirrored(g.rect, width)) for g in self.grounds]
        self.texts = [replace(t, rect=_mirrored(t.rect, width)) for t in self.texts]
        self.icons = [replace(i, rect=_mirrored(i.rect, width)) for i in self.icons]
        self.documents = [
            replace(d, origin=_mirrored(d.rect, width).topLeft()) for d in self.documents
        ]

    def link_at(self, point: QPointF) -> str:
        """The address under `point`, or nothing."""
        for piece in self.documents:
            if piece.rect.contains(point):
                inside = point - piece.origin
                return piece.document.documentLayout().anchorAt(inside)
        return next((t.link for t in self.texts if t.link and t.rect.contains(point)), "")

    def code_at(self, point: QPointF) -> str:
        """The text of the code block under `point`, or nothing."""
        for piece in self.documents:
            blocks = piece.document.code_blocks()
            for (first, _), rect in zip(
                blocks, code_rects(piece.document, piece.origin), strict=True
            ):
                if rect.contains(point):
                    return piece.document.code_text(first)
        return ""

    def _paint_document(self, painter: QPainter, piece: DocumentPiece, palette: QPalette) -> None:
        painter.save()
        painter.translate(piece.origin)
        paint_grounds(painter, piece.document, palette)
        context = QAbstractTextDocumentLayout.PaintContext()
        context.palette = palette
        piece.document.documentLayout().draw(painter, context)
        painter.restore()


def _mirrored(rect: QRectF, width: float) -> QRectF:
    return QRectF(width - rect.right(), rect.top(), rect.width(), rect.height())


def address(link: str) -> QUrl:
    """The address of a link as it was written."""
    return QUrl(link, QUrl.ParsingMode.StrictMode)
