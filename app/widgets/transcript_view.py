"""The transcript: what is read stays where it is while rows arrive, grow or leave."""

from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import (
    QEvent,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QPointF,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QContextMenuEvent,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QAbstractItemView, QFrame, QListView, QMenu, QWidget

from app.models.transcript_model import TranscriptModel
from app.plain_text import plain_tip
from app.resources import Icon
from app.theme import Theme
from app.widgets.links import ask_to_open, may_open
from app.widgets.message_delegate import MessageDelegate
from app.widgets.row_layout import EXPAND_LINK, address

_NEAR_EDGE: Final = 600
"""Pixels from either end at which the next page is asked for."""
_ROUNDS: Final = 4
"""How often heights are corrected for one change; each round can bring new rows into view."""


@dataclass(frozen=True)
class _Anchor:
    """What must not move: a row and where its top is, or the end of the transcript."""

    index: QPersistentModelIndex | None
    top: int = 0


class TranscriptView(QListView):
    """`older_wanted` and `newer_wanted` near an edge; `at_end_changed` when that changes."""

    older_wanted = Signal()
    newer_wanted = Signal()
    at_end_changed = Signal(bool)

    def __init__(self, theme: Theme, delegate: MessageDelegate, parent: QWidget | None = None):
        super().__init__(parent)
        self.setObjectName("transcriptView")
        self._theme = theme
        self._rows = delegate
        self._anchor: _Anchor | None = None
        self._adjusting = False
        self._at_end = True
        delegate.setParent(self)
        self.setItemDelegate(delegate)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setMouseTracking(True)
        self.verticalScrollBar().setSingleStep(theme.pixels(24))
        self.verticalScrollBar().valueChanged.connect(self._scrolled)
        theme.changed.connect(self.remeasure)
        self._retranslate()

    @property
    def at_end(self) -> bool:
        return self._at_end

    def show_model(self, model: TranscriptModel) -> None:
        """Show the rows of `model` and follow it."""
        self.setModel(model)
        model.rowsAboutToBeInserted.connect(self._hold)
        model.rowsAboutToBeRemoved.connect(self._hold)
        model.modelReset.connect(self._go_to_new_end)
        model.dataChanged.connect(self._row_changed)

    def remeasure(self) -> None:
        """Every row may have another height now."""
        self._hold()
        self._rows.forget()
        self.scheduleDelayedItemsLayout()

    def go_to_end(self) -> None:
        self._anchor = _Anchor(None)
        self.scheduleDelayedItemsLayout()

    def copy_selection(self) -> None:
        """The selected rows as Markdown, in their order."""
        rows = sorted(self.selectionModel().selectedIndexes(), key=lambda index: index.row())
        texts = [str(index.data(Qt.ItemDataRole.DisplayRole)) for index in rows]
        if texts:
            QGuiApplication.clipboard().setText("\n\n".join(texts))

    def doItemsLayout(self) -> None:
        """Lay out anew without moving what is read; measure what comes into view."""
        anchor = self._anchor or self._current_anchor()
        self._anchor = None
        self._adjusting = True
        self._rows.width = self.viewport().width()
        super().doItemsLayout()
        self._restore(anchor)
        for _ in range(_ROUNDS):
            if not self._measure_visible():
                break
            super().doItemsLayout()
            self._restore(anchor)
        self._adjusting = False
        self._tell_place()

    def resizeEvent(self, event: QResizeEvent) -> None:
        if event.size().width() != event.oldSize().width():
            self._hold()
            self.scheduleDelayedItemsLayout()
        super().resizeEvent(event)
        if self._at_end and self._anchor is None:
            self.verticalScrollBar().setValue(self.verticalScrollBar().maximum())

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.scheduleDelayedItemsLayout()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() is QEvent.Type.LanguageChange:
            self._retranslate()
            self.remeasure()
        elif event.type() is QEvent.Type.LayoutDirectionChange:
            self.remeasure()
        super().changeEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy_selection()
            return
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self._toggle(self.currentIndex())
            return
        super().keyPressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        if event.button() is not Qt.MouseButton.LeftButton:
            return
        link = self._link_at(event.position().toPoint())
        if link == EXPAND_LINK:
            self._toggle(self.indexAt(event.position().toPoint()))
        elif link:
            ask_to_open(self, address(link))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        link = self._link_at(event.position().toPoint())
        usable = link == EXPAND_LINK or (link and may_open(address(link)))
        shape = Qt.CursorShape.PointingHandCursor if usable else Qt.CursorShape.ArrowCursor
        self.viewport().setCursor(shape)
        self.viewport().setToolTip("" if link == EXPAND_LINK else plain_tip(link))

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        by_key = event.reason() is QContextMenuEvent.Reason.Keyboard
        place = self.visualRect(self.currentIndex()).center() if by_key else event.pos()
        index = self.indexAt(place)
        if index.isValid():
            self.menu(index, place).popup(self.viewport().mapToGlobal(place))

    def menu(self, index: QModelIndex, place: QPoint) -> QMenu:
        """What can be done with the row at `index`, clicked at `place`."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        text = str(index.data(Qt.ItemDataRole.DisplayRole))
        selected = self.selectionModel().selectedIndexes()
        copy = menu.addAction(self._theme.icon(Icon.COPY), self.tr("Copy message"))
        copy.triggered.connect(lambda: QGuiApplication.clipboard().setText(text))
        if len(selected) > 1:
            several = menu.addAction(self.tr("Copy %n message(s)", "", len(selected)))
            several.triggered.connect(self.copy_selection)
        code = self._rows.row_layout(index).code_at(self._inside(index, place))
        if code:
            action = menu.addAction(self.tr("Copy code"))
            action.triggered.connect(lambda: QGuiApplication.clipboard().setText(code))
        link = self._link_at(place)
        if link and link != EXPAND_LINK:
            action = menu.addAction(self.tr("Copy link"))
            action.triggered.connect(lambda: QGuiApplication.clipboard().setText(link))
        return menu

    def _retranslate(self) -> None:
        self.setAccessibleName(self.tr("Transcript"))

    def _link_at(self, place: QPoint) -> str:
        index = self.indexAt(place)
        if not index.isValid():
            return ""
        return self._rows.row_layout(index).link_at(self._inside(index, place))

    def _inside(self, index: QModelIndex, place: QPoint) -> QPointF:
        return QPointF(place - self.visualRect(index).topLeft())

    def _toggle(self, index: QModelIndex) -> None:
        model = self.model()
        if isinstance(model, TranscriptModel) and index.isValid():
            self._hold()
            self._rows.toggle(model.message(index.row()).message_id)
            self.scheduleDelayedItemsLayout()

    def _row_changed(self, first: QModelIndex, last: QModelIndex) -> None:
        model = self.model()
        if not isinstance(model, TranscriptModel):
            return
        self._hold()
        for row in range(first.row(), last.row() + 1):
            self._rows.forget_row(model.message(row).message_id)
        self.scheduleDelayedItemsLayout()

    def _go_to_new_end(self) -> None:
        self._rows.start_over()
        self.go_to_end()

    def _hold(self) -> None:
        """Remember what is read before the geometry becomes stale."""
        if self._anchor is None and not self._adjusting:
            self._anchor = self._current_anchor()

    def _current_anchor(self) -> _Anchor:
        if self._at_end:
            return _Anchor(None)
        index = self._first_visible()
        if not index.isValid():
            return _Anchor(None)
        return _Anchor(QPersistentModelIndex(index), self.visualRect(index).top())

    def _restore(self, anchor: _Anchor) -> None:
        bar = self.verticalScrollBar()
        if anchor.index is None:
            bar.setValue(bar.maximum())
        elif anchor.index.isValid():
            row = self.model().index(anchor.index.row(), 0)
            bar.setValue(bar.value() + self.visualRect(row).top() - anchor.top)

    def _measure_visible(self) -> bool:
        """Measure unmeasured rows in and near view; whether any height was wrong."""
        model = self.model()
        if not isinstance(model, TranscriptModel) or not self.isVisible():
            return False
        wrong = False
        index = self._first_visible()
        height = self.viewport().height()
        while index.isValid() and self.visualRect(index).top() < height:
            if not self._rows.measured(index):
                wrong = self._rows.measure(index) or wrong
            index = model.index(index.row() + 1, 0)
        return wrong

    def _first_visible(self) -> QModelIndex:
        # Qt would look with the old scroll position at a layout it then makes new.
        if not self._adjusting:
            self.executeDelayedItemsLayout()
        probe = QPoint(self.viewport().width() // 2, 0)
        for offset in (0, 1, 2):
            index = self.indexAt(probe + QPoint(0, offset))
            if index.isValid():
                return index
        return QModelIndex()

    def _scrolled(self) -> None:
        if self._adjusting:
            return
        if self._anchor is None and self._unmeasured_in_view():
            anchor = self._steady_anchor()
            self._anchor = anchor
            self.doItemsLayout()
        self._tell_place()

    def _unmeasured_in_view(self) -> bool:
        model = self.model()
        if not isinstance(model, TranscriptModel) or not self.isVisible():
            return False
        index = self._first_visible()
        height = self.viewport().height()
        while index.isValid() and self.visualRect(index).top() < height:
            if not self._rows.measured(index):
                return True
            index = model.index(index.row() + 1, 0)
        return False

    def _steady_anchor(self) -> _Anchor:
        """A measured row in view keeps its place: what scrolls in above it must not push it."""
        model = self.model()
        index = self._first_visible()
        first = index
        height = self.viewport().height()
        while index.isValid() and self.visualRect(index).top() < height:
            if self._rows.measured(index):
                return _Anchor(QPersistentModelIndex(index), self.visualRect(index).top())
            index = model.index(index.row() + 1, 0)
        if not first.isValid():
            return _Anchor(None)
        return _Anchor(QPersistentModelIndex(first), self.visualRect(first).top())

    def _tell_place(self) -> None:
        bar = self.verticalScrollBar()
        at_end = bar.value() >= bar.maximum() - 2
        if at_end != self._at_end:
            self._at_end = at_end
            self.at_end_changed.emit(at_end)
        if bar.value() < _NEAR_EDGE:
            self.older_wanted.emit()
        if bar.maximum() - bar.value() < _NEAR_EDGE:
            self.newer_wanted.emit()
