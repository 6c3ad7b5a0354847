"""PySide6 must not steal references to None, True and False (6.12.0 does on Python 3.11)."""

import sys
from collections.abc import Callable

import pytest
from PySide6.QtCore import (
    QAbstractListModel,
    QCoreApplication,
    QIdentityProxyModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QTimerEvent,
    Signal,
)

CALLS = 50


class Emitter(QObject):
    plain = Signal()
    number = Signal(int)

    def timerEvent(self, event: QTimerEvent) -> None:
        pass


class EmptyModel(QAbstractListModel):
    def rowCount(self, parent: QModelIndex | QPersistentModelIndex | None = None) -> int:
        return 3

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = 0) -> object:
        return None


@pytest.fixture
def calls(qapp: QCoreApplication) -> dict[str, Callable[[], object]]:
    emitter = Emitter()
    emitter.plain.connect(lambda: None)
    emitter.number.connect(lambda _: None)
    timer = QTimerEvent(1)
    model = EmptyModel()
    proxy = QIdentityProxyModel()
    proxy.setSourceModel(model)
    index = proxy.index(0, 0)
    return {
        "emit()": emitter.plain.emit,
        "emit(int)": lambda: emitter.number.emit(1),
        "sendEvent": lambda: QCoreApplication.sendEvent(emitter, timer),
        "data() -> None": lambda: (proxy.data(index, 0), model)[0],
        "setObjectName": lambda: emitter.setObjectName("x"),
        "blockSignals": lambda: emitter.blockSignals(False),
        "isValid": index.isValid,
    }


def test_calls_leave_the_references_of_singletons_alone(
    calls: dict[str, Callable[[], object]],
) -> None:
    lost = {}
    for name, call in calls.items():
        call()
        before = [sys.getrefcount(value) for value in (None, True, False)]
        for _ in range(CALLS):
            call()
        after = [sys.getrefcount(value) for value in (None, True, False)]
        change = [late - early for early, late in zip(before, after, strict=True)]
        # A stolen reference costs one for every call; anything else in the process may hold a few.
        if min(change) <= -CALLS // 2:
            lost[name] = change
    assert not lost
