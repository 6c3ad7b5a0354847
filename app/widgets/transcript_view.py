"""The transcript: what is read stays where it is while rows arrive, grow or leave."""

from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import (
    QEvent,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QPointF,
    QRectF,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QContextMenuEvent,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPaintEvent,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QAbstractItemView, QApplication, QFrame, QMenu, QWidget

from app.models.transcript_model import TranscriptModel
from app.plain_text import plain_tip
from app.theme import Theme
from app.widgets.frame_pace import FramePace
from app.widgets.links import ask_to_open, may_open
from app.widgets.message_delegate import MessageDelegate
from app.widgets.row_layout import Action, AnswerLate, RowLayout, address
from app.widgets.row_list_view import RowListView
from app.widgets.transcript_menu import RowDeeds, row_menu

_NEAR_EDGE: Final = 600
"""Pixels from either end at which the next page is asked for."""
_ROUNDS: Final = 4
"""How often heights are corrected for one change; each round can bring new rows into view."""


@dataclass(frozen=True)
class _Anchor:
    """What must not move: a row and where its top is, or the end of the transcript."""

    index: QPersistentModelIndex | None
    top: int = 0


class TranscriptView(RowListView):
    """`older_wanted` and `newer_wanted` near an edge; `at_end_changed` when that changes.

    `late_answer_wanted` with the id of a closed question that is to be answered all the same.
    """

    older_wanted = Signal()
    newer_wanted = Signal()
    at_end_changed = Signal(bool)
    late_answer_wanted = Signal(object)

    def __init__(self, theme: Theme, delegate: MessageDelegate, parent: QWidget | None = None):
        super().__init__(parent)
        self.setObjectName("transcriptView")
        self._theme = theme
        self._rows = delegate
        self._anchor: _Anchor | None = None
        self._adjusting = False
        self._at_end = True
        self._pressed: QPoint | None = None
        self._pace = FramePace(self, self.doItemsLayout)
        delegate.setParent(self)
        self.setItemDelegate(delegate)
        self.setFrameShape(QFrame.Shape.NoFrame)
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

    @property
    def frame_waits(self) -> bool:
        """Whether rows that changed are not laid out yet."""
        return self._pace.waits

    def show_model(self, model: TranscriptModel) -> None:
        """Show the rows of `model` and follow it."""
        model.rowsAboutToBeInserted.connect(self._hold)
        model.rowsAboutToBeRemoved.connect(self._hold_beside)
        model.rowsInserted.connect(self._take_in)
        model.rowsRemoved.connect(self._let_go)
        model.modelReset.connect(self._go_to_new_end)
        model.dataChanged.connect(self._row_changed)
        self.setModel(model)
        self._go_to_new_end()

    def set_touch(self, *, touch: bool) -> None:
        """Make what opens and closes large enough for fingers, or small again."""
        if touch is not self._rows.touch:
            self._rows.touch = touch
            self.scheduleDelayedItemsLayout()

    def remeasure(self) -> None:
        """Every row may have another height now."""
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
        """Place the rows anew without moving what is read; measure what is in view."""
        with self._pace.laying_out():
            self._lay_out()

    def _lay_out(self) -> None:
        anchor = self._anchor or self._current_anchor()
        self._anchor = None
        self._adjusting = True
        self._rows.width = self.viewport().width()
        self._rows.follows_end = anchor.index is None
        self._rows.show_more()
        super().doItemsLayout()
        self._restore(anchor)
        for _ in range(_ROUNDS):
            if not self._measure_visible():
                break
            self.updateGeometries()
            self._restore(anchor)
        self._adjusting = False
        self.viewport().update()
        self._tell_place()
        if self._rows.has_more:
            self._pace.want()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        if self._adjusting:
            # The bar follows rows that came or grew; what is read stays where it is.
            self.viewport().update()
        else:
            super().scrollContentsBy(dx, dy)

    def paintEvent(self, event: QPaintEvent) -> None:
        self._rows.exposed = QRectF(event.rect())
        with self._pace.painting():
            super().paintEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        if event.size().width() != event.oldSize().width():
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
            action = self._rows.row_layout(self.currentIndex()).main_action
            if action is not None:
                self._act(self.currentIndex(), action)
            return
        super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._pressed = event.position().toPoint()
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        place, pressed = event.position().toPoint(), self._pressed
        self._pressed = None
        if event.button() is not Qt.MouseButton.LeftButton or pressed is None:
            return
        if (place - pressed).manhattanLength() > QApplication.startDragDistance():
            return
        layout, inside = self._at(place)
        if layout is None:
            return
        action, link = layout.action_at(inside), layout.link_at(inside)
        if action is not None:
            self._act(self.indexAt(place), action)
        elif link:
            ask_to_open(self, address(link))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        layout, inside = self._at(event.position().toPoint())
        link = "" if layout is None else layout.link_at(inside)
        acts = layout is not None and layout.action_at(inside) is not None
        usable = acts or (link and may_open(address(link)))
        shape = Qt.CursorShape.PointingHandCursor if usable else Qt.CursorShape.ArrowCursor
        self.viewport().setCursor(shape)
        self.viewport().setToolTip(plain_tip(link))

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        by_key = event.reason() is QContextMenuEvent.Reason.Keyboard
        place = self.visualRect(self.currentIndex()).center() if by_key else event.pos()
        index = self.indexAt(place)
        if index.isValid():
            self.menu(index, place).popup(self.viewport().mapToGlobal(place))

    def menu(self, index: QModelIndex, place: QPoint) -> QMenu:
        """What can be done with the row at `index`, clicked at `place`."""
        inside = QPointF(place - self.visualRect(index).topLeft())
        deeds = RowDeeds(
            text=str(index.data(Qt.ItemDataRole.DisplayRole)),
            layout=self._rows.row_layout(index),
            place=inside,
            selected=len(self.selectionModel().selectedIndexes()),
            act=lambda action: self._act(index, action),
            copy_selection=self.copy_selection,
        )
        return row_menu(self, self._theme, deeds)

    def _retranslate(self) -> None:
        self.setAccessibleName(self.tr("Transcript"))

    def _at(self, place: QPoint) -> tuple[RowLayout | None, QPointF]:
        """The row under `place`, and where in it that is."""
        index = self.indexAt(place)
        if not index.isValid():
            return None, QPointF()
        inside = QPointF(place - self.visualRect(index).topLeft())
        return self._rows.row_layout(index), inside

    def _act(self, index: QModelIndex, action: Action) -> None:
        model = self.model()
        if isinstance(action, AnswerLate):
            self.late_answer_wanted.emit(action.pending_id)
        elif isinstance(model, TranscriptModel) and index.isValid():
            self._hold_row(index)
            self._rows.act(model.message(index.row()).message_id, action)
            self.scheduleDelayedItemsLayout()

    def _row_changed(self, first: QModelIndex, last: QModelIndex) -> None:
        model = self.model()
        if not isinstance(model, TranscriptModel):
            return
        for row in range(first.row(), last.row() + 1):
            self._rows.forget_row(model.message(row).message_id)
        self._pace.want()

    def _take_in(self, _parent: QModelIndex, first: int, last: int) -> None:
        model = self.model()
        if isinstance(model, TranscriptModel):
            heights = [self._rows.height(model.message(row)) for row in range(first, last + 1)]
            self.geometry_of_rows.insert(first, heights)
            self._keep_place()

    def _let_go(self, _parent: QModelIndex, first: int, last: int) -> None:
        self.geometry_of_rows.remove(first, last - first + 1)
        self._keep_place()

    def _keep_place(self) -> None:
        """Rows came or left: nothing moves until they are measured, and then nothing either."""
        anchor, self._anchor = self._anchor, None
        self._adjusting = True
        self.updateGeometries()
        if anchor is not None:
            self._restore(anchor)
        self._adjusting = False
        self.scheduleDelayedItemsLayout()

    def _go_to_new_end(self) -> None:
        self._rows.start_over()
        model = self.model()
        if isinstance(model, TranscriptModel):
            rows = (model.message(row) for row in range(model.rowCount()))
            self.geometry_of_rows.replace(map(self._rows.height, rows))
        self.go_to_end()

    def _hold(self) -> None:
        """Remember what is read before the geometry becomes stale."""
        if self._anchor is None and not self._adjusting:
            self._anchor = self._current_anchor()

    def _hold_beside(self, _parent: QModelIndex, first: int, last: int) -> None:
        """Rows are about to leave; the one below them takes the place of what is read."""
        self._hold()
        anchor = self._anchor
        if anchor is None or anchor.index is None or not first <= anchor.index.row() <= last:
            return
        below = self.model().index(last + 1, 0)
        if below.isValid():
            self._anchor = _Anchor(QPersistentModelIndex(below), max(0, anchor.top))
        else:
            self._anchor = _Anchor(None)

    def _hold_row(self, index: QModelIndex) -> None:
        """The row that is opened or closed stays under the finger, even at the end."""
        if self._anchor is None and not self._adjusting:
            self._anchor = _Anchor(QPersistentModelIndex(index), self.visualRect(index).top())

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
            bar.setValue(self.geometry_of_rows.top(row.row()) - anchor.top)

    def _visible(self) -> list[QModelIndex]:
        """The rows in view; none while the view is not shown."""
        model, geometry = self.model(), self.geometry_of_rows
        row = geometry.row_at(self.verticalOffset())
        if not isinstance(model, TranscriptModel) or not self.isVisible() or row < 0:
            return []
        end = self.verticalOffset() + self.viewport().height()
        rows = []
        while row < len(geometry) and geometry.top(row) < end:
            rows.append(model.index(row, 0))
            row += 1
        return rows

    def _measure_visible(self) -> bool:
        """Measure unmeasured rows in view; whether any height was wrong."""
        wrong = False
        for index in self._visible():
            if not self._rows.measured(index):
                height = self._rows.measure(index)
                wrong = wrong or height != self.geometry_of_rows.height(index.row())
                self.geometry_of_rows.set_height(index.row(), height)
        return wrong

    def _first_visible(self) -> QModelIndex:
        rows = self._visible()
        return rows[0] if rows else QModelIndex()

    def _scrolled(self) -> None:
        if self._adjusting:
            return
        # Whoever scrolls decides anew what is read.
        self._anchor = None
        rows = self._visible()
        if not all(map(self._rows.measured, rows)):
            # What scrolls in above a measured row must not push it.
            steady = next(filter(self._rows.measured, rows), rows[0])
            self._anchor = _Anchor(QPersistentModelIndex(steady), self.visualRect(steady).top())
            self.doItemsLayout()
        self._tell_place()

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
