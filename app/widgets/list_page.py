"""A page with a list and, below it, everything of the line that is chosen."""

from typing import Final

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from app.resources import Icon
from app.theme import Theme
from app.widgets.fact_list import FactList
from app.widgets.facts_panel import FactsPanel
from app.widgets.named_button import named_button

_WIDTH: Final = 808
_LEAST_PANEL: Final = 140
_LOW: Final = 400


class ListPage(QWidget):
    """`left` when the human goes back, `older_wanted` to read on. Fill `controls` and `panel`."""

    left = Signal()
    older_wanted = Signal()

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__()
        self.setObjectName(f"{name}View")
        self.theme = theme
        self._corner = 0
        self.title = _words("title")
        self.intro = _words("muted")
        self.back = named_button(f"{name}Back", "quiet")
        self.controls = QHBoxLayout()
        self.controls.setSpacing(theme.pixels(8))
        self.empty = _words("muted")
        self.list = FactList(theme, f"{name}List")
        self.older = named_button(f"{name}Older", "quiet")
        self.panel = FactsPanel(theme, f"{name}Details")
        self._around = _PanelScroll(theme, self.panel)
        self._build()
        self.back.clicked.connect(self.left)
        self.older.clicked.connect(self.older_wanted)
        self.list.chosen.connect(lambda fact: self._around.setVisible(fact is not None))
        self._around.hide()
        theme.changed.connect(self._show_icon)
        self._show_icon()

    def set_corner(self, width: int) -> None:
        """Leave room for the button of the drawer."""
        self._corner = width
        px = self.theme.pixels
        self._header.setContentsMargins(max(0, width - px(24) + px(8)), px(12), 0, 0)

    def show_state(self, *, loading: bool, more: bool, any_rows: bool) -> None:
        self.older.setVisible(more and any_rows)
        self.older.setEnabled(not loading)
        self.empty.setVisible(not loading and not any_rows)
        self.list.setVisible(any_rows)

    def focus_page(self) -> None:
        (self.list.focus_first if self.list.isVisible() else self.back.setFocus)()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Where there is little height, the list comes before what explains it."""
        super().resizeEvent(event)
        self.intro.setVisible(self.height() >= self.theme.pixels(_LOW))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
            return
        super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() is QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)

    def retranslate(self) -> None:
        self.back.setText(self.tr("Back"))
        self.older.setText(self.tr("Show older"))

    def _build(self) -> None:
        px = self.theme.pixels
        self._header = QHBoxLayout()
        self._header.addWidget(self.title, 1)
        self._header.addWidget(self.back)
        inner = QWidget()
        inner.setMaximumWidth(px(_WIDTH))
        body = QVBoxLayout(inner)
        body.setContentsMargins(px(24), 0, px(24), px(16))
        body.setSpacing(px(8))
        body.addLayout(self._header)
        body.addWidget(self.intro)
        body.addLayout(self.controls)
        body.addWidget(self.empty)
        body.addWidget(self.list, 1)
        body.addWidget(self.older, 0, Qt.AlignmentFlag.AlignHCenter)
        body.addWidget(self._around)
        body.addStretch(0)
        self._body = body
        row = QHBoxLayout()
        row.setContentsMargins(0, 0, 0, 0)
        row.addStretch(1)
        row.addWidget(inner, 1000)
        row.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(px(8))
        column.addLayout(row, 1)
        self.set_corner(0)

    def _show_icon(self) -> None:
        self.back.setIcon(self.theme.button_icon(Icon.PREVIOUS))
        self.back.setIconSize(self.theme.button_icon_size)


class _PanelScroll(QScrollArea):
    """As tall as the panel needs, up to a part of the page; then it scrolls."""

    def __init__(self, theme: Theme, panel: FactsPanel) -> None:
        super().__init__()
        self._theme = theme
        self._panel = panel
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)
        self.setWidget(panel)
        panel.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._panel and event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return False

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        layout = self._panel.layout()
        width = max(self.viewport().width(), self._theme.pixels(200))
        tall = layout.totalHeightForWidth(width) if layout is not None else -1
        height = tall if tall > 0 else self._panel.sizeHint().height()
        parent = self.parentWidget()
        room = parent.height() // 2 if parent is not None else height
        return QSize(width, min(height + 2, max(room, self._theme.pixels(_LEAST_PANEL))))

    def minimumSizeHint(self) -> QSize:
        return QSize(self._theme.pixels(80), min(self.sizeHint().height(), self._theme.pixels(120)))


def _words(role: str) -> QLabel:
    label = QLabel()
    label.setProperty("role", role)
    label.setWordWrap(True)
    label.setTextFormat(Qt.TextFormat.PlainText)
    return label
