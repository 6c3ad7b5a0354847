"""Lines of a list that is read and chosen from: two lines of text, a state, an icon."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt

from app.resources import Icon

Index = QModelIndex | QPersistentModelIndex


class FactRole(IntEnum):
    """What a row holds beside its text."""

    FACT = Qt.ItemDataRole.UserRole + 1


@dataclass(frozen=True, slots=True)
class Fact:
    """One line. `colour` is one of the theme's; `subject` is what it is about."""

    key: str
    title: str
    icon: Icon
    second: str = ""
    state: str = ""
    colour: str = "text_muted"
    faded: bool = False
    subject: object = None

    @property
    def spoken(self) -> str:
        return ", ".join(part for part in (self.title, self.state, self.second) if part)


class FactModel(QAbstractListModel):
    """Shows what it is given; rows that stay keep their place and selection."""

    def __init__(self) -> None:
        super().__init__()
        self._facts: list[Fact] = []

    def show_facts(self, facts: Sequence[Fact]) -> None:
        old, new = [fact.key for fact in self._facts], [fact.key for fact in facts]
        if new[: len(old)] == old:
            self._change(facts[: len(old)])
            self._append(facts[len(old) :])
            return
        self.beginResetModel()
        self._facts = list(facts)
        self.endResetModel()

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._facts)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid() or index.row() >= len(self._facts):
            return None
        fact = self._facts[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return fact.title
            case Qt.ItemDataRole.AccessibleTextRole:
                return fact.spoken
            case FactRole.FACT:
                return fact
            case _:
                return None

    def index_of(self, key: str) -> QModelIndex:
        """Invalid when it is not in the list."""
        for number, fact in enumerate(self._facts):
            if fact.key == key:
                return self.index(number)
        return QModelIndex()

    def _change(self, facts: Sequence[Fact]) -> None:
        for number, (new, old) in enumerate(zip(facts, self._facts, strict=True)):
            if new != old:
                self._facts[number] = new
                self.dataChanged.emit(self.index(number), self.index(number))

    def _append(self, facts: Sequence[Fact]) -> None:
        if facts:
            start = len(self._facts)
            self.beginInsertRows(QModelIndex(), start, start + len(facts) - 1)
            self._facts.extend(facts)
            self.endInsertRows()
