"""What the window needs to know before the backend is there: its place, look and language."""

from pathlib import Path
from typing import Final

from PySide6.QtCore import QByteArray, QSettings, QSize
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMainWindow

from app.theme import Scheme
from app.viewmodels.preferences import SendKey

DEFAULT_SIZE: Final = QSize(1180, 780)


class WindowState:
    """Kept in `window.ini` in the home; everything of worth is in the store."""

    def __init__(self, home: Path) -> None:
        self._settings = QSettings(str(home / "window.ini"), QSettings.Format.IniFormat)

    def restore(self, window: QMainWindow) -> None:
        """Put the window where it was, or in the middle of a screen that can hold it."""
        geometry = self._settings.value("geometry")
        if isinstance(geometry, QByteArray) and window.restoreGeometry(geometry):
            return
        screen = QGuiApplication.primaryScreen().availableGeometry()
        window.resize(DEFAULT_SIZE.boundedTo(screen.size()))
        frame = window.frameGeometry()
        frame.moveCenter(screen.center())
        window.move(frame.topLeft())

    def save(self, window: QMainWindow) -> None:
        self._settings.setValue("geometry", window.saveGeometry())
        self._settings.sync()

    @property
    def scheme(self) -> Scheme:
        word = str(self._settings.value("scheme", Scheme.SYSTEM.value))
        return next((scheme for scheme in Scheme if scheme.value == word), Scheme.SYSTEM)

    def save_scheme(self, scheme: Scheme) -> None:
        self._settings.setValue("scheme", scheme.value)

    @property
    def zoom(self) -> float:
        try:
            return float(str(self._settings.value("zoom", "1.0")))
        except ValueError:
            return 1.0

    def save_zoom(self, zoom: float) -> None:
        self._settings.setValue("zoom", str(zoom))

    @property
    def language(self) -> str | None:
        """The chosen locale; None to follow the system."""
        return str(self._settings.value("language", "")) or None

    def save_language(self, name: str) -> None:
        self._settings.setValue("language", name)

    @property
    def send_key(self) -> SendKey:
        word = str(self._settings.value("sendKey", SendKey.ENTER.value))
        return next((key for key in SendKey if key.value == word), SendKey.ENTER)

    def save_send_key(self, key: SendKey) -> None:
        self._settings.setValue("sendKey", key.value)

    def first_time(self, what: str) -> bool:
        """Whether this is the first time `what` is asked; remembered from now on."""
        key = f"told/{what}"
        if str(self._settings.value(key, "")) == "yes":
            return False
        self._settings.setValue(key, "yes")
        return True
