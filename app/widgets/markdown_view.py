"""A piece of Markdown as a widget as tall as its text: selectable, links only after a question."""

from PySide6.QtCore import QEvent, QSize, Qt, QUrl
from PySide6.QtGui import QFont, QFontDatabase, QPainter, QPaintEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QFrame, QSizePolicy, QTextBrowser, QWidget

from app.widgets.links import ask_to_open
from app.widgets.markdown_document import MarkdownDocument
from app.widgets.markdown_painting import paint_grounds


class MarkdownView(QTextBrowser):
    """Grows with its text and leaves scrolling to whoever holds it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._source = ""
        self._heights: dict[int, int] = {}
        self.setProperty("role", "markdown")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setOpenLinks(False)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.anchorClicked.connect(self._open_link)

    def set_markdown(self, text: str) -> None:
        if text != self._source:
            self._source = text
            self._render()

    @property
    def markdown(self) -> str:
        """The Markdown as it was given."""
        return self._source

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        if width not in self._heights:
            document = self.document()
            before = document.textWidth()
            document.setTextWidth(max(1, width))
            self._heights[width] = round(document.size().height() + 0.5)
            document.setTextWidth(before)
        return self._heights[width]

    def sizeHint(self) -> QSize:
        width = max(self.width(), 200)
        return QSize(width, self.heightForWidth(width))

    def minimumSizeHint(self) -> QSize:
        return QSize(80, self.heightForWidth(max(self.width(), 80)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Text that is cut short must not scroll inside its few lines and hold the wheel up."""
        event.ignore()

    def paintEvent(self, event: QPaintEvent) -> None:
        document = self.document()
        if isinstance(document, MarkdownDocument):
            painter = QPainter(self.viewport())
            paint_grounds(painter, document, self.palette())
            painter.end()
        super().paintEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange):
            self._render()
        super().changeEvent(event)

    def _render(self) -> None:
        code_font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        code_font.setStyleHint(QFont.StyleHint.Monospace)
        code_font.setPixelSize(max(9, self.font().pixelSize() - 1))
        document = MarkdownDocument(self._source, self.font(), code_font, self.palette())
        document.setParent(self)
        self._heights.clear()
        previous = self.document()
        self.setDocument(document)
        if isinstance(previous, MarkdownDocument):
            previous.deleteLater()
        self.updateGeometry()

    def _open_link(self, address: QUrl) -> None:
        ask_to_open(self, address)
