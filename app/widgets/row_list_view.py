"""A list view that knows by itself where its rows are.

Qt's own asks for the size of every row whenever one of them changes; with thousands of rows of a
growing text that would take longer than a frame.
"""

from PySide6.QtCore import (
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRect,
    Qt,
)
from PySide6.QtGui import QPainter, QPaintEvent, QRegion
from PySide6.QtWidgets import QAbstractItemView, QListView, QStyle, QStyleOptionViewItem

from app.widgets.row_geometry import RowGeometry

Index = QModelIndex | QPersistentModelIndex
_Action = QAbstractItemView.CursorAction
_Hint = QAbstractItemView.ScrollHint


class RowListView(QListView):
    """One column. Whoever derives from it keeps `geometry_of_rows` in step with the model."""

    def __init__(self, parent: object = None) -> None:
        super().__init__(parent)  # type: ignore[arg-type]  # a widget or nothing
        self.geometry_of_rows = RowGeometry()
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def visualRect(self, index: Index) -> QRect:
        if not index.isValid() or index.row() >= len(self.geometry_of_rows):
            return QRect()
        top = self.geometry_of_rows.top(index.row()) - self.verticalOffset()
        height = self.geometry_of_rows.height(index.row())
        return QRect(0, top, self.viewport().width(), height)

    def indexAt(self, point: QPoint) -> QModelIndex:
        row = self.geometry_of_rows.row_at(point.y() + self.verticalOffset())
        if row < 0 or not 0 <= point.x() < self.viewport().width():
            return QModelIndex()
        return self.model().index(row, 0)

    def verticalOffset(self) -> int:
        return self.verticalScrollBar().value()

    def horizontalOffset(self) -> int:
        return 0

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        # The one of `QListView` moves what it has laid out itself, which is nothing.
        self.viewport().scroll(dx, dy)

    def isIndexHidden(self, index: Index) -> bool:  # noqa: ARG002 - Qt's signature
        return False

    def scrollTo(self, index: Index, hint: _Hint = _Hint.EnsureVisible) -> None:
        rect = self.visualRect(index)
        if rect.isNull():
            return
        bar, room = self.verticalScrollBar(), self.viewport().height()
        to_bottom = min(rect.top(), rect.bottom() + 1 - room)
        match hint:
            case _Hint.PositionAtCenter:
                distance = rect.center().y() - room // 2
            case _Hint.PositionAtTop:
                distance = rect.top()
            case _Hint.PositionAtBottom:
                distance = to_bottom
            case _:
                # A row that fills the view is seen already.
                above, below = rect.top() < 0, rect.bottom() >= room
                distance = 0 if above is below else rect.top() if above else to_bottom
        bar.setValue(bar.value() + distance)

    def moveCursor(self, action: _Action, modifiers: Qt.KeyboardModifier) -> QModelIndex:  # noqa: ARG002
        model, last = self.model(), len(self.geometry_of_rows) - 1
        if last < 0:
            return QModelIndex()
        current = self.currentIndex()
        if not current.isValid():
            return model.index(last, 0)
        row, room = current.row(), self.viewport().height()
        top = self.geometry_of_rows.top(row)
        match action:
            case _Action.MoveUp | _Action.MovePrevious:
                row -= 1
            case _Action.MoveDown | _Action.MoveNext:
                row += 1
            case _Action.MoveHome:
                row = 0
            case _Action.MoveEnd:
                row = last
            case _Action.MovePageUp:
                row = min(row - 1, self.geometry_of_rows.row_at(max(0, top - room)))
            case _Action.MovePageDown:
                below = self.geometry_of_rows.row_at(top + room)
                row = last if below < 0 else max(row + 1, below)
            case _:
                pass
        return model.index(max(0, min(last, row)), 0)

    def setSelection(self, rect: QRect, command: QItemSelectionModel.SelectionFlag) -> None:
        geometry, offset = self.geometry_of_rows, self.verticalOffset()
        area = rect.normalized()
        first = geometry.row_at(max(0, area.top() + offset))
        last = geometry.row_at(min(geometry.total - 1, area.bottom() + offset))
        selection = QItemSelection()
        if first >= 0 and last >= first:
            model = self.model()
            selection = QItemSelection(model.index(first, 0), model.index(last, 0))
        self.selectionModel().select(selection, command)

    def visualRegionForSelection(self, selection: QItemSelection) -> QRegion:
        region = QRegion()
        for index in selection.indexes():
            region += self.visualRect(index)
        return region

    def updateGeometries(self) -> None:
        bar, room = self.verticalScrollBar(), self.viewport().height()
        bar.setPageStep(room)
        bar.setRange(0, max(0, self.geometry_of_rows.total - room))

    def doItemsLayout(self) -> None:
        # Not the one of `QListView`, which would measure every row.
        QAbstractItemView.doItemsLayout(self)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        area, geometry, offset = event.rect(), self.geometry_of_rows, self.verticalOffset()
        model, delegate, width = self.model(), self.itemDelegate(), self.viewport().width()
        states = self._states()
        plain = QStyleOptionViewItem()
        self.initViewItemOption(plain)
        plain.state &= ~QStyle.StateFlag.State_HasFocus
        row = geometry.row_at(area.top() + offset)
        while 0 <= row < len(geometry) and geometry.top(row) - offset <= area.bottom():
            option = QStyleOptionViewItem(plain)
            option.rect = QRect(0, geometry.top(row) - offset, width, geometry.height(row))
            if row in states:
                option.state |= states[row]
            delegate.paint(painter, option, model.index(row, 0))
            row += 1
        painter.end()

    def _states(self) -> dict[int, QStyle.StateFlag]:
        """What is particular about the rows that are selected or have the focus."""
        states: dict[int, QStyle.StateFlag] = {}
        if self.selectionModel().hasSelection():
            for index in self.selectionModel().selectedIndexes():
                states[index.row()] = QStyle.StateFlag.State_Selected
        current = self.currentIndex()
        if current.isValid() and self.hasFocus():
            known = states.get(current.row(), QStyle.StateFlag.State_None)
            states[current.row()] = known | QStyle.StateFlag.State_HasFocus
        return states
