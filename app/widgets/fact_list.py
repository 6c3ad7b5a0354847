"""A list of facts to read and choose from, drawn as the lists of the side pane are."""

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QListView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from app.models.fact_model import Fact, FactModel, FactRole
from app.theme import Theme
from app.widgets.list_painting import RowPainter

Index = QModelIndex | QPersistentModelIndex


class FactList(QListView):
    """`chosen` with the `Fact` that is current, or None."""

    chosen = Signal(object)

    def __init__(self, theme: Theme, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self._facts = FactModel()
        self._wanted = ""
        self.setModel(self._facts)
        self.setItemDelegate(_FactDelegate(theme, self))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setMouseTracking(True)
        self.setUniformItemSizes(True)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMinimumHeight(theme.pixels(104))
        theme.changed.connect(self.scheduleDelayedItemsLayout)
        self.selectionModel().currentChanged.connect(self._tell)

    @property
    def count(self) -> int:
        return self._facts.rowCount()

    @property
    def current(self) -> Fact | None:
        found = self.currentIndex().data(FactRole.FACT)
        return found if isinstance(found, Fact) else None

    def show_facts(self, facts: Sequence[Fact]) -> None:
        """What was chosen stays chosen, as long as it is in the list."""
        wanted = self._wanted
        self._facts.show_facts(facts)
        index = self._facts.index_of(wanted) if wanted else QModelIndex()
        if index.isValid() and index != self.currentIndex():
            self.setCurrentIndex(index)
        else:
            self.chosen.emit(self.current)

    def choose(self, key: str) -> None:
        index = self._facts.index_of(key)
        self._wanted = key
        if index.isValid():
            self.setCurrentIndex(index)
            self.scrollTo(index)

    def forget_choice(self) -> None:
        self._wanted = ""
        self.setCurrentIndex(QModelIndex())
        self.clearSelection()

    def focus_first(self) -> None:
        if not self.currentIndex().isValid() and self.count:
            self.selectionModel().setCurrentIndex(
                self._facts.index(0), self.selectionModel().SelectionFlag.NoUpdate
            )
        self.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _tell(self) -> None:
        if self.current is not None:
            self._wanted = self.current.key
        self.chosen.emit(self.current)


class _FactDelegate(QStyledItemDelegate):
    def __init__(self, theme: Theme, parent: QObject) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:  # noqa: ARG002
        return QSize(self._theme.pixels(160), self._theme.pixels(50))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        fact = index.data(FactRole.FACT)
        if not isinstance(fact, Fact):
            return
        painter.save()
        px = self._theme.pixels
        row = RowPainter(painter, option, self._theme)
        top = row.rect.top() + px(6)
        icon = QRect(row.rect.left() + px(17), top + px(2), px(16), px(16))
        row.icon(icon, fact.icon, "text_muted" if fact.faded else fact.colour)
        left, right = row.rect.left() + px(42), row.rect.right() - px(18)
        small = self._theme.font(12)
        first = QRect(left, top, right - left, px(19))
        state = "text_muted" if fact.faded else fact.colour
        width = row.text(first, fact.state, small, state, at_end=True) if fact.state else 0
        first.setRight(right - width - px(8))
        title = "text_muted" if fact.faded else "text"
        row.text(first, fact.title, self._theme.font(13), title)
        second = QRect(left, top + px(19), right - left, px(18))
        row.text(second, fact.second, small, "text_muted")
        painter.restore()
