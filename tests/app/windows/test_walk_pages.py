"""Walks over the pages about what agents may do: fingers, keyboard, screen reader, long words."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Final

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QScrollBar,
    QWidget,
)

from app.pseudo_locale import PSEUDO
from app.widgets.touch import TouchMode
from app.windows.desk_view import DeskView
from tests.helpers.clock import settle
from tests.helpers.page_screenshots import full_desk
from tests.helpers.waiting import until
from tests.helpers.window import Shown, shown_window

Show = Callable[[DeskView], None]
PAGES: Final[dict[str, Show]] = {
    "history": lambda view: view.show_history(),
    "rules": lambda view: view.show_rules(),
    "record": lambda view: view.show_record(),
    "servers": lambda view: view.show_servers(),
    "serverForm": lambda view: view.pages.servers.edit_wanted.emit(None),
}
WALK: Final = pytest.mark.parametrize("name", PAGES)
CONTROLS: Final = (QAbstractButton, QComboBox, QLineEdit, QPlainTextEdit, QAbstractItemView)


@asynccontextmanager
async def opened(name: str, *, zoom: float = 1.0) -> AsyncIterator[tuple[Shown, QWidget]]:
    """The page with its first row chosen, in words that are longer than any language's."""
    async with shown_window(full_desk(), width=800, height=600) as shown:
        shown.language.use(PSEUDO)
        PAGES[name](shown.view)
        page = shown.view._stack.currentWidget()
        assert page is not None
        for view in page.findChildren(QAbstractItemView, f"{name}List"):
            await until(partial(_has_rows, view))
            view.setCurrentIndex(view.model().index(0, 0))
        shown.theme.set_zoom(zoom)
        for _ in range(3):
            await settle()
            QApplication.sendPostedEvents()
            QApplication.processEvents()
        yield shown, page


def _has_rows(view: QAbstractItemView) -> bool:
    return view.model().rowCount() > 1


def controls(page: QWidget) -> list[QWidget]:
    """What can be pressed, chosen from or written in; not what a control is made of."""
    found = [
        each
        for each in page.findChildren(QWidget)
        if isinstance(each, CONTROLS) and each.isVisibleTo(page) and each.isEnabled()
    ]
    return [
        each
        for each in found
        if each.focusPolicy() & Qt.FocusPolicy.TabFocus
        and not isinstance(each.parentWidget(), QComboBox)
        and not isinstance(each, QScrollBar)
        and each.window() is page.window()
    ]


@WALK
async def test_no_control_is_without_a_name(name: str) -> None:
    """product.md P11."""
    async with opened(name) as (_, page):
        nameless = [
            f"{type(each).__name__} {each.objectName()}"
            for each in controls(page)
            if not (each.accessibleName() or getattr(each, "text", str)())
        ]
        assert nameless == []


@WALK
async def test_every_control_is_large_enough_for_fingers(name: str) -> None:
    """product.md P11: 44 x 44."""
    async with opened(name) as (shown, page):
        shown.touch.set_mode(TouchMode.ON)
        await settle()
        QApplication.processEvents()
        small = [
            f"{each.objectName() or type(each).__name__}: {each.width()} x {each.height()}"
            for each in controls(page)
            if min(each.width(), each.height()) < 44
        ]
        assert small == []


@WALK
@pytest.mark.parametrize("zoom", [1.0, 2.0])
async def test_no_words_of_a_button_are_cut(name: str, zoom: float) -> None:
    """window.md, Layout: everything works at 800 x 600 at 200 %."""
    async with opened(name, zoom=zoom) as (_, page):
        cut = []
        for each in controls(page):
            if isinstance(each, QPushButton | QLineEdit | QComboBox):
                needs = each.minimumSizeHint()
                wide = each.width() >= needs.width() or not isinstance(each, QPushButton)
                if not wide or each.height() < needs.height():
                    cut.append(f"{each.objectName()}: {each.size()} of {needs}")
        assert cut == []


@WALK
async def test_everything_this_desk_says_is_translated(name: str) -> None:
    """What is not of an agent, a server or a human has the marks of the pseudo-locale."""
    async with opened(name) as (_, page):
        said = [each.text() for each in page.findChildren(QPushButton) if each.isVisibleTo(page)]
        said += [
            each.text()
            for each in page.findChildren(QLabel)
            if each.isVisibleTo(page) and each.property("role") in {"heading", "muted"}
        ]
        said += [each.accessibleName() for each in controls(page)]
        plain = [words for words in said if words and not words.startswith("[")]
        assert plain == []


@WALK
async def test_the_keyboard_reaches_every_control(name: str) -> None:
    """product.md P11."""
    async with opened(name) as (shown, page):
        wanted = {each for each in controls(page) if not each.focusProxy()}
        start = next(iter(controls(page)))
        start.setFocus(Qt.FocusReason.TabFocusReason)
        reached = {start}
        for _ in range(60):
            focus = QApplication.focusWidget()
            if focus is None:
                break
            reached.add(focus)
            QTest.keyClick(focus, Qt.Key.Key_Tab)
        assert shown.window.isVisible()
        missed = sorted(each.objectName() or type(each).__name__ for each in wanted - reached)
        assert missed == []
