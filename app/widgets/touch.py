"""Whether the human uses fingers: from the last pointer, or as they have chosen."""

from enum import StrEnum
from typing import Final

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtGui import QInputDevice, QPointerEvent
from PySide6.QtWidgets import QApplication, QWidget

_COARSE: Final = frozenset({QInputDevice.DeviceType.TouchScreen})
_FINE: Final = frozenset({QInputDevice.DeviceType.Mouse, QInputDevice.DeviceType.TouchPad})


class TouchMode(StrEnum):
    AUTOMATIC = "automatic"
    ON = "on"
    OFF = "off"


class TouchLayout(QObject):
    """`changed` when controls have to become larger or may become smaller again."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._mode = TouchMode.AUTOMATIC
        kinds = {device.type() for device in QInputDevice.devices()}
        self._coarse = bool(kinds & _COARSE) and not kinds & _FINE

    @property
    def on(self) -> bool:
        if self._mode is TouchMode.AUTOMATIC:
            return self._coarse
        return self._mode is TouchMode.ON

    @property
    def mode(self) -> TouchMode:
        return self._mode

    def set_mode(self, mode: TouchMode) -> None:
        self._change(mode, coarse=self._coarse)

    def watch(self, window: QWidget) -> None:
        """Notice by which pointer this window is used."""
        window.winId()
        handle = window.windowHandle()
        if handle is not None:
            handle.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.TouchBegin:
            self._change(self._mode, coarse=True)
        elif event.type() == QEvent.Type.MouseButtonPress and isinstance(event, QPointerEvent):
            kind = event.pointingDevice().type()
            if kind in _COARSE | _FINE:
                self._change(self._mode, coarse=kind in _COARSE)
        return super().eventFilter(watched, event)

    def _change(self, mode: TouchMode, *, coarse: bool) -> None:
        before = self.on
        self._mode, self._coarse = mode, coarse
        if self.on is not before:
            self.changed.emit()


def show_touch(widget: QWidget, *, touch: bool) -> None:
    """Let the style sheet draw `widget` and what is in it for fingers or for a mouse."""
    if bool(widget.property("touch")) is touch:
        return
    for part in (widget, *widget.findChildren(QWidget)):
        part.setProperty("touch", touch)
        part.style().unpolish(part)
        part.style().polish(part)
        QApplication.sendEvent(part, QEvent(QEvent.Type.StyleChange))
        part.updateGeometry()
