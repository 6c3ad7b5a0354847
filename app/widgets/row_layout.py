"""One transcript row as placed pieces: text, icons and grounds that paint themselves."""

from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final, Protocol

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt, QUrl
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QColor,
    QFont,
    QPainter,
    QPalette,
    QTextDocument,
)

from app.resources import Icon, pixmap
from app.widgets.markdown_document import MarkdownDocument
from app.widgets.markdown_painting import code_rects, paint_grounds
from backend.ids import PendingId

_OVERHANG: Final = 20
"""Pixels by which the box around code is larger than its document."""


class Part(StrEnum):
    """What of a row opens and closes on demand."""

    ROW = "row"
    OUTPUT = "output"
    CHANGES = "changes"
    GIVEN = "given"
    STDERR = "stderr"
    PAYLOAD = "payload"


@dataclass(frozen=True, slots=True)
class Toggle:
    """Open or close a part."""

    part: Part


@dataclass(frozen=True, slots=True)
class ShowMore:
    """Show the next piece of a long text."""


@dataclass(frozen=True, slots=True)
class AnswerLate:
    """Answer a question that is closed, as a new message (LC.4)."""

    pending_id: PendingId


Action = Toggle | ShowMore | AnswerLate


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


@dataclass(frozen=True, slots=True)
class TargetPiece:
    """Where a press does something; `name` says what in a menu."""

    rect: QRectF
    action: Action
    name: str


@dataclass(frozen=True, slots=True)
class IconPiece:
    rect: QRectF
    icon: Icon
    colour: str


class LaidOut(Protocol):
    """A document of known size, made when it is needed."""

    @property
    def size(self) -> QSizeF: ...

    @property
    def document(self) -> QTextDocument: ...


class ReadyDocument:
    """A document that is kept as long as its row."""

    def __init__(self, document: QTextDocument) -> None:
        self.document = document
        self.size = document.size()


@dataclass(frozen=True, slots=True)
class DocumentPiece:
    """`copied` is what its code is copied as when the document shows only a part of it."""

    source: LaidOut
    origin: QPointF
    continues: bool = False
    goes_on: bool = False
    """The code block at that edge is one with the piece beyond it."""
    copied: str = ""

    @property
    def rect(self) -> QRectF:
        return QRectF(self.origin, self.source.size)


@dataclass(slots=True)
class RowLayout:
    """Pieces in the row's own coordinates; `height` is that of the whole row."""

    height: float = 0
    grounds: list[GroundPiece] = field(default_factory=list)
    texts: list[TextPiece] = field(default_factory=list)
    icons: list[IconPiece] = field(default_factory=list)
    documents: list[DocumentPiece] = field(default_factory=list)
    targets: list[TargetPiece] = field(default_factory=list)

    def paint(self, painter: QPainter, palette: QPalette, ratio: float, seen: QRectF) -> None:
        """Draw at the painter's origin; what lies outside of `seen` is left out."""
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
        around = seen.adjusted(0, -_OVERHANG, 0, _OVERHANG)
        for document in self.documents:
            if document.rect.intersects(around):
                _paint_document(painter, document, palette, seen)

    def mirror(self, width: float) -> None:
        """Turn the row round for a language written from right to left."""
        self.grounds = [replace(g, rect=_mirrored(g.rect, width)) for g in self.grounds]
        self.texts = [replace(t, rect=_mirrored(t.rect, width)) for t in self.texts]
        self.icons = [replace(i, rect=_mirrored(i.rect, width)) for i in self.icons]
        self.targets = [replace(t, rect=_mirrored(t.rect, width)) for t in self.targets]
        self.documents = [
            replace(d, origin=_mirrored(d.rect, width).topLeft()) for d in self.documents
        ]

    @property
    def main_action(self) -> Action | None:
        """What Enter does."""
        return self.targets[0].action if self.targets else None

    def action_at(self, point: QPointF) -> Action | None:
        """What a press at `point` does; links in text come first."""
        if self.link_at(point):
            return None
        hit = (target.action for target in self.targets if target.rect.contains(point))
        return next(hit, None)

    def link_at(self, point: QPointF) -> str:
        """The address under `point`, or nothing."""
        for piece in self.documents:
            if piece.rect.contains(point):
                inside = point - piece.origin
                return piece.source.document.documentLayout().anchorAt(inside)
        return ""

    def code_at(self, point: QPointF) -> str:
        """The text of the code block under `point`, whole; or nothing."""
        for number, piece in enumerate(self.documents):
            if piece.copied and piece.rect.contains(point):
                return piece.copied
            blocks = _code(piece)
            for index, (text, rect) in enumerate(blocks):
                if rect.contains(point):
                    before = self._code_before(number) if index == 0 else []
                    after = self._code_after(number) if index == len(blocks) - 1 else []
                    return "\n".join([*before, text, *after])
        return ""

    def _code_before(self, number: int) -> list[str]:
        """The pieces of the code block at the beginning of a document that are above it."""
        parts: list[str] = []
        while self.documents[number].continues and number > 0:
            number -= 1
            parts.insert(0, _code(self.documents[number])[-1][0])
        return parts

    def _code_after(self, number: int) -> list[str]:
        parts: list[str] = []
        while self.documents[number].goes_on and number + 1 < len(self.documents):
            number += 1
            parts.append(_code(self.documents[number])[0][0])
        return parts


def _code(piece: DocumentPiece) -> list[tuple[str, QRectF]]:
    """Text and place of each code block of a piece."""
    document = piece.source.document
    if not isinstance(document, MarkdownDocument):
        return []
    firsts = (first for first, _ in document.code_blocks())
    rects = code_rects(document, piece.origin)
    return [(document.code_text(first), rect) for first, rect in zip(firsts, rects, strict=True)]


def _paint_document(
    painter: QPainter, piece: DocumentPiece, palette: QPalette, seen: QRectF
) -> None:
    document = piece.source.document
    painter.save()
    painter.translate(piece.origin)
    if isinstance(document, MarkdownDocument):
        paint_grounds(painter, document, palette, continues=piece.continues, goes_on=piece.goes_on)
    context = QAbstractTextDocumentLayout.PaintContext()
    context.palette = palette
    context.clip = seen.translated(-piece.origin)
    document.documentLayout().draw(painter, context)
    painter.restore()


def _mirrored(rect: QRectF, width: float) -> QRectF:
    return QRectF(width - rect.right(), rect.top(), rect.width(), rect.height())


def address(link: str) -> QUrl:
    """The address of a link as it was written."""
    return QUrl(link, QUrl.ParsingMode.StrictMode)
