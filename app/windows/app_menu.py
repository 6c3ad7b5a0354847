"""The program's menu: look, language, size, and the way out."""

from PySide6.QtCore import QEvent, Signal
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

from app.language import Language, available, native_name
from app.theme import Scheme, Theme
from app.viewmodels.preferences import Preferences, SendKey

_ZOOM_STEP = 0.1


class AppMenu(QMenu):
    """`…_wanted` for each page and deed; look and language are changed here."""

    history_wanted = Signal()
    rules_wanted = Signal()
    record_wanted = Signal()
    servers_wanted = Signal()
    connect_wanted = Signal()
    about_wanted = Signal()
    quit_wanted = Signal()
    scheme_chosen = Signal(object)
    language_chosen = Signal(str)
    zoom_chosen = Signal(float)

    def __init__(
        self,
        theme: Theme,
        language: Language,
        preferences: Preferences,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("appMenu")
        self._theme = theme
        self._language = language
        self._preferences = preferences
        self._send = QMenu(self)
        self._send.setObjectName("sendKeyMenu")
        self._send_keys: dict[SendKey, QAction] = {}
        self._look = QMenu(self)
        self._schemes: dict[Scheme, QAction] = {}
        self._languages = QMenu(self)
        self._languages.setObjectName("languageBox")
        self._size = QMenu(self)
        self._build_look()
        self._build_languages()
        self._build_send_keys()
        self._larger = self._size.addAction("", QKeySequence.StandardKey.ZoomIn, self._zoom_in)
        self._smaller = self._size.addAction("", QKeySequence.StandardKey.ZoomOut, self._zoom_out)
        self._normal = self._size.addAction("", QKeySequence("Ctrl+0"), self._zoom_normal)
        self.addMenu(self._look)
        self.addMenu(self._languages)
        self.addMenu(self._size)
        self.addMenu(self._send)
        self.addSeparator()
        self._history = self.addAction("", QKeySequence("Ctrl+H"), self.history_wanted.emit)
        self._rules = self.addAction("", self.rules_wanted.emit)
        self._record = self.addAction("", self.record_wanted.emit)
        self._servers = self.addAction("", self.servers_wanted.emit)
        self.addSeparator()
        self._connect_agent = self.addAction("", self.connect_wanted.emit)
        self._about = self.addAction("", self.about_wanted.emit)
        self.addSeparator()
        self._quit = self.addAction("", QKeySequence("Ctrl+Q"), self.quit_wanted.emit)
        self._retranslate()

    def shortcuts(self) -> list[QAction]:
        """Actions that must work while the menu is closed."""
        return [self._larger, self._smaller, self._normal, self._history, self._quit]

    def changeEvent(self, event: QEvent) -> None:
        if event.type() is QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _build_look(self) -> None:
        group = QActionGroup(self)
        for scheme in Scheme:
            action = self._look.addAction("")
            action.setCheckable(True)
            action.setChecked(scheme is self._theme.scheme)
            action.setActionGroup(group)
            action.triggered.connect(lambda _, chosen=scheme: self._choose_scheme(chosen))
            self._schemes[scheme] = action

    def _build_languages(self) -> None:
        group = QActionGroup(self)
        for name in available():
            action = self._languages.addAction(native_name(name))
            action.setCheckable(True)
            action.setChecked(name == self._language.name)
            action.setActionGroup(group)
            action.triggered.connect(lambda _, chosen=name: self._choose_language(chosen))

    def _build_send_keys(self) -> None:
        group = QActionGroup(self)
        for key in SendKey:
            action = self._send.addAction("")
            action.setCheckable(True)
            action.setChecked(key is self._preferences.send_key)
            action.setActionGroup(group)
            action.triggered.connect(lambda _, chosen=key: self._preferences.set_send_key(chosen))
            self._send_keys[key] = action

    def _choose_scheme(self, scheme: Scheme) -> None:
        self._theme.set_scheme(scheme)
        self.scheme_chosen.emit(scheme)

    def _choose_language(self, name: str) -> None:
        self._language.use(name)
        self.language_chosen.emit(name)

    def _zoom_in(self) -> None:
        self._zoom(self._theme.zoom + _ZOOM_STEP)

    def _zoom_out(self) -> None:
        self._zoom(self._theme.zoom - _ZOOM_STEP)

    def _zoom_normal(self) -> None:
        self._zoom(1.0)

    def _zoom(self, zoom: float) -> None:
        self._theme.set_zoom(zoom)
        self.zoom_chosen.emit(self._theme.zoom)

    def _retranslate(self) -> None:
        self.setAccessibleName(self.tr("Menu"))
        self._look.setTitle(self.tr("Look"))
        self._schemes[Scheme.SYSTEM].setText(self.tr("Like the system"))
        self._schemes[Scheme.LIGHT].setText(self.tr("Light"))
        self._schemes[Scheme.DARK].setText(self.tr("Dark"))
        self._languages.setTitle(self.tr("Language"))
        self._size.setTitle(self.tr("Size"))
        self._send.setTitle(self.tr("Send messages with"))
        self._send_keys[SendKey.ENTER].setText(self.tr("Enter"))
        self._send_keys[SendKey.CTRL_ENTER].setText(self.tr("Ctrl+Enter"))
        self._larger.setText(self.tr("Larger"))
        self._smaller.setText(self.tr("Smaller"))
        self._normal.setText(self.tr("Normal size"))
        self._history.setText(self.tr("History"))
        self._rules.setText(self.tr("Rules"))
        self._record.setText(self.tr("Record"))
        self._servers.setText(self.tr("Tool servers"))
        self._connect_agent.setText(self.tr("Connect an agent…"))
        self._about.setText(self.tr("About Kandesk"))
        self._quit.setText(self.tr("Quit"))
