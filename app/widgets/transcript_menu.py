"""The menu of a transcript row: everything a press on the row does, for keyboard and touch too."""

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, QObject, QPointF, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu, QWidget

from app.resources import Icon
from app.theme import Theme
from app.widgets.row_layout import Action, RowLayout


@dataclass(frozen=True, slots=True)
class RowDeeds:
    """What is known of the row the menu is for, and how its deeds are done."""

    text: str
    layout: RowLayout
    place: QPointF
    selected: int
    act: Callable[[Action], None]
    copy_selection: Callable[[], None]


class MenuWords(QObject):
    def copy_several(self, count: int) -> str:
        return self.tr("Copy %n message(s)", "", count)


def row_menu(parent: QWidget, theme: Theme, row: RowDeeds) -> QMenu:
    """A menu that deletes itself when it is closed."""
    menu = QMenu(parent)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    copy = menu.addAction(
        theme.icon(Icon.COPY), QCoreApplication.translate("TranscriptView", "Copy message")
    )
    copy.triggered.connect(lambda: _copy(row.text))
    if row.selected > 1:
        several = menu.addAction(MenuWords().copy_several(row.selected))
        several.triggered.connect(row.copy_selection)
    code = row.layout.code_at(row.place)
    if code:
        menu.addAction(QCoreApplication.translate("TranscriptView", "Copy code")).triggered.connect(
            lambda: _copy(code)
        )
    link = row.layout.link_at(row.place)
    if link:
        menu.addAction(QCoreApplication.translate("TranscriptView", "Copy link")).triggered.connect(
            lambda: _copy(link)
        )
    if row.layout.targets:
        menu.addSeparator()
    for target in row.layout.targets:
        deed = menu.addAction(target.name)
        deed.triggered.connect(lambda _=False, action=target.action: row.act(action))
    return menu


def _copy(text: str) -> None:
    QGuiApplication.clipboard().setText(text)
